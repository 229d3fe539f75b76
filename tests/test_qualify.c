/* Which counters are believed, on a machine whose counts are written here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "qualify.h"
#include "sampler.h"
#include "stopped_counters.h"

struct script {
    double overhead;    /* what each reading counts besides the misses */
    unsigned disturbed; /* how many of every ten samples are; these count no misses */
    double others;      /* what others' misses add to two of three samples, once and twice */
    bool stopped;
};

/* Cold lines (the last step) miss, resident ones do not. */
static void count(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct script *script = context;
    unsigned reading = 0;

    sample->disturbed = n % 10 < script->disturbed;
    sample->stopped = script->stopped;
    for (unsigned i = 0; i < experiment->steps; i++) {
        const struct hwc_step *step = &experiment->step[i];
        bool cold = i == experiment->steps - 1;
        double misses = cold && !sample->disturbed ? (double)step->walk->count + n % 3 * script->others : 0;
        if (step->kind == HWC_MEASURE)
            sample->reading[reading++] = (struct hwc_reading){.counted = true, .count = misses + script->overhead};
    }
}

static struct hwc_event_record qualify(struct script *script)
{
    struct hwc_event_record records[HWC_EVENT_COUNT];
    struct fake_machine fake;
    struct hwc_error error;

    fake_machine_open(&fake, count, script);
    fake.counts = HWC_L1D_LOAD_MISS;
    assert_int_equal(hwc_qualify_events(&fake.lab, records, &error), HWC_OK);
    assert_int_equal(hwc_counts_events(&fake.lab.witness[1]), records[HWC_L1D_LOAD_MISS].status == HWC_EVENT_TRUSTED);
    assert_false(hwc_can_answer(&fake.lab.witness[2]));
    fake_machine_close(&fake);
    return records[HWC_L1D_LOAD_MISS];
}

static void what_counting_costs_is_taken_off(void **state)
{
    struct script script = {.overhead = 4000};
    struct hwc_event_record record = qualify(&script);

    (void)state;
    assert_int_equal(record.status, HWC_EVENT_TRUSTED);
    assert_true(record.overhead == script.overhead);
    assert_true(record.counted == record.expected);
}

static void what_others_do_is_seen(void **state)
{
    struct script script = {.others = 3000};
    struct hwc_event_record record = qualify(&script);

    (void)state;
    assert_int_equal(record.status, HWC_EVENT_REJECTED);
    assert_int_equal(record.fault, HWC_FAULT_COUNTS_OTHERS);
    assert_non_null(strstr(record.reason, "counts what others do"));
}

static void disturbed_samples_say_nothing(void **state)
{
    struct script script = {.disturbed = 7};
    struct hwc_event_record record = qualify(&script);

    (void)state;
    assert_int_equal(record.status, HWC_EVENT_TRUSTED);
    assert_true(record.counted == record.expected);
}

static void what_is_always_disturbed_is_not_believed(void **state)
{
    struct script script = {.disturbed = 10};
    struct hwc_event_record record = qualify(&script);

    (void)state;
    assert_int_equal(record.status, HWC_EVENT_REJECTED);
    assert_non_null(strstr(record.reason, "disturbed"));
}

static int count_once(struct fake_machine *fake, struct script *script, bool stopped)
{
    const struct hwc_experiment experiment = {.event = HWC_L1D_LOAD_MISS};
    struct hwc_sample sample;
    struct hwc_error error;

    script->stopped = stopped;
    return hwc_lab_sample(&fake->lab, &experiment, &sample, &error);
}

/* Both ways are trusted. */
static void open_with_two_ways(struct fake_machine *fake, struct script *script,
                               struct hwc_event_record records[HWC_EVENT_COUNT])
{
    struct hwc_error error;

    fake_machine_open(fake, count, script);
    fake->counts = HWC_L1D_LOAD_MISS;
    fake->ways = 2;
    assert_int_equal(hwc_qualify_events(&fake->lab, records, &error), HWC_OK);
}

