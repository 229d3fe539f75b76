/* Which probes run, and in which order; and whether the table of probes can be run at all. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "budget.h"
#include "schedule.h"

static const struct hwc_probe caches = {.name = "caches", .provides = {HWC_CACHE_SIZE}};
static const struct hwc_probe code = {.name = "code", .needs = {HWC_CACHE_SIZE}, .provides = {HWC_CODE_CACHE_SIZE}};
static const struct hwc_probe pages = {.name = "pages", .needs = {HWC_CODE_CACHE_SIZE}, .provides = {HWC_TLB_ENTRIES}};
static const struct hwc_probe more_code = {
    .name = "more_code", .needs = {HWC_TLB_ENTRIES}, .provides = {HWC_CODE_CACHE_SIZE}};
static const struct hwc_probe alone = {.name = "alone", .provides = {HWC_BTB_ENTRIES}};
static const struct hwc_probe curve = {
    .name = "curve", .needs = {HWC_CACHE_SIZE}, .provides = {HWC_BTB_MISS_PENALTY}, .on_request = true};
static const struct hwc_probe left = {
    .name = "left", .needs = {HWC_MEMORY_PAGE_SIZE}, .provides = {HWC_MEMORY_LATENCY}};
static const struct hwc_probe right = {
    .name = "right", .needs = {HWC_MEMORY_LATENCY}, .provides = {HWC_MEMORY_PAGE_SIZE}};
static const struct hwc_probe itself = {
    .name = "itself", .needs = {HWC_MEMORY_LATENCY}, .provides = {HWC_MEMORY_LATENCY}};

static void assert_order(const struct hwc_probe *const *table, const struct hwc_probe *asked, const char *expected)
{
    struct hwc_schedule schedule;
    struct hwc_error error = {0};
    char names[256] = "";

    if (hwc_schedule(table, &asked, asked != NULL, &schedule, &error) != HWC_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < schedule.count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? " " : "", schedule.probe[i]->name);
    }
    assert_string_equal(names, expected);
}

static void what_is_needed_runs_before(void **state)
{
    const struct hwc_probe *const in_order[] = {&caches, &alone, &code, &pages, &more_code, NULL};
    const struct hwc_probe *const reversed[] = {&alone, &pages, &code, &more_code, &caches, NULL};

    (void)state;
    assert_order(in_order, NULL, "caches alone code pages more_code");
    assert_order(in_order, &alone, "alone");
    assert_order(in_order, &more_code, "caches code pages more_code");
    assert_order(in_order, &code, "caches code"); /* a need is met by the first probe that provides it */
    assert_order(reversed, NULL, "alone caches code pages more_code");
    assert_order(reversed, &pages, "caches code pages");
}

static void what_runs_on_request_must_be_named(void **state)
{
    const struct hwc_probe *const table[] = {&curve, &caches, &alone, NULL};

    (void)state;
    assert_order(table, NULL, "caches alone");
    assert_order(table, &curve, "caches curve");
}

static void what_cannot_be_ordered_is_refused(void **state)
{
    const struct hwc_probe *const circle[] = {&left, &right, NULL};
    const struct hwc_probe *const own[] = {&itself, NULL};
    const struct hwc_probe *const missing[] = {&code, NULL};
    struct hwc_schedule schedule;
    struct hwc_error error = {0};

    (void)state;
    assert_int_equal(hwc_schedule(circle, NULL, 0, &schedule, &error), HWC_SYSTEM);
    assert_int_equal(hwc_schedule(own, NULL, 0, &schedule, &error), HWC_SYSTEM);
    assert_int_equal(hwc_schedule(missing, NULL, 0, &schedule, &error), HWC_SYSTEM);
    assert_non_null(strstr(error.message, "CACHE_SIZE"));
}

