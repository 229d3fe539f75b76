#include "matrix_text.h"

#include <math.h>
#include <stdlib.h>

#include "fold.h"
#include "statistics.h"

enum { INDENT = 2, GAP = 2, LETTERS = 26 };

/* Labels that are longer stand before their rows only, and the columns have letters. */
enum { LONG_LABEL = 6 };

static double largest(const struct hwc_matrix *matrix)
{
    double most = 0;

    for (size_t i = 0; i < matrix->count * matrix->count; i++)
        if (!isnan(matrix->value[i]))
            most = fmax(most, fabs(matrix->value[i]));
    return most;
}

int hwc_matrix_decimals(const struct hwc_matrix *matrix)
{
    double most = largest(matrix);

    return most >= 100 ? 0 : most >= 10 ? 1 : 2;
}

void hwc_matrix_show(char text[HWC_MATRIX_CELL], int decimals, double value)
{
    if (isnan(value))
        hwc_write(text, HWC_MATRIX_CELL, ".");
    else
        hwc_write(text, HWC_MATRIX_CELL, "%.*f", decimals, value);
}

/* How it is shown. */
struct layout {
    const struct hwc_matrix *matrix;
    size_t joined;      /* so many rows, and columns, are one */
    size_t label, cell; /* widths, without gaps */
    int decimals;
    bool letters;
};

static size_t rows_of(const struct layout *layout)
{
    return (layout->matrix->count + layout->joined - 1) / layout->joined;
}

/* "4", or of several "4-7". */
static void label_of(const struct layout *layout, size_t row, char text[2 * HWC_MATRIX_LABEL])
{
    const struct hwc_matrix *matrix = layout->matrix;
    size_t first = row * layout->joined, last = hwc_lesser(first + layout->joined, matrix->count) - 1;

    if (last > first)
        hwc_write(text, sizeof(char[2 * HWC_MATRIX_LABEL]), "%s-%s", matrix->label[first], matrix->label[last]);
    else
        hwc_write(text, sizeof(char[2 * HWC_MATRIX_LABEL]), "%s", matrix->label[first]);
}

static void column_label_of(const struct layout *layout, size_t column, char text[2 * HWC_MATRIX_LABEL])
{
    if (layout->letters)
        hwc_write(text, sizeof(char[2 * HWC_MATRIX_LABEL]), "%c", (int)('a' + column));
    else
        label_of(layout, column, text);
}

static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure(struct layout *layout)
{
    char text[2 * HWC_MATRIX_LABEL], cell[HWC_MATRIX_CELL];
    const struct hwc_matrix *matrix = layout->matrix;

    layout->label = layout->cell = 0;
    for (size_t i = 0; i < rows_of(layout); i++) {
        label_of(layout, i, text);
        layout->label = most_of(layout->label, hwc_width_of(text));
    }
    layout->letters = layout->label > LONG_LABEL && layout->joined == 1 && matrix->count <= LETTERS;
    for (size_t i = 0; i < rows_of(layout); i++) {
        column_label_of(layout, i, text);
        layout->cell = most_of(layout->cell, hwc_width_of(text));
    }
    if (layout->letters)
        layout->label += GAP + 1;
    hwc_matrix_show(cell, layout->decimals, -largest(matrix));
    layout->cell = most_of(layout->cell, hwc_width_of(cell) - 1);
}

static struct layout lay_out(const struct hwc_matrix *matrix, size_t width)
{
    struct layout layout = {.matrix = matrix, .joined = 1, .decimals = hwc_matrix_decimals(matrix)};

    for (measure(&layout); rows_of(&layout) > 1; measure(&layout)) {
        if (INDENT + layout.label + rows_of(&layout) * (GAP + layout.cell) <= width)
            break;
        layout.joined++;
    }
    return layout;
}

/* The median of what is known of those that are joined. NAN also if there is no memory for them. */
static double joined_value(const struct layout *layout, size_t row, size_t column)
{
    const struct hwc_matrix *matrix = layout->matrix;
    size_t known = 0, last_row = hwc_lesser((row + 1) * layout->joined, matrix->count);
    size_t last_column = hwc_lesser((column + 1) * layout->joined, matrix->count);
    double *values = malloc(layout->joined * layout->joined * sizeof *values), median;

    for (size_t i = row * layout->joined; values != NULL && i < last_row; i++)
        for (size_t k = column * layout->joined; k < last_column; k++)
            if (!isnan(*hwc_matrix_at(matrix, i, k)))
                values[known++] = *hwc_matrix_at(matrix, i, k);
    median = known > 0 ? hwc_median(values, known) : NAN;
    free(values);
    return median;
}

static void put_heads(const struct layout *layout, FILE *stream)
{
    char text[2 * HWC_MATRIX_LABEL];

    fprintf(stream, "%*s", (int)(INDENT + layout->label), "");
    for (size_t column = 0; column < rows_of(layout); column++) {
        column_label_of(layout, column, text);
        fprintf(stream, "%*s", (int)(GAP + layout->cell), text);
    }
    fputc('\n', stream);
}

static void put_row(const struct layout *layout, size_t row, FILE *stream)
{
    char text[2 * HWC_MATRIX_LABEL], cell[HWC_MATRIX_CELL];

    label_of(layout, row, text);
    if (layout->letters)
        fprintf(stream, "%*s%c%*s%-*s", INDENT, "", (int)('a' + row), GAP, "", (int)(layout->label - GAP - 1), text);
    else
        fprintf(stream, "%*s%*s", INDENT, "", (int)layout->label, text);
    for (size_t column = 0; column < rows_of(layout); column++) {
        hwc_matrix_show(cell, layout->decimals, joined_value(layout, row, column));
        fprintf(stream, "%*s", (int)(GAP + layout->cell), cell);
    }
    fputc('\n', stream);
}

static void put_title(const struct layout *layout, size_t width, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = width, .indent = INDENT};
    const struct hwc_matrix *matrix = layout->matrix;
    char text[HWC_MESSAGE];

    hwc_write(text, sizeof text, "%s%s%s:", matrix->name, matrix->unit[0] != '\0' ? ", " : "", matrix->unit);
    hwc_fold_begin(&fold, text);
    hwc_fold_text(&fold, matrix->what);
    if (layout->joined > 1) {
        hwc_write(text, sizeof text, "(medians of %zu by %zu)", layout->joined, layout->joined);
        hwc_fold_text(&fold, text);
    }
    hwc_fold_end(&fold);
}

void hwc_matrices_write_text(const struct hwc_matrices *matrices, bool gap, unsigned width, FILE *stream)
{
    for (size_t i = 0; i < matrices->count; i++) {
        const struct layout layout = lay_out(matrices->matrix[i], width);
        if (gap || i > 0)
            fputc('\n', stream);
        put_title(&layout, width, stream);
        put_heads(&layout, stream);
        for (size_t row = 0; row < rows_of(&layout); row++)
            put_row(&layout, row, stream);
    }
}
