#include "matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

static int no_memory(struct hwc_error *error)
{
    return hwc_fail(error, HWC_NO_MEMORY, "no memory for a matrix");
}

static double *unknown(size_t count)
{
    double *values = calloc(count * count + 1, sizeof *values);

    for (size_t i = 0; values != NULL && i < count * count; i++)
        values[i] = NAN;
    return values;
}

static void free_matrix(struct hwc_matrix *matrix)
{
    if (matrix == NULL)
        return;
    free(matrix->label);
    free(matrix->value);
    free(matrix->least);
    free(matrix->documented);
    free(matrix);
}

static struct hwc_matrix *new_matrix(const char *name, size_t count)
{
    struct hwc_matrix *matrix = calloc(1, sizeof *matrix);

    if (matrix == NULL)
        return NULL;
    hwc_write(matrix->name, sizeof matrix->name, "%s", name);
    matrix->count = count;
    matrix->label = calloc(count + 1, sizeof *matrix->label);
    matrix->value = unknown(count);
    if (matrix->label != NULL && matrix->value != NULL)
        return matrix;
    free_matrix(matrix);
    return NULL;
}

int hwc_matrix_add(struct hwc_matrices *matrices, const char *name, size_t count, struct hwc_matrix **matrix,
                   struct hwc_error *error)
{
    struct hwc_matrix **list =
        hwc_grow_list(matrices->matrix, matrices->count, &matrices->room, sizeof(struct hwc_matrix *));

    if (list == NULL)
        return no_memory(error);
    matrices->matrix = list;
    *matrix = new_matrix(name, count);
    if (*matrix == NULL)
        return no_memory(error);
    list[matrices->count++] = *matrix;
    return HWC_OK;
}

int hwc_matrix_keep_least(struct hwc_matrix *matrix, struct hwc_error *error)
{
    matrix->least = unknown(matrix->count);
    return matrix->least != NULL ? HWC_OK : no_memory(error);
}

int hwc_matrix_document(struct hwc_matrix *matrix, struct hwc_error *error)
{
    matrix->documented = unknown(matrix->count);
    return matrix->documented != NULL ? HWC_OK : no_memory(error);
}

const struct hwc_matrix *hwc_matrix_find(const struct hwc_matrices *matrices, const char *name)
{
    for (size_t i = matrices->count; i > 0; i--)
        if (strcmp(matrices->matrix[i - 1]->name, name) == 0)
            return matrices->matrix[i - 1];
    return NULL;
}

void hwc_matrices_cut(struct hwc_matrices *matrices, size_t n)
{
    while (matrices->count > n)
        free_matrix(matrices->matrix[--matrices->count]);
}

void hwc_matrices_free(struct hwc_matrices *matrices)
{
    hwc_matrices_cut(matrices, 0);
    free(matrices->matrix);
    *matrices = (struct hwc_matrices){0};
}
