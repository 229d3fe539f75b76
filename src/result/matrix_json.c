#include "matrix_json.h"

#include <math.h>
#include <string.h>

#include "finding_read.h"
#include "strict_json.h"

static json_t *rows_json(struct hwc_json_writer *writer, const double *values, size_t count)
{
    json_t *rows = json_array();

    for (size_t row = 0; row < count; row++) {
        json_t *cells = json_array();
        for (size_t i = row * count; i < (row + 1) * count; i++)
            hwc_json_append(writer, cells, "matrices", isnan(values[i]) ? json_null() : hwc_json_number(values[i]));
        hwc_json_append(writer, rows, "matrices", cells);
    }
    return rows;
}

static json_t *matrix_json(struct hwc_json_writer *writer, const struct hwc_matrix *matrix)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "name", matrix->name, "what", matrix->what, "unit", matrix->unit,
                             "of", matrix->of);
    json_t *labels = json_array();

    for (size_t i = 0; i < matrix->count; i++)
        hwc_json_append(writer, labels, "matrices", hwc_json_words(matrix->label[i]));
    hwc_json_set(writer, json, "labels", labels);
    hwc_json_set(writer, json, "rows", rows_json(writer, matrix->value, matrix->count));
    if (matrix->least != NULL)
        hwc_json_set(writer, json, "least", rows_json(writer, matrix->least, matrix->count));
    if (matrix->documented != NULL)
        hwc_json_set(writer, json, "documented", rows_json(writer, matrix->documented, matrix->count));
    return json;
}

json_t *hwc_matrices_json(struct hwc_json_writer *writer, const struct hwc_matrices *matrices)
{
    json_t *list = json_array();

    for (size_t i = 0; i < matrices->count; i++)
        hwc_json_append(writer, list, "matrices", matrix_json(writer, matrices->matrix[i]));
    return list;
}

static int read_rows(struct hwc_object *object, const char *key, size_t count, double *values, struct hwc_error *error)
{
    const json_t *rows = hwc_object_take(object, key);

    if (!json_is_array(rows) || json_array_size(rows) != count)
        return hwc_object_fault(object, key, error, "must be a list of as many rows as there are labels");
    for (size_t row = 0; row < count; row++) {
        const json_t *cells = json_array_get(rows, row);
        if (!json_is_array(cells) || json_array_size(cells) != count)
            return hwc_object_fault(object, key, error, "must have as many columns as rows");
        for (size_t column = 0; column < count; column++) {
            const json_t *cell = json_array_get(cells, column);
            if (!json_is_number(cell) && !json_is_null(cell))
                return hwc_object_fault(object, key, error, "must be numbers, or null");
            values[row * count + column] = json_is_null(cell) ? NAN : json_number_value(cell);
        }
    }
    return HWC_OK;
}

static int take_labels(const struct hwc_object *object, const json_t *labels, struct hwc_matrix *matrix,
                       struct hwc_error *error)
{
    for (size_t i = 0; i < matrix->count; i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (label == NULL)
            return hwc_object_fault(object, "labels", error, "must be a list of texts");
        if (strlen(label) >= sizeof matrix->label[i])
            return hwc_object_fault(object, "labels", error, "must have %zu bytes at most", sizeof matrix->label[i] - 1);
        hwc_write(matrix->label[i], sizeof matrix->label[i], "%s", label);
    }
    return HWC_OK;
}

static int read_matrix(json_t *json, const char *where, struct hwc_matrices *matrices, struct hwc_error *error)
{
    struct hwc_object object;
    struct hwc_matrix *matrix;
    const json_t *labels;

    TRY(hwc_object_open(&object, json, where, error));
    labels = hwc_object_take(&object, "labels");
    if (!json_is_array(labels))
        return hwc_object_fault(&object, "labels", error, "must be a list of texts");
    TRY(hwc_matrix_add(matrices, "", json_array_size(labels), &matrix, error));
    TRY(hwc_take_text(&object, "name", true, matrix->name, sizeof matrix->name, error));
    TRY(hwc_take_text(&object, "what", true, matrix->what, sizeof matrix->what, error));
    TRY(hwc_take_text(&object, "unit", true, matrix->unit, sizeof matrix->unit, error));
    TRY(hwc_take_text(&object, "of", true, matrix->of, sizeof matrix->of, error));
    TRY(take_labels(&object, labels, matrix, error));
    TRY(read_rows(&object, "rows", matrix->count, matrix->value, error));
    if (json_object_get(json, "least") != NULL) {
        TRY(hwc_matrix_keep_least(matrix, error));
        TRY(read_rows(&object, "least", matrix->count, matrix->least, error));
    }
    if (json_object_get(json, "documented") != NULL) {
        TRY(hwc_matrix_document(matrix, error));
        TRY(read_rows(&object, "documented", matrix->count, matrix->documented, error));
    }
    return hwc_object_close(&object, error);
}

int hwc_matrices_read(json_t *list, struct hwc_matrices *matrices, struct hwc_error *error)
{
    char where[HWC_WHERE];

    for (size_t i = 0; i < json_array_size(list); i++) {
        hwc_write(where, sizeof where, "matrices[%zu]", i);
        TRY(read_matrix(json_array_get(list, i), where, matrices, error));
    }
    return HWC_OK;
}
