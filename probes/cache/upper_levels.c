#include "upper_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conflict_free_set.h"
#include "line_placement.h"
#include "sampler.h"
#include "steady_state.h"

/* One more line, where the next evictor would lie, must fit. If this level has no
 * more sets than the one above, lines that compete there compete here too. */
static int check_place(struct hwc_conflict_test *test, struct hwc_error *error)
{
    bool conflict;

    test->kept[test->count] = hwc_evictor_at(test, test->evictor_count);
    TRY(hwc_ask_whether(test, test->count + 1, NULL, 0, &conflict, error));
    if (conflict)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no lines compete in the level above and not in this one");
    return HWC_OK;
}

static const struct {
    unsigned samples; /* of which the least counts */
    double by_time;   /* by time, this share of the lines may seem kept above: latencies are known only approximately */
    double farther;   /* a farther level takes several times as long as this one */
    double farther_bare; /* and so many times as long, where no evictor is in the way */
    uint64_t sets;    /* so many at least a level has whose lines can be told apart from the evictors' */
    size_t patience;  /* lines rejected in a row that end the search, beside two for each set */
} policy = {.samples = 4, .by_time = 0.1, .farther = 4, .farther_bare = 2, .sets = 4, .patience = 4};

struct passes {
    struct hwc_walk lines, evictors;
    struct hwc_walk control; /* other lines of the same pages */
};

/* Cycles, or misses of the level above, of a pass over the lines after one over the evictors: the least of a few samples. */
static int least_reading(struct hwc_conflict_test *test, const struct hwc_walk *lines, const struct hwc_walk *evictors,
                         double *least, struct hwc_error *error)
{
    const struct hwc_witness *above = &test->lab->witness[test->plan->level - 1];
    struct hwc_experiment experiment = {
        .arena = test->plan->arena,
        .apart = true,
        .steps = 7,
        .step = {{HWC_RUN, lines, 1}, {HWC_RUN, evictors, 1}, {HWC_RUN, lines, 1}, {HWC_RUN, evictors, 1},
                 {HWC_RUN, lines, 1}, {HWC_RUN, evictors, 1}, {HWC_MEASURE, lines, 1}},
    };

    hwc_ask_witness(above, &experiment);
    *least = INFINITY;
    for (unsigned i = 0; i < policy.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(test->lab, &experiment, &sample, error));
        *least = fmin(*least, hwc_count_reading(above, &sample.reading[0]));
    }
    return HWC_OK;
}

/* Another line of each line's page, which stays in the first level: spread over its sets, but for the evictors' and those
 * next to it. */
static int append_control(const struct hwc_conflict_test *test, struct passes *passes, struct hwc_error *error)
{
    const struct hwc_level *first = &test->lab->known->level[1];
    uint64_t page = hwc_smallest_entry(test->lab->machine);
    size_t tried = 0;

    for (size_t i = 0; i < passes->lines.count; i++) {
        uint64_t line = passes->lines.offsets[i], at, from_evictors;
        do {
            at = line - line % page + hwc_line_in_page(test->lab, tried++);
            from_evictors = (at - test->base) % first->period_bytes;
        } while (from_evictors < first->line_bytes || first->period_bytes - from_evictors < first->line_bytes);
        TRY(hwc_walk_append(&passes->control, at, error));
    }
    return HWC_OK;
}

/* Where the first level has hardly any sets, evictors leave no room for a control, and nothing is told. */
static bool has_room_for_control(const struct hwc_conflict_test *test)
{
    const struct hwc_level *first = &test->lab->known->level[1];

    return first->period_bytes >= policy.sets * first->line_bytes;
}

/* What translation adds to a pass over the lines: what other lines of the same pages take beyond hits of the first level. */
static int weigh_translation(struct hwc_conflict_test *test, struct passes *passes, double *weight,
                             struct hwc_error *error)
{
    const struct hwc_witness *first = &test->lab->witness[1], *above = &test->lab->witness[test->plan->level - 1];

