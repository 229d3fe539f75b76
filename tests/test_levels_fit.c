/* Levels read off the times of drawn references: hierarchies drawn at random, whose sets are played. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "levels_fit.h"
#include "random.h"

enum { MACHINES = 200, MOST_LEVELS = 4, LINE = 64, PAGE = 4096, MOST_SETS = 1 << 15, LARGEST = 128 << 20 };

struct drawn {
    unsigned levels;
    double capacity[MOST_LEVELS]; /* of each level and those above */
    unsigned ways[MOST_LEVELS];   /* pages fall on sets by chance; 0 = evenly */
    double cycles[MOST_LEVELS + 1];
    double rivalry; /* the share that hits the last level is that power of what it would be without others */
    double jitter;
};

/* Each level is four to forty times as large as the one above, and takes 1.6 to 6 times as long. */
static void draw(struct drawn *drawn, struct hwc_random *random)
{
    static const unsigned ways[] = {0, 4, 8, 12, 16, 20};
    double capacity = 8192 * exp2(4 * hwc_random_unit(random));

    *drawn = (struct drawn){.levels = 1 + (unsigned)hwc_random_below(random, MOST_LEVELS),
                            .rivalry = 1,
                            .jitter = 0.02 * hwc_random_unit(random)};
    drawn->cycles[0] = 1 + 4 * hwc_random_unit(random);
    for (unsigned i = 0; i < drawn->levels; i++) {
        if (capacity > LARGEST)
            drawn->levels = i;
        drawn->ways[i] = i > 0 ? ways[hwc_random_below(random, sizeof ways / sizeof *ways)] : 0;
        if (capacity < 4.0 * drawn->ways[i] * PAGE) /* then only a hash could spread pages */
            drawn->ways[i] = 0;
        drawn->capacity[i] = floor(capacity / (PAGE * fmax(1, drawn->ways[i]))) * PAGE * fmax(1, drawn->ways[i]);
        drawn->cycles[i + 1] = drawn->cycles[i] * (1.6 + 4.4 * hwc_random_unit(random));
        capacity *= exp2(2 + 3.3 * hwc_random_unit(random));
    }
}

/* The share of references to so many pages that misses a level: pages fall on its sets, and each set holds its ways. */
static double share_of(const struct drawn *drawn, unsigned level, double bytes, struct hwc_random *random)
{
    static unsigned lines[MOST_SETS];
    unsigned ways = drawn->ways[level], sets, pages = (unsigned)(bytes / PAGE), missing = 0;

    if (ways == 0 || pages == 0)
        return fmax(0, 1 - drawn->capacity[level] / bytes);
    sets = (unsigned)(drawn->capacity[level] / ways / PAGE);
    assert_true(sets <= MOST_SETS);
    for (unsigned i = 0; i < sets; i++)
        lines[i] = 0;
    for (unsigned i = 0; i < pages; i++)
        missing += ++lines[hwc_random_below(random, sets)] > ways;
    return (double)missing / pages;
}

static void add_point(const struct drawn *drawn, double bytes, struct hwc_drawn_curve *curve, struct hwc_random *random)
{
    int arenas = bytes < (2 << 20) ? 5 : bytes < (64 << 20) ? 2 : 1;
    struct hwc_tally tally = {0};

    for (int k = 0; k < arenas; k++) {
        double cycles = drawn->cycles[0];
        for (unsigned i = 0; i < drawn->levels; i++) {
            double share = share_of(drawn, i, bytes, random);
            share = i + 1 == drawn->levels ? 1 - pow(1 - share, drawn->rivalry) : share;
            cycles += (drawn->cycles[i + 1] - drawn->cycles[i]) * share;
        }
        hwc_tally_add(&tally, cycles * (1 + drawn->jitter * hwc_random_normal(random)));
    }
    curve->bytes[curve->points] = bytes;
    curve->cycles[curve->points] = tally;
    curve->reading[curve->points++] = drawn->jitter * tally.mean;
}

static void draw_curve(const struct drawn *drawn, struct hwc_drawn_curve *curve, struct hwc_random *random)
{
    curve->points = 0;
    curve->least_ways = 4;
    curve->rivals = true;
    for (int i = 40; exp2(i / 4.0) < 6 * drawn->capacity[drawn->levels - 1]; i++) {
        double bytes = exp2(i / 4.0), unit = bytes < 16.0 * PAGE ? LINE : PAGE;
        add_point(drawn, floor(bytes / unit) * unit, curve, random);
    }
}

struct tally {
    unsigned levels, found, outside, extra, wide, late;
    double octaves;
};

