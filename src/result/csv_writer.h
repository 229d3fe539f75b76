/* Values of CSV. */
#ifndef HWC_CSV_WRITER_H
#define HWC_CSV_WRITER_H

#include <stdbool.h>
#include <stdio.h>

/* Quoted only where CSV needs it. */
void hwc_csv_text(FILE *stream, const char *text);
void hwc_csv_number(FILE *stream, double value);

/* A further column, which stays empty unless `there`. */
void hwc_csv_column(FILE *stream, bool there, const char *text);
void hwc_csv_column_number(FILE *stream, bool there, double value);

#endif
