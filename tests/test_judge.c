/* Verdicts on counters, and the messages when there are none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perf_reason.h"
#include "qualify.h"

static void verdicts_follow_the_counts(void **state)
{
    static const struct {
        double expected, least, most, resident, references;
        enum hwc_event_status verdict;
    } rows[] = {
        {1024, 1024, 1030, 0, 2048, HWC_EVENT_TRUSTED},
        {1024, 1000, 1040, 3, 2048, HWC_EVENT_TRUSTED},
        {1024, 512, 520, 0, 2048, HWC_EVENT_BIASED},    /* a half-rate counter */
        {1024, 1434, 1440, 0, 2048, HWC_EVENT_REJECTED}, /* more misses than references: UltraSPARC's erratum */
        {1024, 0, 0, 0, 2048, HWC_EVENT_REJECTED},       /* a dead counter */
        {1024, 512, 900, 0, 2048, HWC_EVENT_REJECTED},   /* no stable factor */
        {1024, 1024, 1024, 2048, 2048, HWC_EVENT_REJECTED}, /* counts hits too */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double factor;
        enum hwc_event_status verdict = hwc_judge_event(rows[i].expected, rows[i].least, rows[i].most,
                                                        rows[i].resident, rows[i].references, &factor);
        if (verdict != rows[i].verdict)
            fail_msg("row %zu: %s", i, hwc_event_status_name(verdict));
        if (verdict == HWC_EVENT_BIASED)
            assert_true(factor == 0.5);
    }
}

static void every_refusal_says_what_to_do(void **state)
{
    static const struct {
        int number;
        const char *advice;
    } rows[] = {
        {ENOENT, "bare metal"},   {EACCES, "kernel.perf_event_paranoid"}, {EPERM, "seccomp"},
        {ENOSYS, "qemu-user"},    {EMFILE, "ulimit -n"},                  {ENOSPC, "nmi_watchdog"},
    };
    char text[400];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ctr_perf_reason(rows[i].number, 3, text, sizeof text);
        if (strstr(text, rows[i].advice) == NULL || strchr(text, '\n') != NULL)
            fail_msg("%s: %s", strerror(rows[i].number), text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_follow_the_counts),
        cmocka_unit_test(every_refusal_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
