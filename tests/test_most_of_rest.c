/* What a level takes at most, by references drawn at random: never less than it takes, whatever the levels above keep. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn_points.h"
#include "most_of_rest.h"
#include "random.h"

enum { CURVES = 2000, SEED = 20261201, READINGS = 6, MOST_LEVELS = 4 };

struct drawn_levels {
    unsigned levels;
    double bytes[MOST_LEVELS], cycles[MOST_LEVELS + 1];
};

static double between(struct hwc_random *random, double low, double high)
{
    return low * pow(high / low, hwc_random_unit(random));
}

static void draw_levels(struct drawn_levels *drawn, struct hwc_random *random)
{
    double bytes = 1, cycles = between(random, 2, 6);

    drawn->levels = 2 + (unsigned)hwc_random_below(random, MOST_LEVELS - 1);
    for (unsigned i = 0; i < drawn->levels; i++) {
        bytes = i == 0 ? between(random, 2048, 131072) : bytes * between(random, 2, 64);
        drawn->bytes[i] = bytes;
        drawn->cycles[i] = cycles;
        cycles *= between(random, 1.5, 5);
    }
    drawn->cycles[drawn->levels] = cycles;
}

/* Each level keeps some of what it has room for: few ways, another policy, or others keep less there. */
static double cycles_of(const struct drawn_levels *drawn, double bytes, double kept)
{
    double served = 0, sum = 0;

    for (unsigned i = 0; i < drawn->levels; i++) {
        double now = fmax(served, kept * fmin(1, drawn->bytes[i] / bytes));
        sum += (now - served) * drawn->cycles[i];
        served = now;
    }
    return sum + (1 - served) * drawn->cycles[drawn->levels];
}

static void draw_curve(const struct drawn_levels *drawn, double kept, struct hwc_drawn_curve *curve,
                       struct hwc_random *random)
{
    *curve = (struct hwc_drawn_curve){.least_ways = 4};
    for (double bytes = 1024; curve->points < HWC_MOST_DRAWN_POINTS; bytes *= M_SQRT2) {
        double cycles = cycles_of(drawn, bytes, kept), stray = between(random, 0.001, 0.1);
        curve->bytes[curve->points] = bytes;
        for (int i = 0; i < READINGS; i++) {
            double off = hwc_random_unit(random) + hwc_random_unit(random) + hwc_random_unit(random) - 1.5;
            hwc_tally_add(&curve->cycles[curve->points], cycles * (1 + 2 * stray * off));
        }
        if (bytes > 8 * drawn->bytes[drawn->levels - 1])
            break;
        curve->points++;
    }
}

static double bytes_above(const struct drawn_levels *drawn, unsigned level)
{
    double bytes = 0;

    for (unsigned i = 0; i < level; i++)
        bytes += drawn->bytes[i];
    return bytes;
}

static void no_level_takes_more(void **state)
{
    struct hwc_random random;

    (void)state;
    print_message("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    for (int n = 0; n < CURVES; n++) {
        struct drawn_levels drawn;
        struct hwc_drawn_curve curve;
        draw_levels(&drawn, &random);
        draw_curve(&drawn, between(&random, 0.5, 1), &curve, &random);
        for (unsigned level = 1; level < drawn.levels; level++) {
            double most = hwc_most_of_rest(&curve, bytes_above(&drawn, level));
            if (most < 0.95 * drawn.cycles[level])
                fail_msg("curve %d: level %u takes %.2f cycles, and at most %.2f", n, level + 1, drawn.cycles[level], most);
        }
    }
}

/* Far from both neighbours, and where all is kept, it is not much more either. */
static void it_is_close_where_levels_are_far_apart(void **state)
{
    const struct drawn_levels drawn = {3, {32768, 1048576, 33554432}, {4, 14, 50, 200}};
    struct hwc_drawn_curve curve;
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    draw_curve(&drawn, 1, &curve, &random);
    assert_true(hwc_most_of_rest(&curve, 32768) >= 13.3 && hwc_most_of_rest(&curve, 32768) < 15.4);
    assert_true(hwc_most_of_rest(&curve, 32768 + 1048576) >= 47.5 && hwc_most_of_rest(&curve, 32768 + 1048576) < 60);
}

/* A drawn machine with recorded noise: 4 KiB of a single way, and then 10 cycles; a chain of 256 KiB took 27.7, as others
 * put its lines out. */
static void short_footprints_tell_what_long_ones_lose(void **state)
{
    static const struct drawn_point points[] = {
        {4032, 3.02, 0.06},    {5760, 5.18, 0.41},    {8128, 6.87, 0.30},    {11584, 7.99, 0.36},  {16320, 8.75, 0.42},
        {23168, 9.33, 0.46},   {32704, 9.78, 0.50},   {46336, 10.04, 0.48},  {65472, 10.58, 1.16}, {98304, 14.18, 2.77},
        {163840, 15.90, 3.50}, {229376, 15.58, 3.42}, {360448, 17.48, 3.98}, {491520, 17.88, 4.03}};
    struct hwc_drawn_curve curve = curve_of_points(points, sizeof points / sizeof *points, 1);

    (void)state;
    curve.quickest = 3;
    assert_true(hwc_most_of_rest(&curve, 4096) > 10 && hwc_most_of_rest(&curve, 4096) < 13);
    assert_true(hwc_most_of_rest(&curve, 1 << 20) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_level_takes_more),
        cmocka_unit_test(it_is_close_where_levels_are_far_apart),
        cmocka_unit_test(short_footprints_tell_what_long_ones_lose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
