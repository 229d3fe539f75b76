#include "validation_text.h"

#include <string.h>

#include "fold.h"
#include "show.h"
#include "validation_show.h"

/* Widths of the columns of rows; the verdict takes the rest of the line. */
enum { NAME = 28, COLUMN = 14, GAP = 2 };
enum { COUNTS = 2 * HWC_SHOWN };

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

static void put_verdict(struct hwc_fold *fold, const struct hwc_validated *row, bool verbose)
{
    const char *why = verbose ? row->verdict.why : "";
    char text[HWC_SHOWN], counts[COUNTS];

    hwc_show_says(text, row);
    show_counts(counts, row, verbose);
    if (why[0] != '\0' || counts[0] != '\0')
        hwc_write(text + strlen(text), sizeof text - strlen(text), ";");
    put_cell(fold, 3, text);
    hwc_fold_text(fold, why);
    if (why[0] != '\0' && counts[0] != '\0')
        hwc_fold_piece(fold, 0, ";");
    hwc_fold_text(fold, counts);
}

static void put_row(struct hwc_fold *fold, const struct hwc_validated *row, bool verbose)
{
    const struct hwc_field *field = &hwc_fields[row->field];
    char text[HWC_SHOWN];

    hwc_show_row_name(text, row);
    hwc_fold_begin(fold, text);
    show_side(text, field, &row->counter);
    put_cell(fold, 0, text);
    show_side(text, field, &row->clock);
    put_cell(fold, 1, text);
    hwc_show_documented(text, row);
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
    char text[HWC_SHOWN];

    hwc_show_differences(text, validation);
    fprintf(stream, "validation: %s\n", text);
    for (unsigned i = 0; i < validation->differences; i++) {
        const struct hwc_difference *difference = &validation->difference[i];
        char label[sizeof difference->of + 4];
        hwc_write(label, sizeof label, "  %s:", difference->of);
        hwc_fold_begin(&fold, label);
        hwc_fold_text(&fold, difference->why);
        hwc_fold_end(&fold);
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
        if (!hwc_list_undecided(text, validation, i))
            continue;
        hwc_fold_begin(&fold, "   ");
        hwc_fold_text(&fold, text);
        hwc_fold_end(&fold);
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
