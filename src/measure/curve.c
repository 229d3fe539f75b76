#include "curve.h"

#include <math.h>

#include "footprint.h"
#include "statistics.h"

enum { CONFIRMATIONS = 4 };

static const struct {
    double points_per_octave;
    size_t short_points;
    double near_memory, same;
    size_t flat_points;
    double look_from_lines, look_at_lines;
    double seconds;
    double thinned_below;
} policy = {
    .points_per_octave = 4,
    /* A plateau of at most this many points may be a disturbance, and is measured again. */
    .short_points = 4,
    /* The curve ends where it comes near the time of flushed lines, or no longer changes. */
    .near_memory = 0.85,
    .same = 0.1,
    .flat_points = 10,
    /* With 64-byte lines: beyond 32 MiB, a long plateau is compared with one point at 128 MiB. */
    .look_from_lines = 1 << 19,
    .look_at_lines = 1 << 21,
    /* Where others disturb, the curve may never flatten: after this time it ends with the points it has. */
    .seconds = 4,
    /* Where a hash spreads the lines of a thinned footprint over the sets of those left out, it takes less time than
     * the full footprint would. Checked each time that a thinned footprint has doubled. */
    .thinned_below = 0.95,
};

static int time_footprint(struct hwc_lab *lab, double bytes, double *cycles, struct hwc_error *error)
{
    const struct hwc_footprint footprint = hwc_footprint_of(lab, (uint64_t)bytes);

    TRY(hwc_time_data(lab, &footprint, 3, cycles, error));
    *cycles /= (double)footprint.lines;
    return HWC_OK;
}

int hwc_confirm_short_plateaus(struct hwc_lab *lab, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_plateau plateaus[HWC_MAX_PLATEAUS];
    size_t count = hwc_find_plateaus(curve, plateaus);
    size_t first = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        size_t end;
        while (curve->bytes[first] < plateaus[i].first_bytes)
            first++;
        for (end = first; end < curve->points && curve->bytes[end] <= plateaus[i].last_bytes;)
            end++;
        for (size_t at = first; end - first <= policy.short_points && at < end; at++) {
            double again[CONFIRMATIONS + 1] = {curve->cycles[at]};
            for (int k = 1; k <= CONFIRMATIONS; k++) {
                int status = time_footprint(lab, curve->bytes[at], &again[k], error);
                if (status != HWC_OK)
                    return status;
            }
            curve->cycles[at] = hwc_median(again, CONFIRMATIONS + 1);
        }
        first = end;
    }
    return HWC_OK;
}

/* Are the last `last` points all about as slow as `cycles`? */
static bool ends_at(const struct hwc_curve *curve, size_t last, double cycles)
{
    if (curve->points < last)
        return false;
    for (size_t i = curve->points - last; i < curve->points; i++)
        if (fabs(curve->cycles[i] / cycles - 1) > policy.same)
            return false;
    return true;
}

static bool flat_at_the_end(const struct hwc_curve *curve)
{
    return curve->points > policy.flat_points && ends_at(curve, policy.flat_points, curve->cycles[curve->points - 1]);
}

/* Are the last points a plateau at the time of flushed lines? That is memory, and nothing comes after it. */
static bool at_memory(const struct hwc_curve *curve, double memory_cycles)
{
    size_t points = curve->points;

    if (points < 4 || memory_cycles <= 0)
        return false;
    for (size_t i = points - 3; i < points; i++)
        if (curve->cycles[i] < policy.near_memory * memory_cycles ||
            curve->cycles[i] > curve->cycles[i - 1] * HWC_FLAT_STEP)
            return false;
    return true;
}

/* Are the last points as slow as the point far beyond? */
static bool arrived_at(const struct hwc_curve *curve, double far_cycles)
{
    return far_cycles > 0 && ends_at(curve, 3, far_cycles);
}

struct end {
    double most;          /* bytes */
    double memory_cycles; /* of flushed lines; 0 = not known */
    double far_cycles;    /* of the point far beyond a long plateau; 0 = not yet timed */
    double started;
};

