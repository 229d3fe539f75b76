/* Profiles: what is written as JSON reads back unchanged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "profile_as_text.h"
#include "profile_json.h"
#include "profile_read.h"
#include "random.h"

static struct hwc_random random_numbers;

static unsigned below(unsigned bound)
{
    return (unsigned)hwc_random_below(&random_numbers, bound);
}

static double any_number(void)
{
    switch (below(4)) {
    case 0:
        return below(1000);
    case 1:
        return (double)(hwc_random_next(&random_numbers) >> 11); /* up to 2^53 */
    case 2:
        return below(100000) / 100.0;
    default:
        return ldexp((double)hwc_random_next(&random_numbers), (int)below(200) - 150);
    }
}

/* With characters that JSON must escape, and UTF-8. */
static void any_text(char *text, size_t size, size_t least)
{
    static const char *const parts[] = {"a",  "Z",  "0",    "-",        ":",           "\"",
                                        "\\", "\n", "\x01", "\xc3\xa9", "\xe2\x82\xac", "/"};
    size_t length = least + below(12);

    text[0] = '\0';
    for (size_t i = 0; i < length; i++)
        if (strlen(text) + 4 < size)
            strncat(text, parts[below(sizeof parts / sizeof parts[0])], size - strlen(text) - 1);
}

static void any_alternatives(struct hwc_record *record, struct hwc_finding *finding)
{
    unsigned names = below(4);

    record->policies[0] = '\0';
    for (unsigned i = 0; i < names; i++)
        snprintf(record->policies + strlen(record->policies), 40, "%sQLRU_H%u", i > 0 ? " " : "", below(100));
    finding->alternatives = names > 0 ? record->policies : NULL;
}

static void any_value(struct hwc_record *record, struct hwc_finding *finding, enum hwc_value_kind kind)
{
    finding->value = kind == HWC_VALUE_BOOLEAN  ? below(2)
                     : kind == HWC_VALUE_CYCLES ? any_number() - any_number()
                     : kind == HWC_VALUE_RATE || kind == HWC_VALUE_FREQUENCY ? fabs(any_number())
                                                : floor(fabs(any_number()));
    if (kind == HWC_VALUE_WORD)
        any_text(finding->text, sizeof finding->text, 1);
    if (kind == HWC_VALUE_WORD)
        any_alternatives(record, finding);
    finding->witness = (enum hwc_witness_kind)(HWC_COUNTER + below(3));
    if (below(2) == 0)
        return;
    snprintf(finding->event, sizeof finding->event, "%s", hwc_event_name((enum hwc_event)below(HWC_EVENT_COUNT)));
    any_text(finding->counter, sizeof finding->counter, 1);
}

static void any_rounds(struct hwc_finding *finding, enum hwc_value_kind kind)
{
    finding->rounds = below(HWC_MOST_ROUNDS + 1);
    for (unsigned i = 0; i < finding->rounds; i++) {
        struct hwc_round *round = &finding->round[i];
        *round = (struct hwc_round){.cast = below(9), .abstained = below(9), .disturbed = below(9)};
        round->values = kind == HWC_VALUE_WORD ? 0 : below(HWC_ROUND_VALUES + 1);
        for (unsigned k = 0; k < round->values; k++) {
            round->value[k].value = any_number();
            round->value[k].votes = below(9);
        }
    }
}

static void any_finding(struct hwc_record *record, enum hwc_field_id id)
{
    struct hwc_finding *finding = &record->finding[id];

    finding->asked = below(4) > 0;
    finding->known = below(2) == 0;
    if (finding->known)
        any_value(record, finding, hwc_fields[id].kind);
    else
        any_text(finding->reason, sizeof finding->reason, 0);
    finding->why = finding->known ? HWC_WHY_NOT_SAID : (enum hwc_why)below(HWC_WHYS);
    finding->has_interval = below(3) == 0;
    if (finding->has_interval) {
        finding->low = any_number();
        finding->high = finding->low + any_number();
        finding->witness = (enum hwc_witness_kind)(HWC_COUNTER + below(3));
    }
    finding->votes = below(20);
    finding->alike = finding->votes > 0 ? below(finding->votes) : 0;
    any_rounds(finding, hwc_fields[id].kind);
    finding->has_documented = below(2) == 0;
    finding->documented = any_number();
    finding->nanoseconds = below(2) * any_number();
    finding->seconds = below(100000000) / 1e4 + 1e-6 * below(100);
}

