#include "hierarchy_search.h"

#include <math.h>

static const struct {
    double coarse_step, rough_step;
    double full;
    int least_loss, most_loss, loss_step;
} policy = {
    .coarse_step = 1.0 / 2, /* octaves */
    .rough_step = 1.0 / 8,
    .full = 0.5, /* octaves: as much more than the capacity has the largest footprint, at least, to show what misses take */
    /* In octaves: 0 if half of the lines are gone when a footprint of the capacity comes back from the next level. */
    .least_loss = -9,
    .most_loss = 3,
    .loss_step = 2,
};

/* The largest capacity, in octaves, that points can show: where they tell what memory takes, it needs none beyond. */
static double most_octaves(const struct hwc_fitting *fitting)
{
    bool memory_is_known = fitting->points > fitting->footprints;

    return fitting->octaves[fitting->footprints - 1] - (memory_is_known ? 0 : policy.full);
}

/* Has it the level that is known, and the next one as far from it as it must be? */
static bool has_known(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    const double *capacity = hierarchy->capacity;

    for (unsigned level = 0; fitting->known.is_there && level < hierarchy->levels; level++)
        if (capacity[level] >= fitting->known.low && capacity[level] <= fitting->known.high)
            return level + 1 == hierarchy->levels || capacity[level + 1] >= capacity[level] + fitting->known.apart;
    return !fitting->known.is_there;
}

/* Are the capacities in order and apart, and is each exceeded by some footprint? */
static bool in_order(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    const double *capacity = hierarchy->capacity;

    return (level == 0 || capacity[level - 1] + HWC_LEVELS_APART <= capacity[level]) &&
           (level + 1 == hierarchy->levels || capacity[level] + HWC_LEVELS_APART <= capacity[level + 1]) &&
           capacity[level] <= most_octaves(fitting) && has_known(fitting, hierarchy);
}

static void keep_better(const struct hwc_fitting *fitting, struct hwc_hierarchy *tried, struct hwc_hierarchy *best)
{
    hwc_evaluate(fitting, tried);
    if (tried->squares < best->squares)
        *best = *tried;
}

/* A level that cores share has at least this many ways. One of fewer that is full little by little, with rivals, looks
 * much like two levels. */
enum { SHARED_WAYS = 8 };

static bool may_have_rivals(unsigned spread)
{
    return spread == HWC_SPREAD_EVENLY || hwc_spread_ways(spread) >= SHARED_WAYS;
}

/* Try this spread, at the last level with every rivalry that there may be; at others, that of the last stays. */
static void try_spread(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, struct hwc_hierarchy *tried,
                       bool is_last)
{
    unsigned first = is_last ? 0 : tried->rivalry, end = first + 1;

    if (is_last && may_have_rivals(tried->spread[tried->levels - 1]))
        end = fitting->rivalries;
    for (tried->rivalry = first; tried->rivalry < end; tried->rivalry++)
        keep_better(fitting, tried, best);
    tried->rivalry = first;
}

/* The first level goes by virtual addresses, which are contiguous. */
void hwc_try_spreads(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, unsigned level, double capacity)
{
    struct hwc_hierarchy tried = *best;
    unsigned spreads = level == 0 ? HWC_SPREAD_EVENLY + 1 : fitting->spreads;

    tried.capacity[level] = capacity;
    if (!in_order(fitting, &tried, level))
        return;
    for (tried.spread[level] = 0; tried.spread[level] < spreads; tried.spread[level]++)
        try_spread(fitting, best, &tried, level > 0 && level + 1 == tried.levels);
}

void hwc_try_losses(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, double octaves)
{
    for (unsigned loser = 0; loser < HWC_LOSERS; loser++) {
        double loss = best->loss[loser];
        for (int side = -1; side <= 1 && loss > 0 && !best->holds[loser]; side += 2) {
            struct hwc_hierarchy tried = *best;
            tried.loss[loser] = loss * exp2(side * octaves);
            keep_better(fitting, &tried, best);
        }
    }
}

void hwc_move_capacities(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy, double step,
                         unsigned first, unsigned end)
{
    for (bool better = true; better;) {
        double before = hierarchy->squares;
        for (unsigned level = first; level < end; level++) {
            double capacity = hierarchy->capacity[level];
            hwc_try_spreads(fitting, hierarchy, level, capacity - step);
            hwc_try_spreads(fitting, hierarchy, level, capacity);
            hwc_try_spreads(fitting, hierarchy, level, capacity + step);
        }
        hwc_try_losses(fitting, hierarchy, 2 * step);
        better = hierarchy->squares < before - 0.01;
    }
}

/* Move these capacities by smaller and smaller steps. */
static void approach(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, double finest, unsigned first)
{
    double step = policy.coarse_step;

    while (step >= finest) {
        hwc_move_capacities(fitting, best, step, first, best->levels);
        step /= 2;
    }
}

void hwc_refine(const struct hwc_fitting *fitting, struct hwc_hierarchy *best)
{
    approach(fitting, best, HWC_FINE_STEP, 0);
}

/* Refine what was tried, if it is possible, and keep it if it is better. */
static void begin_from(const struct hwc_fitting *fitting, struct hwc_hierarchy *tried, struct hwc_hierarchy *best)
{
    hwc_evaluate(fitting, tried);
    if (tried->squares < INFINITY)
        hwc_refine(fitting, tried);
    if (tried->squares < best->squares)
        *best = *tried;
}

