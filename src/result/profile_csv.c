#include "profile_csv.h"

#include <math.h>

#include "csv_writer.h"

static void put_value(FILE *stream, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    if (!finding->known)
        return;
    if (kind == HWC_VALUE_WORD)
        hwc_csv_text(stream, finding->text);
    else if (kind == HWC_VALUE_BOOLEAN)
        fputs(finding->value != 0 ? "true" : "false", stream);
    else
        hwc_csv_number(stream, finding->value);
}

static const char header[] = "of,finding,value,low,high,unit,witness,event,counter,alike,votes,documented,nanoseconds,"
                             "seconds,kind,reason,at,at_unit";
static const char validated_header[] =
    ",by_counter,by_clock,says,supports,why,walks_event,walks_fit,walks_fit_missed,walks_more,walks_more_missed";
enum { VALIDATED_COLUMNS = 10 };

static void put_walks(FILE *stream, const struct hwc_walk_counts *counted)
{
    hwc_csv_column(stream, counted->any, hwc_event_name(counted->event));
    hwc_csv_column_number(stream, counted->any, counted->fit);
    hwc_csv_column_number(stream, counted->any, round(counted->fit_missed * 1e4) / 1e4);
    hwc_csv_column_number(stream, counted->any, counted->more);
    hwc_csv_column_number(stream, counted->any, round(counted->more_missed * 1e4) / 1e4);
}

/* What a validation adds to a row. */
static void put_validated(FILE *stream, const struct hwc_field *field, const struct hwc_validated *row)
{
    fputc(',', stream);
    put_value(stream, &row->counter, field->kind);
    fputc(',', stream);
    put_value(stream, &row->clock, field->kind);
    hwc_csv_column(stream, true, hwc_says_name(row->verdict.says));
    hwc_csv_column(stream, row->verdict.supports != HWC_SUPPORTS_NONE, hwc_supported_name(row->verdict.supports));
    hwc_csv_column(stream, true, row->verdict.why);
    put_walks(stream, &row->clock.counted);
}

static void put_finding(FILE *stream, const char *of, const struct hwc_field *field, const struct hwc_finding *finding)
{
    bool measured = hwc_finding_is_told(finding);

    hwc_csv_text(stream, of);
    hwc_csv_column(stream, true, field->key);
    fputc(',', stream);
    put_value(stream, finding, field->kind);
    hwc_csv_column_number(stream, finding->has_interval, finding->low);
    hwc_csv_column_number(stream, finding->has_interval, finding->high);
    hwc_csv_column(stream, measured, field->unit);
    hwc_csv_column(stream, measured, hwc_witness_name(finding->witness));
    hwc_csv_column(stream, finding->known, finding->event);
    hwc_csv_column(stream, finding->known && finding->event[0] != '\0', finding->counter);
    hwc_csv_column_number(stream, finding->votes > 0, finding->alike);
    hwc_csv_column_number(stream, finding->votes > 0, finding->votes);
    hwc_csv_column_number(stream, finding->has_documented, finding->documented);
    hwc_csv_column_number(stream, finding->known && finding->nanoseconds > 0, finding->nanoseconds);
    hwc_csv_column_number(stream, true, round(finding->seconds * 1e4) / 1e4);
    hwc_csv_column(stream, !finding->known, hwc_why_name(finding->why));
    hwc_csv_column(stream, !finding->known, finding->reason);
    fputs(",,", stream);
}

static void put_empty(FILE *stream, unsigned columns)
{
    for (; columns > 0; columns--)
        fputc(',', stream);
}

static void put_row(FILE *stream, const struct hwc_profile *profile, const struct hwc_place *place,
                    enum hwc_field_id id)
{
    const struct hwc_validated *row = hwc_profile_validated(profile, place, id);
    char name[HWC_PLACE_NAME];

    put_finding(stream, hwc_place_name(place, name), &hwc_fields[id], &place->record->finding[id]);
    if (row != NULL)
        put_validated(stream, &hwc_fields[id], row);
    else if (profile->validation != NULL)
        put_empty(stream, VALIDATED_COLUMNS);
    fputc('\n', stream);
}

/* The columns from `of` to `value`. */
static void begin_row(FILE *stream, const struct hwc_curve *curve, const char *name, bool known, double value)
{
    char of[sizeof curve->name + sizeof curve->type];

    hwc_write(of, sizeof of, "%s %s", curve->name, curve->type);
    hwc_csv_text(stream, of);
    hwc_csv_column(stream, true, name);
    hwc_csv_column_number(stream, known, value);
}