static void any_records(struct hwc_record *records, unsigned *count, unsigned most, enum hwc_group group)
{
    *count = below(most + 1);
    for (unsigned i = 0; i < *count; i++) {
        records[i].level = group == HWC_OF_TLB ? 1 + below(2) : i + 1;
        records[i].code = group == HWC_OF_TLB && below(2) == 0;
        records[i].large = group == HWC_OF_TLB && below(2) == 0;
        HWC_EACH_FIELD(id, group) {
            any_finding(&records[i], id);
        }
    }
}

static void any_events(struct hwc_profile *profile)
{
    profile->events = below(HWC_EVENT_COUNT);
    for (unsigned i = 0; i < profile->events; i++) {
        struct hwc_event_record *record = &profile->event[i];
        record->event = (enum hwc_event)below(HWC_EVENT_COUNT);
        record->status = (enum hwc_event_status)below(4);
        any_text(record->counter, sizeof record->counter, 0);
        any_text(record->quality, sizeof record->quality, 0);
        any_text(record->reason, sizeof record->reason, 0);
        record->expected = below(2) * any_number();
        record->counted = any_number();
        record->overhead = any_number();
        record->factor = any_number();
    }
}

static void any_host(struct hwc_host *host)
{
    any_text(host->name, sizeof host->name, 0);
    any_text(host->arch, sizeof host->arch, 0);
    any_text(host->cpu_model, sizeof host->cpu_model, 0);
    any_text(host->hypervisor, sizeof host->hypervisor, 0);
    any_text(host->kernel, sizeof host->kernel, 0);
    any_text(host->time, sizeof host->time, 0);
    host->cpu = (int)below(4) - 1;
}

static void any_curve(struct hwc_curves *curves)
{
    struct hwc_error error = {0};
    struct hwc_series *series;
    struct hwc_curve *curve;

    assert_int_equal(hwc_curve_add(curves, "", "", "", "", &curve, &error), HWC_OK);
    any_text(curve->name, sizeof curve->name, 0);
    any_text(curve->type, sizeof curve->type, 0);
    any_text(curve->x.name, sizeof curve->x.name, 0);
    any_text(curve->x.unit, sizeof curve->x.unit, 0);
    for (unsigned i = below(20); i > 0; i--) {
        assert_int_equal(hwc_series_add(curve, "misses", "", &series, &error), HWC_OK);
        any_text(series->how, sizeof series->how, 0);
        series->witness = (enum hwc_witness_kind)below(HWC_SYSTEM_WITNESS);
        for (unsigned k = below(20); k > 0; k--)
            assert_int_equal(hwc_point_add(series, any_number(), any_number(), &error), HWC_OK);
    }
    for (unsigned i = below(20); i > 0; i--) {
        struct hwc_read_off read_off = {.axis = {"L1 size", "bytes"}, .known = below(2) == 0, .shows = below(2) == 0};
        any_text(read_off.series, sizeof read_off.series, 0);
        if (read_off.known)
            read_off.value = any_number();
        else
            any_text(read_off.reason, sizeof read_off.reason, 0);
        read_off.at = any_number();
        read_off.has_interval = below(2) == 0;
        read_off.low = any_number();
        read_off.high = read_off.low + any_number();
        assert_int_equal(hwc_read_off_add(curve, &read_off, &error), HWC_OK);
    }
}

static void close_profile(struct hwc_profile *profile)
{
    hwc_profile_close(profile);
    free(profile);
}

static void any_instruction(struct hwc_profile *profile)
{
    char name[20], type[12];
    struct hwc_record *record;
    unsigned one = 0;

    any_text(name, sizeof name, 1);
    any_text(type, sizeof type, 1);
    record = hwc_profile_add_instruction(profile, name, type);
    assert_non_null(record);
    while (one == 0)
        any_records(record, &one, 1, HWC_OF_INSTRUCTION);
    record->level = profile->instructions;
}

