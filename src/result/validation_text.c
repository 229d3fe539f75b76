#include "validation_text.h"

#include <string.h>

#include "fold.h"
#include "show.h"
#include "validate.h"

/* Widths of the columns of rows; the verdict takes the rest of the line. */
enum { NAME = 28, COLUMN = 14, GAP = 2 };

static void name_row(const struct hwc_validated *row, char text[HWC_SHOWN])
{
    char place[HWC_PLACE_NAME];

    hwc_write(text, HWC_SHOWN, "%s %s", hwc_validated_place(row, place), hwc_fields[row->field].label);
}

static void put_cell(struct hwc_fold *fold, unsigned column, const char *text)
{
    size_t target = NAME + column * COLUMN;
    bool fits = target >= fold->column;

    if (fits)
        hwc_fold_pad(fold, target);
    hwc_fold_piece(fold, fits ? 0 : GAP, text[0] != '\0' ? text : "-");
}

/* A latency without its nanoseconds, so that the columns stay narrow. */
static void show_side(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *side)
{
    struct hwc_finding plain = *side;

    plain.nanoseconds = 0;
    hwc_show_value(text, field, &plain);
    if (text[0] == '\0' && side->why == HWC_WHY_NOTHING)
        hwc_write(text, HWC_SHOWN, "none");
}

static void show_documented(char text[HWC_SHOWN], const struct hwc_validated *row)
{
    const struct hwc_finding *says = hwc_documented_side(row);

    text[0] = '\0';
    if (says->has_documented)
        hwc_show_number(text, hwc_fields[row->field].kind, says->documented);
}

/* Do the witnesses agree, or does one of them stand alone, against what is documented? */
static bool is_undocumented(const struct hwc_validated *row)
{
    enum hwc_value_kind kind = hwc_fields[row->field].kind;

    return hwc_documented_side(row)->has_documented &&
           hwc_relate(kind, &row->counter, &row->clock) != HWC_APART;
}

static void show_verdict(char text[HWC_SHOWN], const struct hwc_validated *row)
{
    const struct hwc_verdict *verdict = &row->verdict;
    const char *supports = hwc_supported_name(verdict->supports);

    if (verdict->says == HWC_DIFFER && is_undocumented(row))
        hwc_write(text, HWC_SHOWN, "not as documented");
    else if (verdict->says == HWC_DIFFER && supports != NULL)
        hwc_write(text, HWC_SHOWN, "differ: the %s stands", supports);
    else
        hwc_write(text, HWC_SHOWN, "%s", hwc_says_name(verdict->says));
}

static void put_verdict(struct hwc_fold *fold, const struct hwc_validated *row, bool verbose)
{
    char text[HWC_SHOWN];

    show_verdict(text, row);
    if (verbose && row->verdict.why[0] != '\0')
        hwc_write(text + strlen(text), sizeof text - strlen(text), ";");
    put_cell(fold, 3, text);
    if (verbose)
        hwc_fold_text(fold, row->verdict.why);
}

static void put_row(struct hwc_fold *fold, const struct hwc_validated *row, bool verbose)
{
    const struct hwc_field *field = &hwc_fields[row->field];
    char text[HWC_SHOWN];

    name_row(row, text);
    hwc_fold_begin(fold, text);
    show_side(text, field, &row->counter);
    put_cell(fold, 0, text);
    show_side(text, field, &row->clock);
    put_cell(fold, 1, text);
    show_documented(text, row);
    put_cell(fold, 2, text);
    put_verdict(fold, row, verbose);
    hwc_fold_end(fold);
}