static void put_point(FILE *stream, const struct hwc_curve *curve, const struct hwc_series *series, size_t i,
                      unsigned more)
{
    begin_row(stream, curve, series->axis.name, true, series->point[i].value);
    put_empty(stream, 2);
    hwc_csv_column(stream, true, series->axis.unit);
    hwc_csv_column(stream, series->witness != HWC_NO_WITNESS, hwc_witness_name(series->witness));
    put_empty(stream, 1);
    hwc_csv_column(stream, true, series->how);
    put_empty(stream, 7);
    hwc_csv_column_number(stream, true, series->point[i].at);
    hwc_csv_column(stream, true, curve->x.unit);
    put_empty(stream, more);
    fputc('\n', stream);
}

static void put_read_off(FILE *stream, const struct hwc_curve *curve, const struct hwc_read_off *read_off,
                         unsigned more)
{
    begin_row(stream, curve, read_off->axis.name, read_off->known, read_off->value);
    hwc_csv_column_number(stream, read_off->has_interval, read_off->low);
    hwc_csv_column_number(stream, read_off->has_interval, read_off->high);
    hwc_csv_column(stream, true, read_off->axis.unit);
    put_empty(stream, 9);
    hwc_csv_column(stream, !read_off->known, read_off->reason);
    hwc_csv_column_number(stream, read_off->shows, read_off->at);
    hwc_csv_column(stream, read_off->shows, curve->x.unit);
    put_empty(stream, more);
    fputc('\n', stream);
}

/* Every point is a row, at a place of the curve's x, and so is what is read off; `more` columns are empty. */
static void put_curve(FILE *stream, const struct hwc_curve *curve, unsigned more)
{
    for (size_t i = 0; i < curve->count; i++)
        for (size_t k = 0; k < curve->series[i]->points; k++)
            put_point(stream, curve, curve->series[i], k, more);
    for (size_t i = 0; i < curve->read; i++)
        put_read_off(stream, curve, &curve->read_off[i], more);
}

static void put_cell(FILE *stream, const struct hwc_matrix *matrix, size_t row, size_t column, unsigned more)
{
    size_t i = row * matrix->count + column;
    bool documented = matrix->documented != NULL && !isnan(matrix->documented[i]);
    bool least = matrix->least != NULL && !isnan(matrix->least[i]);
    char pair[2 * HWC_MATRIX_LABEL + 4];

    if (isnan(matrix->value[i]) && !documented)
        return;
    hwc_write(pair, sizeof pair, "%s to %s", matrix->label[row], matrix->label[column]);
    hwc_csv_text(stream, matrix->name);
    hwc_csv_column(stream, true, pair);
    hwc_csv_column_number(stream, !isnan(matrix->value[i]), matrix->value[i]);
    hwc_csv_column_number(stream, least, least ? matrix->least[i] : 0);
    put_empty(stream, 1);
    hwc_csv_column(stream, true, matrix->unit);
    put_empty(stream, 5);
    hwc_csv_column_number(stream, documented, documented ? matrix->documented[i] : 0);
    put_empty(stream, 6 + more);
    fputc('\n', stream);
}

/* Every cell is a row. */
static void put_matrix(FILE *stream, const struct hwc_matrix *matrix, unsigned more)
{
    for (size_t row = 0; row < matrix->count; row++)
        for (size_t column = 0; column < matrix->count; column++)
            put_cell(stream, matrix, row, column, more);
}

int hwc_profile_write_csv(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    unsigned more = profile->validation != NULL ? VALIDATED_COLUMNS : 0;
    struct hwc_place place;

    fprintf(stream, "%s%s\n", header, profile->validation != NULL ? validated_header : "");
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group)
            if (place.record->finding[id].asked)
                put_row(stream, profile, &place, id);
    for (size_t i = 0; i < profile->curves.count; i++)
        put_curve(stream, profile->curves.curve[i], more);
    for (size_t i = 0; i < profile->matrices.count; i++)
        put_matrix(stream, profile->matrices.matrix[i], more);
    return ferror(stream) ? hwc_fail(error, HWC_SYSTEM, "the profile could not be written as CSV") : HWC_OK;
}
