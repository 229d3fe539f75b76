/* Geometry of lower levels, from conflicts between lines that miss in the levels above.
 *
 * Each pass ends with evictors that empty the levels above (X-Ray, SIGMETRICS
 * 2005, 5). Where there is no room for them, the lines that fit may include those
 * of the level above, if this one is exclusive (X-Ray 8.2). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cache_ballot.h"
#include "held_share.h"
#include "hierarchy_scan.h"
#include "kept_arena.h"

/* Without evictors, one set of the level above fits beside an exclusive level's own lines. This tells only if all lines
 * share one set there: several sets hold more of them in any case. */
static bool is_exclusive(const struct hwc_lab *lab, const struct hwc_cache_look *at,
                         const struct hwc_geometry *geometry)
{
    const struct hwc_level *above = &lab->known->level[at->level - 1];

    return hwc_is_one_set(above, at->look.stride) && geometry->kept_without_evictors >= geometry->kept + above->ways;
}

/* Lines whole periods apart compete for one set, unless a hash spreads them over several. */
static bool is_hashed(const struct hwc_geometry *geometry, uint64_t stride)
{
    return geometry->kept > geometry->ways && geometry->period_bytes < stride;
}

/* The lines that fit include those of the levels above that form one exclusive
 * stack with this one: the next above or, if that is exclusive itself, all. */
static int take_off_shared(const struct hwc_lab *lab, const struct hwc_cache_look *at, struct hwc_geometry *geometry,
                           struct hwc_error *error)
{
    const struct hwc_level *above = &lab->known->level[at->level - 1];
    uint64_t all = hwc_ways_above(lab, at->level);
    uint64_t shared = above->effective_bytes > above->size_bytes ? all : above->ways;

    if (above->at_least)
        return hwc_fail(error, HWC_INCONCLUSIVE, "how many of the %llu lines that fit the level above holds is not "
                        "known", (unsigned long long)geometry->ways);
    if (geometry->ways <= all)
        return hwc_fail(error, HWC_UNAVAILABLE, "the levels above may hold all of the %llu lines that fit",
                        (unsigned long long)geometry->ways);
    if (at->level > 2 && !above->effective_shows)
        return hwc_fail(error, HWC_UNAVAILABLE, "how many of the %llu lines that fit the levels above hold is not known",
                        (unsigned long long)geometry->ways);
    geometry->kept_without_evictors = geometry->kept;
    geometry->kept -= shared;
    geometry->ways -= shared;
    return HWC_OK;
}

/* Without evictors, the lines that fit may be this level's alone, or also those
 * of a set of the level above, which holds as many as it has ways.
 *
 * Where a hash spreads the lines over several sets, and there are far more of
 * them than the levels above hold at a time, one line more finds all its
 * competitors in this level at some point of a pass: what fits is this level's. */
static int settle_bare(const struct hwc_lab *lab, const struct hwc_cache_look *at, struct hwc_geometry *geometry,
                       struct hwc_error *error)
{
    uint64_t above = lab->known->level[at->level - 1].ways;

    if (at->look.pages == HWC_BASE_PAGES)
        return HWC_OK;
    if (is_hashed(geometry, at->look.stride) && geometry->kept >= 4 * geometry->ways &&
        geometry->kept >= 4 * hwc_ways_above(lab, at->level))
        return HWC_OK;
    if (geometry->recency == HWC_RECENCY_UNKNOWN || geometry->ways <= above)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "its sets are as few as those of the level above; whether lines are in one or in both cannot "
                        "be told");
    return geometry->recency == HWC_RECENCY_SHARED ? take_off_shared(lab, at, geometry, error) : HWC_OK;
}

/* Why it cannot be told whether walks can keep more lines than the level's own; NULL if it can. */
static const char *doubt_of_effective(const struct hwc_lab *lab, const struct hwc_cache_look *at,
                                      const struct hwc_geometry *geometry)
{
    if (geometry->kept_without_evictors > geometry->kept &&
        geometry->kept_without_evictors <= hwc_ways_above(lab, at->level))
        return "the levels above may hold all lines that fit, so that whether they keep more than this one does not show";
    if (is_exclusive(lab, at, geometry))
        return lab->known->level[at->level - 1].at_least ? "how many lines the level above keeps beside it is not known"
                                                         : NULL;
    if (geometry->kept_without_evictors > geometry->kept)
        return "the levels above keep some lines beyond this one's, but not a set of them";
    if (is_hashed(geometry, at->look.stride))
        return "a hash spreads its lines, so what the levels above may keep beyond it does not show";
    /* Unless it is LRU, an exclusive level may lose lines that the level above has just evicted into it. */
    if (at->look.evictors > 0 && geometry->conflict_misses < (double)geometry->ways + 0.5)
        return "its policy is not LRU, so that whether the levels above keep more does not show";
    if (at->look.evictors == 0 ? geometry->recency != HWC_RECENCY_APART : !hwc_counts(&lab->witness[at->level]))
        return "whether the levels above keep more was not to be seen";
    return NULL;
}

