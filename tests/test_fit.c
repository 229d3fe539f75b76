/* The search for ways and period (fit.h) on computed LRU sets, with exact and
 * with noisy readings. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fit.h"
#include "share.h"
#include "walk_share.h"

#define SEED 20261121

struct sets {
    uint64_t period;
    size_t ways;
    double noise; /* share of the references, added or subtracted */
    struct hwc_random *random;
};

/* How many of `count` things, `stride` apart, miss. */
typedef double (*miss_model)(void *context, uint64_t stride, size_t count);

/* Reads a model, as a counter or the clock would. */
struct reader {
    bool counts;
    miss_model model;
    void *context;
    uint64_t stride;
    size_t count;
    unsigned readings;
};

static int read_model(void *context, double *misses, size_t *references, struct hwc_error *error)
{
    struct reader *reader = context;

    (void)error;
    *misses = reader->model(reader->context, reader->stride, reader->count);
    *references = reader->count;
    reader->readings++;
    return HWC_OK;
}

/* Asks through the instrument that probes use. */
static int ask(void *context, uint64_t stride, size_t count, double threshold, struct hwc_estimate *share,
               enum hwc_side *side, struct hwc_error *error)
{
    static const struct hwc_lab lab = {.settings = {.samples = 8}};
    struct reader *reader = context;
    const struct hwc_witness witness = {.kind = reader->counts ? HWC_COUNTER : HWC_CLOCK};
    const struct hwc_walk_share walk = {&lab, &witness, read_model, reader};

    reader->stride = stride;
    reader->count = count;
    return hwc_ask_share(&walk, threshold, share, side, error);
}

/* Things at the same offset within a period share a set; if they are more than its ways, all miss. */
static double misses(void *context, uint64_t stride, size_t count)
{
    const struct sets *sets = context;
    double found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t beside = 0;
        for (size_t k = 0; k < count; k++)
            beside += (k * stride) % sets->period == (i * stride) % sets->period;
        found += beside > sets->ways;
    }
    return found + sets->noise * (double)count * (2 * hwc_random_unit(sets->random) - 1);
}

static int search_within(struct sets *sets, bool counts, uint64_t room, uint64_t longest, size_t *ways,
                         uint64_t *period)
{
    struct reader reader = {.counts = counts, .model = misses, .context = sets};
    const struct hwc_fit fit = {.ask = ask, .context = &reader, .most_bytes = room, .most = 300};
    struct hwc_error error;

    return hwc_fit_ways(&fit, 256, 4096, longest, ways, period, &error);
}

static int search(struct sets *sets, bool counted, size_t *ways, uint64_t *period)
{
    return search_within(sets, counted, UINT64_C(1) << 30, UINT64_C(1) << 20, ways, period);
}

static void ways_and_period_are_found(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    printf("seed %d\n", SEED);
    for (int i = 0; i < 200; i++) {
        bool counted = hwc_random_below(&random, 2) == 0;
        struct sets sets = {.period = UINT64_C(512) << hwc_random_below(&random, 8),
                            .ways = 1 + hwc_random_below(&random, 24),
                            .noise = counted ? 0 : 0.1,
                            .random = &random};
        size_t ways = 0;
        uint64_t period = 0;
        assert_int_equal(search(&sets, counted, &ways, &period), HWC_OK);
        assert_int_equal(ways, sets.ways);
        assert_int_equal(period, sets.period);
    }
}

static void periods_that_are_no_power_of_two_are_refused(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (uint64_t period = 1536; period <= 98304; period *= 2) {
        struct sets sets = {.period = period, .ways = 4, .random = &random};
        size_t ways = 0;
        uint64_t found = 0;
        assert_int_equal(search(&sets, true, &ways, &found), HWC_UNAVAILABLE);
    }
}

/* As with large pages, room runs out before fewer fit: a number bounded by room must not pass for the ways. */
static void a_number_that_room_bounds_is_no_number_of_ways(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned shift = 12; shift <= 24; shift++) {
        struct sets sets = {.period = UINT64_C(1) << shift, .ways = 4, .random = &random};
        uint64_t room = (UINT64_C(1) << 24) + 256, period = 0; /* four things 4 MiB apart */
        size_t ways = 0;
        int status = search_within(&sets, true, room, UINT64_C(1) << 30, &ways, &period);
        if (status == HWC_OK) {
            assert_int_equal(ways, 4);
            assert_int_equal(period, sets.period);
        }
        assert_int_equal(status, shift <= 21 ? HWC_OK : HWC_UNAVAILABLE);
    }
}