static struct hwc_profile *any_profile(void)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    unsigned one;

    assert_non_null(profile);
    any_text(profile->version, sizeof profile->version, 0);
    any_host(&profile->host);
    snprintf(profile->backend, sizeof profile->backend, "perf");
    any_text(profile->backend_reason, sizeof profile->backend_reason, 0);
    any_events(profile);
    any_records(profile->cache, &profile->caches, HWC_MAX_CACHE_LEVEL, HWC_OF_CACHE);
    any_records(profile->code_cache, &profile->code_caches, HWC_MAX_CACHE_LEVEL, HWC_OF_CODE_CACHE);
    any_records(profile->tlb, &profile->tlbs, HWC_MAX_TLBS, HWC_OF_TLB);
    any_records(profile->btb, &profile->btbs, HWC_MAX_BTBS, HWC_OF_BTB);
    do
        any_records(&profile->memory, &one, 1, HWC_OF_MEMORY);
    while (one == 0);
    profile->memory.level = 0;
    do
        any_records(&profile->core, &one, 1, HWC_OF_CORE);
    while (one == 0);
    profile->core.level = 0;
    for (unsigned i = below(4); i > 0; i--)
        any_instruction(profile);
    for (unsigned i = below(2) * below(12); i > 0; i--)
        any_curve(&profile->curves);
    for (unsigned i = below(4); i > 0; i--)
        hwc_note(&profile->notes, "note %u", i);
    return profile;
}

/* The length of the common prefix. */
static size_t common(const char *one, const char *other)
{
    size_t i = 0;

    while (one[i] != '\0' && one[i] == other[i])
        i++;
    return i;
}

static void what_is_written_reads_back_the_same(void **state)
{
    struct hwc_profile *again = malloc(sizeof *again);

    (void)state;
    assert_non_null(again);
    for (int i = 0; i < 300; i++) {
        struct hwc_profile *profile = any_profile();
        char *first = written(profile, hwc_profile_write_json), *second;
        struct hwc_error error = {0};
        if (read_text(first, again, &error) != HWC_OK)
            fail_msg("profile %d: %s\n%s", i, error.message, first);
        second = written(again, hwc_profile_write_json);
        if (strcmp(first, second) != 0)
            fail_msg("profile %d, at byte %zu: %.200s\nand again %.200s", i, common(first, second),
                     first + common(first, second), second + common(first, second));
        free(first);
        free(second);
        hwc_profile_close(again);
        close_profile(profile);
    }
    free(again);
}

/* Compares findings in memory, not only their text. */
static void values_survive(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile), *again = malloc(sizeof *again);
    struct hwc_finding *size = &profile->cache[0].finding[HWC_CACHE_SIZE];
    struct hwc_finding *latency = &profile->memory.finding[HWC_MEMORY_LATENCY];
    struct hwc_error error = {0};
    char *text;

    (void)state;
    profile->caches = profile->cache[0].level = 1;
    *size = (struct hwc_finding){.asked = true, .has_interval = true, .low = 3565158, .high = 4404019,
                                 .witness = HWC_CLOCK, .why = HWC_WHY_INCONCLUSIVE, .reason = "noise"};
    *latency = (struct hwc_finding){.asked = true, .known = true, .value = 0.1, .witness = HWC_CLOCK, .seconds = 0.25};
    text = written(profile, hwc_profile_write_json);
    assert_int_equal(read_text(text, again, &error), HWC_OK);
    assert_memory_equal(&again->cache[0].finding[HWC_CACHE_SIZE], size, sizeof *size);
    assert_true(again->memory.finding[HWC_MEMORY_LATENCY].value == 0.1);
    assert_null(strstr(text, "0.10000")); /* no more digits than needed */
    free(text);
    free(again);
    free(profile);
}