/* Does the curve end before the point at `bytes`? */
static int look_for_end(struct hwc_lab *lab, const struct hwc_curve *curve, double bytes, struct end *end, bool *ends,
                        struct hwc_error *error)
{
    double line = (double)lab->known->level[1].line_bytes;
    bool late = lab->machine->live && hwc_lab_elapsed(lab) - end->started > policy.seconds;
    int status;

    *ends = bytes > end->most || late || at_memory(curve, end->memory_cycles) || arrived_at(curve, end->far_cycles);
    if (*ends || end->far_cycles > 0 || bytes <= policy.look_from_lines * line || !flat_at_the_end(curve))
        return HWC_OK;
    if (policy.look_at_lines * line > end->most) {
        *ends = true;
        return HWC_OK;
    }
    status = time_footprint(lab, policy.look_at_lines * line, &end->far_cycles, error);
    *ends = status == HWC_OK && fabs(end->far_cycles / curve->cycles[curve->points - 1] - 1) <= policy.same;
    return status;
}

static int look_for_hash(struct hwc_lab *lab, const struct hwc_curve *curve, double *looked_at, bool *shows,
                         struct hwc_error *error)
{
    size_t at = curve->points - 1;
    struct hwc_footprint all = hwc_footprint_of(lab, (uint64_t)curve->bytes[at]);
    double cycles;
    int status;

    *shows = false;
    if (all.line_bytes == lab->known->level[1].fill_bytes || curve->bytes[at] < 2 * *looked_at)
        return HWC_OK;
    *looked_at = curve->bytes[at];
    hwc_know_hashed(lab, true);
    status = time_footprint(lab, curve->bytes[at], &cycles, error);
    *shows = status == HWC_OK && curve->cycles[at] < policy.thinned_below * cycles;
    hwc_know_hashed(lab, *shows);
    return status;
}

/* The curve's next point, from the earlier look or timed. */
static int add_point(struct hwc_lab *lab, const struct hwc_curve *before, double bytes, struct hwc_curve *curve,
                     struct hwc_error *error)
{
    size_t at = curve->points;

    if (at < before->points && before->bytes[at] == bytes &&
        hwc_is_very_long(hwc_footprint_of(lab, (uint64_t)bytes).lines))
        curve->cycles[at] = before->cycles[at];
    else
        TRY(time_footprint(lab, bytes, &curve->cycles[at], error));
    curve->bytes[at] = bytes;
    curve->points++;
    return HWC_OK;
}

int hwc_measure_curve(struct hwc_lab *lab, uint64_t first_bytes, struct hwc_curve *before, struct hwc_curve *curve,
                      struct hwc_error *error)
{
    struct end end = {.most = (double)lab->machine->max_arena_bytes / 4, .started = hwc_lab_elapsed(lab)};
    double bytes = (double)first_bytes;
    bool ends = false, hashed = false;
    double looked_at = 0;
    int status = HWC_OK;

    if (lab->machine->flushes)
        status = hwc_time_flushed(lab, lab->known->level[1].fill_bytes, &end.memory_cycles, error);
    curve->points = 0;
    while (status == HWC_OK && curve->points < HWC_MAX_CURVE) {
        status = look_for_end(lab, curve, bytes, &end, &ends, error);
        if (status != HWC_OK || ends)
            break;
        status = add_point(lab, before, bytes, curve, error);
        if (status != HWC_OK)
            break;
        status = look_for_hash(lab, curve, &looked_at, &hashed, error);
        if (hashed) { /* without thinning: all of it once more */
            before->points = 0;
            curve->points = 0;
            bytes = (double)first_bytes;
            continue;
        }
        bytes *= exp2(1.0 / policy.points_per_octave);
    }
    if (status != HWC_OK && status != HWC_NO_MEMORY) /* out of memory: the points so far are the curve */
        return status;
    return curve->points > 0 ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "too little memory for a latency curve");
}
