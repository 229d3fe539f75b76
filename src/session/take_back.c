#include "take_back.h"

#include <stdlib.h>

struct hwc_found_before {
    struct hwc_profile profile; /* what it points to is not its own */
    struct hwc_knowledge known;
    unsigned notes;
};

struct hwc_found_before *hwc_remember_found(const struct hwc_lab *lab, const struct hwc_profile *profile)
{
    struct hwc_found_before *before = malloc(sizeof *before);

    if (before == NULL)
        return NULL;
    before->profile = *profile; /* one by one: all of it is too large for the stack */
    before->known = *lab->known;
    before->notes = lab->notes.count;
    return before;
}

/* Lists may have grown, and so have moved. */
void hwc_take_back(const struct hwc_found_before *before, struct hwc_lab *lab, struct hwc_profile *profile)
{
    struct hwc_curves curves = profile->curves;
    struct hwc_matrices matrices = profile->matrices;
    struct hwc_record *instruction = profile->instruction;

    hwc_curves_cut(&curves, before->profile.curves.count);
    hwc_matrices_cut(&matrices, before->profile.matrices.count);
    *profile = before->profile;
    profile->curves = curves;
    profile->matrices = matrices;
    profile->instruction = instruction;
    hwc_know_only(lab, &before->known);
    lab->notes.count = before->notes;
}
