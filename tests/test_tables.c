/* Tables: every name in them is known to the program or library that it is for. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event.h"
#include "probe.h"
#include "witness.h"

static void event_names_are_unique_and_found(void **state)
{
    (void)state;
    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        assert_int_equal(hwc_event_by_name(hwc_event_name((enum hwc_event)i)), i);
    assert_int_equal(hwc_event_by_name("no_such_event"), HWC_NO_EVENT);
}

static void assert_named(enum hwc_event event, const char *beginning)
{
    const char *name = hwc_event_name(event);

    if (strncmp(name, beginning, strlen(beginning)) != 0)
        fail_msg("%s should begin with %s", name, beginning);
}

/* The events for the misses of a level count that level. */
static void events_are_of_their_level(void **state)
{
    static const char *const structures[HWC_STRUCTURES] = {
        [HWC_L1I] = "l1i_miss",        [HWC_L2I] = "l2i_miss",     [HWC_DTLB1] = "dtlb_miss",
        [HWC_DTLB2] = "dtlb2_miss", [HWC_ITLB1] = "itlb_miss", [HWC_ITLB2] = "itlb2_miss"};

    (void)state;
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++) {
        char beginning[] = {'l', (char)('0' + level), '\0'};
        assert_true(*hwc_data_miss_events(level) != HWC_NO_EVENT);
        for (const enum hwc_event *event = hwc_data_miss_events(level); *event != HWC_NO_EVENT; event++)
            assert_named(*event, beginning);
        if (hwc_writeback_event(level) != HWC_NO_EVENT)
            assert_named(hwc_writeback_event(level), beginning);
    }
    for (int i = 0; i < HWC_STRUCTURES; i++)
        assert_string_equal(hwc_event_name(hwc_structure_event((enum hwc_structure)i)), structures[i]);
}

static void probes_have_names_summaries_and_sources(void **state)
{
    (void)state;
    for (size_t i = 0; hwc_probes[i] != NULL; i++) {
        assert_true(hwc_probes[i]->name[0] != '\0' && hwc_probes[i]->summary[0] != '\0');
        assert_true(strstr(hwc_probes[i]->source, "20") != NULL ||
                    strstr(hwc_probes[i]->source, "19") != NULL); /* a cited paper has a year */
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(hwc_probes[i]->name, hwc_probes[k]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_names_are_unique_and_found),
        cmocka_unit_test(events_are_of_their_level),
        cmocka_unit_test(probes_have_names_summaries_and_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
