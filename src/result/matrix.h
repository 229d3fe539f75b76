/* Matrices: what was measured of pairs, such as of two CPUs. They are written for people and programs to look at; no
 * finding is read back from them. */
#ifndef HWC_MATRIX_H
#define HWC_MATRIX_H

#include <stddef.h>

#include "error.h"

enum { HWC_MATRIX_LABEL = 16 };

struct hwc_matrix {
    char name[32];  /* "core_to_core" */
    char what[192]; /* what a value says: "time of a line from one CPU to another" */
    char unit[16];
    char of[16]; /* what is paired: "CPU" */
    size_t count;
    char (*label)[HWC_MATRIX_LABEL]; /* of each row and column */
    double *value;      /* row by row; NAN = it was not measured, or nothing was learnt */
    double *least;      /* likewise, the least that was measured; NULL = it is not kept */
    double *documented; /* likewise, by what the system says; NULL = it says nothing of them */
};

/* All zero = none. */
struct hwc_matrices {
    size_t count, room;
    struct hwc_matrix **matrix;
};

/* Add a matrix without values or labels. It stays where it is until all are freed. May return HWC_NO_MEMORY. */
int hwc_matrix_add(struct hwc_matrices *matrices, const char *name, size_t count, struct hwc_matrix **matrix,
                   struct hwc_error *error);

/* Room for the least values, or for what is documented, all unknown. */
int hwc_matrix_keep_least(struct hwc_matrix *matrix, struct hwc_error *error);
int hwc_matrix_document(struct hwc_matrix *matrix, struct hwc_error *error);

static inline double *hwc_matrix_at(const struct hwc_matrix *matrix, size_t row, size_t column)
{
    return &matrix->value[row * matrix->count + column];
}

/* The last matrix of that name, or NULL. */
const struct hwc_matrix *hwc_matrix_find(const struct hwc_matrices *matrices, const char *name);

/* Keep the first `n`. */
void hwc_matrices_cut(struct hwc_matrices *matrices, size_t n);
void hwc_matrices_free(struct hwc_matrices *matrices);

#endif
