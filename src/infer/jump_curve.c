#include "jump_curve.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

#define FEWEST_JUMPS 4
/* Sets are a power of two, so that an odd factor comes from the ways. */
#define FEWEST_WAYS 2
#define MOST_WAYS 16
/* Over a window, from a point to the second next, a step rises by at least this
 * share of the time before it, which errors of readings (2 %) do not at three
 * distances at once, and by this many cycles: with twice as many jumps as a table has
 * entries, at least half miss, and a miss costs at least a cycle. */
#define WINDOW 2
#define RISE 0.08
#define CYCLES 0.5
/* The window before a step rises by at most this share of it: otherwise it is the rest of an earlier step. */
#define BEFORE 0.3
/* So large a share of a time may be wrong. */
#define READING 0.01
/* Points from a number of jumps to twice as many. */
#define DOUBLING 2
/* A rise may be the code's if half as many jumps in the same lines rise by this share of it. Those of a cache or a TLB
 * rise as much at least, those of a table not at all. */
#define OF_CODE 0.5
/* A step must not be the code's at two distances where it rises alike, by no more than this many times the least; or at
 * one, if what a jump takes beyond the code rises alike at all. At the others, a cache may step where the table does.
 * What costs a line more, and not a jump, rises twice as much at twice the distance: a cache of decoded instructions that
 * holds so many jumps, in front of a cache of code. */
#define NOT_OF_CODE 2
#define ALIKE 1.5

size_t hwc_jumps_at(unsigned point)
{
    return (size_t)llround(FEWEST_JUMPS * exp2(point / 2.0));
}

double hwc_jump_of_its_own(double cycles, double halved)
{
    return cycles - halved / 2;
}

/* Whatever the length of a line: if lines are no longer than the distance, half as many jumps go through half as many
 * lines, and share nothing. */
bool hwc_jump_is_of_code(double rise, double halved)
{
    return halved >= OF_CODE * rise;
}

/* Over the window at `from`. */
static double rise_at(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    return cycles[distance][from + WINDOW] - cycles[distance][from];
}

/* Of half as many jumps in the same lines. No code is as small as that of the first points. What falls is an error of
 * the readings, and proves nothing. */
static double halved_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    return from < DOUBLING ? 0 : fmax(0, rise_at(cycles, distance + 1, from - DOUBLING));
}

static double own_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    return hwc_jump_of_its_own(rise_at(cycles, distance, from), halved_rise(cycles, distance, from));
}

static bool is_of_code(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    return hwc_jump_is_of_code(rise_at(cycles, distance, from), halved_rise(cycles, distance, from));
}

/* The least rise over the window at `from`, among the witness distances from `distance` on. */
static double common_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    double least = INFINITY;

    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++)
        least = fmin(least, own_rise(cycles, d, from));
    return least;
}

/* A step starts from a plateau: there is a point before it, and that is as high. */
static bool is_flat(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from, double most)
{
    bool flat = from > 0;

    for (unsigned d = distance; flat && d < distance + HWC_JUMP_WITNESSES; d++)
        flat = fabs(cycles[d][from] - cycles[d][from - 1]) <= most;
    return flat;
}

/* Is there a table of jumps behind this least rise, and not only caches that step at these distances by chance? */
static bool is_of_jumps(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from, double least)
{
    unsigned not_of_code = 0;
    bool alike = true;

    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++) {
        bool as_least = own_rise(cycles, d, from) <= ALIKE * least;
        not_of_code += as_least && !is_of_code(cycles, d, from);
        alike = alike && as_least;
    }
    return not_of_code >= NOT_OF_CODE || (not_of_code > 0 && alike);
}

static bool is_step(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from, double rise)
{
    if (rise < CYCLES || !is_of_jumps(cycles, distance, from, rise))
        return false;
    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++)
        if (own_rise(cycles, d, from) < RISE * cycles[d][from])
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
static bool find_highest(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], const struct hwc_jump_step *steps,
                         unsigned found, struct hwc_jump_step *highest)
{
    *highest = (struct hwc_jump_step){0};
    for (unsigned distance = 0; distance + HWC_JUMP_WITNESSES <= HWC_JUMP_DISTANCES; distance++)
        for (unsigned from = 0; from + WINDOW < HWC_JUMP_POINTS; from++) {
            double rise = common_rise(cycles, distance, from);
            if (rise > highest->rise && is_apart(steps, found, from) && is_step(cycles, distance, from, rise))
                *highest = (struct hwc_jump_step){from, from + WINDOW, distance, rise, rise, rise, 0, 0};
        }
    return highest->rise > 0;
}

