/* Sessions: the interface of the command line, and later of a library. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session.h"

static const struct hwc_settings settings = {.votes = 4, .samples = 4, .seed = 1};

static struct hwc_session *open_simulated(const volatile sig_atomic_t *stop)
{
    const struct hwc_machine_request request = {
        .machine_file = MACHINES "/amp-p5-133.json", .cpu = -1, .counters = true, .backend = "auto"};
    struct hwc_session *session = NULL;
    struct hwc_error error = {0};

    if (hwc_session_open(&session, &request, &settings, stop, &error) != HWC_OK)
        fail_msg("%s", error.message);
    return session;
}

static const struct hwc_probe *probe_named(const char *name)
{
    size_t i = 0;

    while (strcmp(hwc_probes[i]->name, name) != 0)
        i++;
    return hwc_probes[i];
}

struct seen {
    char names[256];
    size_t count, ends;
    double seconds;
};

static void see(void *context, const struct hwc_progress *progress)
{
    struct seen *seen = context;
    size_t length;

    assert_true(progress->seconds >= seen->seconds);
    seen->seconds = progress->seconds;
    seen->count = progress->count;
    seen->ends += progress->probe == NULL;
    if (progress->probe == NULL)
        return;
    length = strlen(seen->names);
    snprintf(seen->names + length, sizeof seen->names - length, "%s ", progress->probe->name);
}

static void what_is_asked_for_runs_with_what_it_needs_and_none_twice(void **state)
{
    struct hwc_session *session = open_simulated(NULL);
    const struct hwc_probe *pages = probe_named("page_size"), *allocation = probe_named("write_allocation");
    const struct hwc_profile *profile;
    struct hwc_error error = {0};
    struct seen seen = {0};

    (void)state;
    assert_int_equal(hwc_session_run(session, &pages, 1, see, &seen, &error), HWC_OK);
    assert_string_equal(seen.names, "page_size ");
    assert_int_equal(hwc_session_run(session, &allocation, 1, see, &seen, &error), HWC_OK);
    assert_string_equal(seen.names, "page_size data_cache write_allocation ");
    assert_int_equal(seen.count, 2);
    assert_int_equal(hwc_session_run(session, &allocation, 1, see, &seen, &error), HWC_OK);
    assert_string_equal(seen.names, "page_size data_cache write_allocation ");
    assert_int_equal(seen.ends, 3);
    profile = hwc_session_profile(session);
    assert_true(profile->caches == 2 && profile->cache[0].finding[HWC_CACHE_SIZE].value == 8192);
    assert_true(profile->memory.finding[HWC_MEMORY_PAGE_SIZE].value == 4096);
    assert_string_equal(profile->backend, "simulated");
    hwc_session_close(session);
}

static void a_flag_stops_it_and_keeps_what_was_found(void **state)
{
    volatile sig_atomic_t stop = 0;
    struct hwc_session *session = open_simulated(&stop);
    const struct hwc_probe *pages = probe_named("page_size");
    const struct hwc_profile *profile;
    struct hwc_error error = {0};

    (void)state;
    assert_int_equal(hwc_session_run(session, &pages, 1, NULL, NULL, &error), HWC_OK);
    stop = 1;
    assert_int_equal(hwc_session_run(session, NULL, 0, NULL, NULL, &error), HWC_INTERRUPTED);
    profile = hwc_session_profile(session);
    assert_true(profile->memory.finding[HWC_MEMORY_PAGE_SIZE].known);
    assert_false(profile->memory.finding[HWC_MEMORY_LATENCY].asked);
    hwc_session_close(session);
}

static void notes_are_there_once(void **state)
{
    struct hwc_session *session = open_simulated(NULL);
    unsigned notes = hwc_session_profile(session)->notes.count;

    (void)state;
    assert_true(notes >= 3); /* the machine, its source, the seed */
    assert_int_equal(hwc_session_profile(session)->notes.count, notes);
    hwc_session_close(session);
}

static void what_cannot_be_opened_leaves_nothing_to_close(void **state)
{
    const struct hwc_machine_request request = {.machine_file = "/nowhere.json", .cpu = -1, .backend = "auto"};
    struct hwc_session *session = (struct hwc_session *)(uintptr_t)&request;
    struct hwc_error error = {0};

    (void)state;
    assert_int_equal(hwc_session_open(&session, &request, &settings, NULL, &error), HWC_BAD_INPUT);
    assert_null(session);
    assert_non_null(strstr(error.message, "/nowhere.json"));
    hwc_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_for_runs_with_what_it_needs_and_none_twice),
        cmocka_unit_test(a_flag_stops_it_and_keeps_what_was_found),
        cmocka_unit_test(notes_are_there_once),
        cmocka_unit_test(what_cannot_be_opened_leaves_nothing_to_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