static void answer_effective(const struct hwc_lab *lab, const struct hwc_cache_look *at,
                             const struct hwc_geometry *geometry, struct hwc_ballot *ballot)
{
    const char *doubt = doubt_of_effective(lab, at, geometry);

    if (doubt != NULL) {
        size_t used = strlen(ballot->reason); /* why the line is not told */
        ballot->cast[HWC_ASK_EFFECTIVE] = false;
        snprintf(ballot->reason + used, sizeof ballot->reason - used, "%s%s", used > 0 ? "; " : "", doubt);
    } else if (is_exclusive(lab, at, geometry)) {
        ballot->value[HWC_ASK_EFFECTIVE] += (int64_t)lab->known->level[at->level - 1].effective_bytes;
    }
}

/* Within what bounds may a size lie? A wrong number of sets, ways or bytes of a line is wrong by a factor of two, and
 * half-way to it is the root of two. */
static void size_bounds(const struct hwc_lab *lab, unsigned level, uint64_t ways, double *low, double *high)
{
    const struct hwc_level *known = &lab->known->level[level];
    const struct hwc_levels_fit *fit = &lab->known->fit;

    if (level <= (ways < HWC_FEW_WAYS ? fit->told_if_few : fit->told_if_many)) {
        hwc_seen_bounds(fit, level, low, high);
        *low /= M_SQRT2;
        *high *= M_SQRT2;
        return;
    }
    *low = (double)known->rough_low / 2;
    *high = (double)(ways < HWC_FEW_WAYS ? hwc_most_rough(known) : known->rough_high) * 2;
}

/* Do footprints speak for twice as much, or for half? Bounds are wide where pages at random make them uncertain; then a
 * wrong size may lie beyond them by less than the root of two, and the right one is within. */
static bool is_off_by_two(const struct hwc_lab *lab, unsigned level, double size)
{
    double low, high;

    if (!hwc_fitted_bounds(lab, level, &low, &high) || (size >= low && size <= high))
        return false;
    return size < low ? 2 * size <= high : size / 2 >= low;
}

/* Where others are seen to use the last level, which is not the core's own, footprints show less than it is. */
static bool may_be_larger(const struct hwc_lab *lab, unsigned level, uint64_t size, double low)
{
    const struct hwc_levels_fit *fit = &lab->known->fit;

    return fit->others && level > 2 && level == fit->levels && (double)size >= low;
}

/* Do footprints speak for another size, even if the next level may hide this one, or others use it? */
static bool is_contradicted(const struct hwc_lab *lab, unsigned level, uint64_t size, double low, double high)
{
    bool is_out = (double)size < low || (double)size > high || is_off_by_two(lab, level, (double)size);

    return is_out && !may_be_larger(lab, level, size, low) && !hwc_may_be_hidden(lab, level, size);
}

/* The size found by conflicts must exceed the level above's, and agree with what footprints show. */
static int check_size(const struct hwc_lab *lab, unsigned level, uint64_t size, uint64_t ways, struct hwc_error *error)
{
    double low, high;

    size_bounds(lab, level, ways, &low, &high);
    if (size <= lab->known->level[level - 1].size_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts speak for %llu bytes, which is the level above",
                        (unsigned long long)size);
    if (is_contradicted(lab, level, size, low, high))
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts speak for %llu bytes, footprints for %.0f to %.0f",
                        (unsigned long long)size, fmax(low, 0), high);
    return HWC_OK;
}

/* The level above fetches whole lines, so this level's lines cannot be shorter. */
static int check_line(const struct hwc_lab *lab, unsigned level, uint64_t line, struct hwc_error *error)
{
    if (line < lab->known->level[level - 1].line_bytes)
        return hwc_fail(error, HWC_INCONCLUSIVE, "conflicts end within the %llu bytes that are one line of the level above",
                        (unsigned long long)lab->known->level[level - 1].line_bytes);
    return HWC_OK;
}

static void know_conflicts(struct hwc_lab *lab, unsigned level, const struct hwc_geometry *geometry)
{
    struct hwc_level known = lab->known->level[level];

    known.conflict_misses = geometry->conflict_misses;
    hwc_know_level(lab, level, &known);
}

static int find_geometry(struct hwc_lab *lab, const struct hwc_cache_look *at, struct hwc_geometry *geometry,
                         struct hwc_error *error)
{
    struct hwc_conflict_plan plan;
    struct hwc_arena arena;
    int status;

    TRY(hwc_open_look(lab, at->level, &at->look, &arena, &plan, error));
    status = hwc_find_geometry(lab, &plan, geometry, error);
    hwc_return_arena(lab, &arena);
    return status;
}

int hwc_measure_lower_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_cache_look *at = context;
    struct hwc_geometry geometry;

    TRY(find_geometry(lab, at, &geometry, error));
    if (at->look.evictors == 0)
        TRY(settle_bare(lab, at, &geometry, error));
    TRY(check_size(lab, at->level, geometry.kept * geometry.period_bytes, geometry.ways, error));
    TRY(check_line(lab, at->level, geometry.line_bytes, error));
    know_conflicts(lab, at->level, &geometry);
    TRY(hwc_answer_geometry(lab, at->level, at->look.stride, &geometry, ballot, error));
    answer_effective(lab, at, &geometry, ballot);
    return HWC_OK;
}