/* If the step shows at more distances than it must, take those where it is lowest: least else adds to it there. */
static void look_where_it_is_least(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], struct hwc_jump_step *step)
{
    for (unsigned distance = 0; distance + HWC_JUMP_WITNESSES <= HWC_JUMP_DISTANCES; distance++) {
        double rise = common_rise(cycles, distance, step->below);
        if (rise < step->rise && is_step(cycles, distance, step->below, rise)) {
            step->distance = distance;
            step->rise = rise;
        }
    }
}

/* Of the rise that half as many jumps show, what a smaller table that ends in the window before lets them rise. */
static double rise_before(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    double rise = from < DOUBLING ? 0 : common_rise(cycles, distance, from - DOUBLING);

    return rise > 0 && is_of_jumps(cycles, distance, from - DOUBLING, rise) ? rise : 0;
}

/* What a rise over the window may be wrong by, as readings are. */
static double error_of_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from)
{
    return READING * hypot(cycles[distance][from], cycles[distance][from + WINDOW]);
}

/* A rise, and that of half as many jumps in the same lines; and what they may be wrong by. */
struct rise {
    double all, halved;
    double error, halved_error;
};

/* Is the rise better known by this one than by those before, which say it within *narrowest? Of what half as many jumps
 * rise by for the code, half is the code's if lines are longer than the distance, and all of it if not: the middle is
 * taken. */
static void narrow(const struct rise *rise, double before, double *narrowest, struct hwc_jump_step *step)
{
    double code = fmax(0, rise->halved - before), least, most;

    least = rise->all - code - hypot(rise->error, rise->halved_error);
    most = rise->all - code / 2 + hypot(rise->error, rise->halved_error / 2);
    if (rise->halved >= OF_CODE * rise->all || most - least >= *narrowest)
        return;
    *narrowest = most - least;
    step->least = least;
    step->rise = rise->all - 0.75 * code;
    step->most = most;
}

/* The rise of a table over the window at `from`, at the distance where it is known best. 0 = the code steps at every
 * distance. */
static void find_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned from,
                      struct hwc_jump_step *step)
{
    double narrowest = INFINITY;

    step->before = rise_before(cycles, distance, from);
    step->rise = 0;
    for (unsigned d = distance; d < distance + HWC_JUMP_WITNESSES; d++) {
        const struct rise rise = {.all = rise_at(cycles, d, from),
                                  .halved = halved_rise(cycles, d, from),
                                  .error = error_of_rise(cycles, d, from)};
        narrow(&rise, step->before, &narrowest, step);
    }
}

/* A table that ends near the end of the window rises on behind it. */
static void find_whole_rise(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], struct hwc_jump_step *step)
{
    struct hwc_jump_step behind = *step;

    find_rise(cycles, step->distance, step->below, step);
    if (step->above + 1 == HWC_JUMP_POINTS)
        return;
    find_rise(cycles, step->distance, step->below + 1, &behind);
    if (behind.rise > step->rise)
        *step = behind;
}

/* What a jump at this point takes of its own beyond one at the point, of those before, where jumps are quickest. The first
 * points go round too few lines for half as many. */
static double own_until(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], unsigned distance, unsigned point)
{
    unsigned quickest = DOUBLING;

    for (unsigned i = DOUBLING; i < point; i++)
        quickest = cycles[distance][i] < cycles[distance][quickest] ? i : quickest;
    if (point <= quickest)
        return 0;
    return hwc_jump_of_its_own(cycles[distance][point] - cycles[distance][quickest],
                               cycles[distance + 1][point - DOUBLING] - cycles[distance + 1][quickest - DOUBLING]);
}

/* At the distance where it is least: lines that are no longer than the distance leave half of what the code takes. */
static double common_until(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], const struct hwc_jump_step *step)
{
    double least = INFINITY;

    for (unsigned d = step->distance; d < step->distance + HWC_JUMP_WITNESSES; d++)
        least = fmin(least, own_until(cycles, d, step->below));
    return fmax(0, least);
}

