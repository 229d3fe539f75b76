/* How much code is delivered at full rate: drawn curves, and recorded ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "full_rate.h"
#include "random.h"

enum { SEED = 20261128, RUNS = 300, POINTS = 64 };

static const double growth = 1.2;

/* A core with a micro-op cache and a first level of code: cycles of an instruction from each, and from beyond. */
struct core {
    double entries, code_bytes;
    double fast, decoded, beyond;
    double drift; /* that the longest code is slower by, as it lies on more pages */
};

static double cycles_of(const struct core *core, double instructions, double bytes, struct hwc_random *random)
{
    double noise = 1 + (double)hwc_random_below(random, 1000) / 1e5;
    double drift = 1 + core->drift * log(instructions / 256) / log(64);

    if (instructions * bytes > core->code_bytes)
        return fmax(core->beyond * bytes, core->decoded) * noise;
    return (instructions <= core->entries ? core->fast * drift : core->decoded) * noise;
}

static size_t fill(struct hwc_code_rate rates[POINTS], const struct core *core, double bytes, struct hwc_random *random)
{
    size_t count = 0;

    for (double n = 256; n <= 12000 && n * bytes <= 65536; n *= growth)
        rates[count++] = (struct hwc_code_rate){n, cycles_of(core, n, bytes, random)};
    return count;
}

static struct hwc_slow_down look(const struct core *core, double bytes, struct hwc_random *random)
{
    struct hwc_code_rate rates[POINTS];

    return hwc_find_slow_down(rates, fill(rates, core, bytes, random));
}

static void the_step_lies_between(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned run = 0; run < RUNS; run++) {
        const struct core core = {.entries = 600 + (double)hwc_random_below(&random, 7000), .code_bytes = 1e9,
                                  .fast = 0.125, .decoded = 0.125 * (1.5 + (double)hwc_random_below(&random, 10) / 10),
                                  .drift = (double)hwc_random_below(&random, 20) / 100};
        struct hwc_slow_down slows = look(&core, 1, &random);
        assert_true(slows.found);
        assert_true(slows.low <= core.entries && core.entries < slows.high);
        assert_true(slows.high <= slows.low * growth * growth);
    }
}

static void what_only_drifts_has_no_step(void **state)
{
    const struct core core = {.entries = 1e9, .code_bytes = 1e9, .fast = 0.125, .decoded = 0.125, .drift = 0.4};
    struct hwc_random random;
    struct hwc_slow_down slows;

    (void)state;
    hwc_random_seed(&random, SEED);
    slows = look(&core, 1, &random);
    assert_false(slows.found);
    assert_true(slows.low > 10000);
    assert_false(hwc_find_slow_down(NULL, 0).found);
}

static const struct hwc_code_kind *densest(const struct core *core, struct hwc_code_kind kinds[3])
{
    static const double bytes[] = {1, 4, 8};
    static struct hwc_code_rate rates[3][POINTS];
    struct hwc_random random;

    hwc_random_seed(&random, SEED);
    for (unsigned i = 0; i < 3; i++) {
        size_t count = fill(rates[i], core, bytes[i], &random);
        kinds[i] = (struct hwc_code_kind){bytes[i], hwc_find_slow_down(rates[i], count), true, rates[i], count};
    }
    return hwc_densest_code(kinds, 3);
}

/* Code of more bytes, at full rate, tells that a step is no first level's. */
static void a_step_of_the_first_level_counts_for_nothing(void **state)
{
    const struct core without = {.entries = 1e9, .code_bytes = 32768, .fast = 0.25, .decoded = 0.25, .beyond = 0.12};
    const struct core with = {.entries = 3000, .code_bytes = 32768, .fast = 0.125, .decoded = 0.25, .beyond = 0.12};
    const struct core as_large = {.entries = 1e9, .code_bytes = 2048, .fast = 0.125, .decoded = 0.25, .beyond = 0.12};
    struct hwc_code_kind kinds[3];

    (void)state;
    assert_null(densest(&without, kinds));
    assert_true(kinds[2].slows.found);
    assert_null(densest(&as_large, kinds));
    assert_non_null(densest(&with, kinds));
    assert_true(densest(&with, kinds)->slows.low <= 3000 && densest(&with, kinds)->slows.high > 3000);
}

#define KIND(bytes, rates, moves) {(bytes), hwc_find_slow_down((rates), sizeof(rates) / sizeof(rates)[0]), (moves), \
                                   (rates), sizeof(rates) / sizeof(rates)[0]}

/* Recorded on a virtual Zen 5, whose micro-op cache has 6144 entries in lines of six for 64 bytes of code: moves of 3
 * bytes, no-operations of 4, and of 16/3. */
