/* Validation: two profiles joined, the verdicts, what lies behind the differences, and the way into JSON and back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile_as_text.h"
#include "profile_csv.h"
#include "profile_json.h"
#include "profile_text.h"
#include "validate.h"

static struct hwc_finding value(enum hwc_witness_kind witness, double number)
{
    return (struct hwc_finding){.asked = true, .known = true, .witness = witness, .value = number};
}

static struct hwc_finding between(enum hwc_witness_kind witness, double low, double high)
{
    return (struct hwc_finding){.asked = true, .witness = witness, .has_interval = true, .low = low, .high = high,
                                .why = HWC_WHY_INCONCLUSIVE, .reason = "bounds only"};
}

static struct hwc_finding unknown(enum hwc_why why)
{
    return (struct hwc_finding){.asked = true, .why = why, .reason = "because"};
}

static struct hwc_finding word(const char *text, const char *alternatives)
{
    struct hwc_finding finding = {.asked = true, .known = true, .witness = HWC_CLOCK, .alternatives = alternatives};

    hwc_write(finding.text, sizeof finding.text, "%s", text);
    return finding;
}

static void assert_relation(enum hwc_value_kind kind, struct hwc_finding one, struct hwc_finding other,
                            enum hwc_relation relation)
{
    assert_int_equal(hwc_relate(kind, &one, &other), relation);
    assert_int_equal(hwc_relate(kind, &other, &one), relation);
}

static void findings_compare_by_what_is_known_of_them(void **state)
{
    const struct hwc_finding none = unknown(HWC_WHY_NOTHING), silent = unknown(HWC_WHY_INCONCLUSIVE);

    (void)state;
    assert_relation(HWC_VALUE_BYTES, value(HWC_COUNTER, 8192), value(HWC_CLOCK, 8192), HWC_SAME);
    assert_relation(HWC_VALUE_BYTES, value(HWC_COUNTER, 8192), value(HWC_CLOCK, 8256), HWC_APART);
    assert_relation(HWC_VALUE_CYCLES, value(HWC_COUNTER, 4), value(HWC_CLOCK, 4.5), HWC_SAME);
    assert_relation(HWC_VALUE_CYCLES, value(HWC_COUNTER, 100), value(HWC_CLOCK, 109), HWC_SAME);
    assert_relation(HWC_VALUE_CYCLES, value(HWC_COUNTER, 100), value(HWC_CLOCK, 112), HWC_APART);
    assert_relation(HWC_VALUE_BYTES, value(HWC_COUNTER, 4096), between(HWC_CLOCK, 3000, 5000), HWC_SAME);
    assert_relation(HWC_VALUE_BYTES, value(HWC_COUNTER, 8192), between(HWC_CLOCK, 3000, 5000), HWC_APART);
    assert_relation(HWC_VALUE_BYTES, between(HWC_COUNTER, 1000, 3500), between(HWC_CLOCK, 3000, 5000), HWC_SAME);
    assert_relation(HWC_VALUE_WORD, word("lru", NULL), word("fifo", "random lru"), HWC_SAME);
    assert_relation(HWC_VALUE_WORD, word("lru", NULL), word("tree-plru", "lru3"), HWC_APART);
    assert_relation(HWC_VALUE_BYTES, none, none, HWC_SAME);
    assert_relation(HWC_VALUE_BYTES, none, value(HWC_CLOCK, 8192), HWC_APART);
    assert_relation(HWC_VALUE_BYTES, silent, value(HWC_CLOCK, 8192), HWC_OPEN);
    assert_relation(HWC_VALUE_BYTES, silent, silent, HWC_OPEN);
}

static void assert_verdict(struct hwc_finding counter, struct hwc_finding clock, double documented,
                           enum hwc_says says, enum hwc_supported supports)
{
    struct hwc_verdict verdict;

    counter.has_documented = clock.has_documented = documented > 0;
    counter.documented = clock.documented = documented;
    hwc_judge_row(&hwc_fields[HWC_CACHE_SIZE], &counter, &clock, &verdict);
    assert_int_equal(verdict.says, says);
    assert_int_equal(verdict.supports, supports);
    assert_int_equal(verdict.why[0] == '\0', says == HWC_AGREE);
}

static void the_verdict_says_whom_the_evidence_supports(void **state)
{
    const struct hwc_finding silent = unknown(HWC_WHY_INCONCLUSIVE);

    (void)state;
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 4096), 4096, HWC_AGREE, HWC_SUPPORTS_NONE);
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 4096), 0, HWC_AGREE, HWC_SUPPORTS_NONE);
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 4096), 8192, HWC_DIFFER, HWC_SUPPORTS_COUNTER);
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 8192), 8192, HWC_DIFFER, HWC_SUPPORTS_CLOCK);
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 8192), 4096, HWC_DIFFER, HWC_SUPPORTS_COUNTER);
    assert_verdict(value(HWC_COUNTER, 4096), value(HWC_CLOCK, 8192), 0, HWC_DIFFER, HWC_SUPPORTS_NONE);
    assert_verdict(silent, value(HWC_CLOCK, 8192), 0, HWC_UNDECIDED, HWC_SUPPORTS_NONE);
    assert_verdict(silent, value(HWC_CLOCK, 8192), 8192, HWC_AGREE, HWC_SUPPORTS_CLOCK);
    assert_verdict(silent, value(HWC_CLOCK, 8192), 4096, HWC_DIFFER, HWC_SUPPORTS_CLOCK);
    assert_verdict(value(HWC_COUNTER, 8192), silent, 4096, HWC_DIFFER, HWC_SUPPORTS_COUNTER);
    assert_verdict(silent, silent, 4096, HWC_UNDECIDED, HWC_SUPPORTS_NONE);
}

static struct hwc_profile *measured_by(enum hwc_witness_kind witness, double last_size, double last_ways)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);

    assert_non_null(profile);
    hwc_write(profile->version, sizeof profile->version, "0.1.0");
    hwc_write(profile->backend, sizeof profile->backend, "%s", witness == HWC_COUNTER ? "simulated" : "none");
    hwc_write(profile->host.time, sizeof profile->host.time, "2026-11-28T12:00:00+00:00");
    profile->host.cpu = -1;
    profile->caches = 2;
    for (unsigned i = 0; i < 2; i++) {
        profile->cache[i].level = i + 1;
        profile->cache[i].finding[HWC_CACHE_SIZE] = value(witness, i == 0 ? 8192 : last_size);
        profile->cache[i].finding[HWC_CACHE_ASSOCIATIVITY] = value(witness, i == 0 ? 4 : last_ways);
        profile->cache[i].finding[HWC_CACHE_LATENCY] = value(HWC_CLOCK, i == 0 ? 4 : 14);
    }
    return profile;
}

static const struct hwc_documented documents = {
    .caches = 2,
    .cache = {{.level = 1, .data = true, .size_bytes = 8192, .ways = 4, .latency_cycles = 4},
              {.level = 2, .data = true, .size_bytes = 1 << 20, .ways = 16, .latency_cycles = 14}}};

/* Join the two; `clock` is freed, and may be NULL. */
static struct hwc_profile *validated(struct hwc_profile *profile, struct hwc_profile *clock)
{
    struct hwc_error error = {0};

