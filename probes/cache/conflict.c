#include "conflict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "competitors.h"
#include "congruence.h"
#include "conflict_free_set.h"
#include "full_set.h"
#include "kept_arena.h"
#include "line_and_period.h"
#include "quiet_core.h"
#include "statistics.h"
#include "upper_levels.h"

/* The search stops when so many lines in a row, per known set, do not fit. The chance that all of them miss a set that
 * still has room is e^-10, or 2^-10 if there is one known set and one other. */
#define PATIENCE 10

static int extend_until_full(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected,
                             size_t competitors, struct hwc_error *error)
{
    size_t available = test->plan->candidates;
    size_t patience = test->count > competitors ? PATIENCE * test->count / competitors : PATIENCE;
    double kept_threshold = test->threshold;
    int status;

    test->threshold = CONFLICT_MISSES;
    status = hwc_extend_conflict_free_set(test, test->candidates, available, patience, SIZE_MAX, used, rejected,
                                          error);
    test->threshold = kept_threshold;
    if (status == HWC_OK && *used == available && rejected->count * 2 < test->count)
        return hwc_fail(error, HWC_INCONCLUSIVE, "too few lines to choose from: %zu of %zu fit", test->count,
                        available);
    return status;
}

/* Our own code and data take some hundred lines, and other programs keep some of
 * theirs: such a share of the lines that would fit may be missing. */
#define FOREIGN_SHARE 0.03

uint64_t hwc_whole_sets(size_t lines, size_t competitors, bool interference)
{
    double count = (double)lines, ways = (double)competitors;
    uint64_t least = (uint64_t)ceil((count - (interference ? ways / 4 : 0)) / ways);
    uint64_t most = (uint64_t)((count + (interference ? ways / 4 + FOREIGN_SHARE * count : 0)) / ways);
    uint64_t power = hwc_nearest_power_of_two(count / ways);

    if (least == most)
        return least;
    return power * competitors >= lines && power <= most ? power : 0; /* a set holds no more lines than ways */
}

static int settle_count(const struct hwc_conflict_test *test, size_t competitors, struct hwc_geometry *geometry,
                        struct hwc_error *error)
{
    uint64_t sets = hwc_whole_sets(test->count, competitors, test->lab->machine->interference);

    geometry->kept = sets * competitors;
    geometry->ways = competitors;
    geometry->conflict_misses = test->conflict_misses;
    if (sets == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines fit, no whole number of sets of %zu", test->count,
                        competitors);
    return HWC_OK;
}

/* How many kept lines compete with this one? The marks of those that compete with the first one are restored. */
static int count_competitors(struct hwc_conflict_test *test, uint64_t rejected, size_t *found, struct hwc_error *error)
{
    size_t bytes = test->count * sizeof *test->competes;
    bool *before = malloc(bytes);
    int status;

    if (before == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    memcpy(before, test->competes, bytes);
    status = hwc_set_threshold(test, rejected, error);
    if (status == HWC_OK)
        status = hwc_find_competitors(test, rejected, found, error);
    memcpy(test->competes, before, bytes);
    free(before);
    return status;
}

/* If the level below is inclusive and has fewer ways, lines conflict there before
 * a set of this level is full, and the first rejected line has few competitors.
 * The last one came when all sets here were full, so only the lines of its own
 * set compete with it: they must not be more. */
static int check_last(struct hwc_conflict_test *test, uint64_t last, size_t *competitors, struct hwc_error *error)
{
    size_t found = 0;
    int status = count_competitors(test, last, &found, error);

    if (status == HWC_INCONCLUSIVE) /* no evidence against the first count */
        return HWC_OK;
    if (status != HWC_OK || found <= *competitors)
        return status;
    if (!test->lab->machine->interference || found - *competitors > 1 + found / 16)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines compete with one more, and %zu with another; "
                        "the level below may have fewer ways", *competitors, found);
    *competitors = found; /* others held a way or two of the first line's set */
    return HWC_OK;
}

