/* The capacity probe where no other probe has found anything, as on a machine that others disturbed until then. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "open_machine.h"
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

static struct hwc_profile *run_alone(const char *file)
{
    const struct hwc_machine_request request = {.machine_file = file, .cpu = -1, .backend = "none"};
    const struct hwc_settings settings = {.votes = 8, .samples = 8, .seed = 1};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct hwc_machine *machine = NULL;
    struct hwc_lab lab;
    struct hwc_error error = {0};

    assert_non_null(profile);
    if (hwc_open_machine(&machine, &request, settings.seed, &profile->host, &error) != HWC_OK)
        fail_msg("%s", error.message);
    assert_int_equal(hwc_lab_open(&lab, machine, &settings, &error), HWC_OK);
    profile->caches = profile->cache[0].level = 1;
    if (hwc_probe_capacity.run(&lab, profile, &error) != HWC_OK)
        fail_msg("%s", error.message);
    hwc_lab_close(&lab);
    machine->ops->close(machine);
    return profile;
}

static void levels_show_though_nothing_else_is_known(void **state)
{
    struct hwc_profile *profile = run_alone(MACHINES "/sifive-u74.json");

    (void)state;
    assert_int_equal(profile->caches, 2);
    assert_int_equal(profile->cache[1].level, 2);
    holds(&profile->cache[0].finding[HWC_CACHE_EFFECTIVE_SIZE], 32 << 10);
    holds(&profile->cache[1].finding[HWC_CACHE_EFFECTIVE_SIZE], 2 << 20);
    is_near(&profile->cache[0].finding[HWC_CACHE_LATENCY], 3);
    is_near(&profile->cache[1].finding[HWC_CACHE_LATENCY], 21);
    is_near(&profile->memory.finding[HWC_MEMORY_LATENCY], 140);
    free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_show_though_nothing_else_is_known)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
