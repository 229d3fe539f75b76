/* Paired time: a pass over the lines, compared with one over the same pages that
 * stays in the first level.
 *
 * The time of a walk changes from one millisecond to the next, with the core's
 * frequency and with what a sibling thread does; so it is compared with a control
 * that is timed in the same sample. The control visits the walk's pages, one line
 * or a few in each, spread over the sets of the first level: it needs the same
 * translations and always hits. The difference is misses. Lines of more pages than
 * a TLB may hold are visited in rounds over these pages, as the control's are: in
 * any other order some would be translated for one another, and none of the
 * control's, by as much time as misses take.
 *
 * Where few lines are asked about, passes go back and forth. If one line of a
 * sibling thread takes a way, then one or two lines miss, and not, as under LRU
 * where all passes go the same way, each in turn. One line more than fits still
 * costs a miss in every pass, under every policy. */
#include <stdlib.h>

#include "least.h"
#include "meter.h"
#include "page_order.h"
#include "sampler.h"
#include "statistics.h"

enum { MOST_READINGS = 512 };

static const struct {
    uint32_t warm_passes;
    size_t references;
    size_t lines;
    uint64_t spacing, block; /* bytes */
    uint64_t places;
    int settling;
    unsigned readings;
    double above_if_more;
    size_t turned;
    double control_part;     /* of the threshold may hide in the control's time */
    double turned_threshold; /* of what a miss takes where all references miss */
} policy = {
    .warm_passes = 4,
    .references = 512, /* in a reading */
    /* So few lines of the control, in different sets, stay in any first level; with fewer, a core might forward one
     * load's value to the next. */
    .lines = 8,
    /* The spacing is a line and a cell, so that the control's lines are spread over sets, and no two of its cells
     * coincide. The control uses the middle of every block: its lines share no set with those at the walk's place,
     * whatever the period, from a block upwards. */
    .spacing = 72,
    .block = 512,
    .places = 32, /* so many multiples of the spacing, in half a block, are different */
    .settling = 3, /* the first samples, which are discarded */
    .readings = 24, /* for each sample that AMP would take, if fewer do not decide */
    /* Others only add to the time of a pass, in bursts of some milliseconds; and so does a line of our own that tree
     * policies leave in the set for long: lines that fit beside none then show a miss in half of the readings. Lines that
     * conflict miss in every pass: if more than a quarter of the readings show no miss, there is none. */
    .above_if_more = 0.75,
    .turned = 64, /* lines at most: their list is short */
    /* Half of a miss that stands alone: that may take three quarters of one among many in a row (docs/machines_seen.md:
     * 8.2 and 11.5 cycles), and the latter is what the witness knows. */
    .turned_threshold = 0.4,
    .control_part = 0.5,
};

/* Replace the walk's cells by the pages they lie in, each once; returns how many there are. */
static size_t keep_pages(struct hwc_walk *walk, uint64_t page)
{
    size_t kept = 0;

    for (size_t i = 0; i < walk->count; i++)
        walk->offsets[i] -= walk->offsets[i] % page;
    hwc_sort_integers(walk->offsets, walk->count);
    for (size_t i = 0; i < walk->count; i++)
        if (i == 0 || walk->offsets[i] != walk->offsets[kept - 1])
            walk->offsets[kept++] = walk->offsets[i];
    return kept;
}

/* Where the control visits its i-th page. After so many pages the places come again: one later than before, as a
 * direct-mapped level may hold just so many pages. */
static uint64_t place_in_page(uint64_t place, uint64_t i, uint64_t page)
{
    uint64_t j = i + i / policy.places;

    return (place + policy.block / 4 + j * policy.spacing % (policy.block / 2) + j * policy.block) / HWC_CELL_BYTES *
           HWC_CELL_BYTES % page;
}

