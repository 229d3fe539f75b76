#include "csv_writer.h"

#include <math.h>
#include <string.h>

/* Quoted only where CSV needs it. */
void hwc_csv_text(FILE *stream, const char *text)
{
    if (strpbrk(text, "\",\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void hwc_csv_number(FILE *stream, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        fprintf(stream, "%.0f", value);
    else
        fprintf(stream, "%.10g", value);
}

/* A column that stays empty unless `there`. */
void hwc_csv_column(FILE *stream, bool there, const char *text)
{
    fputc(',', stream);
    if (there)
        hwc_csv_text(stream, text);
}

void hwc_csv_column_number(FILE *stream, bool there, double value)
{
    fputc(',', stream);
    if (there)
        hwc_csv_number(stream, value);
}
