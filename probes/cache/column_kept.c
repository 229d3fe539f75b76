#include "column_kept.h"

#include <math.h>

#include "statistics.h"

static const struct {
    double far_beyond, nearly;
    double any_missing;
    double strangers;
} policy = {
    .far_beyond = 2.5,  /* times what is kept: an exclusive level has the less room free the fewer references are hits */
    .nearly = 0.9,      /* of so many */
    .any_missing = 0.1, /* then they show about how many lines are kept */
    .strangers = 0.1,   /* of the lines */
};

static double last_lines(const struct hwc_counted *counted)
{
    return counted->lines[counted->points - 1];
}

/* How many lines are kept, by the share of references to so many that are not. One column alone is looked at, as its lines
 * come back the sooner. */
static int count_lines(const struct hwc_column_share *share, size_t lines, struct hwc_counted *counted,
                       struct hwc_error *error)
{
    const struct hwc_column_places alone = {.count = 1};
    struct hwc_share_bounds missing;

    TRY(hwc_column_missing(share, lines, &alone, &missing, error));
    counted->lines[counted->points] = (double)lines;
    counted->missing[counted->points++] = missing.likely;
    counted->kept = (struct hwc_kept_lines){.low = (1 - missing.high) * (double)lines,
                                            .likely = (1 - missing.likely) * (double)lines,
                                            .high = (1 - missing.low) * (double)lines,
                                            .hits = 1 - missing.low};
    return HWC_OK;
}

/* How many lines to look at next: more, until some are not kept. */
static size_t next_lines(const struct hwc_counted *counted)
{
    double lines = last_lines(counted);

    return (size_t)(counted->kept.likely > (1 - policy.any_missing) * lines ? 2 * lines
                                                                       : policy.far_beyond * counted->kept.likely);
}

static bool are_beyond(const struct hwc_counted *counted, double times)
{
    return last_lines(counted) >= times * counted->kept.likely;
}

static int count_more_and_more(const struct hwc_column_share *share, uint64_t until, struct hwc_counted *counted,
                               struct hwc_error *error)
{
    struct hwc_column *column = share->column;
    size_t lines = HWC_FIRST_LINES;
    bool more = true;

    while (more && counted->points < HWC_MOST_COUNTS && column->lab->references < until) {
        TRY(hwc_column_grow(column, lines, error));
        more = column->lines >= lines;
        TRY(count_lines(share, hwc_lesser(column->lines, lines), counted, error));
        more = more && !are_beyond(counted, policy.nearly * policy.far_beyond);
        lines = next_lines(counted);
    }
    counted->far_beyond = counted->points > 0 && are_beyond(counted, HWC_BEYOND_KEPT);
    return HWC_OK;
}

/* Others who were busy while the column was sorted out may have had lines of other sets taken in, which are kept there:
 * they are left out, and the rest is counted again. */
static int leave_out_strangers(const struct hwc_column_share *share, struct hwc_counted *counted,
                               struct hwc_error *error)
{
    size_t lines = share->column->lines;
    double strangers;

    TRY(hwc_column_leave_out_strangers(share->column, &strangers, error));
    if (strangers > policy.strangers)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines of other sets were taken for those of one");
    if (share->column->lines == lines)
        return HWC_OK;
    counted->points--;
    TRY(count_lines(share, share->column->lines, counted, error));
    counted->far_beyond = are_beyond(counted, HWC_BEYOND_KEPT);
    return HWC_OK;
}

/* What others take of a column's sets goes by how long its lines stay away: n times as long among n columns, which shows
 * by how much more is kept where nobody takes any. */
static int allow_for_rivals(const struct hwc_column_share *share, const struct hwc_column_places *several,
                            struct hwc_counted *counted, struct hwc_error *error)
{
    double lines = last_lines(counted), times = (double)several->count;
    struct hwc_share_bounds missing;

    if (several->count < 2)
        return HWC_OK;
    TRY(hwc_column_missing(share, (size_t)lines, several, &missing, error));
    counted->kept.high += fmax(counted->kept.high - (1 - missing.high) * lines, 0) / (times - 1);
    return HWC_OK;
}

int hwc_count_kept(const struct hwc_column_share *share, const struct hwc_column_places *several, uint64_t until,
                   struct hwc_counted *counted, struct hwc_error *error)
{
    *counted = (struct hwc_counted){0};
    TRY(count_more_and_more(share, until, counted, error));
    if (!counted->far_beyond)
        return HWC_OK;
    TRY(leave_out_strangers(share, counted, error));
    if (!counted->far_beyond)
        return HWC_OK;
    return allow_for_rivals(share, several, counted, error);
}

size_t hwc_lines_surely_kept(const struct hwc_kept_lines *kept, double share)
{
    double lines = share * kept->low;

    return lines >= 1 ? (size_t)lines : 0;
}
