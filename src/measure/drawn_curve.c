#include "drawn_curve.h"

#include <math.h>

#include "estimate.h"
#include "footprint.h"
#include "line_placement.h"
#include "quiet_core.h"
#include "sampler.h"
#include "statistics.h"
#include "steady_state.h"
#include "undisturbed.h"

/* Beside others, who pause for a millisecond or so, a reading is that many times as short. */
enum { MOST_ARENAS = HWC_MOST_REPEATS, READINGS = 4, SHORTER_BESIDE = 8, MOST_READINGS = READINGS * SHORTER_BESIDE };

static const struct {
    double points_per_octave, points_beyond;
    uint64_t few_lines;
    uint64_t references;
    uint64_t warm;
    uint64_t few_cells, some_cells;
    uint64_t cells_for_pause;
    uint64_t visits, least_visit, most_visit, shorter;
    uint64_t block_bytes;
    double seconds, of_budget;
} policy = {
    .points_per_octave = 4, /* up to a footprint of few_lines lines, and half as many beyond: those take long; and half
                                as many in a quick run */
    .points_beyond = 2,
    .few_lines = 1 << 19,
    /* A reading: some hundred visits, as what is there of a group depends on how long ago it was visited. */
    .references = 16384,
    /* Every cell is touched once, in order, which leaves all levels full; then half as many are drawn as there are, so
     * that the levels share the lines as they do in the long run: at most half of few_lines, which is more than all but
     * the largest levels hold, and those are full of what was touched last. */
    .warm = 2,
    /* Pages lie otherwise in every arena: five arenas for so few cells, and two for more; where these leave an error that
     * would count, more of them while they are no more than `some_cells` together. */
    .few_cells = 1 << 15,
    .some_cells = 1 << 19,
    /* So many can be drawn in one: more than there are lines in what a core has for itself. */
    .cells_for_pause = 1 << 15,
    /* The longer a visit, the less time its pages' translation takes; the shorter, the less of the small levels it
     * occupies with lines that it does not come back to. */
    .visits = 64,
    .least_visit = 16,
    .most_visit = 64,
    .block_bytes = 512, /* no cache's lines are longer, nor what a miss brings */
    .shorter = 4, /* times shorter visits, for what translation takes */
    .seconds = 6,
    .of_budget = 0.5, /* of what is left of it */
};

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Draws from `bytes` bytes. What fits into the first-level TLBs is drawn from as a whole. */
static struct hwc_drawn draws_of(const struct hwc_lab *lab, uint64_t bytes, uint64_t spacing)
{
    uint64_t group = hwc_pages_per_group(lab) * lab->machine->page_bytes / 2;
    struct hwc_drawn drawn = {.references = policy.references, .cells = bytes / spacing, .spacing = spacing};

    if (bytes <= 2 * group || group < spacing)
        return drawn;
    drawn.block = spacing < policy.block_bytes ? policy.block_bytes / spacing : 1;
    drawn.blocks = group / (drawn.block * spacing);
    drawn.cells -= drawn.cells % (drawn.blocks * drawn.block);
    drawn.visit = clamp(drawn.cells / policy.visits, policy.least_visit, policy.most_visit);
    if (drawn.visit > drawn.blocks)
        drawn.visit = drawn.blocks;
    return drawn;
}

/* What one footprint needs: walks over the same cells of an arena: through all of them, and drawn in long visits and in
 * short ones. */
struct drawing {
    const struct hwc_arena *arena;
    bool in_pauses; /* of others, who put lines out of the core's levels: these are filled again in each */
    struct hwc_walk all, longer, shorter; /* the last two share the first one's offsets */
};

static int lay_out(struct hwc_drawn drawn, struct drawing *drawing, struct hwc_error *error)
{
    TRY(hwc_walk_cells(&drawing->all, &drawn, error));
    if (drawing->in_pauses)
        drawn.references /= SHORTER_BESIDE;
    drawing->longer = drawing->shorter = drawing->all;
    drawing->all.independent = true;
    drawing->longer.drawn = drawing->shorter.drawn = drawn;
    drawing->shorter.drawn.visit /= policy.shorter;
    return HWC_OK;
}

/* Cycles a reference, in long visits and in short ones. */
struct readings {
    unsigned count;
    double longer[MOST_READINGS], shorter[MOST_READINGS];
};

static int read_both(struct hwc_lab *lab, const struct drawing *drawing, struct readings *readings,
                     struct hwc_error *error)
{
    const struct hwc_walk *longer = &drawing->longer, *shorter = &drawing->shorter;
    uint64_t lines = hwc_lesser(longer->count, policy.few_lines);
    uint32_t warm = (uint32_t)(lines / (policy.warm * longer->drawn.references) + 1);
    struct hwc_experiment experiment = {
        .arena = drawing->arena,
        .event = HWC_NO_EVENT,
        .steps = 6,
        .step = {{HWC_RUN, &drawing->all, 1}, {HWC_RUN, longer, warm},    {HWC_MEASURE, longer, 1},
                 {HWC_MEASURE, shorter, 1},   {HWC_MEASURE, longer, 1}, {HWC_MEASURE, shorter, 1}}};

