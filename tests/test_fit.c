/* The search for ways and period (fit.h) on computed LRU sets, with exact and
 * with noisy readings, and the levels in curves of translation. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fit.h"
#include "tlb_curve.h"
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

/* The second-level cache overflows for the packed lines alone: the excess falls, and nothing after is a plateau. */
static const double falls[] = {0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 22.2, 16, 15.8};
static const double falls_packed[] = {2, 2, 2, 2, 11.5, 16.5, 18.8, 19.7, 20, 20, 20, 20, 20, 35, 35.2};

static void plateaus_are_levels(void **state)
{
    const double two[] = {0, 0.1, 0, -0.1, 0, 6.1, 9, 9, 9.1, 9, 9, 9, 9, 49.1, 51.5, 52.3, 52.6};
    const double one[] = {0, 0, 0, 2, 10, 10, 10, 10, 10};
    /* A second-level cache that overflows after the step of the second TLB level (Broadwell, 2048 pages and more). */
    const double beyond[] = {0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 38.9, 42, 45.7};
    /* A policy other than LRU: the miss ratio of 8-way sets still climbs while 11, 16 and 22 pages share each. */
    const double filling[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 21.5, 24, 24.8, 25};
    /* The same of 4-way sets: two points on the way up agree by chance. */
    const double by_chance[] = {0, 0, 0, 0, 0, 6.22, 6.5, 8, 8, 8, 8, 7.88, 8, 31.3, 43, 42.75};
    const double beside[] = {0, 0, 0, 0, 11.2, 10, 10, 10, 10, 10, 60, 60, 60, 60};
    const double beside_packed[] = {5, 5, 5, 5, 18.9, 20, 20, 20, 20, 20, 20, 20, 20, 20};
    /* Packed lines begin to miss the first level of the TLB, too: they take a little longer, which lowers the excess.
     * Later the second-level cache overflows; between the two neither curve is flat (FIFO TLBs, an 8 MiB cache). */
    const double dips[] = {0, 0, 0, 3.5, 7, 7, 7, 7, 7, 6.1, 6.1, 6.1, 46, 61, 46, 46};
    const double dips_packed[] = {5, 5, 5, 5, 5, 5, 5, 40, 40, 40.9, 40.9, 40.9, 40.9, 131, 260, 260};
    /* A policy other than LRU, and no room for more pages: how long a miss takes does not show. */
    const double cut_short[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3.6, 5.3, 5.93};
    double plateau[2], uneven[2], packed[17];

    (void)state;
    for (int i = 0; i < 17; i++)
        packed[i] = 4;
    assert_int_equal(hwc_tlb_plateaus(two, packed, sizeof two / sizeof two[0], false, plateau, uneven), 2);
    assert_true(fabs(plateau[0] - 9) < 0.01 && fabs(plateau[1] - 52.45) < 0.01);
    assert_int_equal(hwc_tlb_plateaus(one, packed, sizeof one / sizeof one[0], false, plateau, uneven), 1);
    assert_true(plateau[0] == 10);
    /* A first-level cache that overflows where the TLB does: for data, the rise of the control does not count. */
    assert_int_equal(
        hwc_tlb_plateaus(beside, beside_packed, sizeof beside / sizeof beside[0], false, plateau, uneven), 2);
    assert_true(fabs(plateau[0] - 10) < 0.1 && fabs(plateau[1] - 60) < 0.1);
    assert_int_equal(hwc_tlb_plateaus(beyond, packed, sizeof beyond / sizeof beyond[0], false, plateau, uneven), 2);
    assert_true(fabs(plateau[0] - 9) < 0.1 && fabs(plateau[1] - 40.4) < 0.1);
    assert_int_equal(hwc_tlb_plateaus(filling, packed, sizeof filling / sizeof filling[0], false, plateau, uneven), 1);
    assert_true(plateau[0] >= 24);
    assert_int_equal(
        hwc_tlb_plateaus(by_chance, packed, sizeof by_chance / sizeof by_chance[0], false, plateau, uneven), 2);
    assert_true(plateau[0] == 8 && fabs(plateau[1] - 42.9) < 0.1 && uneven[0] == 0 && uneven[1] < 0.01);
    assert_int_equal(hwc_tlb_plateaus(dips, dips_packed, sizeof dips / sizeof dips[0], false, plateau, uneven), 2);
    assert_float_equal(plateau[1], 46, 0.1);
    assert_int_equal(hwc_tlb_plateaus(falls, falls_packed, sizeof falls / sizeof falls[0], false, plateau, uneven), 1);
    assert_true(fabs(plateau[0] - 6) < 0.1);
    assert_int_equal(
        hwc_tlb_plateaus(cut_short, packed, sizeof cut_short / sizeof cut_short[0], false, plateau, uneven), 1);
    assert_true(uneven[0] > 0.1);
}

