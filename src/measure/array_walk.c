#include "array_walk.h"

#include "footprint.h"
#include "line_placement.h"
#include "steady_state.h"

static const unsigned samples = 3;

/* No line is longer, so that a line's cells follow each other. */
#define BLOCK UINT64_C(512)
#define LINE UINT64_C(64) /* the usual one */

int hwc_array_open(struct hwc_array *array, struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages,
                   enum hwc_type type, struct hwc_error *error)
{
    *array = (struct hwc_array){.lab = lab, .type = type};
    return lab->machine->ops->arena_open(lab->machine, bytes, pages, &array->arena, error);
}

void hwc_array_close(struct hwc_array *array)
{
    array->lab->machine->ops->arena_close(array->lab->machine, &array->arena);
}

/* Offsets in a block at which a line, or part of one, begins, in random order: prefetchers follow lines that come one
 * after the other. */
static size_t shuffle_lines(struct hwc_lab *lab, uint64_t rest, uint64_t apart, uint64_t starts[BLOCK / LINE])
{
    size_t count = 0;

    for (uint64_t at = 0; at < rest; at += apart) {
        size_t place = (size_t)hwc_random_below(&lab->random, count + 1);
        starts[count] = starts[place];
        starts[place] = at;
        count++;
    }
    return count;
}

/* The cells of one block, or the block's first where the stride is longer. */
static int append_block(struct hwc_lab *lab, struct hwc_walk *walk, uint64_t from, uint64_t bytes, uint64_t stride,
                        struct hwc_error *error)
{
    uint64_t rest = bytes - from < BLOCK ? bytes - from : BLOCK, apart = stride > LINE ? stride : LINE;
    uint64_t starts[BLOCK / LINE];
    size_t lines = shuffle_lines(lab, rest, apart, starts);

    for (size_t i = 0; i < lines; i++) {
        uint64_t line = rest - starts[i] < apart ? rest - starts[i] : apart;
        TRY(hwc_walk_sequence(walk, from + starts[i], stride, (size_t)((line + stride - 1) / stride), error));
    }
    return HWC_OK;
}

static int lay_out(struct hwc_lab *lab, uint64_t bytes, uint64_t stride, struct hwc_walk *blocks,
                   struct hwc_walk *walk, struct hwc_error *error)
{
    uint64_t apart = stride > BLOCK ? stride : BLOCK;
    uint64_t group = hwc_pages_per_group(lab) * lab->machine->page_bytes;

    TRY(hwc_walk_sequence(blocks, 0, apart, (size_t)((bytes + apart - 1) / apart), error));
    TRY(hwc_walk_group(blocks, apart > group ? apart : group, &lab->random, error));
    for (size_t i = 0; i < blocks->count; i++)
        TRY(append_block(lab, walk, blocks->offsets[i], bytes, stride, error));
    return HWC_OK;
}

/* The least of a few single passes. */
static int measure_pass(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                        const struct hwc_witness *witness, double *pass, struct hwc_error *error)
{
    unsigned passes = hwc_is_very_long(walk->count) && !hwc_counts_events(witness) ? 1 : samples;
    struct hwc_steady steady;

    TRY(hwc_measure_passes(lab, arena, walk, hwc_event_of(witness), passes, &steady, error));
    *pass = hwc_counts_events(witness) ? steady.misses : steady.cycles;
    return HWC_OK;
}

/* What starting and reading the counter or the clock adds: the same of a single cell. */
static int measure_overhead(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_witness *witness,
                            double *overhead, struct hwc_error *error)
{
    struct hwc_walk cell;
    int status;

    hwc_walk_init(&cell);
    status = hwc_walk_append(&cell, 0, error);
    if (status == HWC_OK)
        status = measure_pass(lab, arena, &cell, witness, overhead, error);
    hwc_walk_free(&cell);
    return status;
}

/* What starting and reading the clock adds is lost in the time of a long walk, but not in a count. */
static int measure_long(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                        const struct hwc_witness *witness, double *pass, struct hwc_error *error)
{
    double overhead = 0;

    TRY(measure_pass(lab, arena, walk, witness, pass, error));
    if (!hwc_counts_events(witness))
        return HWC_OK;
    TRY(measure_overhead(lab, arena, witness, &overhead, error));
    TRY(hwc_leave_nothing(lab, arena, walk, error));
    *pass = (*pass > overhead ? *pass - overhead : 0) / witness->factor;
    return HWC_OK;
}

/* Per reference. */
static int measure(struct hwc_array *array, struct hwc_walk *walk, const struct hwc_witness *witness, double *cost,
                   struct hwc_error *error)
{
    const struct hwc_witness *by = hwc_counts_events(witness) ? witness : &hwc_by_clock;
    struct hwc_lab *lab = array->lab;
    double pass = 0;

    walk->type = array->type;
    if (hwc_is_long_walk(walk->count))
        TRY(measure_long(lab, &array->arena, walk, by, &pass, error));
    else
        TRY(hwc_measure_by(lab, by, &array->arena, walk, lab->settings.samples, &pass, error));
    *cost = pass / (double)walk->count;
    return HWC_OK;
}

int hwc_array_cost(struct hwc_array *array, uint64_t bytes, uint64_t stride, const struct hwc_witness *witness,
                   double *cost, struct hwc_error *error)
{
    struct hwc_walk blocks, walk;
    int status;

    hwc_walk_init(&blocks);
    hwc_walk_init(&walk);
    status = lay_out(array->lab, bytes, stride, &blocks, &walk, error);
    if (status == HWC_OK)
        status = measure(array, &walk, witness, cost, error);
    hwc_walk_free(&blocks);
    hwc_walk_free(&walk);
    return status;
}

int hwc_array_page_cost(struct hwc_array *array, size_t count, uint64_t stride, const struct hwc_witness *witness,
                        double *cost, struct hwc_error *error)
{
    struct hwc_walk walk;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_pages(array->lab, &walk, count, 0, stride, 0, error);
    if (status == HWC_OK)
        status = measure(array, &walk, witness, cost, error);
    hwc_walk_free(&walk);
    return status;
}
