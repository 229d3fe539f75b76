#include "validation_show.h"

#include <string.h>

#include "validate.h"

void hwc_show_differences(char text[HWC_SHOWN], const struct hwc_validation *validation)
{
    unsigned all = validation->differences, documented = all - hwc_differences_of_witnesses(validation);

    if (all == 0)
        hwc_write(text, HWC_SHOWN, "nothing differs");
    else
        hwc_write(text, HWC_SHOWN, "%u difference%s", all, all == 1 ? "" : "s");
    if (all > 0 && documented == all)
        hwc_write(text + strlen(text), HWC_SHOWN - strlen(text), ", from what is documented alone");
    else if (documented > 0)
        hwc_write(text + strlen(text), HWC_SHOWN - strlen(text), ", %u of them from what is documented alone",
                  documented);
}

void hwc_show_row_name(char text[HWC_SHOWN], const struct hwc_validated *row)
{
    char place[HWC_PLACE_NAME];

    hwc_write(text, HWC_SHOWN, "%s %s", hwc_validated_place(row, place), hwc_fields[row->field].label);
}

/* Do the witnesses agree, or does one of them stand alone, against what is documented? */
static bool is_against_documents(const struct hwc_validated *row)
{
    return hwc_documented_side(row)->has_documented && !hwc_witnesses_differ(row);
}

void hwc_show_documented(char text[HWC_SHOWN], const struct hwc_validated *row)
{
    const struct hwc_finding *says = hwc_documented_side(row);

    text[0] = '\0';
    if (says->has_documented)
        hwc_show_number(text, hwc_fields[row->field].kind, says->documented);
}

void hwc_show_says(char text[HWC_SHOWN], const struct hwc_validated *row)
{
    const struct hwc_verdict *verdict = &row->verdict;
    const char *supports = hwc_supported_name(verdict->supports);

    if (verdict->says == HWC_DIFFER && is_against_documents(row))
        hwc_write(text, HWC_SHOWN, "not as documented");
    else if (verdict->says == HWC_DIFFER && supports != NULL)
        hwc_write(text, HWC_SHOWN, "differ: the %s stands", supports);
    else
        hwc_write(text, HWC_SHOWN, "%s", hwc_says_name(verdict->says));
}

/* A share of one in so many per cent: what is not quite nothing does not look like nothing. */
static void show_share(char text[32], double share)
{
    double percent = 100 * share;

    hwc_write(text, 32, percent >= 10 || percent < 0.05 ? "%.0f %%" : "%.1f %%", percent);
}

void hwc_show_walks(char text[HWC_SHOWN], enum hwc_group group, const struct hwc_walk_counts *counted)
{
    const char *things = group == HWC_OF_TLB ? "pages" : "lines";
    char fit[32], more[32];

    text[0] = '\0';
    if (!counted->any)
        return;
    show_share(fit, counted->fit_missed);
    show_share(more, counted->more_missed);
    hwc_write(text, HWC_SHOWN, "%s of %.0f %s missed, %s of %.0f", fit, counted->fit, things, more, counted->more);
}

static size_t head_of(const char *why)
{
    return strcspn(why, ":");
}

static bool has_head(const struct hwc_validated *row, const char *why)
{
    return row->verdict.says == HWC_UNDECIDED && head_of(row->verdict.why) == head_of(why) &&
           strncmp(row->verdict.why, why, head_of(why)) == 0;
}

/* How many have this reason? None if an earlier row has it. */
static unsigned count_alike(const struct hwc_validation *validation, unsigned row)
{
    const char *why = validation->row[row].verdict.why;
    unsigned count = 0;

    for (unsigned i = 0; i < validation->rows; i++) {
        if (i < row && has_head(&validation->row[i], why))
            return 0;
        count += has_head(&validation->row[i], why);
    }
    return count;
}

/* A place is named once. */
static void list(char text[HWC_LISTED], const struct hwc_validation *validation, unsigned first, unsigned count)
{
    char place[HWC_PLACE_NAME], before[HWC_PLACE_NAME] = "";

    for (unsigned i = first; i < validation->rows && count > 0; i++) {
        const struct hwc_validated *row = &validation->row[i];
        size_t used = strlen(text);
        bool same;
        if (!has_head(row, validation->row[first].verdict.why))
            continue;
        same = strcmp(hwc_validated_place(row, place), before) == 0;
        hwc_write(text + used, HWC_LISTED - used, " %s%s%s%s", same ? "" : place, same ? "" : " ",
                  hwc_fields[row->field].label, --count > 0 ? "," : "");
        hwc_write(before, sizeof before, "%s", place);
    }
}

bool hwc_list_undecided(char text[HWC_LISTED], const struct hwc_validation *validation, unsigned row)
{
    const char *why = validation->row[row].verdict.why;
    unsigned count = validation->row[row].verdict.says == HWC_UNDECIDED ? count_alike(validation, row) : 0;

    if (count == 0)
        return false;
    hwc_write(text, HWC_LISTED, "%.*s (%u):", (int)head_of(why), why, count);
    if (strncmp(why, HWC_NEITHER, strlen(HWC_NEITHER)) == 0) /* the report's "unknown" lists them */
        hwc_write(text + strlen(text), HWC_LISTED - strlen(text), " unknown, below");
    else
        list(text, validation, row, count);
    return true;
}