static int search_by_time(miss_model model, void *context, size_t *ways, uint64_t *period)
{
    struct reader reader = {.model = model, .context = context};
    const struct hwc_fit fit = {.ask = ask, .context = &reader, .most_bytes = UINT64_C(1) << 30, .most = 300};
    struct hwc_error error;

    return hwc_fit_ways(&fit, 256, 4096, UINT64_C(1) << 20, ways, period, &error);
}

/* One more than fits costs few misses, as under random replacement: time must not name a number. */
static double misses_by_chance(void *context, uint64_t stride, size_t count)
{
    (void)context;
    (void)stride;
    return count > 8 ? (double)count * (1 - 8.0 / (double)count) : 0;
}

static void time_names_no_number_without_a_step(void **state)
{
    size_t ways;
    uint64_t period;

    (void)state;
    assert_true(hwc_came_to_nothing(search_by_time(misses_by_chance, NULL, &ways, &period)));
}

/* The steady state of random replacement: of one more than `ways` things, visited round and round, about two miss. */
static double misses_of_random_replacement(void *context, uint64_t stride, size_t count)
{
    double ways = (double)*(const size_t *)context, hits = 1;

    (void)stride;
    if ((double)count <= ways)
        return 0;
    for (int i = 0; i < 10000; i++)
        hits = (hits + pow(1 - 1 / ways, (double)count * (1 - hits + 1e-9))) / 2;
    return (double)count * (1 - hits);
}

static void time_names_no_wrong_number_under_random_replacement(void **state)
{
    unsigned named = 0;

    (void)state;
    for (size_t known = 2; known <= 64; known++) {
        size_t ways = 0;
        uint64_t period;
        if (search_by_time(misses_of_random_replacement, &known, &ways, &period) != HWC_OK)
            continue;
        assert_int_equal(ways, known);
        named++;
    }
    assert_in_range(named, 1, 32); /* with few ways there is a step, with many none */
}

/* The miss ratio climbs with each thing more than fits: `first` with one too many, then as in `shares`. */
static double misses_that_climb(void *context, uint64_t stride, size_t count)
{
    static const double shares[] = {0, 0, 0.45, 0.6, 0.8, 0.9};
    const double *first = context;
    size_t ways = stride < 4096 ? 8 * (4096 / (size_t)stride) : 8, beyond = count > ways ? count - ways : 0;
    double share = beyond >= sizeof shares / sizeof shares[0] ? 1 : shares[beyond];

    return (double)count * (beyond == 1 ? *first : share);
}

static void time_takes_what_stands_before_a_climb(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        double first = 0.17 + 0.03 * i;
        size_t ways = 0;
        uint64_t period = 0;
        assert_int_equal(search_by_time(misses_that_climb, &first, &ways, &period), HWC_OK);
        assert_int_equal(ways, 8);
        assert_int_equal(period, 4096);
    }
}

/* 64 entries, of which one too many makes some miss; hits take somewhat longer than they are known to. */
static double misses_of_a_policy_near_to_random(void *context, uint64_t stride, size_t count)
{
    static const double shares[] = {0, 0.26, 0.3, 0.36, 0.42};
    double hits = *(const double *)context, all = 1 - 48 / (double)count;
    size_t beyond = count > 64 ? count - 64 : 0;

    (void)stride;
    return (double)count * (hits + (beyond < sizeof shares / sizeof shares[0] ? shares[beyond] : fmax(all, 0.42)));
}

static void few_misses_of_one_too_many_are_told_from_none(void **state)
{
    (void)state;
    for (int hundredths = 0; hundredths < 16; hundredths += 3) {
        double hits = hundredths / 100.0;
        size_t ways = 0;
        uint64_t period;
        assert_int_equal(search_by_time(misses_of_a_policy_near_to_random, &hits, &ways, &period), HWC_OK);
        assert_int_equal(ways, 64);
    }
}