/* On a budget. Half of what is left is kept for basic probes that are to come. */
static void basic_probes_come_first_with_what_they_need(void **state)
{
    const struct hwc_probe basic_pages = {
        .name = "basic", .needs = {HWC_CODE_CACHE_SIZE}, .provides = {HWC_TLB_ENTRIES}, .basic = true};
    const struct hwc_probe *const table[] = {&alone, &caches, &code, &curve, &basic_pages, NULL};
    const struct hwc_probe *const asked[] = {&alone, &caches, &code, &curve, &basic_pages};
    const struct hwc_probe *const expected[] = {&caches, &code, &basic_pages, &alone, &curve};
    struct hwc_schedule schedule;
    struct hwc_error error = {0};

    (void)state;
    assert_int_equal(hwc_schedule(table, asked, 5, &schedule, &error), HWC_OK);
    assert_ptr_equal(schedule.probe[0], &alone);
    assert_int_equal(hwc_basics_first(table, &schedule, &error), HWC_OK);
    assert_int_equal(schedule.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_ptr_equal(schedule.probe[i], expected[i]);
    assert_true(hwc_budget_share(&schedule, 1) == 0.5 && hwc_budget_share(&schedule, 2) == 1);
}

static void what_the_budget_was_too_short_for_is_said(void **state)
{
    static struct hwc_profile profile = {.caches = 2};
    struct hwc_finding *size = &profile.cache[0].finding[HWC_CACHE_SIZE];

    (void)state;
    *size = (struct hwc_finding){.asked = true, .known = true, .value = 32768};
    hwc_say_spent(&caches, &profile);
    assert_true(size->known);
    assert_string_equal(profile.cache[1].finding[HWC_CACHE_SIZE].reason, "the budget is spent");
    assert_false(profile.cache[1].finding[HWC_CACHE_LATENCY].asked || profile.memory.finding[HWC_MEMORY_LATENCY].asked);
}

static bool is_listed(const enum hwc_field_id *fields, enum hwc_field_id id)
{
    for (int i = 0; i < HWC_MAX_NEEDS && fields[i] != HWC_NO_FIELD; i++)
        if (fields[i] == id)
            return true;
    return false;
}

/* Does one of the first `before` probes of the table provide it? */
static bool is_provided(size_t before, enum hwc_field_id id)
{
    for (size_t i = 0; i < before; i++)
        if (is_listed(hwc_probes[i]->provides, id))
            return true;
    return false;
}

static void every_need_is_provided_by_an_earlier_row(void **state)
{
    struct hwc_schedule schedule;
    struct hwc_error error = {0};

    (void)state;
    for (size_t i = 0; hwc_probes[i] != NULL; i++) {
        const enum hwc_field_id *needs = hwc_probes[i]->needs;
        for (int k = 0; k < HWC_MAX_NEEDS && needs[k] != HWC_NO_FIELD; k++)
            if (!is_provided(i, needs[k]))
                fail_msg("%s needs %s", hwc_probes[i]->name, hwc_fields[needs[k]].id);
    }
    assert_int_equal(hwc_schedule(hwc_probes, NULL, 0, &schedule, &error), HWC_OK);
    for (size_t i = 0, next = 0; hwc_probes[i] != NULL; i++)
        if (!hwc_probes[i]->on_request) /* so the table is the order */
            assert_ptr_equal(schedule.probe[next++], hwc_probes[i]);
}

static void every_field_is_looked_for(void **state)
{
    size_t probes = 0;

    (void)state;
    while (hwc_probes[probes] != NULL)
        probes++;
    for (int id = HWC_NO_FIELD + 1; id < HWC_FIELDS; id++)
        if (!is_provided(probes, (enum hwc_field_id)id))
            fail_msg("no probe provides %s", hwc_fields[id].id);
    for (size_t i = 0; i < probes; i++) /* one that runs on request may give curves alone */
        assert_true((hwc_probes[i]->on_request || hwc_probes[i]->provides[0] != HWC_NO_FIELD) &&
                    hwc_probes[i]->run != NULL);
}

static void keys_are_unique_in_their_group(void **state)
{
    (void)state;
    for (int i = HWC_NO_FIELD + 1; i < HWC_FIELDS; i++)
        for (int k = HWC_NO_FIELD + 1; k < i; k++)
            if (hwc_fields[i].group == hwc_fields[k].group)
                assert_string_not_equal(hwc_fields[i].key, hwc_fields[k].key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_runs_before),
        cmocka_unit_test(what_runs_on_request_must_be_named),
        cmocka_unit_test(what_cannot_be_ordered_is_refused),
        cmocka_unit_test(basic_probes_come_first_with_what_they_need),
        cmocka_unit_test(what_the_budget_was_too_short_for_is_said),
        cmocka_unit_test(every_need_is_provided_by_an_earlier_row),
        cmocka_unit_test(every_field_is_looked_for),
        cmocka_unit_test(keys_are_unique_in_their_group),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
