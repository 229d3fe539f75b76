#include "lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "seconds.h"

const char *hwc_witness_name(enum hwc_witness_kind kind)
{
    static const char *const names[] = {"none", "counter", "clock", "system"};
    return names[kind];
}

void hwc_lab_init(struct hwc_lab *lab, struct hwc_machine *machine, const struct hwc_settings *settings)
{
    memset(lab, 0, sizeof *lab);
    lab->machine = machine;
    lab->settings = *settings;
    lab->started = hwc_seconds(CLOCK_MONOTONIC);
    hwc_random_seed(&lab->random, settings->seed);
}

void hwc_note(struct hwc_notes *notes, const char *format, ...)
{
    char text[sizeof notes->text[0]];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return;
    if (notes->count < HWC_MAX_NOTES)
        memcpy(notes->text[notes->count++], text, sizeof text);
}

double hwc_lab_elapsed(const struct hwc_lab *lab)
{
    return hwc_seconds(CLOCK_MONOTONIC) - lab->started;
}

bool hwc_lab_overdrawn(const struct hwc_lab *lab)
{
    return lab->settings.budget_seconds > 0 && hwc_lab_elapsed(lab) > lab->settings.budget_seconds;
}

size_t hwc_ways_above(const struct hwc_lab *lab, unsigned level)
{
    size_t ways = 0;

    for (unsigned i = 1; i < level; i++)
        ways += lab->level[i].ways;
    return ways;
}

uint64_t hwc_period_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t period = 0;

    for (unsigned i = 1; i < level; i++)
        if (lab->level[i].period_bytes > period)
            period = lab->level[i].period_bytes;
    return period;
}

#define MOST_TRIES 5

/* A machine that disturbs everything gets the last sample accepted after many
 * tries: minimum or median over samples still stand between it and a wrong
 * value. */
int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int status = lab->machine->ops->play(lab->machine, experiment, sample, error);
        if (status != HWC_OK)
            return status;
        lab->samples_taken++;
        if (!sample->disturbed)
            return HWC_OK;
        lab->samples_dropped++;
    }
    return HWC_OK;
}

/* Long enough for the clock to see, short enough to fit between two timer
 * ticks, and for a counter long enough that half a miss per pass is a whole
 * count. */
#define REFERENCES_PER_MEASURE 1024
/* Where starting a counter evicts a dozen lines more or less. */
#define REFERENCES_WHEN_DISTURBED 8192
#define WARM_REFERENCES 2048
#define WARM_PASSES_AT_LEAST 3
#define WARM_PASSES_AT_MOST 12

static uint32_t clamp_passes(uint64_t references, size_t per_pass, uint32_t low, uint32_t high)
{
    uint64_t passes = (references + per_pass - 1) / per_pass;

    return passes < low ? low : passes > high ? high : (uint32_t)passes;
}

/* The minima are final when another sample agrees with them: a count is the
 * same, a time (of three at least) is within a tenth of a percent. Until then,
 * samples up to the set number, and three times as many while the spread stays
 * above 2 %. */
static bool settled(unsigned taken, unsigned wanted, const double least[2], const double second[2], bool exact)
{
    double spread = 0;

    if (taken < 2)
        return false;
    for (int i = 0; i < 2; i++) {
        if (exact && second[i] > least[i])
            spread = 1;
        else if (least[i] > 0 && second[i] / least[i] - 1 > spread)
            spread = second[i] / least[i] - 1;
    }
    if (exact ? spread == 0 : taken >= 3 && spread <= 0.001)
        return true;
    if (taken < wanted)
        return false;
    return spread <= 0.02 || taken >= 3 * wanted;
}

static void keep_least(double value, double *least, double *second)
{
    if (value < *least) {
        *second = *least;
        *least = value;
    } else if (value < *second) {
        *second = value;
    }
}

int hwc_measure_steady(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    uint32_t warm = clamp_passes(WARM_REFERENCES, walk->count, WARM_PASSES_AT_LEAST, WARM_PASSES_AT_MOST);
    bool disturbed = event != HWC_NO_EVENT && lab->machine->counting_disturbs;
    uint32_t passes = clamp_passes(disturbed ? REFERENCES_WHEN_DISTURBED : REFERENCES_PER_MEASURE, walk->count,
                                   disturbed ? 2 : 1, 256);
    uint32_t rewarm = warm > 2 ? 2 : warm;
    struct hwc_experiment experiment = {
        .arena = arena,
        .event = event,
        .steps = 4,
        /* Reading a counter may evict the walk (PAPI's and callgrind's reading do), so each measurement starts warm. */
        .step = {{HWC_RUN, walk, warm},
                 {HWC_MEASURE, walk, passes},
                 {HWC_RUN, walk, rewarm},
                 {HWC_MEASURE, walk, 2 * passes}},
    };
    double count[2] = {INFINITY, INFINITY}, second_count[2] = {INFINITY, INFINITY};
    double cycles[2] = {INFINITY, INFINITY}, second_cycles[2] = {INFINITY, INFINITY};
    bool counted = true;

    for (unsigned taken = 0;;) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        taken++;
        for (int i = 0; i < 2; i++) {
            keep_least(sample.reading[i].count, &count[i], &second_count[i]);
            keep_least(sample.reading[i].cycles, &cycles[i], &second_cycles[i]);
            counted = counted && sample.reading[i].counted;
        }
        if (event != HWC_NO_EVENT && counted ? settled(taken, samples, count, second_count, true)
                                             : settled(taken, samples, cycles, second_cycles, false))
            break;
        experiment.step[0].passes = rewarm; /* still warm from the sample before */
    }
    if (lab->machine->flushes) {
        /* Leave no line behind that a policy might prefer to the next walk's. */
        struct hwc_experiment clean = {.arena = arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_FLUSH, walk, 1}}};
        struct hwc_sample ignored;
        int status = lab->machine->ops->play(lab->machine, &clean, &ignored, error);
        if (status != HWC_OK)
            return status;
    }
    *steady = (struct hwc_steady){
        .cycles = (cycles[1] - cycles[0]) / passes,
        .misses = counted ? fmax(0, (count[1] - count[0]) / passes) : 0,
        .counted = counted && event != HWC_NO_EVENT,
    };
    return HWC_OK;
}

