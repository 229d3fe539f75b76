#include "curve.h"

#include <math.h>

#define POINTS_PER_OCTAVE 4
#define FLAT_STEP 1.06
#define SAME_PLATEAU 1.15
#define FLAT_POINTS 10 /* 2.5 octaves */
/* In lines: 32 MiB and 128 MiB of lines of 64 bytes. */
#define LOOK_AT_LEAST_LINES (1 << 19)
#define LOOK_ONCE_LINES (1 << 21)
#define LONG_WALK 20000
#define VERY_LONG_WALK 200000

static void join_close(struct hwc_plateau *plateaus, size_t *count)
{
    for (size_t i = 1; i < *count;) {
        if (plateaus[i].cycles > plateaus[i - 1].cycles * SAME_PLATEAU) {
            i++;
            continue;
        }
        plateaus[i - 1].last_bytes = plateaus[i].last_bytes;
        plateaus[i - 1].cycles = (plateaus[i - 1].cycles + plateaus[i].cycles) / 2;
        for (size_t k = i + 1; k < *count; k++)
            plateaus[k - 1] = plateaus[k];
        (*count)--;
    }
}

size_t hwc_find_plateaus(const struct hwc_curve *curve, struct hwc_plateau *plateaus)
{
    size_t count = 0;

    for (size_t i = 0; i < curve->points;) {
        size_t end = i + 1;
        double sum = curve->cycles[i];
        while (end < curve->points && curve->cycles[end] < curve->cycles[end - 1] * FLAT_STEP &&
               curve->cycles[end] > curve->cycles[end - 1] / FLAT_STEP)
            sum += curve->cycles[end++];
        if (end - i >= 3 && count < HWC_MAX_PLATEAUS)
            plateaus[count++] = (struct hwc_plateau){curve->bytes[i], curve->bytes[end - 1], sum / (double)(end - i)};
        i = end;
    }
    join_close(plateaus, &count);
    return count;
}

/* A long walk is timed over single passes: the overhead of the clock vanishes
 * in it. The least of three, but for the longest. */
static int time_long(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double *cycles,
                     struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_NO_EVENT, .steps = 2, .step = {{HWC_RUN, walk, 1}, {HWC_MEASURE, walk, 1}}};
    int samples = walk->count > VERY_LONG_WALK ? 1 : 3;

    *cycles = INFINITY;
    for (int i = 0; i < samples; i++) {
        struct hwc_sample sample;
        int status = lab->machine->ops->play(lab->machine, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        lab->samples_taken++;
        *cycles = fmin(*cycles, sample.reading[0].cycles / (double)walk->count);
        experiment.step[0].passes = 0; /* warm from the pass before */
    }
    return HWC_OK;
}

static int time_footprint(struct hwc_lab *lab, double bytes, uint64_t spacing, double *cycles,
                          struct hwc_error *error)
{
    size_t lines = (size_t)(bytes / (double)spacing);
    struct hwc_arena arena;
    struct hwc_walk walk;
    struct hwc_steady steady;
    int status = lab->machine->ops->arena_open(lab->machine, 2 * (lines + 1) * spacing, HWC_LARGE_PAGES, &arena, error);

    if (status != HWC_OK)
        return status;
    hwc_walk_init(&walk);
    status = hwc_walk_scatter(&walk, lines > 0 ? lines : 1, spacing, lab->machine->page_bytes, &lab->random, error);
    if (status == HWC_OK && walk.count > LONG_WALK) {
        status = time_long(lab, &arena, &walk, cycles, error);
    } else if (status == HWC_OK) {
        status = hwc_measure_steady(lab, &arena, &walk, HWC_NO_EVENT, 3, &steady, error);
        *cycles = steady.cycles / (double)walk.count;
    }
    hwc_walk_free(&walk);
    lab->machine->ops->arena_close(lab->machine, &arena);
    return status;
}

static bool flat_at_the_end(const struct hwc_curve *curve)
{
    double last = curve->cycles[curve->points - 1];

    if (curve->points < FLAT_POINTS + 1)
        return false;
    for (size_t i = curve->points - FLAT_POINTS; i < curve->points; i++)
        if (fabs(curve->cycles[i] / last - 1) > 0.1)
            return false;
    return true;
}

int hwc_measure_curve(struct hwc_lab *lab, uint64_t first_bytes, uint64_t spacing, struct hwc_curve *curve,
                      struct hwc_error *error)
{
    double most = (double)(lab->machine->max_arena_bytes / 4);
    bool looked_further = false;

    curve->points = 0;
    for (double bytes = (double)first_bytes; bytes <= most && curve->points < HWC_MAX_CURVE;
         bytes *= exp2(1.0 / POINTS_PER_OCTAVE)) {
        size_t at = curve->points;
        int status;
        if (bytes > (double)(LOOK_AT_LEAST_LINES * spacing) && !looked_further && flat_at_the_end(curve)) {
            looked_further = true;
            bytes = (double)(LOOK_ONCE_LINES * spacing);
            if (bytes > most)
                break;
        } else if (looked_further && fabs(curve->cycles[at - 1] / curve->cycles[at - 2] - 1) < 0.1) {
            break;
        }
        status = time_footprint(lab, bytes, spacing, &curve->cycles[at], error);
        if (status == HWC_NO_MEMORY)
            break; /* what was measured so far is what there is */
        if (status != HWC_OK)
            return status;
        curve->bytes[at] = bytes;
        curve->points++;
    }
    return curve->points > 0 ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "too little memory for a latency curve");
}