/* A predictor has room for 16 far targets: what misses it costs less, or comes little by little. */
static double misses_of_a_predictor(void *context, uint64_t stride, size_t count)
{
    double each = *(const double *)context;

    (void)stride;
    return count > 16 ? (double)count * fmin(each > 0 ? 1 : 0.25, 0.14 + (each > 0 ? each : 0.2) * (double)(count - 16))
                      : 0.14 * (double)count;
}

static void smaller_steps_are_none(void **state)
{
    const double each[] = {0, 0.03, 0.05};

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        double one = each[i];
        size_t ways;
        uint64_t period;
        assert_true(hwc_came_to_nothing(search_by_time(misses_of_a_predictor, &one, &ways, &period)));
    }
}

/* A counter sees even the few misses of one too many. */
static void a_counter_takes_any_miss_for_one_too_many(void **state)
{
    double first = 0.12;
    struct reader reader = {.counts = true, .model = misses_that_climb, .context = &first};
    const struct hwc_fit fit = {.ask = ask, .context = &reader, .most_bytes = UINT64_C(1) << 30, .most = 300};
    struct hwc_error error;
    size_t ways = 0;
    uint64_t period = 0;

    (void)state;
    assert_int_equal(hwc_fit_ways(&fit, 256, 4096, UINT64_C(1) << 20, &ways, &period, &error), HWC_OK);
    assert_int_equal(ways, 8);
    assert_int_equal(period, 4096);
}

static double always_as_many(void *context, uint64_t stride, size_t count)
{
    (void)stride;
    return *(const double *)context * (double)count;
}

/* One reading is enough far from the threshold; at the threshold AMP's 8 readings are taken and give no answer. */
static void readings_are_as_many_as_they_must_be(void **state)
{
    static const struct {
        double share;
        unsigned readings;
        enum hwc_side side;
    } rows[] = {{0, 1, HWC_BELOW}, {1, 1, HWC_ABOVE}, {0.2, 3, HWC_BELOW}, {0.37, 5, HWC_ABOVE},
                {0.3, 8, HWC_STRADDLES}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double share = rows[i].share;
        struct reader reader = {.model = always_as_many, .context = &share};
        struct hwc_estimate estimate;
        struct hwc_error error;
        enum hwc_side side;
        assert_int_equal(ask(&reader, 4096, 100, hwc_fit_shares.many, &estimate, &side, &error), HWC_OK);
        assert_int_equal(side, rows[i].side);
        assert_int_equal(reader.readings, rows[i].readings);
        assert_true(fabs(estimate.value - share) < 1e-9);
    }
}

/* Where 93 % of the lines that were loaded before miss, the other 7 % cannot tell whether those stored to are there. */
static void next_to_none_more_tells_nothing_where_most_miss_anyway(void **state)
{
    (void)state;
    assert_true(hwc_could_add_most(0.05));
    assert_false(hwc_could_add_most(0.93));
}

static void next_to_none_misses_must_be_none_whatever_a_miss_takes(void **state)
{
    (void)state;
    assert_int_equal(hwc_judge_share_up_to(0.24, 0.24), HWC_SHARE_NONE);
    assert_int_equal(hwc_judge_share_up_to(0.24, 1.25), HWC_SHARE_BETWEEN); /* misses may be a fifth of what was thought */
    assert_int_equal(hwc_judge_share_up_to(0.6, 3), HWC_SHARE_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_and_period_are_found),
        cmocka_unit_test(periods_that_are_no_power_of_two_are_refused),
        cmocka_unit_test(a_number_that_room_bounds_is_no_number_of_ways),
        cmocka_unit_test(time_names_no_number_without_a_step),
        cmocka_unit_test(time_takes_what_stands_before_a_climb),
        cmocka_unit_test(few_misses_of_one_too_many_are_told_from_none),
        cmocka_unit_test(smaller_steps_are_none),
        cmocka_unit_test(time_names_no_wrong_number_under_random_replacement),
        cmocka_unit_test(a_counter_takes_any_miss_for_one_too_many),
        cmocka_unit_test(readings_are_as_many_as_they_must_be),
        cmocka_unit_test(next_to_none_more_tells_nothing_where_most_miss_anyway),
        cmocka_unit_test(next_to_none_misses_must_be_none_whatever_a_miss_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
