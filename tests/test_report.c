/* Reports: a stored profile as text and CSV, compared with golden files. HWC_UPDATE=1 writes the files anew. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold.h"
#include "profile_csv.h"
#include "profile_read.h"
#include "profile_text.h"
#include "show.h"

static struct hwc_profile *server;

static int read_server(void **state)
{
    struct hwc_error error = {0};

    (void)state;
    server = malloc(sizeof *server);
    if (server == NULL || hwc_profile_read_file(GOLDEN "/server.json", server, &error) != HWC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return -1;
    }
    return 0;
}

static int free_server(void **state)
{
    (void)state;
    hwc_profile_close(server);
    free(server);
    return 0;
}

static char *text_of_profile(const struct hwc_profile *profile, unsigned width, bool verbose)
{
    const struct hwc_text_style style = {.width = width, .verbose = verbose};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    hwc_profile_write_text(profile, &style, stream);
    fclose(stream);
    return text;
}

static char *text_of(unsigned width, bool verbose)
{
    return text_of_profile(server, width, verbose);
}

static char *contents(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);

    if (file == NULL)
        fail_msg("%s is missing: HWC_UPDATE=1 writes it", path);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Takes ownership of the text. */
static void assert_golden(char *text, const char *name)
{
    char path[512];
    char *golden;

    snprintf(path, sizeof path, "%s/%s", GOLDEN, name);
    if (getenv("HWC_UPDATE") != NULL) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
    }
    golden = contents(path);
    if (strcmp(text, golden) != 0)
        fail_msg("%s is\n%s\nand is now\n%s", name, golden, text);
    free(golden);
    free(text);
}

static void text_is_as_on_file(void **state)
{
    (void)state;
    assert_golden(text_of(100, false), "server.txt");
    assert_golden(text_of(60, false), "server.narrow.txt");
    assert_golden(text_of(100, true), "server.verbose.txt");
}

static void csv_is_as_on_file(void **state)
{
    struct hwc_error error = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(hwc_profile_write_csv(server, stream, &error), HWC_OK);
    fclose(stream);
    assert_golden(text, "server.csv");
}

/* Advance to the next word; returns its length, 0 at the end. */
static size_t next_word(const char **text)
{
    *text += strspn(*text, " \n");
    return strcspn(*text, " \n");
}

static void assert_same_words(const char *narrow, const char *wide, unsigned width)
{
    for (;;) {
        size_t length = next_word(&narrow), other = next_word(&wide);
        if (length != other || strncmp(narrow, wide, length) != 0)
            fail_msg("width %u: \"%.40s\" instead of \"%.40s\"", width, narrow, wide);
        if (length == 0)
            return;
        narrow += length;
        wide += length;
    }
}

