#include "jump_curve.h"

#include <math.h>
#include <stdbool.h>

#define FEWEST_JUMPS 4
/* From one point to the second next a step goes up by this share of the time
 * before it, and by this many cycles: of twice as many jumps as a table has
 * entries half miss at least, and each costs a cycle at least. */
#define WINDOW 2
#define RISE 0.2
#define CYCLES 0.5
/* What rose before it, in as many points, is at most this share of it: else it is the rest of a step before. */
#define BEFORE 0.3

size_t hwc_jumps_at(unsigned point)
{
    return (size_t)llround(FEWEST_JUMPS * exp2(point / 2.0));
}

/* The least rise over a window at the distances from `distance` on. */
static double common_rise(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    double least = INFINITY;

    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++)
        least = fmin(least, cycles[d][from + WINDOW] - cycles[d][from]);
    return least;
}

/* A step needs something to step from: the point before is there, and as high. */
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

/* The highest step that is apart from those that were found. */
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

/* Where it shows at more distances, those at which least comes on top of it. */
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
