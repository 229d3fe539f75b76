/* Matrices as text. */
#ifndef HWC_MATRIX_TEXT_H
#define HWC_MATRIX_TEXT_H

#include <stdio.h>

#include "matrix.h"

/* Each as a table. Where a line of so many characters does not hold all columns, those of neighbours are joined: a cell
 * then is the median of theirs. `gap`: an empty line goes before the first. */
void hwc_matrices_write_text(const struct hwc_matrices *matrices, bool gap, unsigned width, FILE *stream);

/* So many decimals do for the largest value. */
int hwc_matrix_decimals(const struct hwc_matrix *matrix);

/* A cell as text; "." if it is not known. */
enum { HWC_MATRIX_CELL = 24 };
void hwc_matrix_show(char text[HWC_MATRIX_CELL], int decimals, double value);

#endif
