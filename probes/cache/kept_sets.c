#include "kept_sets.h"

#include "kept_arena.h"
#include "statistics.h"

enum { MOST = 8 };

struct kept_set {
    unsigned level;
    uint64_t stride;
    size_t apart;
    double probe; /* that had it last: when this began */
    struct hwc_set set;
};

struct kept_sets {
    size_t count;
    struct kept_set of[MOST];
};

static bool serves(const struct kept_set *kept, const struct hwc_conflict_plan *plan, size_t lines)
{
    return kept->level == plan->level && kept->stride == plan->stride && kept->apart == plan->apart &&
           kept->set.lines >= lines;
}

bool hwc_take_kept_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t lines, size_t evictors,
                       struct hwc_set *set)
{
    void **found = hwc_found_on(lab, plan->arena, HWC_FOUND_SETS);
    struct kept_sets *sets = found != NULL ? *found : NULL;

    for (size_t i = 0; sets != NULL && i < sets->count; i++) {
        struct kept_set *kept = &sets->of[i];
        if (kept->probe >= lab->probe_started || !serves(kept, plan, lines))
            continue;
        kept->probe = lab->probe_started;
        *set = kept->set;
        set->lines = lines;
        set->evictors = hwc_lesser(evictors, kept->set.evictors);
        return true;
    }
    return false;
}

void hwc_keep_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, const struct hwc_set *set,
                  size_t evictors)
{
    struct kept_sets *sets = hwc_begin_found(lab, plan->arena, HWC_FOUND_SETS, sizeof *sets);

    if (sets == NULL || sets->count == MOST)
        return;
    sets->of[sets->count] = (struct kept_set){plan->level, plan->stride, plan->apart, lab->probe_started, *set};
    sets->of[sets->count++].set.evictors = evictors;
}
