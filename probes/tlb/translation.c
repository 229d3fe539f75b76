#include "translation.h"

#include <math.h>

#include "sampler.h"
#include "quiet_core.h"
#include "steady_state.h"
#include "translation_things.h"
#include "walk_share.h"

/* Bytes of address space, of which little is touched: room for a few hundred things at the longest strides, for as many
 * large pages as are used, and for code as far as jumps reach. */
static const struct {
    uint64_t data, large, code;
} reach = {.data = UINT64_C(1) << 36, .large = UINT64_C(1) << 32, .code = UINT64_C(1) << 31};

/* Pages at which code may begin: more than a first level has sets. */
#define SETS_TO_CHOOSE_FROM 64

static bool by_counter(const struct hwc_translation *translation)
{
    return !hwc_goes_by_time(translation->witness);
}

static uint64_t arena_bytes(const struct hwc_translation *translation)
{
    uint64_t most = translation->lab->machine->max_arena_bytes;
    uint64_t bytes = translation->code ? reach.code : translation->large ? reach.large : reach.data;

    return translation->large && most < bytes ? most : bytes;
}

static enum hwc_pages pages_of(const struct hwc_translation *translation)
{
    if (translation->large)
        return translation->code ? HWC_LARGE_CODE_PAGES : HWC_LARGE_PAGES;
    return translation->code ? HWC_CODE_PAGES : HWC_SPARSE_PAGES;
}

/* Fill in what is known of this level and of the one above. */
static void know_levels(struct hwc_translation *translation)
{
    const struct hwc_lab *lab = translation->lab;
    const struct hwc_tlb *known = translation->large ? lab->known->large_tlb : lab->known->tlb;
    enum hwc_structure first = translation->code ? HWC_ITLB1 : HWC_DTLB1;

    translation->own = known[translation->structure];
    translation->miss_cycles = translation->witness->miss_cycles;
    if (translation->level == 1)
        return;
    translation->above = known[first];
    translation->above_cycles = lab->structure_witness[first].miss_cycles;
}

int hwc_translation_open(struct hwc_translation *translation, struct hwc_lab *lab, enum hwc_structure structure,
                         bool large, struct hwc_error *error)
{
    int status;

    translation->lab = lab;
    translation->structure = structure;
    translation->level = hwc_tlb_level(structure);
    translation->code = hwc_is_of_code(structure);
    translation->large = large;
    translation->witness = &lab->structure_witness[structure];
    know_levels(translation);
    hwc_walk_init(&translation->walk);
    hwc_walk_init(&translation->control);
    hwc_walk_init(&translation->others);
    translation->walk.access = translation->code ? HWC_FETCH : HWC_LOAD;
    status = lab->machine->ops->arena_open(lab->machine, arena_bytes(translation), pages_of(translation),
                                           &translation->arena, error);
    /* hwchar's own code lies in some sets, so each ballot begins at a random one. (Data
     * begin at 0: hashes of page numbers spread pages evenly from a round number on.) */
    translation->base =
        translation->code ? hwc_random_below(&lab->random, SETS_TO_CHOOSE_FROM) * translation->arena.page_bytes : 0;
    return status;
}

void hwc_translation_close(struct hwc_translation *translation)
{
    hwc_walk_free(&translation->walk);
    hwc_walk_free(&translation->control);
    hwc_walk_free(&translation->others);
    hwc_close_arena(translation->lab, &translation->arena);
}

/* First in, first out: one thing too many makes as few as one of all miss, over and over, if entries were filled in
 * another order before. And a level that resists scans keeps what was used most, such as the control's few pages, for
 * good if it is used once a pass: a first level then hits where the second is asked for. By two bits of age, as in SRRIP
 * (Jaleel et al., ISCA 2010), that is forgotten when all other entries have been replaced three times. */
enum { PASSES_TO_FORGET = 4 };

static int leave_no_entry(struct hwc_translation *translation, struct hwc_error *error)
{
    if (translation->others.count == 0)
        return HWC_OK;
    return hwc_lab_run(translation->lab, &translation->arena, &translation->others, PASSES_TO_FORGET, error);
}