/* The rows that differ, or all of them. */
static void put_rows(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = NAME};

    if (!style->verbose && hwc_validation_count(validation, HWC_DIFFER) == 0)
        return;
    fputc('\n', stream);
    hwc_fold_begin(&fold, "");
    put_cell(&fold, 0, "by counter");
    put_cell(&fold, 1, "by clock");
    put_cell(&fold, 2, "documented");
    put_cell(&fold, 3, "verdict");
    hwc_fold_end(&fold);
    for (unsigned i = 0; i < validation->rows; i++)
        if (style->verbose || validation->row[i].verdict.says == HWC_DIFFER)
            put_row(&fold, &validation->row[i], style->verbose);
}

static void put_differences(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};

    if (validation->differences == 0)
        fputs("validation: nothing differs\n", stream);
    else
        fprintf(stream, "validation: %u difference%s\n", validation->differences,
                validation->differences == 1 ? "" : "s");
    for (unsigned i = 0; i < validation->differences; i++) {
        const struct hwc_difference *difference = &validation->difference[i];
        char label[sizeof difference->of + 4];
        hwc_write(label, sizeof label, "  %s:", difference->of);
        hwc_fold_begin(&fold, label);
        hwc_fold_text(&fold, difference->why);
        hwc_fold_end(&fold);
    }
}

/* The part of a reason before its details, by which undecided rows are gathered. */
static size_t head_of(const char *why)
{
    return strcspn(why, ":");
}

static bool has_head(const struct hwc_validated *row, const char *why)
{
    return row->verdict.says == HWC_UNDECIDED && head_of(row->verdict.why) == head_of(why) &&
           strncmp(row->verdict.why, why, head_of(why)) == 0;
}

static bool is_first(const struct hwc_validation *validation, unsigned row)
{
    if (validation->row[row].verdict.says != HWC_UNDECIDED)
        return false;
    for (unsigned i = 0; i < row; i++)
        if (has_head(&validation->row[i], validation->row[row].verdict.why))
            return false;
    return true;
}

/* "only the clock tells (8): L1d latency, L2 latency, ..." */
static void put_undecided_as(const struct hwc_validation *validation, unsigned first, struct hwc_fold *fold)
{
    const char *why = validation->row[first].verdict.why, *last = "";
    char text[HWC_SHOWN], place[HWC_PLACE_NAME], before[HWC_PLACE_NAME] = "";
    unsigned count = 0;

    for (unsigned i = first; i < validation->rows; i++)
        count += has_head(&validation->row[i], why);
    hwc_write(text, sizeof text, "%.*s (%u):", (int)head_of(why), why, count);
    hwc_fold_begin(fold, "   ");
    hwc_fold_text(fold, text);
    if (strncmp(why, HWC_NEITHER, strlen(HWC_NEITHER)) == 0) { /* the report's "unknown" lists them */
        hwc_fold_text(fold, "unknown, below");
        hwc_fold_end(fold);
        return;
    }
    for (unsigned i = first; i < validation->rows; i++) {
        const struct hwc_validated *row = &validation->row[i];
        if (!has_head(row, why))
            continue;
        last = --count > 0 ? "," : "";
        if (strcmp(hwc_validated_place(row, place), before) == 0)
            hwc_write(text, sizeof text, "%s%s", hwc_fields[row->field].label, last);
        else
            hwc_write(text, sizeof text, "%s %s%s", place, hwc_fields[row->field].label, last);
        hwc_write(before, sizeof before, "%s", place);
        hwc_fold_text(fold, text);
    }
    hwc_fold_end(fold);
}

static void put_rest(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};
    unsigned agree = hwc_validation_count(validation, HWC_AGREE), undecided = hwc_validation_count(validation, HWC_UNDECIDED);

    fprintf(stream, "\n  %u agree; %u undecided%s\n", agree, undecided,
            undecided > 0 && !style->verbose ? " (-v gives the reasons):" : "");
    for (unsigned i = 0; i < validation->rows && !style->verbose; i++)
        if (is_first(validation, i))
            put_undecided_as(validation, i, &fold);
}

void hwc_validation_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    put_differences(profile->validation, style, stream);
    put_rows(profile->validation, style, stream);
    put_rest(profile->validation, style, stream);
}
