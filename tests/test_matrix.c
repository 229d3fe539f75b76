/* Matrices: as text in any width, in JSON and back, as CSV. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "matrix_text.h"
#include "profile_as_text.h"
#include "profile_csv.h"
#include "profile_html.h"
#include "profile_json.h"

enum { WIDTH = 80 };

/* Rows and columns i and k, of blocks of eight CPUs: 20 within, 100 between. */
static struct hwc_matrix *add(struct hwc_matrices *matrices, size_t count, const char *label)
{
    struct hwc_matrix *matrix;
    struct hwc_error error;

    assert_int_equal(hwc_matrix_add(matrices, "core_to_core", count, &matrix, &error), HWC_OK);
    hwc_write(matrix->what, sizeof matrix->what, "time of a line from one CPU to another");
    hwc_write(matrix->unit, sizeof matrix->unit, "ns");
    hwc_write(matrix->of, sizeof matrix->of, "CPU");
    for (size_t i = 0; i < count; i++) {
        hwc_write(matrix->label[i], sizeof matrix->label[i], "%s%zu", label, i);
        for (size_t k = 0; k < count; k++)
            if (i != k)
                *hwc_matrix_at(matrix, i, k) = i / 8 == k / 8 ? 20 : 100;
    }
    return matrix;
}

static char *text_of(const struct hwc_matrices *matrices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    hwc_matrices_write_text(matrices, false, WIDTH, stream);
    fclose(stream);
    return text;
}

static char *text_of_square(size_t count, const char *label)
{
    struct hwc_matrices matrices = {0};
    char *text;

    add(&matrices, count, label);
    text = text_of(&matrices);
    hwc_matrices_free(&matrices);
    return text;
}

static void assert_fits(const char *text)
{
    for (; *text != '\0'; text += strcspn(text, "\n") + 1)
        assert_true(strcspn(text, "\n") <= WIDTH);
}

static void two_cpus_are_a_table(void **state)
{
    struct hwc_matrices matrices = {0};
    struct hwc_matrix *matrix = add(&matrices, 2, "");
    char *text;

    (void)state;
    *hwc_matrix_at(matrix, 0, 1) = 58.25;
    text = text_of(&matrices);
    assert_string_equal(text, "core_to_core, ns: time of a line from one CPU to another\n"
                              "        0     1\n"
                              "  0     .  58.2\n"
                              "  1  20.0     .\n");
    free(text);
    hwc_matrices_free(&matrices);
}

static void long_labels_stand_before_the_rows(void **state)
{
    char *text = text_of_square(2, "multiply f6");

    (void)state;
    assert_non_null(strstr(text, "\n                      a     b\n"));
    assert_non_null(strstr(text, "\n  a  multiply f60     .  20.0\n  b  multiply f61  20.0     .\n"));
    free(text);
}

static void neighbours_are_joined_where_a_line_has_no_room(void **state)
{
    char *text = text_of_square(128, "");

    (void)state;
    assert_fits(text);
    assert_non_null(strstr(text, "(medians of"));
    assert_non_null(strstr(text, "-127"));
    free(text);
}

/* Eight rows of at least thirty-two that are joined do not make a median. */
static void all_that_is_joined_counts(void **state)
{
    struct hwc_matrices matrices = {0};
    struct hwc_matrix *matrix = add(&matrices, 512, "");
    char *text;

    (void)state;
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < matrix->count; k++)
            *hwc_matrix_at(matrix, i, k) = 900;
    text = text_of(&matrices);
    assert_non_null(strstr(text, "(medians of"));
    assert_null(strstr(text, "900"));
    free(text);
    hwc_matrices_free(&matrices);
}

static void every_size_fits(void **state)
{
    (void)state;
    for (size_t count = 1; count < 200; count += count < 24 ? 1 : 25) {
        char *text = text_of_square(count, "");
        assert_fits(text);
        free(text);
    }
}

