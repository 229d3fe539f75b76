/* References drawn at random: where they go, and what share of them a cache serves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawn.h"
#include "held_share.h"
#include "policy.h"
#include "set_model.h"

enum { CELLS = 4096, VISIT = 16, BLOCKS = 64, BLOCK = 8, GROUP = BLOCKS * BLOCK, VISITS = 40000 };

static const struct hwc_drawn in_visits = {
    .references = 1, .cells = CELLS, .spacing = 64, .visit = VISIT, .blocks = BLOCKS, .block = BLOCK};

static void a_visit_goes_to_blocks_of_one_group(void **state)
{
    struct hwc_draws draws = {.state = 1};

    (void)state;
    for (int visit = 0; visit < VISITS; visit++) {
        bool seen[CELLS / BLOCK] = {false};
        uint64_t group = 0;
        for (int i = 0; i < VISIT; i++) {
            uint64_t cell = hwc_draw_cell(&draws, &in_visits);
            assert_true(cell < CELLS);
            assert_false(seen[cell / BLOCK]);
            seen[cell / BLOCK] = true;
            assert_true(i == 0 || cell / GROUP == group);
            group = cell / GROUP;
        }
    }
}

/* A miss may bring the next cell, which would then hit. */
static void no_cell_of_a_visit_is_next_to_another(void **state)
{
    (void)state;
    for (uint64_t block = 2; block <= BLOCK; block *= 2) {
        const struct hwc_drawn drawn = {
            .references = 1, .cells = CELLS, .spacing = 64, .visit = VISIT, .blocks = BLOCKS, .block = block};
        struct hwc_draws draws = {.state = 1};
        for (int visit = 0; visit < VISITS / 10; visit++) {
            bool seen[CELLS + 2] = {false}; /* with an end each */
            for (int i = 0; i < VISIT; i++) {
                uint64_t at = 1 + hwc_draw_cell(&draws, &drawn);
                assert_false(seen[at - 1] || seen[at + 1]);
                seen[at] = true;
            }
        }
    }
}

/* No cell more or less often than six standard deviations from the mean. */
static void check_evenness(const struct hwc_drawn *drawn)
{
    struct hwc_draws draws = {.state = 2};
    unsigned count[CELLS] = {0};
    double mean = (double)VISITS * VISIT / CELLS;

    for (int i = 0; i < VISITS * VISIT; i++)
        count[hwc_draw_cell(&draws, drawn)]++;
    for (int i = 0; i < CELLS; i++)
        assert_true(fabs(count[i] - mean) < 6 * sqrt(mean));
}

static void every_cell_is_drawn_as_often(void **state)
{
    struct hwc_drawn one_by_one = in_visits;

    (void)state;
    one_by_one.visit = 0;
    check_evenness(&in_visits);
    check_evenness(&one_by_one);
}

/* How long ago a group was drawn says nothing: the distances between its visits are those of independent draws. */
static void no_group_comes_back_sooner_than_by_chance(void **state)
{
    enum { GROUPS = CELLS / GROUP, NEAR = 4 };
    struct hwc_draws draws = {.state = 3};
    int last[GROUPS], near = 0;
    double expected = VISITS * (1 - pow(1 - 1.0 / GROUPS, NEAR));

    (void)state;
    memset(last, -1, sizeof last);
    for (int visit = 0; visit < VISITS; visit++) {
        uint64_t group = hwc_draw_cell(&draws, &in_visits) / GROUP;
        for (int i = 1; i < VISIT; i++)
            hwc_draw_cell(&draws, &in_visits);
        near += last[group] >= 0 && visit - last[group] <= NEAR;
        last[group] = visit;
    }
    assert_true(fabs(near - expected) < 5 * sqrt(expected));
}

static const char *const policies[] = {"lru", "fifo", "random", "tree-plru", "bit-plru", "nru", "srrip",
                                       "QLRU_H00_M1_R0_U1", "QLRU_H11_M1_R0_U0", "QLRU_H11_M1_R1_U2",
                                       "QLRU_H11_MR161_R1_U2"};

/* The share of independent references to `lines` lines that a set hits. */
static double hits_of(const struct hwc_policy *policy, unsigned ways, unsigned lines, struct hwc_random *random)
{
    enum { WARM = 20000, COUNTED = 60000 };
    struct hwc_set_model set;
    unsigned missed = 0;

    hwc_set_model_init(&set, policy, ways, false);
    for (int i = 0; i < WARM + COUNTED; i++) {
        uint8_t name = (uint8_t)hwc_random_below(random, lines);
        unsigned miss = hwc_set_model_play(&set, &name, 1, random);
        missed += i >= WARM ? miss : 0;
    }
    return 1 - (double)missed / COUNTED;
}

static void a_full_set_serves_the_share_that_it_holds_under_any_policy(void **state)
{
    static const unsigned ways[] = {1, 2, 4, 8, 12, 16};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, 4);
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            for (unsigned times = 2; times <= 6; times += 2) {
                struct hwc_policy policy;
                assert_true(hwc_policy_parse(policies[p], &policy));
                if (!hwc_policy_suits(&policy, ways[w]))
                    continue;
                hwc_policy_prepare(&policy, ways[w]);
                assert_true(fabs(hits_of(&policy, ways[w], times * ways[w], &random) * times - 1) < 0.05);
            }
}

/* Poisson: of 8 lines a set in the mean, E max(n - 8, 0) = 8 P(n = 8) = 1.1169 miss. */
static void shares_are_as_known(void **state)
{
    struct hwc_held_share share;
    unsigned eight = 1;

    (void)state;
    hwc_held_share_init(&share);
    while (hwc_spread_ways(eight) != 8)
        eight++;
    assert_true(fabs(hwc_miss_share(&share, eight, 0, 0) - 1.1169 / 8) < 1e-4);
    assert_int_equal(hwc_spread_ways(HWC_SPREAD_EVENLY), 0);
    assert_int_equal(hwc_spread_ways(HWC_SPREADS - 1), 1);
    assert_true(hwc_miss_share(&share, HWC_SPREAD_EVENLY, 0, -0.5) == 0);
    for (unsigned spread = 0; spread < HWC_SPREADS; spread++) {
        double before = 0;
        assert_true(hwc_miss_share(&share, spread, 0, -10) < 0.04);
        for (int i = -500; i < 800; i++) {
            double octaves = i / 100.0;
            double now = hwc_miss_share(&share, spread, 0, octaves);
            assert_true(now >= before && now <= 1);
            assert_true(now >= fmax(1 - exp2(-octaves), 0) - 1e-4); /* no more hit than there is room for */
            before = now;
        }
        assert_true(fabs(hwc_miss_share(&share, spread, 0, 3.5) - (1 - exp2(-3.5))) < 0.002);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_goes_to_blocks_of_one_group),
        cmocka_unit_test(no_cell_of_a_visit_is_next_to_another),
        cmocka_unit_test(every_cell_is_drawn_as_often),
        cmocka_unit_test(no_group_comes_back_sooner_than_by_chance),
        cmocka_unit_test(a_full_set_serves_the_share_that_it_holds_under_any_policy),
        cmocka_unit_test(shares_are_as_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