static struct hwc_hierarchy inserted(const struct hwc_hierarchy *hierarchy, double capacity)
{
    struct hwc_hierarchy more = *hierarchy;
    unsigned at = more.levels++;

    for (; at > 0 && more.capacity[at - 1] > capacity; at--) {
        more.capacity[at] = more.capacity[at - 1];
        more.spread[at] = more.spread[at - 1];
    }
    more.capacity[at] = capacity;
    more.spread[at] = HWC_SPREAD_EVENLY;
    more.spread[0] = HWC_SPREAD_EVENLY;
    return more;
}

struct hwc_hierarchy hwc_with_one_more(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    double last = most_octaves(fitting);
    double capacity = fitting->octaves[0];
    struct hwc_hierarchy best = {.squares = INFINITY};

    while (capacity <= last) {
        struct hwc_hierarchy tried = inserted(hierarchy, capacity);
        capacity += policy.coarse_step;
        begin_from(fitting, &tried, &best);
    }
    return best;
}

static struct hwc_hierarchy removed(const struct hwc_hierarchy *hierarchy, unsigned level)
{
    struct hwc_hierarchy fewer = *hierarchy;

    fewer.levels--;
    for (unsigned i = level; i < fewer.levels; i++) {
        fewer.capacity[i] = fewer.capacity[i + 1];
        fewer.spread[i] = fewer.spread[i + 1];
    }
    fewer.spread[0] = HWC_SPREAD_EVENLY;
    return fewer;
}

void hwc_try_one_less(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                         struct hwc_hierarchy *best)
{
    for (unsigned level = 0; level < hierarchy->levels; level++) {
        struct hwc_hierarchy tried = removed(hierarchy, level);
        begin_from(fitting, &tried, best);
    }
}

/* The loss by which half of a level's lines are gone when as many come back as the next level serves them. Where the
 * hierarchy explains nothing without losses, that is not known, but about what the largest footprint takes. */
static double half_lost(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned loser)
{
    unsigned level = hierarchy->levels - 1 - loser;
    bool explains = hierarchy->squares < INFINITY;
    double cycles = explains ? hwc_hierarchy_cycles(hierarchy, level + 1) : fitting->cycles[fitting->points - 1];

    return exp2(-hierarchy->capacity[level]) / cycles;
}

/* Begin from every loss that there may be at a level, without rivals; what is best after moves by rough steps is
 * refined. */
static void try_loser(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned loser,
                      struct hwc_hierarchy *best)
{
    struct hwc_hierarchy rough = {.squares = INFINITY};

    for (int octaves = policy.least_loss; octaves <= policy.most_loss; octaves += policy.loss_step) {
        struct hwc_hierarchy tried = *hierarchy;
        tried.rivalry = 0;
        tried.loss[loser] = half_lost(fitting, hierarchy, loser) * exp2(octaves);
        hwc_evaluate(fitting, &tried);
        approach(fitting, &tried, policy.rough_step, hwc_first_loser(hierarchy));
        if (tried.squares < rough.squares)
            rough = tried;
    }
    if (rough.squares < INFINITY)
        begin_from(fitting, &rough, best);
}

struct hwc_hierarchy hwc_with_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                                     bool leaves_room)
{
    struct hwc_hierarchy best = {.squares = INFINITY}, one = *hierarchy;
    unsigned losers = hierarchy->levels - hwc_first_loser(hierarchy);

    one.leaves_room = leaves_room;
    for (unsigned loser = 0; loser < HWC_LOSERS; loser++)
        one.loss[loser] = 0;
    for (unsigned loser = 0; loser < losers; loser++)
        try_loser(fitting, &one, loser, &best);
    one = best;
    for (unsigned loser = 0; loser < losers && one.squares < INFINITY; loser++)
        if (one.loss[loser] <= 0)
            try_loser(fitting, &one, loser, &best);
    return best;
}

struct hwc_hierarchy hwc_with_best_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    const struct hwc_hierarchy kept = hwc_with_losses(fitting, hierarchy, false);
    const struct hwc_hierarchy left = hwc_with_losses(fitting, hierarchy, true);

    return left.squares < kept.squares ? left : kept;
}

/* The known level between those that are smaller and one of so many octaves. */
static struct hwc_hierarchy known_before(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                                         double next)
{
    double known = (fitting->known.low + fitting->known.high) / 2;
    struct hwc_hierarchy above = *hierarchy;

    while (above.levels > 0 && (above.capacity[above.levels - 1] + HWC_LEVELS_APART > known ||
                                above.levels + 2 > HWC_MOST_FITTED))
        above.levels--;
    above.rivalry = 0;
    above = inserted(&above, known);
    return inserted(&above, next);
}

struct hwc_hierarchy hwc_with_known(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    struct hwc_hierarchy best = {.squares = INFINITY};
    double next = fitting->known.high + fitting->known.apart, last = most_octaves(fitting);

    while (next <= last) {
        struct hwc_hierarchy tried = known_before(fitting, hierarchy, next), lossy;
        next += policy.coarse_step;
        begin_from(fitting, &tried, &best);
        lossy = hwc_with_best_losses(fitting, &tried);
        if (lossy.squares < best.squares)
            best = lossy;
    }
    return best;
}
