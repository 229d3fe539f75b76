#include "hierarchy_scan.h"

#include <math.h>
#include <string.h>

#include "curve.h"
#include "footprint.h"
#include "steady_state.h"

static int cycles_per_reference(struct hwc_lab *lab, uint64_t bytes, uint64_t spacing, double *cycles,
                                struct hwc_error *error)
{
    const struct hwc_footprint footprint = {(size_t)(bytes / spacing), spacing, HWC_BASE_PAGES, 1};
    struct hwc_steady steady = {0};

    TRY(hwc_measure_footprint(lab, &footprint, HWC_NO_EVENT, lab->settings.samples, &steady, error));
    *cycles = steady.cycles / (double)footprint.lines;
    return HWC_OK;
}

/* X-Ray 4.1.1: a single address always hits. Footprints then double until a
 * reference costs half as much again; at twice that footprint most references
 * miss the first level. */
int hwc_calibrate_first(struct hwc_lab *lab, struct hwc_error *error)
{
    struct hwc_witness *witness = &lab->witness[1];
    uint64_t most = lab->machine->max_arena_bytes / (2 * HWC_SPACED_SHUFFLE);

    TRY(cycles_per_reference(lab, HWC_CELL_BYTES, HWC_CELL_BYTES, &witness->hit_cycles, error));
    for (uint64_t bytes = 1024; bytes <= most && bytes <= (UINT64_C(1) << 28); bytes *= 2) {
        double cycles;
        TRY(cycles_per_reference(lab, bytes, 64, &cycles, error));
        if (cycles >= 1.5 * witness->hit_cycles)
            return cycles_per_reference(lab, 2 * bytes, 64, &witness->miss_cycles, error);
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "no footprint was slower than a single line: no cache to be seen");
}

/* The largest footprint of which it is known that a level above holds it; some level may not be known at all. */
static uint64_t largest_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t largest = lab->known->level[1].size_bytes;

    for (unsigned i = 2; i < level; i++)
        if (lab->known->level[i].rough_high > largest)
            largest = lab->known->level[i].rough_high;
    return largest > 0 ? largest : lab->machine->page_bytes;
}

/* Bound the capacity of a level by its counter: footprints double, from that of
 * the level above on, until a tenth of the references miss. */
static int bound_by_counter(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    for (uint64_t bytes = largest_above(lab, level); bytes <= lab->machine->max_arena_bytes / 4; bytes *= 2) {
        const struct hwc_footprint footprint = hwc_footprint_of(lab, bytes);
        struct hwc_steady steady = {0};
        TRY(hwc_measure_footprint(lab, &footprint, lab->witness[level].event, 2, &steady, error));
        if (steady.misses > 0.1 * (double)footprint.lines) {
            struct hwc_level bounded = lab->known->level[level];
            bounded.rough_low = bytes / 2;
            bounded.rough_high = bytes;
            hwc_know_level(lab, level, &bounded);
            return HWC_OK;
        }
    }
    return hwc_fail(error, HWC_NO_MEMORY, "level %u is larger than the memory that may be used", level);
}

/* Noise only adds: keep the lesser of two measurements of each footprint. */
static void keep_lesser(struct hwc_curve *curve, const struct hwc_curve *again)
{
    for (size_t i = 0; i < again->points; i++) {
        if (i >= curve->points) {
            curve->bytes[i] = again->bytes[i];
            curve->cycles[i] = again->cycles[i];
        } else if (curve->bytes[i] == again->bytes[i]) {
            curve->cycles[i] = fmin(curve->cycles[i], again->cycles[i]);
        }
    }
    if (again->points > curve->points)
        curve->points = again->points;
}

#define LOOKS 3

static bool are_same(const struct hwc_plateau *a, size_t count_a, const struct hwc_plateau *b, size_t count_b)
{
    bool same = count_a == count_b;

    for (size_t i = 0; same && i < count_a; i++)
        same = a[i].first_bytes == b[i].first_bytes && a[i].last_bytes == b[i].last_bytes;
    return same;
}

/* Where others disturb, until another look leaves the plateaus as they are, LOOKS times at most. */
static int look_at_curve(struct hwc_lab *lab, struct hwc_plateau *plateaus, size_t *count, struct hwc_error *error)
{
    struct hwc_curve curve = {0}, again;
    struct hwc_plateau before[HWC_MAX_PLATEAUS];
    bool same = !lab->machine->interference;

    for (int looks = 0; looks == 0 || (looks < LOOKS && !same); looks++) {
        size_t count_before = *count;
        memcpy(before, plateaus, count_before * sizeof *before);
        TRY(hwc_measure_curve(lab, lab->known->level[1].size_bytes / 4, &curve, &again, error));
        keep_lesser(&curve, &again);
        *count = hwc_find_plateaus(&curve, plateaus);
        same = same || are_same(plateaus, *count, before, count_before);
    }
    TRY(hwc_confirm_short_plateaus(lab, &curve, error));
    *count = hwc_find_plateaus(&curve, plateaus);
    return HWC_OK;
}

/* Plateau i is level i + 1; the last one is memory. */
static void levels_from_plateaus(struct hwc_lab *lab, const struct hwc_plateau *plateaus, size_t count)
{
    hwc_know_levels(lab, (unsigned)count - 1);
    for (unsigned i = 1; i <= lab->known->levels; i++) {
        struct hwc_level bounded = lab->known->level[i];
        bounded.plateau_bytes = (uint64_t)plateaus[i - 1].first_bytes;
        bounded.rough_low = (uint64_t)plateaus[i - 1].last_bytes;
        bounded.rough_high = (uint64_t)plateaus[i].first_bytes;
        bounded.hit_cycles = plateaus[i - 1].cycles;
        hwc_know_level(lab, i, &bounded);
    }
    for (unsigned i = 1; i <= lab->known->levels; i++)
        if (lab->witness[i].kind != HWC_COUNTER) {
            lab->witness[i].kind = HWC_CLOCK;
            lab->witness[i].hit_cycles = plateaus[i - 1].cycles;
            lab->witness[i].miss_cycles = plateaus[i].cycles;
        }
}

int hwc_find_levels(struct hwc_lab *lab, struct hwc_error *error)
{
    struct hwc_plateau plateaus[HWC_MAX_PLATEAUS];
    size_t count = 0;
    unsigned counted = 0;
    int status = HWC_OK;

    while (counted < HWC_MAX_CACHE_LEVEL && lab->witness[counted + 1].kind == HWC_COUNTER)
        counted++;
    hwc_know_levels(lab, counted > 0 ? counted : 1);
    if (lab->machine->has_clock) {
        status = look_at_curve(lab, plateaus, &count, error);
        if (status != HWC_OK && status != HWC_NO_MEMORY)
            return status;
        if (status == HWC_OK && count >= 2)
            levels_from_plateaus(lab, plateaus, count);
        if (lab->known->levels < counted)
            hwc_know_levels(lab, counted);
    }
    for (unsigned i = 2; i <= lab->known->levels; i++) {
        if (lab->witness[i].kind != HWC_COUNTER)
            continue;
        status = bound_by_counter(lab, i, error);
        if (status == HWC_NO_MEMORY)
            hwc_note(&lab->notes, "%s", error->message);
        else if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}
