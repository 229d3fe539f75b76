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
#include "tables.h"
#include "witness.h"

#ifdef HWC_HAVE_PFM
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

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

static void errata_name_their_source(void **state)
{
    (void)state;
    assert_non_null(strstr(ctr_erratum("power10", "PM_INST_FROM_L1"), "papi#252"));
    assert_null(ctr_erratum("skx", "MEM_LOAD_RETIRED:L1_MISS"));
}

#ifdef HWC_HAVE_PFM
/* libpfm4 reads LIBPFM_FORCE_PMU once, so each family is checked in a process of its own. */
static int check_family(const struct ctr_family *family)
{
    int faults = 0;

    setenv("LIBPFM_FORCE_PMU", family->name, 1);
    if (pfm_initialize() != PFM_SUCCESS)
        return 100;
    for (const struct ctr_native *native = family->natives; native->native != NULL; native++) {
        struct perf_event_attr attributes = {.size = sizeof attributes};
        pfm_perf_encode_arg_t argument = {.attr = &attributes, .size = sizeof argument};
        int status = pfm_get_os_event_encoding(native->native, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
        if (status != PFM_SUCCESS) {
            fprintf(stderr, "%s: %s\n", native->native, pfm_strerror(status));
            faults++;
        }
    }
    return faults;
}

static void libpfm4_knows_every_name(void **state)
{
    int checked = 0;

    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
        int status = 0;
        pid_t child;
        if (strcmp(family->architecture, "x86") != 0)
            continue; /* Debian's library has the tables of its own architecture only */
        child = fork();
        if (child == 0)
            _exit(check_family(family));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("%s: names that libpfm4 does not know", family->name);
        checked++;
    }
    assert_true(checked > 10);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_names_are_unique_and_found),
        cmocka_unit_test(events_are_of_their_level),
        cmocka_unit_test(probes_have_names_summaries_and_sources),
        cmocka_unit_test(errata_name_their_source),
#if defined(HWC_HAVE_PFM) && defined(__x86_64__)
        cmocka_unit_test(libpfm4_knows_every_name),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