unsigned hwc_jump_steps(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], struct hwc_jump_step steps[HWC_JUMP_STEPS])
{
    struct hwc_jump_step highest;
    unsigned found = 0;

    while (found < HWC_JUMP_STEPS && find_highest(cycles, steps, found, &highest)) {
        unsigned at = found++;
        look_where_it_is_least(cycles, &highest);
        find_whole_rise(cycles, &highest);
        for (; at > 0 && steps[at - 1].below > highest.below; at--)
            steps[at] = steps[at - 1];
        steps[at] = highest;
    }
    for (unsigned i = 0; i < found; i++)
        steps[i].until = common_until(cycles, &steps[i]);
    return found;
}

/* The median of what readings rise by, and twice its standard error. For normal readings, the mean distance from the
 * median is 0.8 standard deviations, and the median's error is 1.25 of one by the root of how many there are. */
static double usual_rise(const double *low, const double *high, unsigned count, double *error)
{
    double rise[HWC_JUMP_TAKES], usual, off = 0;

    for (unsigned i = 0; i < count; i++)
        rise[i] = high[i] - low[i];
    usual = hwc_median(rise, count);
    for (unsigned i = 0; i < count; i++)
        off += fabs(rise[i] - usual) / count;
    *error = 2 * 1.25 * off / 0.8 / sqrt(count);
    return usual;
}

static double usual(const double *readings, unsigned count)
{
    double copy[HWC_JUMP_TAKES];

    memcpy(copy, readings, count * sizeof *copy);
    return hwc_median(copy, count);
}

static struct rise rise_of_takes(const struct hwc_jump_takes *takes, unsigned from)
{
    unsigned count = takes->taken;
    struct rise rise = {0};

    rise.all = usual_rise(takes->low, takes->high, count, &rise.error);
    rise.error = fmax(rise.error, READING * hypot(usual(takes->low, count), usual(takes->high, count)));
    if (from >= DOUBLING)
        rise.halved = fmax(0, usual_rise(takes->halved_low, takes->halved_high, count, &rise.halved_error));
    return rise;
}

bool hwc_jump_rise_again(const struct hwc_jump_takes takes[HWC_JUMP_WITNESSES], struct hwc_jump_step *step)
{
    double narrowest = INFINITY;

    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++)
        if (takes[i].taken < 2)
            return true;
    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++) {
        const struct rise rise = rise_of_takes(&takes[i], step->below);
        narrow(&rise, step->before, &narrowest, step);
    }
    return narrowest < INFINITY;
}

static bool may_be_the_codes(const struct hwc_jump_number *number, double climbed)
{
    return number->halved / 2 >= climbed * number->rise;
}

void hwc_jumps_that_count(const struct hwc_jump_number numbers[HWC_JUMP_WITNESSES], double climbed,
                          double jumps[HWC_JUMP_WITNESSES])
{
    unsigned clear = 0;

    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++)
        clear += !may_be_the_codes(&numbers[i], climbed);
    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++)
        jumps[i] = clear >= 2 && may_be_the_codes(&numbers[i], climbed) ? 0 : numbers[i].jumps;
    hwc_sort(jumps, HWC_JUMP_WITNESSES);
}

/* Have the misses of a table of `ways`, or an even multiple of them, climbed that far at this number of jumps? Sets
 * overflow one by one, and of one that has, all its jumps miss, as many as it has ways and one. The more ways, the
 * steeper. A direct-mapped table is not foreseen: it would be less steep than the next size is far. */
static bool climbs_at(double entries, unsigned ways, double jumps, const struct hwc_jump_climb *climb)
{
    double fewest = entries * (1 - climb->ours), most = entries / (1 - climb->climbed / (fmax(ways, FEWEST_WAYS) + 1));

    return jumps >= fewest * (1 - climb->unsure) && jumps <= most * (1 + climb->unsure);
}

unsigned hwc_jump_entries(double jumps, const struct hwc_jump_climb *climb, uint64_t entries[HWC_JUMP_SIZES])
{
    unsigned count = 0;

    for (uint64_t sets = UINT64_C(1) << 62; sets > 0; sets /= 2)
        for (unsigned ways = 1; ways < MOST_WAYS; ways += 2)
            if (count < HWC_JUMP_SIZES && climbs_at((double)sets * ways, ways, jumps, climb))
                entries[count++] = sets * ways;
    if (count == HWC_JUMP_SIZES && entries[0] < entries[1]) {
        uint64_t less = entries[0];
        entries[0] = entries[1];
        entries[1] = less;
    }
    return count;
}