static void recorded_steps_are_read(void **state)
{
    static const struct hwc_code_rate moves[] = {
        {2376, 0.158}, {2673, 0.159}, {3007, 0.161}, {3382, 0.164}, {3804, 0.164}, {4279, 0.166}, {4813, 0.166},
        {5414, 0.171}, {6090, 0.247}, {6851, 0.247}, {7707, 0.247}, {8670, 0.245}, {9753, 0.247}, {10972, 0.249}};
    static const struct hwc_code_rate of_four[] = {
        {2376, 0.161}, {2673, 0.164}, {3007, 0.167}, {3382, 0.167}, {3804, 0.166}, {4279, 0.176}, {4813, 0.170},
        {5414, 0.187}, {6090, 0.188}, {6851, 0.241}, {7707, 0.251}, {8670, 0.295}, {9753, 0.350}, {10972, 0.350}};
    static const struct hwc_code_rate dense[] = {
        {2541, 0.165}, {2751, 0.165}, {2979, 0.169}, {3228, 0.169}, {3498, 0.173}, {3789, 0.173}, {4104, 0.179},
        {4446, 0.178}, {4815, 0.180}, {5217, 0.190}, {5649, 0.191}, {6120, 0.198}, {6630, 0.329}, {7182, 0.401},
        {7779, 0.409}, {8427, 0.413}};
    struct hwc_code_kind kinds[] = {KIND(3, moves, true), KIND(4, of_four, false), KIND(16.0 / 3, dense, false)};

    (void)state;
    assert_true(kinds[0].slows.low == 5414 && kinds[0].slows.high == 6090);
    assert_true(kinds[1].slows.low == 4813 && kinds[1].slows.high >= 6851);
    assert_true(kinds[2].slows.low <= 6144 && kinds[2].slows.high > 6144);
    assert_ptr_equal(hwc_densest_code(kinds, 3), &kinds[0]);
    assert_null(hwc_densest_code(&kinds[2], 1));
}

/* Recorded on a virtual Zen 4, whose micro-op cache has 6912 entries in lines of nine for 64 bytes of code: moves of 32/9
 * bytes become slower by a twelfth on the way there. At 6282 the loop began at a bad place. */
static void a_step_at_the_end_of_a_drift_is_read(void **state)
{
    struct hwc_code_rate moves[] = {
        {2277, 0.170}, {2736, 0.170}, {3285, 0.169}, {3942, 0.170}, {4725, 0.172}, {5679, 0.175}, {6282, 0.205},
        {6813, 0.183}, {6966, 0.208}, {7128, 0.221}, {7461, 0.223}, {8172, 0.223}, {9810, 0.241}, {11772, 0.246}};
    const size_t count = sizeof moves / sizeof moves[0];
    struct hwc_slow_down slows;

    (void)state;
    hwc_take_least_of_longer(moves, count);
    slows = hwc_find_slow_down(moves, count);
    assert_true(slows.found && slows.low == 6813);
    assert_true(slows.high > 6912 && slows.high <= 7128);
}

static void what_longer_code_does_shorter_code_can_do(void **state)
{
    struct hwc_code_rate rates[] = {{256, 0.2}, {512, 0.1}, {1024, 0.3}, {2048, 0.15}, {4096, 0.4}};
    const double least[] = {0.1, 0.1, 0.15, 0.15, 0.4};

    (void)state;
    hwc_take_least_of_longer(rates, sizeof least / sizeof least[0]);
    for (size_t i = 0; i < sizeof least / sizeof least[0]; i++)
        assert_true(rates[i].cycles == least[i]);
    hwc_take_least_of_longer(NULL, 0);
}

static void the_widest_gap_of_a_step_is_halved(void **state)
{
    const struct hwc_code_rate rates[] = {{1000, 0.1}, {2000, 0.1}, {2200, 0.2}, {2220, 0.2}, {2500, 0.3}, {5000, 0.3}};
    const struct hwc_slow_down step = {true, 2000, 2500, 0.1}, closed = {true, 2200, 2220, 0.1};
    const size_t count = sizeof rates / sizeof rates[0];

    (void)state;
    assert_true(fabs(hwc_middle_of_gap(rates, count, &step, 1.015) - sqrt(2220 * 2500)) < 1e-6);
    assert_true(hwc_middle_of_gap(rates, count, &closed, 1.015) == 0);
}

/* More of them are delivered in a cycle than moves, and so they are no measure of places. */
static void no_operations_that_share_places_are_not_counted(void **state)
{
    static const struct hwc_code_rate first_level[] = {{4100, 0.17}};
    struct hwc_code_kind kinds[] = {{3, {true, 5425, 5487, 0.17}, true, NULL, 0},
                                    {1, {true, 10750, 11251, 0.086}, false, NULL, 0},
                                    {8, {false, 4100, 4100, 0.17}, false, first_level, 1}};

    (void)state;
    assert_ptr_equal(hwc_densest_code(kinds, 3), &kinds[0]);
    kinds[1].slows.cycles = 0.17;
    assert_ptr_equal(hwc_densest_code(kinds, 3), &kinds[1]);
}

/* Code that is slower than before, but takes as many bytes a cycle, shows the first level at work as well. */
static void slower_code_of_more_bytes_tells_of_the_first_level(void **state)
{
    static struct hwc_code_rate longer[] = {{2000, 0.25}, {3286, 0.27}, {3944, 0.29}};
    struct hwc_code_kind kinds[] = {{32.0 / 9, {true, 6813, 6966, 0.17}, true, NULL, 0},
                                    {7, {true, 2000, 5679, 0.25}, false, longer, sizeof longer / sizeof longer[0]}};

    (void)state;
    assert_ptr_equal(hwc_densest_code(kinds, 2), &kinds[0]);
    longer[2].cycles = 0.4;
    assert_null(hwc_densest_code(kinds, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_lies_between),
        cmocka_unit_test(what_only_drifts_has_no_step),
        cmocka_unit_test(a_step_of_the_first_level_counts_for_nothing),
        cmocka_unit_test(recorded_steps_are_read),
        cmocka_unit_test(a_step_at_the_end_of_a_drift_is_read),
        cmocka_unit_test(what_longer_code_does_shorter_code_can_do),
        cmocka_unit_test(the_widest_gap_of_a_step_is_halved),
        cmocka_unit_test(no_operations_that_share_places_are_not_counted),
        cmocka_unit_test(slower_code_of_more_bytes_tells_of_the_first_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