static void fill(struct hwc_profile *profile)
{
    struct hwc_matrix *matrix = add(&profile->matrices, 3, "");
    struct hwc_error error;

    assert_int_equal(hwc_matrix_document(matrix, &error), HWC_OK);
    matrix->documented[1] = 1;
    assert_int_equal(hwc_matrix_keep_least(matrix, &error), HWC_OK);
    matrix->least[1] = 19;
    hwc_write(profile->backend, sizeof profile->backend, "none");
}

static void what_is_written_is_read(void **state)
{
    static struct hwc_profile profile, again;
    const struct hwc_matrix *matrix;
    struct hwc_error error;
    char *text;

    (void)state;
    memset(&profile, 0, sizeof profile);
    fill(&profile);
    text = written(&profile, hwc_profile_write_json);
    if (read_text(text, &again, &error) != HWC_OK)
        fail_msg("%s", error.message);
    matrix = hwc_matrix_find(&again.matrices, "core_to_core");
    assert_non_null(matrix);
    assert_int_equal(matrix->count, 3);
    assert_string_equal(matrix->label[2], "2");
    assert_true(isnan(*hwc_matrix_at(matrix, 1, 1)) && *hwc_matrix_at(matrix, 1, 2) == 20);
    assert_true(matrix->documented[1] == 1 && isnan(matrix->documented[2]));
    assert_true(matrix->least[1] == 19 && isnan(matrix->least[2]));
    free(text);
    hwc_profile_close(&profile);
    hwc_profile_close(&again);
}

/* The caller's to free. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    char *result = malloc(strlen(text) + strlen(to) + 1);

    assert_non_null(at);
    assert_non_null(result);
    sprintf(result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return result;
}

static void what_is_no_matrix_is_refused(void **state)
{
    static const char *const faults[][2] = {{"\"rows\": [", "\"rows\": [[1, 2, 3],"},
                                            {"\"labels\": [", "\"labels\": [7,"},
                                            {"\"2\"", "\"2 of sixteen byte\""},
                                            {"\"unit\": \"ns\"", "\"unit\": 3"}};
    static struct hwc_profile profile, again;
    struct hwc_error error;
    char *text;

    (void)state;
    memset(&profile, 0, sizeof profile);
    fill(&profile);
    text = written(&profile, hwc_profile_write_json);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char *broken = replaced(text, faults[i][0], faults[i][1]);
        assert_int_equal(read_text(broken, &again, &error), HWC_BAD_INPUT);
        assert_non_null(strstr(error.message, "matrices[0]"));
        hwc_profile_close(&again);
        free(broken);
    }
    free(text);
    hwc_profile_close(&profile);
}

static void cells_are_rows_of_csv_and_of_the_page(void **state)
{
    static struct hwc_profile profile;
    char *csv, *page;

    (void)state;
    memset(&profile, 0, sizeof profile);
    fill(&profile);
    csv = written(&profile, hwc_profile_write_csv);
    page = written(&profile, hwc_profile_write_html);
    assert_non_null(strstr(csv, "core_to_core,0 to 1,20,19,,ns,,,,,,1,,,,,,\n"));
    assert_non_null(strstr(csv, "core_to_core,1 to 2,20,,,ns,,,,,,,,,,,,\n"));
    assert_null(strstr(csv, "1 to 1"));
    assert_non_null(strstr(page, ">core_to_core, ns</h2>"));
    assert_non_null(strstr(page, ">20.0</td>"));
    free(csv);
    free(page);
    hwc_profile_close(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cpus_are_a_table),
        cmocka_unit_test(long_labels_stand_before_the_rows),
        cmocka_unit_test(neighbours_are_joined_where_a_line_has_no_room),
        cmocka_unit_test(all_that_is_joined_counts),
        cmocka_unit_test(every_size_fits),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_no_matrix_is_refused),
        cmocka_unit_test(cells_are_rows_of_csv_and_of_the_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
