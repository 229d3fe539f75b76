/* Levels where no geometry was found, as on a machine that others disturbed until then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hierarchy_scan.h"
#include "latency_at_most.h"
#include "open_machine.h"
#include "seen_levels.h"
#include "table.h"

/* Bounds that hold the truth, at most so far apart. */
static void holds(const struct hwc_finding *finding, double truth)
{
    assert_false(finding->known);
    assert_true(finding->has_interval);
    assert_true(finding->low <= truth && truth <= finding->high);
    assert_true(finding->high < 1.7 * finding->low);
}

static void is_near(const struct hwc_finding *finding, double truth)
{
    assert_true(finding->known);
    assert_true(fabs(finding->value / truth - 1) < 0.05);
}

struct bench {
    struct hwc_machine *machine;
    struct hwc_lab lab;
    struct hwc_profile *profile;
};

static void set_up(struct bench *bench, const char *file)
{
    const struct hwc_machine_request request = {.machine_file = file, .cpu = -1, .backend = "none"};
    const struct hwc_settings settings = {.votes = 8, .samples = 8, .seed = 1};
    struct hwc_error error = {0};

    *bench = (struct bench){.profile = calloc(1, sizeof *bench->profile)};
    assert_non_null(bench->profile);
    if (hwc_open_machine(&bench->machine, &request, settings.seed, &bench->profile->host, &error) != HWC_OK)
        fail_msg("%s", error.message);
    assert_int_equal(hwc_lab_open(&bench->lab, bench->machine, &settings, &error), HWC_OK);
}

static void find_levels(struct bench *bench)
{
    struct hwc_error error = {0};

    if (hwc_find_levels(&bench->lab, &error) != HWC_OK)
        fail_msg("%s", error.message);
    bench->profile->caches = bench->lab.known->levels;
    if (hwc_probe_cache_latency.run(&bench->lab, bench->profile, &error) != HWC_OK ||
        hwc_probe_capacity.run(&bench->lab, bench->profile, &error) != HWC_OK)
        fail_msg("%s", error.message);
}

static void tear_down(struct bench *bench)
{
    hwc_lab_close(&bench->lab);
    bench->machine->ops->close(bench->machine);
    hwc_profile_close(bench->profile);
    free(bench->profile);
}

static void levels_show_though_nothing_else_is_known(void **state)
{
    struct bench bench;
    const struct hwc_record *cache;

    (void)state;
    set_up(&bench, MACHINES "/sifive-u74.json");
    find_levels(&bench);
    cache = bench.profile->cache;
    assert_int_equal(bench.profile->caches, 2);
    assert_int_equal(cache[1].level, 2);
    holds(&cache[0].finding[HWC_CACHE_EFFECTIVE_SIZE], 32 << 10);
    holds(&cache[1].finding[HWC_CACHE_EFFECTIVE_SIZE], 2 << 20);
    is_near(&cache[0].finding[HWC_CACHE_LATENCY], 3);
    is_near(&cache[1].finding[HWC_CACHE_LATENCY], 21);
    is_near(&bench.profile->memory.finding[HWC_MEMORY_LATENCY], 140);
    tear_down(&bench);
}

/* A level's own bounds leave out what those above hold; above the first there is nothing. */
static void bounds_of_the_first_level_are_the_fits(void **state)
{
    struct bench bench;
    const struct hwc_fitted_level *fitted;
    double low, high;

    (void)state;
    set_up(&bench, MACHINES "/sifive-u74.json");
    find_levels(&bench);
    fitted = bench.lab.known->fit.level;
    assert_true(hwc_fitted_bounds(&bench.lab, 1, &low, &high));
    assert_true(low == fitted[0].low);
    assert_true(high == fitted[0].high);
    assert_true(hwc_fitted_bounds(&bench.lab, 2, &low, &high));
    assert_true(low == fitted[1].low - fitted[0].high);
    assert_false(hwc_fitted_bounds(&bench.lab, 3, &low, &high));
    tear_down(&bench);
}

/* Levels where the first is known to be of this size. */
static void find_levels_below(struct bench *bench, const char *file, uint64_t first_bytes)
{
    const struct hwc_level first = {.line_bytes = 64, .fill_bytes = 64, .size_bytes = first_bytes, .ways = 8};

    set_up(bench, file);
    hwc_know_level(&bench->lab, 1, &first);
    find_levels(bench);
}