    hwc_profile_document(profile, &documents);
    if (clock != NULL)
        hwc_profile_document(clock, &documents);
    assert_int_equal(hwc_validate(profile, clock, &documents, &error), HWC_OK);
    hwc_profile_free(clock);
    return profile;
}

static void assert_only(const struct hwc_profile *profile, enum hwc_cause cause, const char *of)
{
    assert_int_equal(profile->validation->differences, 1);
    assert_int_equal(profile->validation->difference[0].cause, cause);
    assert_string_equal(profile->validation->difference[0].of, of);
    assert_int_equal(hwc_differences_of_witnesses(profile->validation), cause == HWC_CAUSE_WITNESSES);
}

static void one_cause_stands_for_all_rows_that_it_explains(void **state)
{
    struct hwc_profile *profile;

    (void)state;
    profile = validated(measured_by(HWC_COUNTER, 1 << 20, 16), measured_by(HWC_CLOCK, 1 << 20, 16));
    assert_int_equal(profile->validation->differences, 0);
    assert_int_equal(profile->validation->rows, 6);
    hwc_profile_free(profile);
    profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), measured_by(HWC_CLOCK, 1 << 18, 4));
    assert_only(profile, HWC_CAUSE_PARTITION, "L2");
    hwc_profile_free(profile);
    profile = validated(measured_by(HWC_COUNTER, 1 << 19, 16), measured_by(HWC_CLOCK, 1 << 19, 16));
    assert_only(profile, HWC_CAUSE_DOCUMENTATION, "L2");
    hwc_profile_free(profile);
    profile = validated(measured_by(HWC_COUNTER, 1 << 19, 16), measured_by(HWC_CLOCK, 1 << 20, 16));
    assert_only(profile, HWC_CAUSE_WITNESSES, "L2");
    assert_true(profile->cache[1].finding[HWC_CACHE_SIZE].value == 1 << 20); /* the documented one, and the clock's */
    hwc_profile_free(profile);
}

static void where_the_witnesses_differ_no_document_explains_it(void **state)
{
    struct hwc_profile *profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), measured_by(HWC_CLOCK, 1 << 18, 8));

    (void)state;
    assert_int_equal(profile->validation->differences, 2);
    assert_int_equal(profile->validation->difference[0].cause, HWC_CAUSE_PARTITION);
    assert_int_equal(profile->validation->difference[1].cause, HWC_CAUSE_WITNESSES);
    assert_int_equal(hwc_differences_of_witnesses(profile->validation), 1);
    hwc_profile_free(profile);
}

static void what_the_clock_answered_is_no_answer_of_the_counters(void **state)
{
    struct hwc_profile *profile = measured_by(HWC_COUNTER, 1 << 20, 16);
    const struct hwc_validation *validation;

    (void)state;
    profile->cache[1].finding[HWC_CACHE_SIZE].witness = HWC_CLOCK;
    profile = validated(profile, measured_by(HWC_CLOCK, 1 << 20, 16));
    validation = profile->validation;
    for (unsigned i = 0; i < validation->rows; i++)
        if (validation->row[i].level == 2 && validation->row[i].field == HWC_CACHE_SIZE) {
            assert_false(validation->row[i].counter.known);
            assert_int_equal(validation->row[i].verdict.supports, HWC_SUPPORTS_CLOCK);
        }
    hwc_profile_free(profile);
}