/* A long walk is measured over single passes: what starting and reading clock
 * or counter costs vanishes in it. */
#define LONG_WALK 10000
#define VERY_LONG_WALK 200000

static int measure_passes(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                          enum hwc_event event, struct hwc_steady *steady, struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = arena, .event = event, .steps = 2, .step = {{HWC_RUN, walk, 2}, {HWC_MEASURE, walk, 1}}};
    int samples = walk->count > VERY_LONG_WALK ? 1 : 3;

    *steady = (struct hwc_steady){.cycles = INFINITY, .misses = INFINITY, .counted = event != HWC_NO_EVENT};
    for (int i = 0; i < samples; i++) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        steady->cycles = fmin(steady->cycles, sample.reading[0].cycles);
        steady->misses = fmin(steady->misses, sample.reading[0].count);
        steady->counted = steady->counted && sample.reading[0].counted;
        experiment.step[0].passes = 0; /* warm from the pass before */
    }
    return HWC_OK;
}

#define ENOUGH_LINES 16384
#define LINES_PER_PAGE_AT_LEAST 4

struct hwc_footprint hwc_footprint_of(const struct hwc_lab *lab, uint64_t bytes, enum hwc_event event)
{
    uint64_t spacing = lab->level[1].fill_bytes;
    bool thinned = lab->machine->slow || event != HWC_NO_EVENT;

    while (thinned && bytes / spacing > ENOUGH_LINES && 2 * spacing * LINES_PER_PAGE_AT_LEAST <= lab->machine->page_bytes)
        spacing *= 2;
    return (struct hwc_footprint){.lines = bytes > spacing ? (size_t)(bytes / spacing) : 1,
                                  .line_bytes = spacing,
                                  .pages = HWC_LARGE_PAGES,
                                  .pages_per_group = 1};
}

static void close_footprint(struct hwc_lab *lab, struct hwc_arena *arena, struct hwc_walk *walk)
{
    hwc_walk_free(walk);
    lab->machine->ops->arena_close(lab->machine, arena);
}

/* A footprint laid out: the walk, and the arena under it. */
static int open_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, struct hwc_arena *arena,
                          struct hwc_walk *walk, struct hwc_error *error)
{
    int status = lab->machine->ops->arena_open(lab->machine, 2 * (footprint->lines + 1) * footprint->line_bytes,
                                               footprint->pages, arena, error);

    if (status != HWC_OK)
        return status;
    hwc_walk_init(walk);
    status = hwc_walk_scatter(walk, footprint->lines, footprint->line_bytes,
                              footprint->pages_per_group * lab->machine->page_bytes, &lab->random, error);
    if (status != HWC_OK)
        close_footprint(lab, arena, walk);
    return status;
}

int hwc_measure_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, enum hwc_event event,
                          unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status = open_footprint(lab, footprint, &arena, &walk, error);

    if (status != HWC_OK)
        return status;
    if (walk.count > LONG_WALK)
        status = measure_passes(lab, &arena, &walk, event, steady, error);
    else
        status = hwc_measure_steady(lab, &arena, &walk, event, samples, steady, error);
    close_footprint(lab, &arena, &walk);
    return status;
}

#define FLUSHED_LINES 4096

int hwc_time_flushed(struct hwc_lab *lab, uint64_t spacing, double *cycles, struct hwc_error *error)
{
    const struct hwc_footprint footprint = {FLUSHED_LINES, spacing, HWC_LARGE_PAGES, HWC_PAGES_PER_GROUP};
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status = open_footprint(lab, &footprint, &arena, &walk, error);

    if (status != HWC_OK)
        return status;
    *cycles = INFINITY;
    for (unsigned i = 0; status == HWC_OK && i < lab->settings.samples; i++) {
        const struct hwc_experiment experiment = {
            .arena = &arena, .event = HWC_NO_EVENT, .steps = 2, .step = {{HWC_FLUSH, &walk, 1}, {HWC_MEASURE, &walk, 1}}};
        struct hwc_sample sample;
        status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status == HWC_OK)
            *cycles = fmin(*cycles, sample.reading[0].cycles / (double)walk.count);
    }
    close_footprint(lab, &arena, &walk);
    return status;
}