/* Several sets were filled, and there is a level below. */
static bool may_conflict_below(const struct hwc_conflict_test *test, size_t competitors)
{
    return test->plan->level < test->lab->known->levels && test->count > competitors;
}

/* For pages in random order and a meter that reads one line: the eviction set of a line has as many lines as the level
 * has ways, and how many random lines fill a gap in it gives the number of sets. */
static int search_classes(struct hwc_conflict_test *test, struct hwc_geometry *geometry, struct hwc_error *error)
{
    struct hwc_rejected rejected = {0};
    size_t used = 0, competitors = 0;
    uint64_t sets = 0, places = 1;

    TRY(hwc_find_full_set(test, &used, &rejected, &competitors, error));
    TRY(hwc_count_beside(test, rejected.line, competitors, &geometry->counted, error));
    TRY(hwc_find_line_and_period(test, (const uint64_t[2]){rejected.line, rejected.line}, competitors, geometry,
                                 error));
    if (geometry->line_bytes < test->lab->known->level[1].line_bytes)
        return hwc_fail(error, HWC_INCONCLUSIVE, "competing lines part at %llu bytes, within a line of the first level",
                        (unsigned long long)geometry->line_bytes);
    TRY(hwc_count_classes(test, &competitors, geometry->line_bytes, &sets, &places, error));
    if (sets == 1) /* then no line empties the levels above and leaves the set alone */
        return hwc_fail(error, HWC_UNAVAILABLE, "lines at one place of their pages share one set: how many of %zu the "
                        "levels above hold cannot be told", competitors);
    geometry->ways = competitors;
    geometry->kept = sets * competitors;
    geometry->of_random_sets = true;
    geometry->period_bytes = test->plan->stride / places;
    return HWC_OK;
}

/* Lines that fit miss hardly at all, and with one more in every pass. Where a miss takes less than is believed, more than
 * the ways of a set seem to fit: with one more, two miss where one did before, or three where two did. */
static int check_step(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_error *error)
{
    double fit = 0, more = 0;
    enum hwc_side ignored;

    if (test->meter.ops->counts)
        return HWC_OK;
    TRY(hwc_ask(test, test->kept, test->count, NULL, 0, HWC_SURELY, &ignored, &fit, error));
    test->kept[test->count] = rejected;
    TRY(hwc_ask(test, test->kept, test->count + 1, NULL, 0, HWC_SURELY, &ignored, &more, error));
    if (fit < more / 3)
        return HWC_OK;
    return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines seem to miss %.2f times in a pass, and one more %.2f times",
                    test->count, fit, more);
}