    readings->count = drawing->in_pauses ? MOST_READINGS : READINGS;
    for (size_t i = 0; i < readings->count; i += 2) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        for (size_t k = 0; k < 2; k++) {
            readings->longer[i + k] = sample.reading[2 * k].cycles / (double)longer->drawn.references;
            readings->shorter[i + k] = sample.reading[2 * k + 1].cycles / (double)longer->drawn.references;
        }
        experiment.step[0].passes = 0; /* as full as before */
        experiment.step[1].passes = drawing->in_pauses ? warm : 0;
    }
    return HWC_OK;
}

/* How many of `pages` pages does a visit to so many of their lines need, a line, in the mean? */
static double pages_of_visit(double pages, double lines)
{
    return pages * (1 - pow(1 - 1 / pages, lines)) / lines;
}

/* How much of what short visits take longer than long ones is the translation of a long one: both need nearly as many
 * pages, and all else is alike. */
static double translation_share(const struct hwc_lab *lab, const struct hwc_drawn *drawn)
{
    double pages = (double)(drawn->blocks * drawn->block * drawn->spacing) / (double)hwc_smallest_entry(lab->machine);
    double longer = pages_of_visit(pages, (double)drawn->visit);
    uint64_t short_visit = drawn->visit / policy.shorter;
    double shorter = pages_of_visit(pages, (double)short_visit);

    return longer / (shorter - longer);
}

/* The time of data alone, and its standard error, that of short visits being as large as that of long ones: medians, as
 * an interrupt takes as long as thousands of references. */
static struct hwc_estimate data_alone(const struct hwc_lab *lab, const struct hwc_drawn *drawn,
                                      struct readings *readings)
{
    struct hwc_tally tally = {0};
    struct hwc_estimate estimate;
    double share = drawn->visit > 0 ? translation_share(lab, drawn) : 0, longer, shorter;

    for (unsigned i = 0; i < readings->count; i++)
        hwc_tally_add(&tally, readings->longer[i]);
    estimate = hwc_tally_mean(&tally, 0);
    longer = hwc_median(readings->longer, readings->count);
    shorter = hwc_median(readings->shorter, readings->count);
    estimate.value = longer - fmax(shorter - longer, 0) * share;
    estimate.error *= hypot(1 + share, share);
    return estimate;
}

static int time_drawing(struct hwc_lab *lab, struct drawing *drawing, const struct hwc_drawn *drawn,
                        struct hwc_estimate *cycles, struct hwc_error *error)
{
    struct readings readings;
    int status;

    hwc_walk_init(&drawing->all);
    status = lay_out(*drawn, drawing, error);
    if (status == HWC_OK)
        status = read_both(lab, drawing, &readings, error);
    if (status == HWC_OK) /* a policy may keep some of these lines for long, and a level is then not full of the next */
        status = hwc_leave_nothing(lab, drawing->arena, &drawing->all, error);
    hwc_walk_free(&drawing->all);
    if (status == HWC_OK)
        *cycles = data_alone(lab, drawn, &readings);
    return status;
}

int hwc_time_drawn_in(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn,
                      struct hwc_estimate *cycles, struct hwc_error *error)
{
    struct drawing drawing = {.arena = arena};

    return time_drawing(lab, &drawing, drawn, cycles, error);
}

static int time_drawn(struct hwc_lab *lab, const struct hwc_drawn *drawn, struct hwc_estimate *cycles,
                      struct hwc_error *error)
{
    struct hwc_arena arena;
    struct drawing drawing = {.arena = &arena,
                              .in_pauses = hwc_in_company(lab) && drawn->cells <= policy.cells_for_pause};
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, hwc_drawn_bytes(drawn), HWC_LARGE_PAGES, &arena, error));
    status = time_drawing(lab, &drawing, drawn, cycles, error);
    lab->machine->ops->arena_close(lab->machine, &arena);
    return status;
}

/* A footprint, and its cycles in each arena. */
struct look {
    struct hwc_drawn drawn;
    struct hwc_repeats cycles;
    double reading; /* standard error of the last arena's */
};

static double points_per_octave(const struct hwc_lab *lab, const struct hwc_drawn_range *range, double bytes)
{
    bool many = bytes / (double)range->line_bytes <= (double)policy.few_lines && !lab->settings.quick;

    return many ? policy.points_per_octave : policy.points_beyond;
}