static void assert_lines_fit(const char *text, unsigned width)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        /* The line of the host is not folded; a line of one word cannot be. */
        if (length > width && memchr(text + strspn(text, " "), ' ', length - strspn(text, " ")) != NULL &&
            strncmp(text, server->host.cpu_model, 8) != 0)
            fail_msg("width %u: %.*s", width, (int)length, text);
        if (length > 0 && text[length - 1] == ' ')
            fail_msg("width %u: spaces at the end of \"%.*s\"", width, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void no_word_is_cut_at_any_width(void **state)
{
    (void)state;
    for (int verbose = 0; verbose < 2; verbose++) {
        char *wide = text_of(10000, verbose != 0);
        for (unsigned width = 60; width < 160; width++) {
            char *narrow = text_of(width, verbose != 0);
            assert_same_words(narrow, wide, width);
            assert_lines_fit(narrow, width);
            free(narrow);
        }
        free(wide);
    }
}

static void why_there_are_no_counters_is_said_once(void **state)
{
    static const char reason[] = "this kernel sees no PMU: run on bare metal";
    const struct hwc_text_style style = {.width = 80};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    char *text = NULL, *first;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    (void)state;
    snprintf(profile->backend, sizeof profile->backend, "none");
    snprintf(profile->backend_reason, sizeof profile->backend_reason, "%s", reason);
    for (; profile->events < HWC_EVENT_COUNT; profile->events++) {
        struct hwc_event_record *record = &profile->event[profile->events];
        record->event = (enum hwc_event)profile->events;
        snprintf(record->reason, sizeof record->reason, "%s", reason);
    }
    hwc_events_write_text(profile, &style, stream);
    fclose(stream);
    first = strstr(text, reason);
    assert_non_null(first);
    assert_null(strstr(first + 1, reason));
    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        assert_non_null(strstr(text, hwc_event_name((enum hwc_event)i)));
    free(text);
    free(profile);
}

static void add_absent(struct hwc_profile *profile, const char *tried, const char *cause)
{
    struct hwc_event_record *record = &profile->event[profile->events];

    record->event = (enum hwc_event)profile->events++;
    snprintf(record->reason, sizeof record->reason, "%s%s", tried, cause);
    record->cause_at = strlen(tried);
}

/* A colon in a cause is no name of a counter that was tried. */
static void only_what_was_tried_is_left_out_of_a_cause(void **state)
{
    const struct hwc_text_style style = {.width = 100};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    (void)state;
    add_absent(profile, "skx::FIRST: ", "unit 0: it is taken");
    add_absent(profile, "skx::SECOND: ", "unit 0: it is taken");
    add_absent(profile, "", "perf: it is taken");
    add_absent(profile, "", "PAPI: it is taken");
    hwc_events_write_text(profile, &style, stream);
    fclose(stream);
    assert_non_null(strstr(text, "absent: l1d_load_miss l1d_store_miss\nunit 0: it is taken\n"));
    assert_non_null(strstr(text, "\nperf: it is taken\n"));
    assert_non_null(strstr(text, "\nPAPI: it is taken\n"));
    free(text);
    free(profile);
}

static void what_does_not_fit_ends_at_a_word(void **state)
{
    char text[20];

    (void)state;
    hwc_write(text, sizeof text, "%s", "nineteen characters");
    assert_string_equal(text, "nineteen characters");
    hwc_write(text, sizeof text, "%s", "one two three four five");
    assert_string_equal(text, "one two three ...");
    hwc_write(text, sizeof text, "%s", "averyverylongwordindeed and more");
    assert_string_equal(text, "averyverylongwo ...");
}

/* A level of which less can be used than is documented says so; one that keeps more with those above does not. */
static void less_than_the_documented_size_is_said(void **state)
{
    struct hwc_documented documented = {
        .caches = 1, .cache = {{.level = 1, .data = true, .instruction = true, .size_bytes = UINT64_C(32) << 20}}};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct hwc_finding *effective;
    char text[HWC_SHOWN];

    (void)state;
    assert_non_null(profile);
    profile->caches = 1;
    effective = &profile->cache[0].finding[HWC_CACHE_EFFECTIVE_SIZE];
    *effective = (struct hwc_finding){.asked = true, .has_interval = true, .low = 4 << 20, .high = 6 << 20};
    hwc_profile_document(profile, &documented);
    hwc_show_phrase(text, &hwc_fields[HWC_CACHE_EFFECTIVE_SIZE], effective);
    assert_string_equal(text, "4 to 6 MiB effective (documented: 32 MiB)");

    *effective = (struct hwc_finding){.asked = true, .has_interval = true, .low = 31 << 20, .high = 35 << 20};
    hwc_profile_document(profile, &documented);
    hwc_show_phrase(text, &hwc_fields[HWC_CACHE_EFFECTIVE_SIZE], effective);
    assert_string_equal(text, "31 to 35 MiB effective");

    *effective = (struct hwc_finding){.asked = true, .known = true, .value = 33 << 20};
    hwc_profile_document(profile, &documented);
    assert_false(effective->has_documented);
    *effective = (struct hwc_finding){.asked = true};
    hwc_profile_document(profile, &documented);
    assert_false(effective->has_documented);
    free(profile);
}

static void a_count_of_one_may_have_a_text_of_its_own(void **state)
{
    struct hwc_finding finding = {.asked = true, .known = true, .value = 1};
    char text[HWC_SHOWN];

    (void)state;
    hwc_show_phrase(text, &hwc_fields[HWC_CACHE_SHARED_BY], &finding);
    assert_string_equal(text, "private");
    finding.value = 8;
    hwc_show_phrase(text, &hwc_fields[HWC_CACHE_SHARED_BY], &finding);
    assert_string_equal(text, "shared by 8 CPUs");
    finding.known = false;
    hwc_show_phrase(text, &hwc_fields[HWC_CACHE_SHARED_BY], &finding);
    assert_string_equal(text, "");
}

/* A phrase too long for its column stands on its level's own line, not below columns that it has no value for. */
static void a_long_phrase_stays_on_its_line(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct hwc_finding *first, *second;
    char *text;

    (void)state;
    assert_non_null(profile);
    profile->caches = 2;
    first = profile->cache[0].finding;
    second = profile->cache[1].finding;
    profile->cache[0].level = 1;
    profile->cache[1].level = 2;
    first[HWC_CACHE_SIZE] = (struct hwc_finding){.asked = true, .known = true, .value = 32768};
    first[HWC_CACHE_ASSOCIATIVITY] = (struct hwc_finding){.asked = true, .known = true, .value = 8};
    first[HWC_CACHE_LATENCY] = (struct hwc_finding){.asked = true, .known = true, .value = 4};
    second[HWC_CACHE_EFFECTIVE_SIZE] = (struct hwc_finding){.asked = true,
                                                            .has_interval = true,
                                                            .low = 4 << 20,
                                                            .high = 6 << 20,
                                                            .has_documented = true,
                                                            .documented = 32 << 20};
    text = text_of_profile(profile, 64, false);
    assert_non_null(strstr(text, "L2       4 to 6 MiB effective (documented: 32 MiB)\n"));
    free(text);
    free(profile);
}

static void a_part_of_a_cycle_has_two_digits(void **state)
{
    static const struct {
        double value;
        const char *shown;
    } numbers[] = {{0.25, "0.25 cycles"}, {0.6667, "0.67 cycles"}, {0.999, "1.0 cycles"}, {4, "4.0 cycles"},
                   {0, "0.0 cycles"},     {250, "250 cycles"}};
    char text[HWC_SHOWN];

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        hwc_show_number(text, HWC_VALUE_CYCLES, numbers[i].value);
        assert_string_equal(text, numbers[i].shown);
    }
}

