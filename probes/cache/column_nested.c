#include "column_nested.h"

#include <math.h>
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

struct beside {
    size_t lines;   /* of the column, visited in turn with the others */
    double part;    /* so many of the lines at the same place of other pages that are none of the column */
    uint64_t moved; /* the others, as XOR */
    bool flushed;   /* the column's lines, before they are timed: all come from memory */
};

struct visits {
    struct hwc_walk lines, others;
};

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static bool is_in(uint64_t line, const uint64_t *sorted, size_t count)
{
    return bsearch(&line, sorted, count, sizeof line, ascending) != NULL;
}

/* Of the pages that were asked about, as those have all of their lines among the column's. */
static int append_others(struct hwc_column *column, const uint64_t *own, const struct beside *beside,
                         struct hwc_walk *others, struct hwc_error *error)
{
    size_t pages = hwc_column_pages_asked(column);

    for (size_t page = 0; page < pages; page++)
        for (size_t i = 0; i < column->places; i++) {
            uint64_t line = hwc_column_line_at(column, page, column->place[i].moved);
            if (!is_in(line, own, column->lines) && hwc_random_unit(&column->lab->random) < beside->part)
                TRY(hwc_walk_append(others, line ^ beside->moved, error));
        }
    hwc_walk_shuffle(others, &column->lab->random);
    others->independent = true;
    return HWC_OK;
}

static int list_others(struct hwc_column *column, const struct beside *beside, struct hwc_walk *others,
                       struct hwc_error *error)
{
    uint64_t *own = malloc(column->lines * sizeof *own);
    int status;

    if (own == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for %zu lines", column->lines);
    memcpy(own, column->line, column->lines * sizeof *own);
    qsort(own, column->lines, sizeof *own, ascending);
    status = append_others(column, own, beside, others, error);
    free(own);
    return status;
}

static int list_lines(struct hwc_column *column, size_t lines, struct hwc_walk *walk, struct hwc_error *error)
{
    hwc_random_shuffle(&column->lab->random, column->line, column->lines);
    walk->repeats = true; /* it is read from a list, which writes to none of the lines */
    return hwc_walk_append_all(walk, column->line, lines, error);
}

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

/* Cycles of each of the column's lines; 0 if there are no other lines. */
static int time_beside(struct hwc_column *column, const struct beside *beside, double *cycles, struct hwc_error *error)
{
    struct visits visits;
    int status;

    *cycles = 0;
    hwc_walk_init(&visits.lines);
    hwc_walk_init(&visits.others);
    status = list_lines(column, beside->lines, &visits.lines, error);
    if (status == HWC_OK)
        status = list_others(column, beside, &visits.others, error);
    if (status == HWC_OK && visits.others.count > 0)
        status = time_visits(column, &visits, beside->flushed, cycles, error);
    hwc_walk_free(&visits.lines);
    hwc_walk_free(&visits.others);
    return status;
}

/* Those of the column that were missed are among the others: with them, a part of what is kept is visited that fits. */
static struct beside plan(const struct hwc_column *column, const struct hwc_kept_lines *kept)
{
    double sets = (double)hwc_way_bytes(&column->lab->known->level[column->above]) / (double)column->stride;
    double found = (double)column->lines, all = fmax((double)hwc_column_pages_asked(column) / sets, found);

    return (struct beside){.lines = hwc_lines_surely_kept(kept, fmax(nested - more_beside * (1 - found / all), 0)),
                           .part = more_beside * kept->low / all};
}

int hwc_share_taken_by_others(struct hwc_column *column, const struct hwc_kept_lines *kept, uint64_t apart, double miss,
                              double *share, struct hwc_error *error)
{
    struct beside same = plan(column, kept), other = same, flushed;
    double beside_same[LOOKS], beside_other[LOOKS], from_memory[LOOKS], hit;

    if ((double)same.lines < beyond_ways * (double)column->ways)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "%zu lines of a set are too few to tell whether those of other sets take room from them", same.lines);
    other.moved = apart;
    flushed = other;
    flushed.flushed = miss <= 0;
    for (int i = 0; i < LOOKS; i++) {
        TRY(time_beside(column, &same, &beside_same[i], error));
        TRY(time_beside(column, &other, &beside_other[i], error));
        TRY(time_beside(column, &flushed, &from_memory[i], error));
    }
    hit = hwc_median(beside_other, LOOKS);
    if (miss <= 0)
        miss = hwc_median(from_memory, LOOKS) - hit;
    /* The level above still has as many as it has ways, beside either. */
    miss *= 1 - (double)column->ways / (double)same.lines;
    *share = hit > 0 ? (hwc_median(beside_same, LOOKS) - hit) / miss : 0;
    return HWC_OK;
}