/* What contradicts a size that is known is no evidence of other levels. */
static void levels_do_not_show_if_the_first_is_known_to_be_larger(void **state)
{
    struct bench bench;

    (void)state;
    find_levels_below(&bench, MACHINES "/sifive-u74.json", 256 << 10);
    assert_int_equal(bench.lab.known->levels, 1);
    assert_false(bench.profile->cache[0].finding[HWC_CACHE_EFFECTIVE_SIZE].has_interval);
    tear_down(&bench);
}

/* A last level of 32 MiB looks like memory in footprints of 16 MiB. */
static void footprints_grow_until_memory_shows(void **state)
{
    struct bench bench;

    (void)state;
    find_levels_below(&bench, MACHINES "/zen4.json", 32 << 10);
    assert_int_equal(bench.profile->caches, 3);
    holds(&bench.profile->cache[2].finding[HWC_CACHE_EFFECTIVE_SIZE], 32 << 20);
    tear_down(&bench);
}

/* Where another look has one level more, what followed the others is no memory any more. */
static void whether_memory_shows_is_of_the_levels_that_are_known(void **state)
{
    const struct hwc_drawn_curve empty = {0}, curve = {.points = 2, .bytes = {1 << 20, 16 << 20}};
    const struct hwc_levels_fit one = {.levels = 1, .level = {{.capacity = 1 << 20}}};
    const struct hwc_levels_fit two = {.levels = 2, .level = {{.capacity = 1 << 20}, {.capacity = 12 << 20}}};
    struct bench bench;

    (void)state;
    set_up(&bench, MACHINES "/sifive-u74.json");
    assert_false(hwc_memory_shows(&bench.lab));
    hwc_know_seen(&bench.lab, &curve, &one);
    assert_true(hwc_memory_shows(&bench.lab));
    hwc_know_seen(&bench.lab, &curve, &two);
    assert_false(hwc_memory_shows(&bench.lab));
    hwc_know_seen(&bench.lab, &empty, &one);
    assert_false(hwc_memory_shows(&bench.lab));
    tear_down(&bench);
}

/* Beside a thread on the core's other half: what he leaves of a level is no bound of its size. */
static void a_sibling_takes_a_part_of_any_level(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        struct bench bench;
        const struct hwc_record *second;
        set_up(&bench, MACHINES "/power10.json");
        bench.lab.company = (struct hwc_company){.looks = 100, .met = busy ? 50 : 0};
        find_levels(&bench);
        second = &bench.profile->cache[1];
        holds(&second->finding[HWC_CACHE_EFFECTIVE_SIZE], 1 << 20);
        assert_int_equal(second->finding[HWC_CACHE_SIZE].has_interval, !busy);
        tear_down(&bench);
    }
}

static bool is_kept(double cycles, unsigned alike, unsigned told)
{
    const struct hwc_levels_fit fit = {
        .levels = 3, .told = told, .level = {[2] = {.cycles = {.value = 35, .least = 26, .most = 64}}}};
    struct hwc_machine machine = {.decode_cycles = 1};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    const struct hwc_lab lab = {.machine = &machine};
    struct hwc_finding *latency;
    bool kept;

    assert_non_null(profile);
    latency = &profile->cache[2].finding[HWC_CACHE_LATENCY];
    *latency = (struct hwc_finding){.asked = true, .known = true, .value = cycles, .alike = alike, .votes = 8};
    profile->caches = 3;
    hwc_discard_beyond_untold(&lab, &fit, profile);
    kept = latency->known;
    free(profile);
    return kept;
}

/* A Zen 3 beside a busy sibling: 5 of 8 chains took 85.7 cycles for 46, as lines of theirs were put out. */
static void chains_that_take_longer_than_footprints_allow_are_none(void **state)
{
    (void)state;
    assert_false(is_kept(85.7, 5, 1));
    assert_true(is_kept(85.7, 8, 1)); /* all votes: footprints may be wrong */
    assert_true(is_kept(60, 5, 1));
    assert_true(is_kept(85.7, 5, 3)); /* not what this is about */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sibling_takes_a_part_of_any_level),
        cmocka_unit_test(chains_that_take_longer_than_footprints_allow_are_none),
        cmocka_unit_test(levels_show_though_nothing_else_is_known),
        cmocka_unit_test(bounds_of_the_first_level_are_the_fits),
        cmocka_unit_test(levels_do_not_show_if_the_first_is_known_to_be_larger),
        cmocka_unit_test(whether_memory_shows_is_of_the_levels_that_are_known),
        cmocka_unit_test(footprints_grow_until_memory_shows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
