#include "full_rate.h"

#include <math.h>

#include "statistics.h"

static const struct {
    double step;  /* relative: pages of code, and whatever else comes with them, make less than this */
    double reach; /* a step is complete within this factor in the number of instructions, and levels are even */
    double full, past; /* shares of a step: at full rate until the first, past the step from the second on */
    double stays;      /* share of a step that all later points must keep */
    double sharp, close; /* a step that makes this share of its rise within this factor lies there: else it is soft */
    double alike;      /* two rates */
} policy = {.step = 0.2, .reach = 1.5, .full = 0.15, .past = 0.75, .stays = 0.5, .sharp = 0.6,
            .close = 1.1, .alike = 0.15};

enum { MOST_NEAR = 64 };

/* The median of the points from `from` to `to`. */
static double level(const struct hwc_code_rate *rates, size_t from, size_t to)
{
    double cycles[MOST_NEAR];
    size_t near = 0;

    for (size_t i = from; i <= to && near < MOST_NEAR; i++)
        cycles[near++] = rates[i].cycles;
    return hwc_median(cycles, near);
}

static double level_before(const struct hwc_code_rate *rates, size_t end)
{
    size_t from = end;

    while (from > 0 && rates[from - 1].instructions * policy.reach >= rates[end].instructions)
        from--;
    return level(rates, from, end);
}

static size_t last_near(const struct hwc_code_rate *rates, size_t begin, size_t count)
{
    size_t to = begin;

    while (to + 1 < count && rates[to + 1].instructions <= rates[begin].instructions * policy.reach)
        to++;
    return to;
}

static double level_after(const struct hwc_code_rate *rates, size_t begin, size_t count)
{
    return level(rates, begin, last_near(rates, begin, count));
}

static bool stays(const struct hwc_code_rate *rates, size_t from, size_t count, double least)
{
    for (size_t i = from; i < count; i++)
        if (rates[i].cycles < least)
            return false;
    return true;
}

/* The end of a step that begins behind point i; `count` = none does. */
static size_t end_of_step(const struct hwc_code_rate *rates, size_t i, size_t count)
{
    double before = level_before(rates, i);

    for (size_t j = i + 1; j < count && rates[j].instructions <= rates[i].instructions * policy.reach; j++)
        if (rates[j].cycles >= before * (1 + policy.step) &&
            stays(rates, j, count, before * (1 + policy.stays * policy.step)))
            return j;
    return count;
}

/* Between which two points the rates rise by so much, or more: the nearest two. A few points between `begin` and `end`. */
static struct hwc_slow_down steepest(const struct hwc_code_rate *rates, size_t begin, size_t end, double rise)
{
    struct hwc_slow_down steep = {.low = rates[begin].instructions, .high = INFINITY};

    for (size_t i = begin; i < end; i++)
        for (size_t j = i + 1; j <= end; j++)
            if (rates[j].cycles - rates[i].cycles >= rise &&
                rates[j].instructions * steep.low < steep.high * rates[i].instructions) {
                steep.low = rates[i].instructions;
                steep.high = rates[j].instructions;
            }
    return steep;
}

static struct hwc_slow_down read_step(const struct hwc_code_rate *rates, size_t begin, size_t end, size_t count)
{
    double before = level_before(rates, begin), rise = level_after(rates, end, count) - before;
    struct hwc_slow_down slow_down = {.found = true, .low = rates[begin].instructions, .cycles = before}, steep;

    for (size_t i = begin; i < count && rates[i].cycles <= before + policy.full * rise; i++)
        slow_down.low = rates[i].instructions;
    while (end > begin + 1 && rates[end - 1].cycles >= before + policy.past * rise)
        end--;
    while (end + 1 < count && rates[end].cycles < before + policy.past * rise)
        end++;
    slow_down.high = rates[end].instructions;
    steep = steepest(rates, begin, last_near(rates, end, count), policy.sharp * rise);
    if (steep.high <= policy.close * steep.low) {
        slow_down.low = steep.low;
        slow_down.high = steep.high;
    }
    return slow_down;
}

void hwc_take_least_of_longer(struct hwc_code_rate *rates, size_t count)
{
    for (size_t i = count; i > 1; i--)
        rates[i - 2].cycles = fmin(rates[i - 2].cycles, rates[i - 1].cycles);
}

struct hwc_slow_down hwc_find_slow_down(const struct hwc_code_rate *rates, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        size_t end = end_of_step(rates, i, count);
        if (end < count)
            return read_step(rates, i, end, count);
    }
    if (count == 0)
        return (struct hwc_slow_down){0};
    return (struct hwc_slow_down){.low = rates[count - 1].instructions, .cycles = level_before(rates, count - 1)};
}

double hwc_middle_of_gap(const struct hwc_code_rate *rates, size_t count, const struct hwc_slow_down *slow_down,
                         double factor)
{
    double middle = 0;

    for (size_t i = 0; i + 1 < count; i++) {
        double from = rates[i].instructions, to = rates[i + 1].instructions;
        if (from >= slow_down->low && to <= slow_down->high && to > factor * from) {
            middle = sqrt(from * to);
            factor = to / from;
        }
    }
    return middle;
}

static bool outlasts(const struct hwc_code_kind *kind, const struct hwc_code_kind *other)
{
    double most = fmin((1 + policy.step) * kind->slows.cycles, kind->bytes / other->bytes * other->slows.cycles);

    for (size_t i = 0; i < kind->count; i++)
        if (kind->rates[i].instructions * kind->bytes >= other->slows.high * other->bytes &&
            kind->rates[i].cycles <= most)
            return true;
    return false;
}

static bool is_outlasted(const struct hwc_code_kind *kinds, size_t count, const struct hwc_code_kind *kind)
{
    for (size_t i = 0; i < count; i++)
        if (&kinds[i] != kind && outlasts(&kinds[i], kind))
            return true;
    return false;
}

static bool share_places(const struct hwc_code_kind *kinds, size_t count, const struct hwc_code_kind *kind)
{
    for (size_t i = 0; i < count && !kind->moves; i++)
        if (kinds[i].moves && kind->slows.cycles * (1 + policy.alike) < kinds[i].slows.cycles)
            return true;
    return false;
}

const struct hwc_code_kind *hwc_densest_code(const struct hwc_code_kind *kinds, size_t count)
{
    const struct hwc_code_kind *densest = NULL;

    for (size_t i = 0; i < count; i++)
        if (kinds[i].slows.found && is_outlasted(kinds, count, &kinds[i]) && !share_places(kinds, count, &kinds[i]) &&
            (densest == NULL || kinds[i].slows.low > densest->slows.low))
            densest = &kinds[i];
    return densest;
}
