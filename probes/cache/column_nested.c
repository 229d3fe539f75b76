#include "column_nested.h"

#include <stdlib.h>
#include <string.h>

#include "sampler.h"
#include "statistics.h"
#include "steady_state.h"

enum { LOOKS = 9 };

/* Of the lines that are kept where columns lie apart, and so many more where two share sets: half as many again as fit. */
static const double nested = 0.7, more_beside = 0.8;

/* Times the ways of the level above: of fewer lines that has most. */
static const double beyond_ways = 1.25;

/* Lines of the column, and of all other sets at its place of other pages. */
struct beside {
    size_t lines;
    struct hwc_walk others;
};

/* Some lines of the column were missed when all were asked about, and would take room from the others: those that any of
 * some more passes finds are left out, with the few asked about together. */
static int append_group(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines,
                        size_t count, struct hwc_walk *others, struct hwc_error *error)
{
    bool has;

    TRY(hwc_column_may_have(column, place, lines, count, &has, error));
    return has ? HWC_OK : hwc_walk_append_all(others, lines, count, error);
}

/* Up to so many lines of pages that were asked about, from a random one on. */
static int list_at_place(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *own,
                         size_t wanted, struct hwc_walk *others, struct hwc_error *error)
{
    size_t pages = hwc_column_pages_asked(column), end = others->count + wanted, count = 0;
    size_t first = (size_t)hwc_random_below(&column->lab->random, pages);
    uint64_t lines[HWC_SET_EVICTORS];

    for (size_t i = 0; i < pages && others->count < end; i++) {
        uint64_t line = hwc_column_line_at(column, (first + i) % pages, place->moved);
        if (hwc_is_in_sorted(line, own, column->lines) || hwc_column_tells_by(column, line))
            continue;
        lines[count++] = line;
        if (count < hwc_column_group(column))
            continue;
        TRY(append_group(column, place, lines, count, others, error));
        count = 0;
    }
    return HWC_OK;
}

static int list_others(struct hwc_column *column, size_t wanted, struct hwc_walk *others, struct hwc_error *error)
{
    uint64_t *own = malloc(column->lines * sizeof *own);
    int status = HWC_OK;

    if (own == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for %zu lines", column->lines);
    memcpy(own, column->line, column->lines * sizeof *own);
    hwc_sort_integers(own, column->lines);
    for (size_t i = 0; i < column->places && status == HWC_OK; i++)
        status = list_at_place(column, &column->place[i], own, wanted / column->places, others, error);
    free(own);
    return status;
}

static int list_lines(struct hwc_column *column, size_t lines, struct hwc_walk *walk, struct hwc_error *error)
{
    hwc_random_shuffle(&column->lab->random, column->line, column->lines);
    walk->repeats = true; /* it is read from a list, which writes to none of the lines */
    return hwc_walk_append_all(walk, column->line, lines, error);
}

struct visits {
    struct hwc_walk lines, others;
};

static int time_visits(struct hwc_column *column, const struct visits *visits, bool flushed, double *cycles,
                       struct hwc_error *error)
{
    const struct hwc_experiment experiment = {.arena = &column->arena,
                                              .event = HWC_NO_EVENT,
                                              .steps = 6,
                                              .step = {{HWC_RUN, &visits->lines, 1},
                                                       {HWC_RUN, &visits->others, 1},
                                                       {HWC_RUN, &visits->lines, 1},
                                                       {flushed ? HWC_FLUSH : HWC_RUN, &visits->lines, 1},
                                                       {HWC_RUN, &visits->others, 1},
                                                       {HWC_MEASURE, &visits->lines, 1}}};
    struct hwc_sample sample;

    TRY(hwc_lab_sample(column->lab, &experiment, &sample, error));
    *cycles = sample.reading[0].cycles / (double)visits->lines.count;
    TRY(hwc_leave_nothing(column->lab, &column->arena, &visits->lines, error));
    return hwc_leave_nothing(column->lab, &column->arena, &visits->others, error);
}

/* Cycles of each of the column's lines, beside the others moved by this distance, as XOR; flushed before: from memory. */
static int time_beside(struct hwc_column *column, const struct beside *beside, uint64_t moved, bool flushed,
                       double *cycles, struct hwc_error *error)
{
    struct visits visits;
    int status;

    hwc_walk_init(&visits.lines);
    hwc_walk_init(&visits.others);
    visits.others.independent = true;
    status = list_lines(column, beside->lines, &visits.lines, error);
    for (size_t i = 0; i < beside->others.count && status == HWC_OK; i++)
        status = hwc_walk_append(&visits.others, beside->others.offsets[i] ^ moved, error);
    hwc_walk_shuffle(&visits.others, &column->lab->random);
    if (status == HWC_OK)
        status = time_visits(column, &visits, flushed, cycles, error);
    hwc_walk_free(&visits.lines);
    hwc_walk_free(&visits.others);
    return status;
}

static int compare(struct hwc_column *column, const struct beside *beside, uint64_t apart, double miss, double *share,
                   struct hwc_error *error)
{
    double beside_same[LOOKS], beside_other[LOOKS], from_memory[LOOKS], hit;
    bool known = miss > 0;

    for (int i = 0; i < LOOKS; i++) {
        TRY(time_beside(column, beside, 0, false, &beside_same[i], error));
        TRY(time_beside(column, beside, apart, false, &beside_other[i], error));
        if (!known)
            TRY(time_beside(column, beside, apart, true, &from_memory[i], error));
    }
    hit = hwc_median(beside_other, LOOKS);
    if (!known)
        miss = hwc_median(from_memory, LOOKS) - hit;
    /* The level above still has as many as it has ways, beside either. */
    miss *= 1 - (double)column->ways / (double)beside->lines;
    *share = (hwc_median(beside_same, LOOKS) - hit) / miss;
    return HWC_OK;
}

int hwc_share_taken_by_others(struct hwc_column *column, const struct hwc_kept_lines *kept, uint64_t apart, double miss,
                              double *share, struct hwc_error *error)
{
    double sets = (double)hwc_way_bytes(&column->lab->known->level[column->above]) / (double)column->stride;
    struct beside beside = {.lines = hwc_lines_surely_kept(kept, nested)};
    int status;

    *share = 0;
    if ((double)beside.lines < beyond_ways * (double)column->ways)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "%zu lines of a set are too few to tell whether those of other sets take room from them",
                        beside.lines);
    hwc_walk_init(&beside.others);
    status = list_others(column, (size_t)(more_beside * kept->low * (sets - 1)), &beside.others, error);
    if (status == HWC_OK && beside.others.count > 0)
        status = compare(column, &beside, apart, miss, share, error);
    hwc_walk_free(&beside.others);
    return status;
}