static int lay_out_control(struct hwc_meter *meter, struct hwc_error *error)
{
    struct hwc_walk *control = &meter->control;
    uint64_t page = meter->lab->machine->page_bytes, place = meter->walk.offsets[0] % page;
    size_t pages, each;

    hwc_walk_clear(control);
    for (size_t i = 0; i < meter->walk.count; i++)
        TRY(hwc_walk_append(control, meter->walk.offsets[i], error));
    pages = keep_pages(control, page);
    each = pages > 0 && pages < policy.lines ? policy.lines / pages : 1;
    control->count = pages;
    for (size_t i = pages; i < each * pages; i++)
        TRY(hwc_walk_append(control, control->offsets[i % pages], error));
    for (size_t i = 0; i < control->count; i++)
        control->offsets[i] += place_in_page(place, i, page);
    hwc_walk_shuffle(control, &meter->lab->random);
    return HWC_OK;
}

static uint32_t passes_of(const struct hwc_walk *walk)
{
    size_t passes = policy.references / walk->count;

    return passes < 2 ? 2 : passes > 64 ? 64 : (uint32_t)passes;
}

/* Passes of the control with as many references: starting and reading the clock then costs both the same. */
static uint32_t control_passes(const struct hwc_meter *meter, uint32_t walk_passes)
{
    size_t references = walk_passes * meter->walk.count, each = meter->control.count;

    return (uint32_t)((references + each - 1) / each);
}

struct pair {
    struct hwc_meter *meter;
    size_t lines; /* at the beginning of the meter's walk; the rest are evictors, or the way back */
    bool turned;  /* the walk goes there and back: two passes */
    struct hwc_page_order order; /* of the lines; no pages: any order */
    struct hwc_experiment experiment;
    uint32_t walk_passes, control_passes;
    double threshold;
    struct hwc_least control; /* cycles, so far */
    double misses[MOST_READINGS];
    unsigned readings;
};

/* May the passes go back and forth? The list of a walk that does takes room in the first level, so its lines must be
 * clear of the machine's lists. */
static bool may_turn(const struct hwc_meter *meter, const struct hwc_question *question)
{
    uint64_t apart = meter->lab->machine->own_apart;

    if (question->one_way || question->evictor_count > 0 || question->count > policy.turned)
        return false;
    for (size_t i = 0; i < question->count; i++)
        if (question->lines[i] % (apart > 0 ? apart : 1) < apart / 2)
            return false;
    return true;
}

/* A new order: under tree policies, lines that fit settle in some orders, but not in every one. */
static void reorder(struct pair *pair)
{
    struct hwc_walk *walk = &pair->meter->walk;

    if (pair->order.pages > 0)
        hwc_page_order_draw(&pair->order, &pair->meter->lab->random, walk->offsets);
    else
        hwc_random_shuffle(&pair->meter->lab->random, walk->offsets, pair->lines);
    for (size_t i = 0; pair->turned && i < pair->lines; i++)
        walk->offsets[2 * pair->lines - 1 - i] = walk->offsets[i];
    hwc_walk_touch(walk);
}

/* Cycles of as many references of the control as a pass of the walk has. */
static double control_of(const struct pair *pair, const struct hwc_sample *sample)
{
    const struct hwc_meter *meter = pair->meter;
    double each = (double)meter->walk.count / (pair->turned ? 2 : 1);

    return sample->reading[0].cycles / pair->control_passes * each / (double)meter->control.count;
}

static double in_misses(const struct pair *pair, double cycles)
{
    const struct hwc_witness *witness = pair->meter->witness;

    return cycles / hwc_added_by_miss(witness);
}

/* Misses of a pass of the walk, beyond as many references of the control. */
static double misses_of(const struct pair *pair, const struct hwc_sample *sample)
{
    return in_misses(pair, sample->reading[1].cycles / pair->walk_passes / (pair->turned ? 2 : 1) -
                               control_of(pair, sample));
}

/* Others slow the control as they slow the walk, and then hide its misses. It always takes the same time, that of the
 * second fastest so far: one may have been fast by mistake. */
static bool is_control_slow(struct pair *pair, const struct hwc_sample *sample)
{
    double cycles = control_of(pair, sample);

    hwc_least_add(&pair->control, cycles);
    return pair->control.taken > 1 &&
           in_misses(pair, cycles - pair->control.second) > policy.control_part * pair->threshold;
}