static int search_geometry(struct hwc_conflict_test *test, struct hwc_geometry *geometry, struct hwc_error *error)
{
    struct hwc_rejected rejected = {0};
    size_t used = 0, competitors = 0;
    uint64_t first;

    TRY(hwc_find_full_set(test, &used, &rejected, &competitors, error));
    if (competitors == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines conflict, but no single one is the cause");
    first = rejected.line;
    TRY(check_step(test, first, error));
    TRY(hwc_count_beside(test, first, competitors, &geometry->counted, error));
    TRY(extend_until_full(test, &used, &rejected, competitors, error));
    if (rejected.last != first && may_conflict_below(test, competitors))
        TRY(check_last(test, rejected.last, &competitors, error));
    TRY(hwc_set_threshold(test, first, error));
    TRY(hwc_find_line_and_period(test, (const uint64_t[2]){first, rejected.last}, competitors, geometry, error));
    if (test->evictor_count > 0)
        TRY(hwc_check_evictors(test, error));
    else if (test->plan->level > 1)
        TRY(hwc_check_near(test, error));
    if (test->evictor_count == 0 && test->count == competitors)
        TRY(hwc_check_recency(test, first, geometry, error));
    TRY(settle_count(test, competitors, geometry, error));
    if (test->evictor_count > 0)
        TRY(hwc_count_without_evictors(test, competitors, &geometry->kept_without_evictors, error));
    return HWC_OK;
}

int hwc_find_geometry(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    struct hwc_conflict_test test;
    uint64_t samples = lab->samples_taken, beside = lab->company.samples_beside;
    int status = hwc_open_conflict_test(&test, lab, plan, error);

    *geometry = (struct hwc_geometry){0};
    if (status == HWC_OK)
        status = (test.one_at_a_time ? search_classes : search_geometry)(&test, geometry, error);
    geometry->beside = hwc_is_company(lab->company.samples_beside - beside, lab->samples_taken - samples);
    hwc_close_conflict_test(&test);
    return status;
}

/* By the clock on ordinary pages, a target's place and the lines around it are drawn anew each time. By counters the set
 * of lines that fit is the same for all of them, so that fresh pages tell more. */
static bool may_keep(const struct hwc_lab *lab, unsigned level, const struct hwc_look *look)
{
    return look->pages == HWC_BASE_PAGES && level > 1 && !hwc_counts_events(&lab->witness[level]);
}

int hwc_open_look(struct hwc_lab *lab, unsigned level, const struct hwc_look *look, struct hwc_arena *arena,
                  struct hwc_conflict_plan *plan, struct hwc_error *error)
{
    uint64_t bytes = look->stride * look->candidates;
    size_t apart = look->apart > 0 ? look->apart : 1;

    *plan = (struct hwc_conflict_plan){.level = level,
                                       .arena = arena,
                                       .stride = look->stride,
                                       .apart = apart,
                                       .candidates = look->candidates / apart,
                                       .evictors = look->evictors};
    if (may_keep(lab, level, look))
        return hwc_borrow_arena(lab, bytes, look->pages, arena, error);
    return lab->machine->ops->arena_open(lab->machine, bytes, look->pages, arena, error);
}

uint64_t hwc_draw_clear_place(struct hwc_lab *lab)
{
    uint64_t apart = lab->machine->own_apart, grain = 128; /* two lines: each place is the first of two */

    return apart < 2 * grain ? apart / 2 : apart / 2 + grain * hwc_random_below(&lab->random, apart / 2 / grain);
}

/* In a long sequence, misses must also exceed a share of its length: those with other causes (starting, reading and
 * fetching, by chance or not) grow with it. */
#define SHARE_OF_LENGTH 0.02
#define COUNTED_SHARE_OF_LENGTH 0.005

static int ask_sequence(struct hwc_conflict_test *test, uint64_t start, uint64_t stride, size_t count, bool *compact,
                        struct hwc_error *error)
{
    double share = test->meter.ops->counts ? COUNTED_SHARE_OF_LENGTH : SHARE_OF_LENGTH;
    enum hwc_side side;

    for (size_t i = 0; i < count; i++)
        test->kept[i] = start + i * stride;
    hwc_random_shuffle(&test->lab->random, test->kept, count);
    test->threshold = fmax(CONFLICT_MISSES, share * (double)count);
    TRY(hwc_check_time(test, error));
    TRY(hwc_ask(test, test->kept, count, NULL, 0, HWC_SURELY, &side, NULL, error));
    *compact = side == HWC_BELOW; /* a compact one shows almost no misses: one that straddles is not compact */
    return HWC_OK;
}

int hwc_compact(struct hwc_lab *lab, unsigned level, const struct hwc_arena *arena, uint64_t start, uint64_t stride,
                size_t count, bool *compact, struct hwc_error *error)
{
    const struct hwc_conflict_plan plan = {.level = level, .arena = arena, .stride = stride, .candidates = count};
    struct hwc_conflict_test test;
    int status = hwc_open_conflict_test(&test, lab, &plan, error);

    if (status == HWC_OK)
        status = ask_sequence(&test, start, stride, count, compact, error);
    hwc_close_conflict_test(&test);
    return status;
}