static void without_counters_the_clock_is_held_against_the_documents(void **state)
{
    struct hwc_profile *profile = validated(measured_by(HWC_CLOCK, 1 << 18, 4), NULL);

    (void)state;
    assert_false(profile->validation->counters);
    assert_only(profile, HWC_CAUSE_PARTITION, "L2");
    hwc_profile_free(profile);
}

static void counts_bear_the_clock_out_where_what_fits_stays_and_more_does_not(void **state)
{
    static const struct {
        double fit_missed, more_missed;
        bool bears_out;
    } cases[] = {
        {0, 1, true}, {0.01, 0.12, true}, {0, 1.05, true},                   /* LRU, random, a little over-counted */
        {0, 0, false}, {0, 1.4, false}, {1, 1, false}, {0.3, 0.3, false}}; /* dead, over-counting, of another level */

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct hwc_walk_counts counts = {
            .any = true, .fit = 8, .fit_missed = cases[i].fit_missed, .more = 9, .more_missed = cases[i].more_missed};
        assert_int_equal(hwc_bears_out(&counts), cases[i].bears_out);
    }
}

/* The clock's, whose last level an event counts in its own walks. */
static struct hwc_profile *counted_beside(double more_missed)
{
    struct hwc_profile *profile = measured_by(HWC_CLOCK, 1 << 18, 4);

    profile->cache[1].finding[HWC_CACHE_ASSOCIATIVITY].counted = (struct hwc_walk_counts){
        .any = true, .event = HWC_L2_MISS, .fit = 4, .fit_missed = 0.001, .more = 5, .more_missed = more_missed};
    return profile;
}

static void a_validated_profile_reads_back(void **state)
{
    struct hwc_profile *profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), counted_beside(1));
    struct hwc_profile *again = calloc(1, sizeof *again);
    char *text = written(profile, hwc_profile_write_json), *second, *table;
    struct hwc_error error = {0};

    (void)state;
    if (read_text(text, again, &error) != HWC_OK)
        fail_msg("%s", error.message);
    second = written(again, hwc_profile_write_json);
    assert_string_equal(text, second);
    table = written(again, hwc_profile_write_csv);
    assert_non_null(strstr(table, ",262144,262144,differ,counter,"));
    assert_non_null(strstr(table, ",l2_miss,4,0.001,5,1\n"));
    free(text);
    free(second);
    free(table);
    hwc_profile_free(profile);
    hwc_profile_free(again);
}

static char *as_text(struct hwc_profile *profile)
{
    const struct hwc_text_style style = {.width = 200};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    hwc_profile_write_text(profile, &style, stream);
    fclose(stream);
    return text;
}

static void counts_that_speak_against_the_clock_are_told(void **state)
{
    struct hwc_profile *profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), counted_beside(1.4));
    char *text = as_text(profile);

    (void)state;
    assert_non_null(strstr(text, "l2_miss counts in the clock's walks: 0.1 % of 4 lines missed, 140 % of 5"));
    assert_non_null(strstr(text, "counted in the clock's own walks: 0 of 1 values are borne out, and not L2 "
                                 "associativity"));
    free(text);
    hwc_profile_free(profile);
    profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), counted_beside(1));
    text = as_text(profile);
    assert_null(strstr(text, "l2_miss"));
    assert_non_null(strstr(text, "counted in the clock's own walks: 1 of 1 values are borne out\n"));
    free(text);
    hwc_profile_free(profile);
}

static void the_text_begins_with_what_differs(void **state)
{
    struct hwc_profile *profile = validated(measured_by(HWC_COUNTER, 1 << 18, 4), measured_by(HWC_CLOCK, 1 << 18, 4));
    char *text = as_text(profile);

    (void)state;
    assert_non_null(strstr(text, "validation: 1 difference, from what is documented alone\n  L2: this machine gives you 256 KiB of the documented 1 MiB, "
                                 "in 4 of 16 ways"));
    assert_non_null(strstr(text, "4 agree; 0 undecided\n"));
    free(text);
    hwc_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_compare_by_what_is_known_of_them),
        cmocka_unit_test(the_verdict_says_whom_the_evidence_supports),
        cmocka_unit_test(one_cause_stands_for_all_rows_that_it_explains),
        cmocka_unit_test(where_the_witnesses_differ_no_document_explains_it),
        cmocka_unit_test(what_the_clock_answered_is_no_answer_of_the_counters),
        cmocka_unit_test(without_counters_the_clock_is_held_against_the_documents),
        cmocka_unit_test(counts_bear_the_clock_out_where_what_fits_stays_and_more_does_not),
        cmocka_unit_test(counts_that_speak_against_the_clock_are_told),
        cmocka_unit_test(a_validated_profile_reads_back),
        cmocka_unit_test(the_text_begins_with_what_differs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