static unsigned samples_of(const struct hwc_translation *translation)
{
    return translation->samples > 0 ? translation->samples : translation->lab->settings.samples;
}

static int time_walk(struct hwc_translation *translation, const struct hwc_walk *walk, double *cycles,
                     struct hwc_error *error)
{
    return hwc_measure_by(translation->lab, &hwc_by_clock, &translation->arena, walk,
                          samples_of(translation), cycles, error);
}

/* How many pages of the control are visited at a time: half of those that fit. Of few that are visited over and over, Zen's
 * region prefetcher brings in most lines that the first cache does not hold, and what pages far apart take longer would
 * pass for translation. */
static size_t pages_at_a_time(const struct hwc_translation *translation)
{
    const size_t least = 8;

    return translation->fitting > 2 * least ? translation->fitting / 2 : least;
}

/* Time a pass over the walk's lines on few pages. */
static int time_control(struct hwc_translation *translation, struct hwc_error *error)
{
    TRY(hwc_walk_pack(translation->lab, &translation->walk, pages_at_a_time(translation), &translation->control,
                      error));
    return time_walk(translation, &translation->control, &translation->control_cycles, error);
}

/* By the clock, the walk's control is timed first. */
static int prepare_to_weigh(struct hwc_translation *translation, struct hwc_error *error)
{
    return by_counter(translation) ? HWC_OK : time_control(translation, error);
}

/* What the witness read: misses by a counter, else cycles. */
static double read_off(const struct hwc_translation *translation, const struct hwc_reading *reading)
{
    return by_counter(translation) ? reading->count / translation->witness->factor : reading->cycles;
}

double hwc_translation_hits(const struct hwc_translation *translation)
{
    return translation->control_cycles + translation->above_cycles * (double)translation->walk.count;
}

/* Misses of a pass, from what the witness read of it. */
static double misses_of(const struct hwc_translation *translation, double read)
{
    return by_counter(translation) ? read : (read - hwc_translation_hits(translation)) / translation->miss_cycles;
}

/* Of what was laid out. */
static int time_excess(struct hwc_translation *translation, double *control, double *excess, struct hwc_error *error)
{
    double cycles = 0, references = (double)translation->walk.count;

    TRY(time_control(translation, error));
    TRY(time_walk(translation, &translation->walk, &cycles, error));
    *control = translation->control_cycles / references;
    *excess = cycles / references - *control;
    return HWC_OK;
}

/* Large pages are contiguous: lines at the same places of many of them share a few sets of the caches below, and would miss
 * those. There is room to lie elsewhere in each. */
static void spread_in_pages(struct hwc_translation *translation, uint64_t stride)
{
    size_t lines = hwc_lines_before_repeat(translation->lab);
    uint64_t part = hwc_smallest_entry(translation->lab->machine), parts = translation->arena.page_bytes / part;

    for (size_t i = 0; i < translation->walk.count; i++) {
        uint64_t thing = (translation->walk.offsets[i] - translation->base) / stride;
        translation->walk.offsets[i] += thing / lines % parts * part;
    }
}

int hwc_translation_excess(struct hwc_translation *translation, size_t pages, double *control, double *excess,
                           struct hwc_error *error)
{
    uint64_t stride = HWC_PAGES_APART * translation->arena.page_bytes;

    TRY(hwc_append_things(translation, stride, pages, error));
    if (translation->large)
        spread_in_pages(translation, stride);
    return time_excess(translation, control, excess, error);
}

/* Lines of a page so far apart are no neighbours, of which one may bring the next; odd, so that all differ. */
enum { LINES_APART = 3 };