    *weight = 0;
    if (!has_room_for_control(test))
        return HWC_OK;
    TRY(append_control(test, passes, error));
    TRY(least_reading(test, &passes->control, &passes->evictors, weight, error));
    *weight -= hwc_weight_of_hits(above, (double)test->count) * first->hit_cycles / above->hit_cycles;
    return HWC_OK;
}

/* How many lines the level above does not serve. By time, the cost of hits there and of translation is subtracted. */
static int fewest_served_here(struct hwc_conflict_test *test, struct passes *passes, double *fewest,
                              struct hwc_error *error)
{
    const struct hwc_witness *above = &test->lab->witness[test->plan->level - 1];
    double translation;

    TRY(least_reading(test, &passes->lines, &passes->evictors, fewest, error));
    if (hwc_counts(above))
        return HWC_OK;
    TRY(weigh_translation(test, passes, &translation, error));
    *fewest -= hwc_weight_of_hits(above, (double)test->count) + translation;
    return HWC_OK;
}

static int judge_emptied(const struct hwc_conflict_test *test, double here, struct hwc_error *error)
{
    const struct hwc_witness *above = &test->lab->witness[test->plan->level - 1];
    double share = hwc_counts(above) ? 0 : policy.by_time, count = (double)test->count, left = count - here;

    if (left > 0.5 + share * count)
        return hwc_fail(error, HWC_INCONCLUSIVE, "level %u keeps %.0f of %zu lines, whatever comes after them",
                        test->plan->level - 1, left, test->count);
    if (here > policy.farther * count)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines fit, but take as long as %.0f that level %u would serve",
                        test->count, here, test->plan->level);
    return HWC_OK;
}

static int count_served_here(struct hwc_conflict_test *test, struct passes *passes, double *here,
                             struct hwc_error *error)
{
    for (size_t i = 0; i < test->count; i++)
        TRY(hwc_walk_append(&passes->lines, test->kept[i], error));
    TRY(hwc_append_evictors(test, &passes->evictors, error));
    return fewest_served_here(test, passes, here, error);
}

typedef int (*ask_passes)(struct hwc_conflict_test *test, struct passes *passes, double *answer, struct hwc_error *error);

static int ask(struct hwc_conflict_test *test, ask_passes about, double *answer, struct hwc_error *error)
{
    struct passes passes;
    int status;

    hwc_walk_init(&passes.lines);
    hwc_walk_init(&passes.evictors);
    hwc_walk_init(&passes.control);
    status = about(test, &passes, answer, error);
    hwc_walk_free(&passes.lines);
    hwc_walk_free(&passes.evictors);
    hwc_walk_free(&passes.control);
    return status;
}

/* A scan-resistant policy may keep some of the lines in the level above for ever. They take no room here, so that as
 * many more would fit. */
static int check_emptied(struct hwc_conflict_test *test, struct hwc_error *error)
{
    double here = 0;

    TRY(ask(test, count_served_here, &here, error));
    return judge_emptied(test, here, error);
}

int hwc_check_evictors(struct hwc_conflict_test *test, struct hwc_error *error)
{
    TRY(check_place(test, error));
    return check_emptied(test, error);
}

static int time_pass(struct hwc_conflict_test *test, const struct hwc_walk *lines, double *cycles, struct hwc_error *error)
{
    return hwc_measure_by(test->lab, &hwc_by_clock, test->plan->arena, lines, policy.samples, cycles, error);
}

/* Cycles that a kept line takes; what translating its page does is taken off. */
static int time_kept(struct hwc_conflict_test *test, struct passes *passes, double *cycles, struct hwc_error *error)
{
    double lines, control;

    TRY(hwc_walk_append_all(&passes->lines, test->kept, test->count, error));
    TRY(append_control(test, passes, error));
    TRY(time_pass(test, &passes->lines, &lines, error));
    TRY(time_pass(test, &passes->control, &control, error));
    *cycles = test->lab->witness[1].hit_cycles + (lines - control) / (double)test->count;
    return HWC_OK;
}