/* Predictors of jumps may make the control take longer, and pages, too. */
static void plateaus_of_code_exceed_what_the_control_rises_by(void **state)
{
    const double none[] = {1.4, 0.8, -0.8, 0.3, 6.5, 0.8, 2.4};
    /* Code on a Cascade Lake: the time on the control rises by as much as the small step of the excess at 64 pages. */
    const double code[] = {1.2, 1.1, 1.6, 1.4, 1.5, 2.2, 0.8, 5.7, 6.5, 30.6, 31, 30.8, 30.1, 32.5};
    const double code_packed[] = {27, 27.9, 28.6, 29.6, 29.4, 29.7, 31.2, 32.4, 33.6, 33.9, 33.9, 33.6, 34, 35.3};
    /* A first-level cache for code of few lines overflows well before the TLB does: at the step, the control is level. */
    const double later[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 43, 43};
    const double later_packed[] = {5, 5, 5, 5, 5, 5, 5, 13.7, 20, 20, 20, 20, 20, 20, 20};
    const double packed[] = {34, 34, 34, 34, 34, 34, 34};
    double plateau[2], uneven[2];

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(code, code_packed, sizeof code / sizeof code[0], true, plateau, uneven), 1);
    assert_true(plateau[0] > 30);
    assert_int_equal(hwc_tlb_plateaus(later, later_packed, sizeof later / sizeof later[0], true, plateau, uneven), 2);
    assert_true(plateau[0] == 8 && plateau[1] == 43);
    assert_int_equal(hwc_tlb_plateaus(none, packed, sizeof none / sizeof none[0], true, plateau, uneven), 0);
}

static void a_curve_that_rises_on_shows_a_level(void **state)
{
    /* A virtual Zen 4: from 2896 pages on its second level is missed, and page tables leave one cache after the other. */
    const double on[] = {0, 0, 7, 7, 7, 7, 6.9, 7.9, 8.1, 8.1, 8.1, 25.7, 44.9, 64.5, 93.9, 112.9, 105.4};
    const double on_packed[] = {5, 5, 5, 5, 5, 5, 5.2, 15, 15, 15, 15, 15.2, 15.3, 15.3, 16, 19.7, 41.7};
    double plateau[2], uneven[2];
    unsigned from = 0;

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(on, on_packed, sizeof on / sizeof on[0], false, plateau, uneven), 1);
    assert_true(plateau[0] == 7 && hwc_tlb_rises_on(on, on_packed, sizeof on / sizeof on[0], plateau[0], &from));
    assert_int_equal(from, 11);
    assert_false(hwc_tlb_rises_on(on, on_packed, 11, plateau[0], &from));
    assert_false(hwc_tlb_rises_on(falls, falls_packed, sizeof falls / sizeof falls[0], 6, &from));
}

static void a_control_on_its_way_ends_no_curve(void **state)
{
    /* An A64FX: at 2048 pages the control leaves its second level half, and what pages take beyond it is less there. */
    const double excess[] = {0, 0, 7, 7, 7, 7, 6.2, 6.1, 6.1, 6.1, 46.12, 39.96, 46.54, 46.53, 46.58};
    const double control[] = {5, 5, 5, 5, 40, 40, 40.9, 40.9, 40.9, 40.8, 40.9, 144.9, 260.5, 260.5, 260.5};
    double plateau[2], uneven[2];

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(excess, control, sizeof excess / sizeof excess[0], false, plateau, uneven), 2);
    assert_true(plateau[0] == 7 && plateau[1] > 46 && plateau[1] < 47);
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
        cmocka_unit_test(plateaus_are_levels),
        cmocka_unit_test(plateaus_of_code_exceed_what_the_control_rises_by),
        cmocka_unit_test(a_curve_that_rises_on_shows_a_level),
        cmocka_unit_test(a_control_on_its_way_ends_no_curve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