/* The share of lines that sets of so many ways hold, if so many times as many fall on them by chance (Poisson). */
static double held_share(unsigned ways, double times)
{
    double mean = ways * times, chance = exp(-mean), held = 0, seen = 0;

    for (unsigned lines = 0; lines < ways; lines++) {
        held += chance * lines;
        seen += chance;
        chance *= mean / (lines + 1);
    }
    return (held + (1 - seen) * ways) / mean;
}

/* The most that the last level and those above hold of any footprint: with rivals, less than the capacity. */
static double kept(const struct drawn *drawn)
{
    unsigned ways = drawn->ways[drawn->levels - 1];
    double most = 0, capacity = drawn->capacity[drawn->levels - 1];

    for (double times = 0.05; times < 4; times += 0.005)
        most = fmax(most, times * pow(held_share(ways, times), drawn->rivalry));
    return ways == 0 || drawn->rivalry <= 1 ? capacity : most * capacity;
}

static void judge(const struct drawn *drawn, const struct hwc_levels_fit *fit, uint64_t seed, struct tally *tally)
{
    tally->levels += drawn->levels;
    tally->extra += fit->levels > drawn->levels;
    for (unsigned i = 0; i < drawn->levels && i < fit->levels; i++) {
        const struct hwc_fitted_level *level = &fit->level[i];
        if (level->high > 2 * level->low) {
            tally->wide++;
            continue;
        }
        tally->found++;
        tally->octaves += log2(level->high / level->low);
        tally->late += fabs(level->cycles.value / drawn->cycles[i] - 1) > 0.1;
        double capacity = i + 1 < drawn->levels ? drawn->capacity[i] : kept(drawn);
        if (level->low <= capacity && capacity <= level->high)
            continue;
        tally->outside++;
        print_message("seed %llu: level %u, %u ways: %.0f is not from %.0f to %.0f\n", (unsigned long long)seed, i + 1,
                      drawn->ways[i], capacity, level->low, level->high);
    }
}

static struct tally fit_many(bool rivals)
{
    struct tally tally = {0};

    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct hwc_drawn_curve curve;
        struct hwc_levels_fit fit;
        struct hwc_random random;
        struct drawn drawn;

        hwc_random_seed(&random, seed);
        draw(&drawn, &random);
        if (rivals && drawn.levels > 1 && drawn.ways[drawn.levels - 1] != 4)
            drawn.rivalry = 1 + 3 * hwc_random_unit(&random);
        draw_curve(&drawn, &curve, &random);
        hwc_fit_levels(&curve, &fit);
        judge(&drawn, &fit, seed, &tally);
    }
    print_message("%u levels: %u bounded, by %.2f octaves in the mean, %u outside; %u too wide; %u times too many; "
                  "latency off by more than a tenth: %u\n",
                  tally.levels, tally.found, tally.octaves / tally.found, tally.outside, tally.wide, tally.extra,
                  tally.late);
    return tally;
}

static void bounds_hold_the_capacities(void **state)
{
    const struct tally tally = fit_many(false);

    (void)state;
    assert_true(tally.found > 0.9 * tally.levels);
    assert_true(tally.octaves / tally.found < 0.3);
    assert_int_equal(tally.outside, 0);
    assert_int_equal(tally.extra, 0);
}

/* Others who use the last level, too, take the more of it the more we use. */
static void bounds_hold_what_rivals_leave(void **state)
{
    const struct tally tally = fit_many(true);

    (void)state;
    assert_true(tally.found > 0.9 * tally.levels);
    assert_true(tally.octaves / tally.found < 0.3);
    assert_int_equal(tally.outside, 0);
    assert_int_equal(tally.extra, 0);
}

/* Time that does not depend on the footprint shows no level. */
static void a_flat_curve_has_no_level(void **state)
{
    struct hwc_drawn_curve curve = {.points = 20};
    struct hwc_levels_fit fit;

    (void)state;
    for (size_t i = 0; i < curve.points; i++) {
        curve.bytes[i] = 1024 * exp2((double)i / 4);
        hwc_tally_add(&curve.cycles[i], 4);
    }
    assert_false(hwc_fit_levels(&curve, &fit));
    assert_int_equal(fit.levels, 0);
    assert_true(fabs(fit.memory.value - 4) < 1e-9);
    curve.points = 2;
    assert_false(hwc_fit_levels(&curve, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_the_capacities),
        cmocka_unit_test(bounds_hold_what_rivals_leave),
        cmocka_unit_test(a_flat_curve_has_no_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