static void a_value_is_set_off_from_its_name(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    char *text;

    (void)state;
    assert_non_null(profile);
    HWC_EACH_FIELD(id, HWC_OF_CORE)
        profile->core.finding[id] = (struct hwc_finding){.asked = true, .known = true, .value = 1};
    text = text_of_profile(profile, 100, true);
    HWC_EACH_FIELD(id, HWC_OF_CORE) {
        char name[64];
        snprintf(name, sizeof name, "%s  ", hwc_fields[id].label);
        assert_non_null(strstr(text, name));
    }
    free(text);
    free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_cycle_has_two_digits),
        cmocka_unit_test(a_value_is_set_off_from_its_name),
        cmocka_unit_test(text_is_as_on_file),
        cmocka_unit_test(csv_is_as_on_file),
        cmocka_unit_test(no_word_is_cut_at_any_width),
        cmocka_unit_test(why_there_are_no_counters_is_said_once),
        cmocka_unit_test(only_what_was_tried_is_left_out_of_a_cause),
        cmocka_unit_test(what_does_not_fit_ends_at_a_word),
        cmocka_unit_test(a_count_of_one_may_have_a_text_of_its_own),
        cmocka_unit_test(a_long_phrase_stays_on_its_line),
        cmocka_unit_test(less_than_the_documented_size_is_said),
    };

    return cmocka_run_group_tests(tests, read_server, free_server);
}
