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

double hwc_lab_worked(void)
{
    return hwc_seconds(CLOCK_THREAD_CPUTIME_ID);
}

#define PATIENCE_SECONDS 30.0
#define PATIENCE_WITH_A_PROBE 5.0
#define LONGEST_SECONDS 60.0

/* Of a budget, one probe gets so much at least. */
#define OF_BUDGET 0.5

bool hwc_lab_is_late(const struct hwc_lab *lab)
{
    double elapsed = hwc_lab_elapsed(lab), budget = lab->settings.budget_seconds;
    double with_probe = fmax(PATIENCE_WITH_A_PROBE, OF_BUDGET * budget), longest = fmax(LONGEST_SECONDS, budget);

    return lab->machine->noisy && elapsed > PATIENCE_SECONDS &&
           (elapsed - lab->probe_started > with_probe || elapsed > longest);
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

enum hwc_event hwc_structure_event(enum hwc_structure structure)
{
    static const enum hwc_event events[HWC_STRUCTURES] = {
        [HWC_L1I] = HWC_L1I_MISS,      [HWC_L2I] = HWC_L2I_MISS,     [HWC_DTLB1] = HWC_DTLB_MISS,
        [HWC_DTLB2] = HWC_DTLB2_MISS, [HWC_ITLB1] = HWC_ITLB_MISS, [HWC_ITLB2] = HWC_ITLB2_MISS,
    };

    return events[structure];
}

void hwc_ask_witness(const struct hwc_witness *witness, struct hwc_experiment *experiment)
{
    bool counter = witness->kind == HWC_COUNTER;

    experiment->event = counter ? witness->event : HWC_NO_EVENT;
    experiment->slower_than = counter ? 0 : witness->slow_cycles;
}

const struct hwc_witness hwc_by_clock = {.kind = HWC_CLOCK};

void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena)
{
    if (arena->handle != NULL)
        lab->machine->ops->arena_close(lab->machine, arena);
}

double hwc_weigh_reading(const struct hwc_witness *witness, const struct hwc_reading *reading)
{
    return witness->kind == HWC_COUNTER ? reading->count / witness->factor
                                        : reading->cycles / (witness->miss_cycles - witness->hit_cycles);
}

double hwc_count_reading(const struct hwc_witness *witness, const struct hwc_reading *reading)
{
    bool slow = witness->kind != HWC_COUNTER && witness->slow_cycles > 0;

    return slow ? reading->slow : hwc_weigh_reading(witness, reading);
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

int hwc_weigh_least(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                    unsigned samples, double *least, struct hwc_error *error)
{
    *least = INFINITY;
    for (unsigned i = 0; i < samples; i++) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        *least = fmin(*least, hwc_weigh_reading(witness, &sample.reading[0]));
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
 * same, a time (of three at least) is within a tenth of a percent. Where one
 * sample is asked for, it is enough to see that there are misses, not that
 * there are none. Until then,
 * samples up to the set number, and three times as many while the spread stays
 * above 2 %. */
static bool settled(unsigned taken, unsigned wanted, const double least[2], const double second[2], bool exact)
{
    double spread = 0;

    if (taken < 2)
        return exact && wanted == 1 && least[1] > least[0];
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

int hwc_leave_nothing(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_error *error)
{
    struct hwc_experiment clean = {.arena = arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_FLUSH, walk, 1}}};
    struct hwc_sample ignored;

    return lab->machine->flushes ? lab->machine->ops->play(lab->machine, &clean, &ignored, error) : HWC_OK;
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
    int status;

    for (unsigned taken = 0;;) {
        struct hwc_sample sample;
        status = hwc_lab_sample(lab, &experiment, &sample, error);
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
    status = hwc_leave_nothing(lab, arena, walk, error);
    if (status != HWC_OK)
        return status;
    *steady = (struct hwc_steady){
        .cycles = (cycles[1] - cycles[0]) / passes,
        .misses = counted ? fmax(0, (count[1] - count[0]) / passes) : 0,
        .counted = counted && event != HWC_NO_EVENT,
    };
    return HWC_OK;
}

int hwc_measure_by(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                   const struct hwc_walk *walk, unsigned samples, double *result, struct hwc_error *error)
{
    bool counter = witness->kind == HWC_COUNTER;
    struct hwc_steady steady = {0};
    int status =
        hwc_measure_steady(lab, arena, walk, counter ? witness->event : HWC_NO_EVENT, samples, &steady, error);

    if (status == HWC_OK && counter && !steady.counted)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s stopped counting", witness->counter);
    *result = counter ? steady.misses / witness->factor : steady.cycles;
    return status;
}
