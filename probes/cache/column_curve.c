#include "column_curve.h"

#include "line_placement.h"
#include "sampler.h"
#include "steady_state.h"

enum { TRIES = 8 };

static const struct {
    size_t references, each; /* of a reading: at least, and for each line */
    size_t counted;          /* at least, where each is counted */
} policy = {.references = 2048, .each = 2, .counted = 8192};

/* Is this place clear of the sets of all before? Where the index is linear, two places share sets if their distance does
 * so from anywhere. */
static int is_clear(struct hwc_column *column, const struct hwc_column_places *places, uint64_t moved, bool *clear,
                    struct hwc_error *error)
{
    *clear = true;
    for (size_t i = 0; i < places->count && *clear; i++) {
        bool shares = false;
        TRY(hwc_column_shares(column, moved ^ places->moved[i], &shares, error));
        *clear = !shares;
    }
    return HWC_OK;
}

int hwc_draw_column_places(struct hwc_column *column, size_t wanted, struct hwc_column_places *places,
                           struct hwc_error *error)
{
    uint64_t line = column->lab->known->level[1].line_bytes;
    uint64_t own = column->set.line[0] % hwc_smallest_entry(column->lab->machine) / line;

    *places = (struct hwc_column_places){.count = 1};
    for (size_t part = 0; part < wanted; part++) {
        const struct hwc_part_of_page of = hwc_part_of_page(column->lab, part, wanted);
        bool clear = of.from <= own && own < of.to; /* the column's own part */
        for (int i = 0; i < TRIES && !clear && of.to > of.from; i++) {
            uint64_t place = of.from + hwc_random_below(&column->lab->random, of.to - of.from);
            uint64_t moved = (place ^ own) * line;
            TRY(is_clear(column, places, moved, &clear, error));
            if (clear)
                places->moved[places->count++] = moved;
        }
    }
    return HWC_OK;
}

/* Walks over the same lines: through all of them, and drawn from them. */
struct draws {
    struct hwc_walk all, drawn;
};

/* A page is visited at all places, in random order: to each column, it is one of its lines, drawn at random. */
static int append_visit(struct hwc_walk *walk, uint64_t line, const struct hwc_column_places *places,
                        struct hwc_random *random, struct hwc_error *error)
{
    size_t from = walk->count;

    for (size_t i = 0; i < places->count; i++)
        TRY(hwc_walk_append(walk, line ^ places->moved[i], error));
    hwc_walk_reorder(walk, from, places->count, random);
    return HWC_OK;
}

static int lay_out(struct hwc_column *column, size_t lines, const struct hwc_column_places *places, size_t least,
                   struct draws *draws, struct hwc_error *error)
{
    struct hwc_random *random = &column->lab->random;
    size_t references = policy.each * lines * places->count;

    if (references < least)
        references = least;
    hwc_random_shuffle(random, column->line, column->lines);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < places->count; k++)
            TRY(hwc_walk_append(&draws->all, column->line[i] ^ places->moved[k], error));
    hwc_walk_shuffle(&draws->all, random);
    while (draws->drawn.count < references)
        TRY(append_visit(&draws->drawn, column->line[hwc_random_below(random, lines)], places, random, error));
    draws->all.independent = true;
    draws->drawn.repeats = true;
    return HWC_OK;
}

/* Each line once. */
static int lay_out_once(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                        struct hwc_walk *walk, struct hwc_error *error)
{
    struct hwc_random *random = &column->lab->random;

    hwc_random_shuffle(random, column->line, column->lines);
    for (size_t i = 0; i < lines; i++)
        TRY(append_visit(walk, column->line[i], places, random, error));
    walk->repeats = true; /* it is read as drawn ones are */
    return HWC_OK;
}

/* A reading of references that are drawn, in the steady state: of so many passes, by the clock or, one by one, against
 * slow_cycles > 0. */
static int read_draws(struct hwc_column *column, const struct draws *draws, double slow_cycles, uint32_t passes,
                      struct hwc_reading *reading, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = &column->arena,
        .event = HWC_NO_EVENT,
        .slower_than = slow_cycles,
        .steps = 3,
        .step = {{HWC_RUN, &draws->all, 1}, {HWC_RUN, &draws->drawn, 1}, {HWC_MEASURE, &draws->drawn, passes}}};
    struct hwc_sample sample;

    TRY(hwc_lab_sample(column->lab, &experiment, &sample, error));
    *reading = sample.reading[0];
    return hwc_leave_nothing(column->lab, &column->arena, &draws->all, error);
}

static int read_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                       double slow_cycles, uint32_t passes, struct hwc_reading *reading, double *references,
                       struct hwc_error *error)
{
    struct draws draws;
    int status;

    hwc_walk_init(&draws.all);
    hwc_walk_init(&draws.drawn);
    status = lay_out(column, lines, places, slow_cycles > 0 ? policy.counted : policy.references, &draws, error);
    *references = (double)draws.drawn.count;
    if (status == HWC_OK)
        status = read_draws(column, &draws, slow_cycles, passes, reading, error);
    hwc_walk_free(&draws.all);
    hwc_walk_free(&draws.drawn);
    return status;
}

int hwc_time_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                    double *cycles, struct hwc_error *error)
{
    enum { PASSES = 2 };
    struct hwc_reading reading;
    double references;

    TRY(read_column(column, lines, places, 0, PASSES, &reading, &references, error));
    *cycles = reading.cycles / (PASSES * references);
    return HWC_OK;
}

int hwc_count_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                     double slow_cycles, double *slow, struct hwc_error *error)
{
    struct hwc_reading reading;
    double references;

    TRY(read_column(column, lines, places, slow_cycles, 1, &reading, &references, error));
    *slow = reading.slow / references;
    return HWC_OK;
}

int hwc_count_flushed_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                             double slow_cycles, double *slow, struct hwc_error *error)
{
    struct hwc_walk walk;
    const struct hwc_experiment experiment = {.arena = &column->arena,
                                              .event = HWC_NO_EVENT,
                                              .slower_than = slow_cycles,
                                              .steps = 2,
                                              .step = {{HWC_FLUSH, &walk, 1}, {HWC_MEASURE, &walk, 1}}};
    struct hwc_sample sample;
    int status;

    hwc_walk_init(&walk);
    status = lay_out_once(column, lines, places, &walk, error);
    if (status == HWC_OK)
        status = hwc_lab_sample(column->lab, &experiment, &sample, error);
    if (status == HWC_OK)
        *slow = sample.reading[0].slow / (double)walk.count;
    hwc_walk_free(&walk);
    return status;
}