int hwc_translation_excess_of_visits(struct hwc_translation *translation, size_t visits, size_t pages, double *control,
                                     double *excess, struct hwc_error *error)
{
    uint64_t stride = HWC_PAGES_APART * translation->arena.page_bytes;

    hwc_walk_clear(&translation->walk);
    for (size_t i = 0; i < visits; i++) {
        size_t page = i % pages, n = i / pages * (translation->code ? 1 : LINES_APART);
        TRY(hwc_walk_append(&translation->walk,
                            translation->base + page * stride + hwc_line_of_visit(translation->lab, page, n), error));
    }
    hwc_walk_shuffle(&translation->walk, &translation->lab->random);
    return time_excess(translation, control, excess, error);
}

enum { PASSES_TO_WATCH = 64, PASSES_AT_THE_END = 8 };

static int watch(struct hwc_translation *translation, double *at_first, double *at_last, struct hwc_error *error)
{
    struct hwc_experiment experiment = {.arena = &translation->arena,
                                        .steps = 1,
                                        .step = {{HWC_MEASURE, &translation->walk, 1}}};
    double all = by_counter(translation) ? (double)translation->walk.count : translation->control_cycles;
    double rest = by_counter(translation) ? 0 : 1;
    double share[PASSES_TO_WATCH + 1];

    hwc_ask_witness(translation->witness, &experiment);
    for (int pass = 0; pass <= PASSES_TO_WATCH; pass++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(translation->lab, &experiment, &sample, error));
        share[pass] = read_off(translation, &sample.reading[0]) / all - rest;
    }
    /* The first pass fills the caches, and does not count. Disturbances only add. */
    *at_first = fmin(share[1], share[2]);
    *at_last = 0;
    for (int pass = PASSES_TO_WATCH + 1 - PASSES_AT_THE_END; pass <= PASSES_TO_WATCH; pass++)
        *at_last = fmax(*at_last, share[pass]);
    return HWC_OK;
}

int hwc_translation_watch(struct hwc_translation *translation, size_t pages, double *at_first, double *at_last,
                          struct hwc_error *error)
{
    TRY(hwc_append_things(translation, translation->arena.page_bytes, pages, error));
    TRY(prepare_to_weigh(translation, error));
    return watch(translation, at_first, at_last, error);
}

void hwc_translation_move(void *context, uint64_t distance)
{
    struct hwc_translation *translation = context;

    translation->moved = distance;
}

int hwc_translation_settle(struct hwc_translation *translation, double *misses, struct hwc_error *error)
{
    double read = 0;

    TRY(hwc_measure_by(translation->lab, translation->witness, &translation->arena, &translation->walk,
                       samples_of(translation), &read, error));
    *misses = misses_of(translation, read);
    return HWC_OK;
}

/* Sibling threads partition the entries for code, and put out each other's entries for data. */
static bool minds_siblings(const struct hwc_translation *translation)
{
    return translation->lab->machine->ops->alone != NULL && !by_counter(translation);
}

struct weighing {
    struct hwc_translation *translation;
    double misses;
};

static int weigh_once(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct weighing *weighing = context;

    (void)lab;
    TRY(prepare_to_weigh(weighing->translation, error));
    TRY(leave_no_entry(weighing->translation, error));
    return hwc_translation_settle(weighing->translation, &weighing->misses, error);
}

static const struct hwc_quiet_core quiet_for_code = {
    .wait_seconds = HWC_WAIT_FOR_BALLOT, .tries = HWC_TRIES_FOR_READING, .needed = true};
static const struct hwc_quiet_core quiet_for_data = {.wait_seconds = 0.1, .tries = 6};

/* For data, few misses stand even beside a busy sibling, which can only add to them. */
#define FEW 0.02

static int weigh_alone(struct hwc_translation *translation, double *misses, struct hwc_error *error)
{
    const struct hwc_quiet_core *quiet = translation->code ? &quiet_for_code : &quiet_for_data;
    struct weighing weighing = {.translation = translation};
    bool minds = minds_siblings(translation);

    if (!minds || !translation->code)
        TRY(weigh_once(translation->lab, &weighing, error));
    if (minds && (translation->code || weighing.misses > FEW * (double)translation->walk.count))
        TRY(hwc_on_quiet_core(translation->lab, quiet, weigh_once, &weighing, error));
    *misses = weighing.misses;
    return HWC_OK;
}

