/* Matrices in JSON. */
#ifndef HWC_MATRIX_JSON_H
#define HWC_MATRIX_JSON_H

#include <jansson.h>

#include "json_writer.h"
#include "matrix.h"

/* The list of matrices. */
json_t *hwc_matrices_json(struct hwc_json_writer *writer, const struct hwc_matrices *matrices);

/* Read such a list. HWC_BAD_INPUT names what is wrong, and where. */
int hwc_matrices_read(json_t *list, struct hwc_matrices *matrices, struct hwc_error *error);

#endif
