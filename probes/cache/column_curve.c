#include "column_curve.h"

#include "line_placement.h"
#include "sampler.h"
#include "statistics.h"
#include "steady_state.h"

enum { TRIES = 8 };

static const struct {
    size_t references, each; /* of a reading: at least, and for each line */
} policy = {.references = 2048, .each = 2};

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
static int append_visit(struct draws *draws, uint64_t line, const struct hwc_column_places *places,
                        struct hwc_random *random, struct hwc_error *error)
{
    size_t from = draws->drawn.count;

    for (size_t i = 0; i < places->count; i++)
        TRY(hwc_walk_append(&draws->drawn, line ^ places->moved[i], error));
    hwc_walk_reorder(&draws->drawn, from, places->count, random);
    return HWC_OK;
}

static int lay_out(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                   struct draws *draws, struct hwc_error *error)
{
    struct hwc_random *random = &column->lab->random;
    size_t references = policy.each * lines * places->count;

    if (references < policy.references)
        references = policy.references;
    hwc_random_shuffle(random, column->line, column->lines);
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < places->count; k++)
            TRY(hwc_walk_append(&draws->all, column->line[i] ^ places->moved[k], error));
    hwc_walk_shuffle(&draws->all, random);
    while (draws->drawn.count < references)
        TRY(append_visit(draws, column->line[hwc_random_below(random, lines)], places, random, error));
    draws->all.independent = true;
    draws->drawn.repeats = true;
    return HWC_OK;
}

static int read_draws(struct hwc_column *column, const struct draws *draws, double *cycles, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = &column->arena,
        .event = HWC_NO_EVENT,
        .steps = 3,
        .step = {{HWC_RUN, &draws->all, 1}, {HWC_RUN, &draws->drawn, 1}, {HWC_MEASURE, &draws->drawn, 2}}};
    struct hwc_sample sample;

    TRY(hwc_lab_sample(column->lab, &experiment, &sample, error));
    *cycles = sample.reading[0].cycles / (2 * (double)draws->drawn.count);
    return hwc_leave_nothing(column->lab, &column->arena, &draws->all, error);
}

int hwc_time_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                    double *cycles, struct hwc_error *error)
{
    struct draws draws;
    int status;

    hwc_walk_init(&draws.all);
    hwc_walk_init(&draws.drawn);
    status = lay_out(column, lines, places, &draws, error);
    if (status == HWC_OK)
        status = read_draws(column, &draws, cycles, error);
    hwc_walk_free(&draws.all);
    hwc_walk_free(&draws.drawn);
    return status;
}
