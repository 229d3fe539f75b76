#include "congruent_lines.h"

#include "kept_arena.h"

struct group {
    unsigned level;
    uint64_t stride;
    struct hwc_congruent_lines lines;
};

struct groups {
    size_t count;
    struct group of[HWC_CONGRUENT_GROUPS];
};

const struct hwc_congruent_lines *hwc_congruent_lines(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t i)
{
    void **found = hwc_found_on(lab, plan->arena, HWC_FOUND_LINES);
    struct groups *groups = found != NULL ? *found : NULL;

    for (size_t at = 0; groups != NULL && at < groups->count; at++) {
        struct group *group = &groups->of[at];
        if (group->level == plan->level && group->stride == plan->stride && i-- == 0)
            return &group->lines;
    }
    return NULL;
}

void hwc_know_congruent(struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                        const struct hwc_congruent_lines *lines)
{
    struct groups *groups = hwc_begin_found(lab, plan->arena, HWC_FOUND_LINES, sizeof *groups);

    if (groups == NULL || groups->count == HWC_CONGRUENT_GROUPS)
        return;
    groups->of[groups->count++] = (struct group){plan->level, plan->stride, *lines};
}
