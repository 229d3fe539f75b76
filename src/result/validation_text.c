#include "validation_text.h"

#include <string.h>

#include "fold.h"
#include "show.h"
#include "validation_show.h"

/* Widths of the columns of rows: what stands in them fits, unless it is longer than most. The verdict takes the rest of
 * the line. */
enum { NAME = 28, COLUMN = 14, LONG_COLUMN = 22, GAP = 2 };
enum { COUNTS = 2 * HWC_SHOWN };
enum { BY_COUNTER, BY_CLOCK, DOCUMENTED, VERDICT, CELLS };

struct rows {
    const struct hwc_validation *validation;
    const struct hwc_text_style *style;
    size_t begins[CELLS]; /* where each column does */
};

static void put_cell(struct hwc_fold *fold, const struct rows *rows, unsigned column, const char *text)
{
    size_t target = rows->begins[column];
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
    hwc_show_answer(text, field, &plain);
}

/* What was counted in the clock's walks; unless `verbose`, only where it speaks against the clock. */
static void show_counts(char text[COUNTS], const struct hwc_validated *row, bool verbose)
{
    const struct hwc_walk_counts *counted = &row->clock.counted;
    char walks[HWC_SHOWN];

    text[0] = '\0';
    if (!counted->any || (!verbose && hwc_bears_out(counted)))
        return;
    hwc_show_walks(walks, row->group, counted);
    hwc_write(text, COUNTS, "%s counts in the clock's walks: %s", hwc_event_name(counted->event), walks);
}

static void put_verdict(struct hwc_fold *fold, const struct rows *rows, const struct hwc_validated *row)
{
    bool verbose = rows->style->verbose;
    const char *why = verbose ? row->verdict.why : "";
    char text[HWC_SHOWN], counts[COUNTS];

    hwc_show_says(text, row);
    show_counts(counts, row, verbose);
    if (why[0] != '\0' || counts[0] != '\0')
        hwc_write(text + strlen(text), sizeof text - strlen(text), ";");
    put_cell(fold, rows, VERDICT, text);
    hwc_fold_text(fold, why);
    if (why[0] != '\0' && counts[0] != '\0')
        hwc_fold_piece(fold, 0, ";");
    hwc_fold_text(fold, counts);
}

static void show_cell(char text[HWC_SHOWN], const struct hwc_validated *row, unsigned column)
{
    if (column == DOCUMENTED)
        hwc_show_documented(text, row);
    else
        show_side(text, &hwc_fields[row->field], column == BY_COUNTER ? &row->counter : &row->clock);
}

static void put_row(struct hwc_fold *fold, const struct rows *rows, const struct hwc_validated *row)
{
    char text[HWC_SHOWN];

    hwc_show_row_name(text, row);
    hwc_fold_begin(fold, text);
    for (unsigned column = 0; column < VERDICT; column++) {
        show_cell(text, row, column);
        put_cell(fold, rows, column, text);
    }
    put_verdict(fold, rows, row);
    hwc_fold_end(fold);
}

/* The rows that differ, or all of them. */
static bool is_shown(const struct rows *rows, unsigned i)
{
    return rows->style->verbose || rows->validation->row[i].verdict.says == HWC_DIFFER;
}

static size_t width_of(const struct rows *rows, unsigned column)
{
    size_t width = COLUMN;
    char text[HWC_SHOWN];

    for (unsigned i = 0; i < rows->validation->rows; i++)
        if (is_shown(rows, i)) {
            show_cell(text, &rows->validation->row[i], column);
            width = strlen(text) + GAP > width ? strlen(text) + GAP : width;
        }
    return width < LONG_COLUMN ? width : LONG_COLUMN;
}

static void put_rows(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    static const char *const heads[CELLS] = {"by counter", "by clock", "documented", "verdict"};
    struct rows rows = {validation, style, .begins = {NAME}};
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = NAME};

    if (!style->verbose && hwc_validation_count(validation, HWC_DIFFER) == 0)
        return;
    for (unsigned column = 0; column < VERDICT; column++)
        rows.begins[column + 1] = rows.begins[column] + width_of(&rows, column);
    fputc('\n', stream);
    hwc_fold_begin(&fold, "");
    for (unsigned column = 0; column < CELLS; column++)
        put_cell(&fold, &rows, column, heads[column]);
    hwc_fold_end(&fold);
    for (unsigned i = 0; i < validation->rows; i++)
        if (is_shown(&rows, i))
            put_row(&fold, &rows, &validation->row[i]);
}

static void put_differences(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};
    char text[HWC_SHOWN];

    hwc_show_differences(text, validation);
    fprintf(stream, "validation: %s\n", text);
    for (unsigned i = 0; i < validation->differences; i++) {
        const struct hwc_difference *difference = &validation->difference[i];
        char label[sizeof difference->of + 4];
        hwc_write(label, sizeof label, "  %s:", difference->of);
        hwc_fold_paragraph(&fold, label, difference->why);
    }
}

static void put_rest(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};
    char text[HWC_LISTED];
    unsigned agree = hwc_validation_count(validation, HWC_AGREE), undecided = hwc_validation_count(validation, HWC_UNDECIDED);

    fprintf(stream, "\n  %u agree; %u undecided%s\n", agree, undecided,
            undecided > 0 && !style->verbose ? " (-v gives the reasons):" : "");
    for (unsigned i = 0; i < validation->rows && !style->verbose; i++) {
        if (hwc_list_undecided(text, validation, i))
            hwc_fold_paragraph(&fold, "   ", text);
    }
}

static bool is_borne_out(const struct hwc_validated *row)
{
    return row->clock.counted.any && hwc_bears_out(&row->clock.counted);
}

/* "counted in the clock's own walks: 7 of 8 values are borne out, and not L2 size" */
static void put_counts(const struct hwc_validation *validation, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};
    unsigned counted = 0, borne_out = 0, more;
    char text[2 * HWC_SHOWN], name[HWC_SHOWN];

    for (unsigned i = 0; i < validation->rows; i++) {
        counted += validation->row[i].clock.counted.any;
        borne_out += is_borne_out(&validation->row[i]);
    }
    if (counted == 0)
        return;
    more = counted - borne_out;
    hwc_fold_begin(&fold, "  counted");
    hwc_write(text, sizeof text, "in the clock's own walks: %u of %u values are borne out%s", borne_out, counted,
              more > 0 ? ", and not" : "");
    hwc_fold_text(&fold, text);
    for (unsigned i = 0; i < validation->rows; i++) {
        if (!validation->row[i].clock.counted.any || is_borne_out(&validation->row[i]))
            continue;
        hwc_show_row_name(name, &validation->row[i]);
        hwc_write(text, sizeof text, "%s%s", name, --more > 0 ? "," : "");
        hwc_fold_text(&fold, text);
    }
    hwc_fold_end(&fold);
}

void hwc_validation_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    put_differences(profile->validation, style, stream);
    put_rows(profile->validation, style, stream);
    put_rest(profile->validation, style, stream);
    put_counts(profile->validation, style, stream);
}
