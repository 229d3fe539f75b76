#include "known_misses.h"

#include <math.h>

#include "sampler.h"

/* Adjacent lines: 512 contiguous bytes fit in any cache, direct-mapped or not. */
static const uint64_t resident_spacing = 64;

_Static_assert(HWC_RESIDENT_REFERENCES == HWC_RESIDENT_LINES * HWC_RESIDENT_PASSES, "references are lines times passes");

int hwc_known_open(struct hwc_known_misses *known, struct hwc_lab *lab, enum hwc_access access, uint64_t bytes,
                   enum hwc_pages pages, struct hwc_error *error)
{
    *known = (struct hwc_known_misses){.lab = lab};
    hwc_walk_init(&known->resident);
    hwc_walk_init(&known->cold);
    known->resident.access = known->cold.access = access;
    TRY(lab->machine->ops->arena_open(lab->machine, bytes, pages, &known->arena, error));
    return hwc_walk_sequence(&known->resident, 0, resident_spacing, HWC_RESIDENT_LINES, error);
}

size_t hwc_affordable_lines(const struct hwc_lab *lab, size_t lines, uint64_t bytes_each)
{
    while (lines > 256 && lines * bytes_each > lab->machine->max_arena_bytes / 2)
        lines /= 2;
    return lines;
}

void hwc_known_close(struct hwc_known_misses *known)
{
    hwc_walk_free(&known->resident);
    hwc_walk_free(&known->cold);
    hwc_close_arena(known->lab, &known->arena);
}

/* Count the resident walk at two lengths, which tells the overhead of counting, then one pass over lines that miss. */
static int count_both(struct hwc_known_misses *known, enum hwc_event event, double *resident, double *cold,
                      struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = &known->arena,
        .event = event,
        .steps = 5,
        .step = {{HWC_RUN, &known->resident, 4},
                 {HWC_MEASURE, &known->resident, HWC_RESIDENT_PASSES},
                 {HWC_MEASURE, &known->resident, 2 * HWC_RESIDENT_PASSES},
                 {known->steady ? HWC_RUN : HWC_FLUSH, &known->cold, 1},
                 {HWC_MEASURE, &known->cold, 1}},
    };
    struct hwc_sample sample;

    TRY(hwc_lab_sample(known->lab, &experiment, &sample, error));
    if (sample.disturbed)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others disturbed each of its tests");
    if (!sample.reading[0].counted || !sample.reading[1].counted || !sample.reading[2].counted)
        return hwc_fail(error, HWC_UNAVAILABLE, "it was listed, but could not be started or read");
    resident[0] = sample.reading[0].count;
    resident[1] = sample.reading[1].count;
    *cold = sample.reading[2].count;
    return HWC_OK;
}

enum { MOST_TRIES = 4 };

/* Others are taken instead of samples that were disturbed, in at most MOST_TRIES tries for each. */
int hwc_count_known(struct hwc_known_misses *known, enum hwc_event event, struct hwc_known_counts *counts,
                    struct hwc_error *error)
{
    unsigned samples = known->lab->settings.samples, taken = 0;
    int status = HWC_OK;

    *counts = (struct hwc_known_counts){{INFINITY, INFINITY}, INFINITY, 0};
    for (unsigned i = 0; i < MOST_TRIES * samples && taken < samples; i++) {
        double resident[2] = {0, 0}, cold = 0;
        status = count_both(known, event, resident, &cold, error);
        if (status == HWC_INCONCLUSIVE)
            continue;
        if (status != HWC_OK)
            return status;
        counts->resident[0] = fmin(counts->resident[0], resident[0]);
        counts->resident[1] = fmin(counts->resident[1], resident[1]);
        counts->least = fmin(counts->least, cold);
        counts->most = taken++ < samples / 2 + 1 ? fmax(counts->most, cold) : counts->most;
    }
    return taken > 0 ? HWC_OK : status;
}

double hwc_counting_overhead(const struct hwc_known_counts *counts)
{
    return fmax(0, 2 * counts->resident[0] - counts->resident[1]);
}