/* Others may have slowed the control alone: what then takes less time than hits do says nothing. */
static const struct {
    double less;
    int tries;
} implausible = {.less = 0.1, .tries = 3};

/* Misses of a pass over the walk. */
static int weigh(struct hwc_translation *translation, double *misses, struct hwc_error *error)
{
    int status = HWC_OK;

    *misses = -INFINITY;
    for (int i = 0; i < implausible.tries && status == HWC_OK &&
                    *misses < -implausible.less * (double)translation->walk.count; i++)
        status = weigh_alone(translation, misses, error);
    return status;
}

struct things {
    struct hwc_translation *translation;
    uint64_t stride;
    size_t count;
};

static int weigh_things(const struct things *things, double *misses, struct hwc_error *error)
{
    TRY(hwc_lay_out_things(things->translation, things->stride, things->count, error));
    return weigh(things->translation, misses, error);
}

static int read_things(void *context, double *misses, size_t *references, struct hwc_error *error)
{
    const struct things *things = context;

    *references = things->count;
    return weigh_things(things, misses, error);
}

int hwc_translation_extra(struct hwc_translation *translation, uint64_t stride, size_t count, double *cycles,
                          struct hwc_error *error)
{
    const struct things things = {translation, stride, count};
    double misses = 0;

    TRY(weigh_things(&things, &misses, error));
    *cycles = misses * translation->miss_cycles;
    return HWC_OK;
}

int hwc_translation_count(struct hwc_translation *translation, uint64_t stride, size_t count, double *share,
                          struct hwc_error *error)
{
    TRY(hwc_lay_out_things(translation, stride, count, error));
    TRY(leave_no_entry(translation, error));
    TRY(hwc_count_own_walk(translation->lab, translation->witness, &translation->arena, &translation->walk, share,
                           error));
    *share /= (double)count;
    return HWC_OK;
}

int hwc_translation_ask(void *context, uint64_t stride, size_t count, double threshold, struct hwc_estimate *share,
                        enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_translation *translation = context;
    struct things things = {translation, stride, count};
    const struct hwc_walk_share walk = {translation->lab, translation->witness, read_things, &things};

    return hwc_ask_share(&walk, threshold, share, side, error);
}

int hwc_translation_lay_out(struct hwc_translation *translation, const struct hwc_visits *visits,
                            struct hwc_error *error)
{
    size_t visited[HWC_FIRST_ASIDE] = {0}, evicted[HWC_FIRST_ASIDE] = {0}, rounds = 0;

    hwc_walk_clear(&translation->walk);
    translation->walk.repeats = !translation->code;
    for (size_t i = 0; i < visits->count; i++) {
        size_t thing = visits->names[i];
        if (translation->level > 1 && evicted[thing] == rounds)
            TRY(hwc_append_round_of_evictors(translation, rounds++, error));
        evicted[thing] = rounds;
        TRY(hwc_append_visit(translation, thing * visits->stride, thing, visited[thing]++, error));
    }
    return prepare_to_weigh(translation, error);
}

/* What a reading itself adds (starting and stopping a counter misses, too) is in both readings and cancels out. */
int hwc_translation_read(struct hwc_translation *translation, unsigned passes, double *misses,
                         struct hwc_error *error)
{
    struct hwc_experiment experiment = {.arena = &translation->arena,
                                        .steps = 2,
                                        .step = {{HWC_MEASURE, &translation->walk, 1},
                                                 {HWC_MEASURE, &translation->walk, passes + 1}}};
    struct hwc_sample sample;

    hwc_ask_witness(translation->witness, &experiment);
    TRY(hwc_lab_sample(translation->lab, &experiment, &sample, error));
    *misses = misses_of(translation, (read_off(translation, &sample.reading[1]) -
                                      read_off(translation, &sample.reading[0])) / passes);
    return HWC_OK;
}