static void what_is_no_number_is_not_written(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    struct hwc_profile *profile = calloc(1, sizeof *profile);

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct hwc_finding *finding = &profile->memory.finding[HWC_MEMORY_LATENCY];
        struct hwc_error error = {0};
        char text[64] = "";
        FILE *stream = fmemopen(text, sizeof text, "w");
        *finding = (struct hwc_finding){.asked = true, .known = true, .value = values[i], .witness = HWC_CLOCK};
        assert_int_equal(hwc_profile_write_json(profile, stream, &error), HWC_SYSTEM);
        assert_non_null(strstr(error.message, "\"value\""));
        fclose(stream);
        assert_string_equal(text, "");
    }
    free(profile);
}

#define HOST                                                                                                           \
    "\"host\":{\"name\":\"n\",\"arch\":\"a\",\"cpu_model\":null,\"hypervisor\":null,\"kernel\":\"k\"," \
    "\"cpu\":1,\"time\":\"t\"}"
#define COUNTERS "\"counters\":{\"backend\":\"none\",\"reason\":null,\"events\":[]}"
#define TOP "{\"schema\":\"hwchar-profile/1\",\"tool\":{\"name\":\"hwchar\",\"version\":\"1\"}," HOST ","
#define REST "\"tlbs\":[],\"memory\":{},\"core\":{},\"curves\":[],\"notes\":[]}"
#define CURVE(more)                                                                                                    \
    TOP COUNTERS ",\"caches\":[],\"tlbs\":[],\"memory\":{},\"core\":{},\"curves\":[{\"name\":\"n\"," \
    "\"type\":\"int\",\"x\":{\"name\":\"size\",\"unit\":\"bytes\"},\"series\":[{\"name\":\"m\"," \
    "\"unit\":\"misses\",\"witness\":\"clock\",\"points\":[[1,2]]}]," more "}],\"notes\":[]}"
#define READ_OFF "{\"name\":\"L1 size\",\"unit\":\"bytes\","
#define CACHE(finding) TOP COUNTERS ",\"caches\":[{\"level\":1,\"kind\":\"data\",\"size\":{" finding "}}]," REST
#define GOOD "\"value\":32768,\"unit\":\"bytes\",\"witness\":\"clock\",\"seconds\":0"