int hwc_check_near(struct hwc_conflict_test *test, struct hwc_error *error)
{
    struct hwc_witness *witness = &test->lab->witness[test->plan->level];
    double kept = 0;

    if (hwc_counts_events(witness) || witness->hit_cycles <= 0 || test->lab->witness[1].hit_cycles <= 0 ||
        !has_room_for_control(test))
        return HWC_OK;
    TRY(ask(test, time_kept, &kept, error));
    if (kept <= policy.farther_bare * witness->hit_cycles)
        return HWC_OK;
    if (kept < witness->miss_cycles)
        witness->miss_cycles = kept;
    return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines fit, but take %.0f cycles each; of footprints that fit, %.0f",
                    test->count, kept, witness->hit_cycles);
}

/* Without evictors, extend the kept lines by those of the other candidates that fit. */
static int extend_without(struct hwc_conflict_test *test, struct hwc_conflict_test *bare, uint64_t *others,
                          size_t competitors, struct hwc_error *error)
{
    size_t patience = policy.patience + 2 * test->count / competitors;
    struct hwc_rejected rejected = {0};
    size_t count = 0, used = 0;

    for (size_t i = 0; i < test->plan->candidates; i++)
        if (!hwc_is_among(test->candidates[i], test->kept, test->count))
            others[count++] = test->candidates[i];
    bare->evictor_count = 0;
    bare->threshold = test->threshold;
    bare->count = test->count;
    memcpy(bare->kept, test->kept, test->count * sizeof *bare->kept);
    return hwc_extend_conflict_free_set(bare, others, count, patience, count, &used, &rejected, error);
}

int hwc_count_without_evictors(struct hwc_conflict_test *test, size_t competitors, uint64_t *kept,
                               struct hwc_error *error)
{
    uint64_t *others = malloc(test->plan->candidates * sizeof *others);
    struct hwc_conflict_test bare;
    int status = hwc_open_conflict_test(&bare, test->lab, test->plan, error);

    if (status == HWC_OK && others == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    if (status == HWC_OK)
        status = extend_without(test, &bare, others, competitors, error);
    *kept = bare.count;
    hwc_close_conflict_test(&bare);
    free(others);
    return status;
}

/* The kept lines y1, y2 ... and the rejected one, and before each the first kept line x: x y1 x y2 ... Every visit to x
 * uses another cell of it, as long as there are any. */
static int interleave(const struct hwc_conflict_test *test, size_t cells, struct hwc_walk *walk,
                      struct hwc_error *error)
{
    for (size_t i = 1; i <= test->count; i++) {
        if (i <= cells)
            TRY(hwc_walk_append(walk, test->kept[0] + (i - 1) * HWC_CELL_BYTES, error));
        TRY(hwc_walk_append(walk, test->kept[i], error));
    }
    return HWC_OK;
}

/* A level with no more sets than the one above leaves no room for evictors, and
 * the lines that fit may be its own or, if it is exclusive, both levels'. One
 * line x tells: the level above serves it again and again while others pass. An
 * inclusive or independent level has not seen x since its first visit and, under
 * LRU, misses it like all others. An exclusive level got x late, as a victim of
 * the level above, and hits. The difference is one miss, so only a meter that
 * counts can tell. */
int hwc_check_recency(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    const struct hwc_level *above = &test->lab->known->level[test->plan->level - 1];
    size_t cells = above->line_bytes / HWC_CELL_BYTES;
    double count = (double)test->count + 1, found = 0;
    struct hwc_walk walk;
    int status;

    /* With one way above, each y evicts x, which is never served there again: only how many lines fit can be seen. */
    if (!test->meter.ops->counts || test->plan->level == 1 || cells < 2 || above->ways == 1)
        return HWC_OK;
    test->kept[test->count] = rejected;
    hwc_walk_init(&walk);
    status = interleave(test, cells, &walk, error);
    if (status == HWC_OK)
        status = hwc_meter_count(&test->meter, test->plan->arena, &walk, test->lab->settings.samples, &found,
                                 error);
    hwc_walk_free(&walk);
    if (status == HWC_OK && fabs(found - count) < 0.25)
        geometry->recency = HWC_RECENCY_APART;
    else if (status == HWC_OK && fabs(found - (count - 1)) < 0.25)
        geometry->recency = HWC_RECENCY_SHARED;
    return status;
}
