#include "profile_csv.h"

#include <math.h>
#include <string.h>

/* Quoted only where CSV needs it. */
static void put_text(FILE *stream, const char *text)
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

static void put_number(FILE *stream, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        fprintf(stream, "%.0f", value);
    else
        fprintf(stream, "%.10g", value);
}

static void put_value(FILE *stream, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    if (!finding->known)
        return;
    if (kind == HWC_VALUE_WORD)
        put_text(stream, finding->text);
    else if (kind == HWC_VALUE_BOOLEAN)
        fputs(finding->value != 0 ? "true" : "false", stream);
    else
        put_number(stream, finding->value);
}

/* A column that stays empty unless `there`. */
static void column_text(FILE *stream, bool there, const char *text)
{
    fputc(',', stream);
    if (there)
        put_text(stream, text);
}

static void column_number(FILE *stream, bool there, double value)
{
    fputc(',', stream);
    if (there)
        put_number(stream, value);
}

static const char header[] = "of,finding,value,low,high,unit,witness,event,counter,alike,votes,documented,nanoseconds,"
                             "seconds,kind,reason\n";

static void put_finding(FILE *stream, const char *of, const struct hwc_field *field, const struct hwc_finding *finding)
{
    bool measured = finding->known || finding->has_interval;

    put_text(stream, of);
    column_text(stream, true, field->key);
    fputc(',', stream);
    put_value(stream, finding, field->kind);
    column_number(stream, finding->has_interval, finding->low);
    column_number(stream, finding->has_interval, finding->high);
    column_text(stream, measured, field->unit);
    column_text(stream, measured, hwc_witness_name(finding->witness));
    column_text(stream, finding->known, finding->event);
    column_text(stream, finding->known && finding->event[0] != '\0', finding->counter);
    column_number(stream, finding->votes > 0, finding->alike);
    column_number(stream, finding->votes > 0, finding->votes);
    column_number(stream, finding->has_documented, finding->documented);
    column_number(stream, finding->known && finding->nanoseconds > 0, finding->nanoseconds);
    column_number(stream, true, round(finding->seconds * 1e4) / 1e4);
    column_text(stream, !finding->known, hwc_why_name(finding->why));
    column_text(stream, !finding->known, finding->reason);
    fputc('\n', stream);
}

int hwc_profile_write_csv(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    char name[HWC_PLACE_NAME];
    struct hwc_place place;

    fputs(header, stream);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group)
            if (place.record->finding[id].asked)
                put_finding(stream, hwc_place_name(&place, name), &hwc_fields[id], &place.record->finding[id]);
    return ferror(stream) ? hwc_fail(error, HWC_SYSTEM, "the profile could not be written as CSV") : HWC_OK;
}