static void bad_input_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text, *complaint; /* NULL = it is good */
    } rows[] = {
        {CACHE(GOOD), NULL},
        {CACHE("\"value\":null,\"reason\":\"r\",\"seconds\":0"), NULL},
        {"", "line 1"},
        {"[]", "top level: must be an object"},
        {CACHE(GOOD) "x", "line 1"},
        {"{\"schema\":\"hwchar-profile/2\"}", "schema: is \"hwchar-profile/2\""},
        {TOP COUNTERS "," REST, "caches: is missing"},
        {TOP COUNTERS ",\"caches\":{}," REST, "caches: must be a list"},
        {TOP COUNTERS ",\"caches\":[1]," REST, "caches[0]: must be an object"},
        {TOP COUNTERS ",\"caches\":[{\"level\":2,\"kind\":\"data\"}]," REST, "caches[0].level: is 2"},
        {TOP COUNTERS ",\"caches\":[{\"level\":1,\"kind\":\"green\"}]," REST, "caches[0].kind: \"green\""},
        {TOP COUNTERS ",\"caches\":[{\"level\":1,\"kind\":\"data\",\"colour\":1}]," REST, "unknown key \"colour\""},
        {CACHE(GOOD ",\"mood\":1"), "caches[0].size: unknown key \"mood\""},
        {CACHE("\"unit\":\"bytes\""), "caches[0].size.value: is missing"},
        {CACHE("\"value\":1.5,\"unit\":\"bytes\",\"witness\":\"clock\",\"seconds\":0"), "size.value: must be a whole"},
        {CACHE("\"value\":true,\"unit\":\"bytes\",\"witness\":\"clock\",\"seconds\":0"), "value: must be a number"},
        {CACHE("\"value\":-1,\"unit\":\"bytes\",\"witness\":\"clock\",\"seconds\":0"), "size.value: is -1"},
        {CACHE("\"value\":1,\"unit\":\"ways\",\"witness\":\"clock\",\"seconds\":0"), "size.unit: is \"ways\""},
        {CACHE("\"value\":1,\"unit\":\"bytes\",\"witness\":\"oracle\",\"seconds\":0"), "size.witness: \"oracle\""},
        {CACHE("\"value\":1,\"unit\":\"bytes\",\"witness\":\"clock\""), "size.seconds: is missing"},
        {CACHE("\"value\":null,\"seconds\":0"), "size.reason: is missing"},
        {CACHE("\"value\":null,\"reason\":\"r\",\"kind\":\"whim\",\"seconds\":0"), "size.kind: \"whim\""},
        {CACHE(GOOD ",\"low\":1"), "size.high: is missing"},
        {CACHE(GOOD ",\"low\":2,\"high\":1"), "size.high: is 1"},
        {CACHE(GOOD ",\"agreement\":[8]"), "size.agreement: must be"},
        {CACHE(GOOD ",\"rounds\":[{\"cast\":1}]"), "size.rounds[0].abstained: is missing"},
        {CACHE(GOOD ",\"event\":\"luck\",\"counter\":\"c\""), "size.event: is \"luck\""},
        {CACHE(GOOD ",\"event\":\"l1d_miss\""), "size.counter: is missing"},
        {TOP "\"counters\":{\"backend\":\"none\",\"reason\":null,\"events\":[{\"event\":\"luck\"}]},"
             "\"caches\":[]," REST,
         "counters.events[0].event: is \"luck\""},
        {CURVE("\"read_off\":[" READ_OFF "\"value\":1}]"), NULL},
        {CURVE("\"read_off\":[" READ_OFF "\"value\":null}]"), "curves[0].read_off[0].reason: is missing"},
        {CURVE("\"read_off\":[" READ_OFF "\"at\":1}]"), "curves[0].read_off[0].value: "},
        {CURVE("\"read_off\":1"), "curves[0].read_off: must be a list"},
        {CURVE("\"mood\":1"), "curves[0]: unknown key \"mood\""},
    };
    struct hwc_profile *profile = malloc(sizeof *profile);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hwc_error error = {0};
        const char *text = rows[i].text[0] != '\0' ? rows[i].text : " ";
        int status = read_text(text, profile, &error);
        hwc_profile_close(profile);
        if (rows[i].complaint == NULL && status != HWC_OK)
            fail_msg("row %zu: %s", i, error.message);
        if (rows[i].complaint != NULL && (status != HWC_BAD_INPUT || strstr(error.message, rows[i].complaint) == NULL ||
                                          strchr(error.message, '\n') != NULL))
            fail_msg("row %zu, \"%s\": %d, %s", i, rows[i].complaint, status, error.message);
    }
    free(profile);
}

/* After one byte is changed, reading gives a profile or a one-line message. */
static void damage_is_read_or_refused(void **state)
{
    struct hwc_profile *again = malloc(sizeof *again);

    (void)state;
    for (int i = 0; i < 40; i++) {
        struct hwc_profile *profile = any_profile();
        char *text = written(profile, hwc_profile_write_json);
        size_t length = strlen(text);
        for (int k = 0; k < 50; k++) {
            struct hwc_error error = {0};
            size_t place = below((unsigned)length);
            char before = text[place];
            int status;
            text[place] = "0\"{}[],:-n9 x"[below(13)];
            status = read_text(text, again, &error);
            if (status != HWC_OK && (status != HWC_BAD_INPUT || strchr(error.message, '\n') != NULL))
                fail_msg("%d: %s", status, error.message);
            hwc_profile_close(again);
            text[place] = before;
        }
        free(text);
        close_profile(profile);
    }
    free(again);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    struct hwc_profile *profile = malloc(sizeof *profile);
    struct hwc_error error = {0};

    (void)state;
    assert_int_equal(hwc_profile_read_file("/nowhere/profile.json", profile, &error), HWC_BAD_INPUT);
    assert_non_null(strstr(error.message, "/nowhere/profile.json"));
    free(profile);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(values_survive),
        cmocka_unit_test(what_is_no_number_is_not_written),
        cmocka_unit_test(bad_input_is_refused_with_its_place),
        cmocka_unit_test(damage_is_read_or_refused),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);

    printf("seed %llu\n", (unsigned long long)seed);
    hwc_random_seed(&random_numbers, seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
