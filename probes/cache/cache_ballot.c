#include "cache_ballot.h"

#include <stdio.h>

#include "sector_test.h"
#include "vote.h"

/* If lines do not share a set again within the stride, those at its multiples
 * fill several sets, and the period is that many strides (a power of two). */
static uint64_t period_of(const struct hwc_geometry *geometry, uint64_t stride)
{
    uint64_t sets = geometry->kept / geometry->ways;

    return geometry->period_bytes == stride && (sets & (sets - 1)) == 0 ? sets * stride : geometry->period_bytes;
}

/* Others may hold ways, for a while, and never give any. To hold one of a large level's sets, whichever is asked about,
 * they would have to visit all of its sets again within each reading: a thread on the core's other half may do so. */
static void say_effects(const struct hwc_lab *lab, const struct hwc_geometry *geometry, struct hwc_ballot *ballot)
{
    bool varies = geometry->of_random_sets && !geometry->beside;
    enum hwc_effect effect = varies ? HWC_OTHERS_MAY_LESSEN_SOME : HWC_OTHERS_MAY_LESSEN;

    ballot->others_seen = geometry->beside;
    if (lab->machine->interference)
        hwc_ballot_is_one_sided(ballot, HWC_CACHE_QUESTIONS,
                                1 << HWC_ASK_SIZE | 1 << HWC_ASK_WAYS | 1 << HWC_ASK_EFFECTIVE, effect);
}

int hwc_answer_geometry(struct hwc_lab *lab, unsigned level, uint64_t stride, const struct hwc_geometry *geometry,
                        struct hwc_ballot *ballot, struct hwc_error *error)
{
    uint64_t line_bytes = geometry->line_bytes;
    bool told;

    /* No line is as long as a page: a distance that large has another cause, such as translation. */
    if (line_bytes >= lab->machine->page_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts part at %llu bytes only, which is no line",
                        (unsigned long long)line_bytes);
    TRY(hwc_tell_line_from_fill(lab, level, &line_bytes, &told, error)); /* conflicts give only the fill size */
    for (int q = 0; q < HWC_CACHE_QUESTIONS; q++)
        ballot->cast[q] = q != HWC_ASK_LINE || told;
    if (!told)
        snprintf(ballot->reason, sizeof ballot->reason, "lines or pairs of them: the level above brings in %llu bytes at "
                 "a time", (unsigned long long)line_bytes);
    ballot->value[HWC_ASK_LINE] = (int64_t)line_bytes;
    ballot->value[HWC_ASK_SIZE] = (int64_t)(geometry->kept * geometry->period_bytes);
    ballot->value[HWC_ASK_WAYS] = (int64_t)geometry->ways;
    ballot->value[HWC_ASK_PERIOD] = (int64_t)period_of(geometry, stride);
    ballot->value[HWC_ASK_EFFECTIVE] = ballot->value[HWC_ASK_SIZE];
    ballot->value[HWC_ASK_FILL] = (int64_t)geometry->line_bytes;
    say_effects(lab, geometry, ballot);
    hwc_add_own_walks(lab, &lab->witness[level], false, HWC_WALKED_SIZE, (double)ballot->value[HWC_ASK_SIZE],
                      &geometry->counted);
    hwc_add_own_walks(lab, &lab->witness[level], false, HWC_WALKED_WAYS, (double)geometry->ways, &geometry->counted);
    return HWC_OK;
}
