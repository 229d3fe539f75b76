/* Curves as tables: a row for each series, a column for each value of x. */
#ifndef HWC_CURVE_TABLE_H
#define HWC_CURVE_TABLE_H

#include <stdio.h>

#include "curve.h"
#include "error.h"

/* Columns that no line of so many characters holds go on below the others. May return HWC_NO_MEMORY. */
int hwc_curve_write_table(const struct hwc_curve *curve, unsigned width, FILE *stream, struct hwc_error *error);

#endif
