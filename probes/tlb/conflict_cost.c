#include "conflict_cost.h"

#include <math.h>

#include "tlb_geometry.h"

/* So many times its ways, and none is kept by chance: a random policy keeps a page that long one time in e to the eighth. */
enum { TIMES_ITS_WAYS = 8 };

/* Cycles that each of so many pages takes longer. */
static int cost_each(struct hwc_translation *translation, uint64_t apart, size_t pages, double *cycles,
                     struct hwc_error *error)
{
    TRY(hwc_translation_extra(translation, apart, pages, cycles, error));
    *cycles /= (double)pages;
    return HWC_OK;
}

static int cost(struct hwc_translation *translation, const struct hwc_tlb *tlb, double *cycles, struct hwc_error *error)
{
    size_t pages = TIMES_ITS_WAYS * (size_t)tlb->ways;

    if (pages > HWC_MOST_PAGES / TIMES_ITS_WAYS || pages * tlb->period_bytes > translation->arena.bytes / 2)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu pages of one set are too many to be timed", pages);
    return cost_each(translation, tlb->period_bytes, pages, cycles, error);
}

int hwc_cost_conflicts(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb *tlb,
                       double *cycles, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, level), side->large, error);

    translation.own = *tlb;
    hwc_translation_by_curve(&translation, side);
    if (status == HWC_OK)
        status = cost(&translation, tlb, cycles, error);
    hwc_translation_close(&translation);
    return status;
}

/* The farther apart pages lie, the more tables their walks read, until all have their own. What 64 pages take at one
 * distance they take at half of it, as long as they share a set, and tables do not miss caches for it. */
static const struct {
    size_t pages;
    uint64_t farthest, nearest; /* bytes; the latter times a page */
    double alike;
} few = {.pages = 64, .farthest = UINT64_C(256) << 20, .nearest = 16, .alike = 0.1};

enum { MOST_DISTANCES = 24 };

/* Cycles by distance, from the farthest on, while they are as many as missing the level above takes: fewer are of no walk,
 * or of few. */
static int cost_by_distance(struct hwc_translation *translation, double *at, unsigned *distances,
                            struct hwc_error *error)
{
    uint64_t nearest = few.nearest * translation->lab->machine->page_bytes;

    *distances = 0;
    for (uint64_t apart = few.farthest; apart >= nearest && *distances < MOST_DISTANCES; apart /= 2) {
        double cycles = 0;
        TRY(cost_each(translation, apart, few.pages, &cycles, error));
        if (cycles < translation->above_cycles)
            return HWC_OK;
        at[(*distances)++] = cycles;
    }
    return HWC_OK;
}

/* The least that two distances have in common, and the farthest from which on no more is taken. */
static bool read_off(const double *at, unsigned distances, struct hwc_tlb_side *side)
{
    unsigned best = distances;

    for (unsigned i = 0; i + 1 < distances; i++)
        if (fabs(at[i + 1] - at[i]) <= few.alike * at[i] &&
            (best == distances || at[i] + at[i + 1] < at[best] + at[best + 1]))
            best = i;
    if (best == distances)
        return false;
    side->few.cycles = (at[best] + at[best + 1]) / 2;
    while (best > 0 && at[best - 1] <= (1 + 2 * few.alike) * side->few.cycles)
        best--;
    side->few.apart = few.farthest >> best;
    return true;
}

static int cost_few(struct hwc_translation *translation, struct hwc_tlb_side *side, struct hwc_error *error)
{
    double at[MOST_DISTANCES];
    unsigned distances;

    TRY(cost_by_distance(translation, at, &distances, error));
    if (!read_off(at, distances, side))
        return hwc_fail(error, HWC_INCONCLUSIVE, "what few pages take longer depends on how far apart they lie");
    return HWC_OK;
}

int hwc_cost_few_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, unsigned level, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, level), side->large, error);

    hwc_translation_by_curve(&translation, side);
    translation.witness = &hwc_by_clock; /* whatever counts the misses */
    if (status == HWC_OK)
        status = cost_few(&translation, side, error);
    hwc_translation_close(&translation);
    return status;
}