static size_t choose_footprints(const struct hwc_lab *lab, const struct hwc_drawn_range *range,
                                const struct hwc_drawn_curve *curve, struct look *look)
{
    double past = curve->points > 0 ? curve->bytes[curve->points - 1] : 0;
    double most = fmin((double)range->last_bytes, (double)lab->machine->max_arena_bytes / 4);
    double bytes = (double)range->first_bytes;
    size_t looks = 0;

    while (bytes <= most && curve->points + looks < HWC_MOST_DRAWN_POINTS) {
        struct hwc_drawn drawn = draws_of(lab, (uint64_t)bytes, range->line_bytes);
        bytes *= exp2(1 / points_per_octave(lab, range, bytes));
        if ((double)(drawn.cells * drawn.spacing) <= past)
            continue;
        past = (double)(drawn.cells * drawn.spacing);
        look[looks++] = (struct look){.drawn = drawn};
    }
    return looks;
}

/* At least two, which show by how much the places of pages change the time: a hash may spread huge pages unevenly. */
static uint64_t arenas_for(uint64_t cells)
{
    return clamp(MOST_ARENAS * policy.few_cells / cells, 2, MOST_ARENAS);
}

/* Is the error of the mean larger than what the fit allows for in any case? */
static bool is_unsure(const struct look *look)
{
    struct hwc_tally tally = {0};
    double one;

    for (unsigned i = 0; i < look->cycles.count; i++)
        hwc_tally_add(&tally, look->cycles.value[i]);
    one = fmax(sqrt(tally.squares / fmax(look->cycles.count - 1.0, 1)), look->reading);
    return one > HWC_FIT_FLOOR * tally.mean * sqrt(look->cycles.count);
}

static bool wants_another(const struct look *look)
{
    uint64_t least = arenas_for(look->drawn.cells), most = clamp(policy.some_cells / look->drawn.cells, least, MOST_ARENAS);

    return look->cycles.count < least || (look->cycles.count < most && is_unsure(look));
}

static int look_once(struct hwc_lab *lab, struct look *look, struct hwc_error *error)
{
    struct hwc_estimate estimate;

    TRY(time_drawn(lab, &look->drawn, &estimate, error));
    look->cycles.value[look->cycles.count++] = estimate.value;
    look->reading = estimate.error;
    return HWC_OK;
}

/* Others who use the core or a cache may do so for long: arena after arena, each over all footprints. A machine that is
 * slow or large may have no time for all. */
static int look_at_all(struct hwc_lab *lab, struct look *look, size_t looks, struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab), seconds = fmin(policy.seconds, policy.of_budget * hwc_lab_seconds_left(lab));

    for (unsigned round = 0; round < MOST_ARENAS; round++)
        for (size_t i = 0; i < looks; i++) {
            if (lab->machine->live && hwc_lab_elapsed(lab) - started > seconds)
                return HWC_OK;
            if (wants_another(&look[i]))
                TRY(look_once(lab, &look[i], error));
        }
    return HWC_OK;
}

/* Of a footprint from which nothing was taken off for translation. */
static void take_quickest(const struct look *look, struct hwc_drawn_curve *curve)
{
    if (look->drawn.visit > 0)
        return;
    for (unsigned i = 0; i < look->cycles.count; i++)
        if (curve->quickest <= 0 || look->cycles.value[i] < curve->quickest)
            curve->quickest = look->cycles.value[i];
}

/* What others did in one round is left out. */
static void add_points(const struct look *look, size_t looks, struct hwc_drawn_curve *curve)
{
    struct hwc_repeats repeats[HWC_MOST_DRAWN_POINTS];

    for (size_t i = 0; i < looks; i++)
        repeats[i] = look[i].cycles;
    for (size_t i = 0; i < looks; i++) {
        take_quickest(&look[i], curve);
        curve->cycles[curve->points] = hwc_undisturbed(repeats, looks, i);
        curve->without_bursts[curve->points] = hwc_without_bursts(repeats, looks, i);
        curve->bytes[curve->points] = (double)(look[i].drawn.cells * look[i].drawn.spacing);
        curve->reading[curve->points++] = look[i].reading;
    }
}

int hwc_measure_drawn_curve(struct hwc_lab *lab, const struct hwc_drawn_range *range, struct hwc_drawn_curve *curve,
                            struct hwc_error *error)
{
    struct look look[HWC_MOST_DRAWN_POINTS];
    size_t looks = choose_footprints(lab, range, curve, look), seen = 0;
    int status = look_at_all(lab, look, looks, error);

    while (seen < looks && look[seen].cycles.count > 0)
        seen++;
    add_points(look, seen, curve);
    return hwc_came_to_nothing(status) && curve->points > 0 ? HWC_OK : status;
}
