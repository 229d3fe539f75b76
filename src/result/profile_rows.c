#include "profile_rows.h"

#include <stdarg.h>

#include "fold.h"
#include "show.h"

/* Widths of the columns after the name; the witness takes the rest of the line. */
enum { LABEL = 24, VALUE = 23, VOTES = 7, DOCUMENTED = 13 };

static void put(struct hwc_fold *fold, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct hwc_fold *fold, const char *format, ...)
{
    char text[HWC_MESSAGE + HWC_SHOWN];
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(text, sizeof text, format, arguments);
    va_end(arguments);
    hwc_fold_text(fold, text);
}

/* Put the text into its column, or two spaces after what is there if it does not fit. */
static void put_column(struct hwc_fold *fold, size_t column, const char *text)
{
    const char *shown = text[0] != '\0' ? text : "-";
    bool fits = column >= fold->column && column + hwc_width_of(shown) <= fold->width;

    if (fits)
        hwc_fold_pad(fold, column);
    hwc_fold_piece(fold, fits ? 0 : 2, shown);
}

static void put_columns(struct hwc_fold *fold, const char *value, const char *votes, const char *documented,
                        const char *witness)
{
    put_column(fold, fold->indent, value);
    put_column(fold, fold->indent + VALUE, votes);
    put_column(fold, fold->indent + VALUE + VOTES, documented);
    put_column(fold, fold->indent + VALUE + VOTES + DOCUMENTED, witness);
}

/* Put the measured value or interval, and how it is known. */
static void put_measured(struct hwc_fold *fold, const struct hwc_field *field, const struct hwc_finding *finding)
{
    char value[HWC_SHOWN], votes[32] = "", documented[HWC_SHOWN] = "", witness[HWC_SHOWN];

    hwc_show_value(value, field, finding);
    if (finding->votes > 0)
        hwc_write(votes, sizeof votes, "%u/%u", finding->alike, finding->votes);
    if (finding->has_documented)
        hwc_show_number(documented, field->kind, finding->documented);
    hwc_write(witness, sizeof witness, "%s%s%s%s", hwc_witness_name(finding->witness),
              finding->counter[0] != '\0' ? ": " : "", finding->counter, finding->known ? "" : ";");
    put_columns(fold, value, votes, documented, witness);
}

static void put_reason(struct hwc_fold *fold, const struct hwc_finding *finding)
{
    const char *why = hwc_why_name(finding->why);

    if (finding->why == HWC_WHY_NOTHING)
        put(fold, "none: %s", finding->reason);
    else if (finding->votes > 0 && !finding->has_interval)
        put(fold, "unknown (%s, %u of %u votes alike): %s", why, finding->alike, finding->votes, finding->reason);
    else
        put(fold, "%s%s%s%s: %s", finding->has_interval ? "no value" : "unknown", why[0] != '\0' ? " (" : "", why,
            why[0] != '\0' ? ")" : "", finding->reason);
}

static void put_rounds(struct hwc_fold *fold, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    char text[HWC_SHOWN];

    for (unsigned i = 0; hwc_says_more(finding) && i < finding->rounds; i++) {
        hwc_fold_end(fold);
        hwc_fold_begin(fold, "");
        hwc_show_round(text, finding, i, kind);
        hwc_fold_text(fold, text);
    }
}

static void put_row(struct hwc_fold *fold, size_t name, const char *of, const struct hwc_field *field,
                    const struct hwc_finding *finding)
{
    fprintf(fold->stream, "%-*s%-*s", (int)name, of, LABEL, field->label);
    fold->column = fold->indent;
    if (hwc_finding_is_told(finding))
        put_measured(fold, field, finding);
    if (!finding->known)
        put_reason(fold, finding);
    put_rounds(fold, finding, field->kind);
    hwc_fold_end(fold);
}

void hwc_profile_write_rows(const struct hwc_profile *profile, size_t name, const struct hwc_text_style *style,
                            FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = name + LABEL};
    char text[HWC_PLACE_NAME];
    struct hwc_place place;

    hwc_fold_begin(&fold, "");
    put_columns(&fold, "measured", "votes", "documented", "witness");
    hwc_fold_end(&fold);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        const char *of = hwc_place_name(&place, text);
        HWC_EACH_FIELD(id, place.group) {
            if (!place.record->finding[id].asked)
                continue;
            put_row(&fold, name, of, &hwc_fields[id], &place.record->finding[id]);
            of = "";
        }
    }
}