/* The next way takes its place; the clock, where there is none. */
static void a_counter_that_stopped_is_replaced(void **state)
{
    struct hwc_event_record records[HWC_EVENT_COUNT];
    struct script script = {0};
    struct fake_machine fake;
    struct hwc_error error;

    (void)state;
    open_with_two_ways(&fake, &script, records);
    for (unsigned way = 0; way < 2; way++) {
        assert_int_equal(records[HWC_L1D_LOAD_MISS].counter[5], '0' + way);
        assert_int_equal(count_once(&fake, &script, true), HWC_UNAVAILABLE);
        assert_int_equal(count_once(&fake, &script, false), HWC_OK); /* it was in the way for a moment */
        assert_false(hwc_has_any_stopped(&fake.lab, records));
        assert_int_equal(count_once(&fake, &script, true), HWC_UNAVAILABLE);
        assert_true(hwc_has_any_stopped(&fake.lab, records));
        script.stopped = false;
        assert_int_equal(hwc_replace_stopped(&fake.lab, records, &error), HWC_OK);
        assert_false(hwc_has_any_stopped(&fake.lab, records));
        assert_int_equal(hwc_counts_events(&fake.lab.witness[1]), way == 0);
        assert_non_null(strstr(fake.lab.notes.text[way], "stopped counting: the counter is taken"));
    }
    assert_int_equal(records[HWC_L1D_LOAD_MISS].status, HWC_EVENT_REJECTED);
    fake_machine_close(&fake);
}

/* The clock takes its place, though there is another way. */
static void a_counter_that_stopped_is_believed_no_more_where_too_many_did(void **state)
{
    struct hwc_event_record records[HWC_EVENT_COUNT];
    const struct hwc_event_record *record = &records[HWC_L1D_LOAD_MISS];
    struct script script = {0};
    struct fake_machine fake;
    struct hwc_error error;

    (void)state;
    open_with_two_ways(&fake, &script, records);
    fake.lab.ways_given_up = HWC_MOST_GIVEN_UP;
    assert_int_equal(count_once(&fake, &script, true), HWC_UNAVAILABLE);
    assert_true(hwc_has_any_stopped(&fake.lab, records));
    assert_int_equal(hwc_replace_stopped(&fake.lab, records, &error), HWC_OK);
    assert_int_equal(record->status, HWC_EVENT_REJECTED);
    assert_string_equal(record->reason, "stopped counting: the counter is taken");
    assert_false(hwc_has_any_stopped(&fake.lab, records));
    assert_false(hwc_counts_events(&fake.lab.witness[1]));
    fake_machine_close(&fake);
}

/* An event is believed for its count of misses, and no more once it turns out to be another level's. */
static void what_is_believed_no_more_answers_no_more(void **state)
{
    const enum hwc_event events[] = {HWC_L2_MISS, HWC_DTLB_MISS, HWC_L2I_MISS, HWC_L1D_WRITEBACK};
    struct hwc_event_record records[HWC_EVENT_COUNT] = {0};
    struct hwc_lab lab = {0};

    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        records[events[i]] = (struct hwc_event_record){.event = events[i], .status = HWC_EVENT_TRUSTED, .factor = 1};
    for (int believed = 1; believed >= 0; believed--) {
        hwc_choose_witnesses(&lab, records);
        assert_int_equal(hwc_counts_events(&lab.witness[2]), believed);
        assert_int_equal(hwc_counts_events(&lab.structure_witness[HWC_DTLB1]), believed);
        assert_int_equal(hwc_counts_events(&lab.structure_witness[HWC_L2I]), believed);
        assert_int_equal(hwc_counts_events(&lab.writeback[1]), believed);
        for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
            records[events[i]].status = HWC_EVENT_REJECTED;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counting_costs_is_taken_off),
        cmocka_unit_test(what_others_do_is_seen),
        cmocka_unit_test(disturbed_samples_say_nothing),
        cmocka_unit_test(what_is_always_disturbed_is_not_believed),
        cmocka_unit_test(a_counter_that_stopped_is_replaced),
        cmocka_unit_test(a_counter_that_stopped_is_believed_no_more_where_too_many_did),
        cmocka_unit_test(what_is_believed_no_more_answers_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