/* *above: does a pass miss more often than the threshold? */
static int draw(void *context, double *above, bool *disturbed, struct hwc_error *error)
{
    struct pair *pair = context;
    struct hwc_sample sample;
    double misses;

    reorder(pair);
    TRY(hwc_lab_sample(pair->meter->lab, &pair->experiment, &sample, error));
    *disturbed = is_control_slow(pair, &sample) || sample.disturbed;
    misses = misses_of(pair, &sample);
    *above = misses > pair->threshold;
    if (!*disturbed && pair->readings < MOST_READINGS)
        pair->misses[pair->readings++] = misses;
    return HWC_OK;
}

/* As many references there and back again: how well a core foresees the end of a list depends on its length, and a line
 * that is visited twice in a row may take longer. */
static int turn_control(struct hwc_walk *control, size_t lines, struct hwc_error *error)
{
    for (size_t i = 0; control->count < lines; i++)
        TRY(hwc_walk_append(control, control->offsets[i], error));
    for (size_t i = lines; i > 0; i--)
        TRY(hwc_walk_append(control, control->offsets[i - 1], error));
    return HWC_OK;
}

/* Rounds over the pages, where the control has a line of each and the walk has more. */
static int order_by_page(struct pair *pair, const struct hwc_question *question, struct hwc_error *error)
{
    const struct hwc_walk *control = &pair->meter->control;

    if (control->count <= policy.lines || question->count <= control->count)
        return HWC_OK;
    return hwc_page_order_open(&pair->order, question->lines, question->count, control->offsets, control->count,
                               pair->meter->lab->machine->page_bytes, error);
}

static int lay_out(struct pair *pair, const struct hwc_question *question, struct hwc_error *error)
{
    struct hwc_meter *meter = pair->meter;

    meter->walk.repeats = meter->control.repeats = pair->turned;
    TRY(hwc_meter_lay_out(&meter->walk, question, question->count, error));
    TRY(lay_out_control(meter, error));
    TRY(order_by_page(pair, question, error));
    if (pair->turned) {
        TRY(hwc_walk_append_all(&meter->walk, question->lines, question->count, error));
        TRY(turn_control(&meter->control, question->count, error));
    }
    pair->walk_passes = passes_of(&meter->walk);
    pair->control_passes = control_passes(meter, pair->walk_passes);
    pair->experiment = (struct hwc_experiment){.arena = question->arena,
                                               .event = HWC_NO_EVENT,
                                               .steps = 4,
                                               .step = {{HWC_RUN, &meter->control, policy.warm_passes},
                                                        {HWC_MEASURE, &meter->control, pair->control_passes},
                                                        {HWC_RUN, &meter->walk, policy.warm_passes},
                                                        {HWC_MEASURE, &meter->walk, pair->walk_passes}}};
    return HWC_OK;
}

static int read_pair(struct pair *pair, const struct hwc_sequential_test *test, struct hwc_estimate *estimate,
                     enum hwc_side *side, struct hwc_error *error)
{
    double ignored;
    bool disturbed;

    for (int i = 0; i < policy.settling; i++)
        TRY(draw(pair, &ignored, &disturbed, error));
    pair->readings = 0;
    TRY(hwc_test_sequentially(test, draw, pair, estimate, side, error));
    estimate->value = pair->readings > 0 ? hwc_median(pair->misses, pair->readings) : 0;
    return HWC_OK;
}

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    bool turned = may_turn(meter, question);
    struct pair pair = {.meter = meter,
                        .lines = question->count,
                        .turned = turned,
                        .threshold = turned ? policy.turned_threshold : question->threshold};
    const struct hwc_sequential_test test = {
        .threshold = policy.above_if_more, .unit = 1, .most = policy.readings * question->samples};
    int status = lay_out(&pair, question, error);

    if (status == HWC_OK)
        status = read_pair(&pair, &test, estimate, side, error);
    hwc_page_order_close(&pair.order);
    return status;
}

const struct hwc_meter_ops hwc_meter_paired = {.name = "paired time", .ask = ask};
