#include "jump_curve.h"

#include <math.h>
#include <stdbool.h>

#define FEWEST_JUMPS 4
/* Over a window, from a point to the second next, a step rises by at least this
 * share of the time before it, which errors of readings (2 %) do not at three
 * distances at once, and by this many cycles: with twice as many jumps as a table has
 * entries, at least half miss, and a miss costs at least a cycle. */
#define WINDOW 2
#define RISE 0.08
#define CYCLES 0.5
/* The window before a step rises by at most this share of it: otherwise it is the rest of an earlier step. */
#define BEFORE 0.3

size_t hwc_jumps_at(unsigned point)
{
    return (size_t)llround(FEWEST_JUMPS * exp2(point / 2.0));
}

/* The least rise over the window at `from`, among the witness distances from `distance` on. */
static double common_rise(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    double least = INFINITY;

    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++)
        least = fmin(least, cycles[d][from + WINDOW] - cycles[d][from]);
    return least;
}

/* A step starts from a plateau: there is a point before it, and that is as high. */
static bool is_flat(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], unsigned distance, unsigned from, double most)
{
    bool flat = from > 0;

    for (unsigned d = distance; flat && d < distance + HWC_JUMP_WITNESSES; d++)
        flat = fabs(cycles[d][from] - cycles[d][from - 1]) <= most;
    return flat;
}

static bool is_step(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], unsigned distance, unsigned from, double rise)
{
    if (rise < CYCLES)
        return false;
    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++)
        if (cycles[d][from + WINDOW] - cycles[d][from] < RISE * cycles[d][from])
            return false;
    return from < WINDOW ? is_flat(cycles, distance, from, BEFORE * rise)
                         : common_rise(cycles, distance, from - WINDOW) <= BEFORE * rise;
}

static bool is_apart(const struct hwc_jump_step *steps, unsigned found, unsigned from)
{
    for (unsigned i = 0; i < found; i++)
        if (from < steps[i].above && steps[i].below < from + WINDOW)
            return false;
    return true;
}

/* The highest step that overlaps none of those already found. */
static bool find_highest(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], const struct hwc_jump_step *steps,
                         unsigned found, struct hwc_jump_step *highest)
{
    *highest = (struct hwc_jump_step){0};
    for (unsigned distance = 0; distance + HWC_JUMP_WITNESSES <= HWC_JUMP_DISTANCES; distance++)
        for (unsigned from = 0; from + WINDOW < HWC_JUMP_POINTS; from++) {
            double rise = common_rise(cycles, distance, from);
            if (rise > highest->rise && is_apart(steps, found, from) && is_step(cycles, distance, from, rise))
                *highest = (struct hwc_jump_step){from, from + WINDOW, distance, rise};
        }
    return highest->rise > 0;
}

/* If the step shows at more distances than it must, take those where it is lowest: least else adds to it there. */
static void look_where_it_is_least(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], struct hwc_jump_step *step)
{
    for (unsigned distance = 0; distance + HWC_JUMP_WITNESSES <= HWC_JUMP_DISTANCES; distance++) {
        double rise = common_rise(cycles, distance, step->below);
        if (rise < step->rise && is_step(cycles, distance, step->below, rise)) {
            step->distance = distance;
            step->rise = rise;
        }
    }
}

unsigned hwc_jump_steps(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], struct hwc_jump_step steps[HWC_JUMP_STEPS])
{
    struct hwc_jump_step highest;
    unsigned found = 0;

    while (found < HWC_JUMP_STEPS && find_highest(cycles, steps, found, &highest)) {
        unsigned at = found++;
        look_where_it_is_least(cycles, &highest);
        for (; at > 0 && steps[at - 1].below > highest.below; at--)
            steps[at] = steps[at - 1];
        steps[at] = highest;
    }
    return found;
}

uint64_t hwc_round_number(uint64_t low, uint64_t high)
{
    for (uint64_t power = UINT64_C(1) << 62; power > 0; power /= 2)
        if (high / power * power >= low && high >= power)
            return high / power * power;
    return high;
}
