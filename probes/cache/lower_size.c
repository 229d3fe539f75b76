/* Size of a level below the second where pages lie in random order: too many lines
 * for a search by conflicts, and others use the level, too.
 *
 * Claim: bounds of the size. Of all lines that lie in one set of the level above,
 * this level keeps its size divided by the number of those sets.
 *
 * Method: lines of one set of the level above are sorted out of many pages
 * (column.h). Of references drawn at random from more of them than this level keeps,
 * as many are hits as it keeps, whatever its policy, its ways and its slices (King,
 * IFIP 1971): those that memory serves are counted, one by one. Where they cannot be
 * told from others so, what references take shows the same over more and more lines
 * (levels_fit.h). They come back within microseconds: what others use of the level
 * does not stay, so that this is its size, and not what they leave of it.
 *
 * What can fool it: columns that share sets of this level. They do if its index
 * mixes addresses otherwise than that of the level above. Then lines at other places
 * of their pages take room from these: all places together must fit, if each fits,
 * and one alone must not hold more than several do. Where it has fewer sets than the
 * level above, or that has a number of sets that is no power of two, lines at their place
 * of other pages do (column_nested.h). A level that may hold none of what the levels above
 * hold: the lower bound leaves that out, and the upper one allows for the room that hits
 * leave in it. */
#include <math.h>

#include "column_kept.h"
#include "column_nested.h"
#include "fitted_levels.h"
#include "footprint.h"
#include "levels_fit.h"
#include "statistics.h"
#include "table.h"
#include "undisturbed.h"

enum { SEVERAL = 4, FEW_LOOKS = 2, LOOKS = HWC_MOST_REPEATS, TRIES = 6, NARROWED = 3 };

static const struct {
    uint64_t most_bytes;
    double of_memory;
    double points_per_octave;
    double more;
    double seconds;
    double hits_timed;
    double of_memory_cycles;
    double fits, overflows, little, much, taken;
    double close;
} policy = {
    .most_bytes = UINT64_C(1) << 30, /* of pages to choose lines from, where those for the level above are too few */
    .of_memory = 0.25,
    .points_per_octave = 4,
    .more = 1.2, /* times as many pages as have so many lines in the mean */
    .seconds = 1.5, /* by the references played, and the most that one takes */
    .hits_timed = 0.5, /* at footprints that are twice as large as the level: those decide */
    .of_memory_cycles = 0.05, /* a standard error: flushed lines come from memory in a chain of their own */
    /* Where columns lie apart, such a part of what one keeps fits at all places, and so much too many miss one time in
     * three: shares of what a miss adds that tell both. */
    .fits = 0.6,
    .overflows = 1.5,
    .little = 0.1,
    .much = 0.15,
    .taken = 0.25, /* where two share sets, half as many lines again as fit, of which at least one in three misses */
    .close = 1.4, /* bounds farther apart than this many times are what they have in common with those of another set */
};

struct look {
    struct hwc_lab *lab;
    unsigned level;
    uint64_t until; /* so many references of the lab's have been played */
    struct hwc_column column;
    struct hwc_column_places all, several; /* that share no sets of the level above; several of them, far apart */
    struct hwc_column_share share; /* counts references, where these can be told */
    struct hwc_counted counted;
    double lines[HWC_MOST_DRAWN_POINTS]; /* of a column, and what a reference takes */
    struct hwc_repeats cycles[HWC_MOST_DRAWN_POINTS];
    size_t points;
    struct hwc_drawn_curve curve;
    struct hwc_levels_fit fit;
    struct hwc_kept_lines kept;
    double hit, miss; /* cycles of a reference that is kept, and of one that is not, where these are timed */
    double flushed; /* cycles of a reference that memory serves, in a chain; 0 = it cannot be told */
};

/* Pages that have enough lines of a set, where those that were asked about had too few: as many as show what this level
 * keeps, or twice as many where it kept all. */
static size_t more_pages(const struct look *look)
{
    const struct hwc_lab *lab = look->lab;
    double bytes = fmin(policy.of_memory * (double)lab->machine->max_arena_bytes, (double)policy.most_bytes);
    double lines = look->kept.high > 0 ? policy.more * HWC_BEYOND_KEPT * look->kept.likely : 2 * (double)look->column.lines;
    double pages = lines / (double)look->column.lines * (double)look->column.pages;

    return (size_t)fmin(pages, bytes / (double)lab->machine->page_bytes);
}

static bool has_time(const struct look *look)
{
    return look->lab->references < look->until;
}

static int add_look(struct look *look, size_t point, struct hwc_error *error)
{
    struct hwc_repeats *cycles = &look->cycles[point];

    return hwc_time_column(&look->column, (size_t)look->lines[point], &look->several, &cycles->value[cycles->count++],
                           error);
}

static bool is_last(const struct look *look)
{
    return look->level >= look->lab->known->levels;
}

/* What memory takes in such a chain: longer than a flushed line does in its own by as much as the first level. */
static void add_memory(struct look *look)
{
    struct hwc_drawn_curve *curve = &look->curve;

    if (look->flushed <= 0 || !is_last(look))
        return;
    curve->memory = look->flushed + curve->cycles[0].mean - look->lab->known->fit.level[0].cycles.value;
    curve->memory_error = policy.of_memory_cycles * curve->memory;
}

static void make_curve(struct look *look)
{
    struct hwc_drawn_curve *curve = &look->curve;

    *curve = (struct hwc_drawn_curve){
        .points = look->points, .least_ways = look->lab->known->drawn.least_ways, .rivals = true};
    for (size_t i = 0; i < look->points; i++) {
        curve->bytes[i] = look->lines[i];
        curve->cycles[i] = hwc_undisturbed(look->cycles, look->points, i);
    }
    add_memory(look);
}

/* The level whose hits take about as long as this one's, by the levels that were seen at first, and whose misses take as
 * long as the next one's. An exclusive level, which is never quite full, may look like two: it keeps at most what the last
 * of them does. */
static void find_level(struct look *look)
{
    const struct hwc_levels_fit *seen = &look->lab->known->fit, *fit = &look->fit;
    bool is_last = look->level >= seen->levels;
    double hit = seen->level[look->level - 1].cycles.value;
    double miss = is_last ? seen->memory.value : seen->level[look->level].cycles.value, between = sqrt(hit * miss);
    unsigned level = 0, last;

    while (level + 1 < fit->levels && fit->level[level + 1].cycles.value <= between)
        level++;
    last = is_last ? fit->levels - 1 : level;
    look->kept = (struct hwc_kept_lines){.low = fit->level[level].low,
                                         .likely = fit->level[level].capacity,
                                         .high = fit->level[last].high,
                                         .hits = policy.hits_timed};
    look->hit = fit->level[level].cycles.value;
    look->miss = last + 1 < fit->levels ? fit->level[last + 1].cycles.value : fit->memory.value;
    if (last >= fit->told || look->miss <= between)
        look->kept = (struct hwc_kept_lines){0};
}

static bool counts(const struct look *look)
{
    return look->share.slow_cycles > 0;
}

static bool is_seen(const struct look *look)
{
    if (counts(look))
        return look->counted.far_beyond;
    return look->points > 0 && look->kept.high > 0 && look->lines[look->points - 1] >= HWC_BEYOND_KEPT * look->kept.likely;
}

/* So many looks at each point, in rounds over all of them: others slow the core down, or put lines out, for longer than
 * one point takes, and what a few points have in common looks like a level. */
static int look_at_points(struct look *look, unsigned looks, struct hwc_error *error)
{
    for (unsigned taken = 0; taken < looks; taken++)
        for (size_t i = 0; i < look->points; i++)
            if (look->cycles[i].count <= taken)
                TRY(add_look(look, i, error));
    make_curve(look);
    if (hwc_fit_levels(&look->curve, &look->fit))
        find_level(look);
    return HWC_OK;
}

/* Points from the last one on to so many lines. */
static void extend_curve(struct look *look, size_t lines)
{
    double ratio = exp2(1 / policy.points_per_octave);
    double next = look->points > 0 ? ratio * look->lines[look->points - 1] : (double)look->column.ways / 2;

    for (; round(next) <= (double)lines && look->points < HWC_MOST_DRAWN_POINTS; next *= ratio)
        look->lines[look->points++] = round(next);
}

/* Twice as many lines, again and again, until this level keeps them no longer, by all looks. */
static int see_corner(struct look *look, struct hwc_error *error)
{
    struct hwc_column *column = &look->column;
    size_t lines = HWC_FIRST_LINES;

    for (bool more = true; more && !is_seen(look) && has_time(look); lines *= 2) {
        TRY(hwc_column_grow(column, lines, error));
        extend_curve(look, hwc_lesser(column->lines, lines));
        TRY(look_at_points(look, FEW_LOOKS, error));
        if (is_seen(look))
            TRY(look_at_points(look, LOOKS, error));
        more = column->lines >= lines;
    }
    return HWC_OK;
}

/* The same by counting. */
static int count_corner(struct look *look, struct hwc_error *error)
{
    TRY(hwc_count_kept(&look->share, &look->several, look->until, &look->counted, error));
    look->kept = look->counted.kept;
    return HWC_OK;
}

static int find_corner(struct look *look, struct hwc_error *error)
{
    TRY(hwc_column_grow(&look->column, HWC_FIRST_LINES, error));
    if (is_last(look))
        TRY(hwc_column_share_open(&look->share, &look->column, error));
    TRY((counts(look) ? count_corner : see_corner)(look, error));
    if (!is_seen(look))
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "%zu lines of one set of the level above are too few to show its size", look->column.lines);
    return HWC_OK;
}

/* By which share of what a miss adds do references to so many lines at these places take longer than hits? */
static int time_miss_share(struct look *look, size_t lines, const struct hwc_column_places *places, double *share,
                           struct hwc_error *error)
{
    double cycles[LOOKS];

    for (int i = 0; i < LOOKS; i++)
        TRY(hwc_time_column(&look->column, lines, places, &cycles[i], error));
    *share = (hwc_median(cycles, LOOKS) - look->hit) / (look->miss - look->hit);
    return HWC_OK;
}

static int miss_share(struct look *look, size_t lines, const struct hwc_column_places *places, double *share,
                      struct hwc_error *error)
{
    size_t count = hwc_lesser(lines, look->column.lines);
    struct hwc_share_bounds missing;

    if (!counts(look))
        return time_miss_share(look, count, places, share, error);
    TRY(hwc_column_missing(&look->share, count, places, &missing, error));
    *share = missing.likely;
    return HWC_OK;
}

/* Has every column sets of its own? */
static int check_apart(struct look *look, struct hwc_error *error)
{
    const struct hwc_column_places alone = {.count = 1};
    size_t fits = hwc_lines_surely_kept(&look->kept, policy.fits);
    double together, one;

    if (fits == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "what it keeps of lines of a set leaves too much open");
    TRY(miss_share(look, fits, &look->all, &together, error));
    TRY(miss_share(look, (size_t)(policy.overflows * look->kept.high), &alone, &one, error));
    if (together > policy.little || one < policy.much)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "lines of other sets of the level above take room from those of one, so that what it keeps of "
                        "these does not tell its size");
    return HWC_OK;
}

static int choose_places(struct look *look, struct hwc_error *error)
{
    size_t step;

    TRY(hwc_draw_column_places(&look->column, HWC_COLUMN_PLACES, &look->all, error));
    step = look->all.count > SEVERAL ? look->all.count / SEVERAL : 1;
    for (size_t i = 0; i < look->all.count && look->several.count < SEVERAL; i += step)
        look->several.moved[look->several.count++] = look->all.moved[i];
    return HWC_OK;
}

/* Lines of one set of the level above lie in sets of this level that no others of its sets share, if this one has as many
 * sets, or more, and both are told by the same bits of the address. Else lines at their place of other pages put them out. */
static int check_nested(struct look *look, struct hwc_error *error)
{
    double miss = counts(look) ? 0 : look->miss - look->hit, share;

    if (look->several.count < 2)
        return HWC_OK;
    TRY(hwc_share_taken_by_others(&look->column, &look->kept, look->several.moved[1], miss, &share, error));
    if (share <= policy.taken)
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE,
                    "lines of other sets of the level above, on other pages, take room from those of one, so that what it "
                    "keeps of these does not tell its size");
}

static int measure(struct look *look, size_t pages, struct hwc_error *error)
{
    if (look->lab->machine->flushes) /* in each try: the last may have met a slow moment */
        TRY(hwc_time_flushed(look->lab, look->lab->known->level[1].fill_bytes, &look->flushed, error));
    TRY(hwc_column_open(look->lab, look->level - 1, pages, &look->column, error));
    TRY(choose_places(look, error));
    TRY(find_corner(look, error));
    TRY(check_apart(look, error));
    return check_nested(look, error);
}

/* Lines of the column that the levels above may hold beside this one. */
static double held_above(const struct look *look)
{
    const struct hwc_lab *lab = look->lab;
    const struct hwc_level *above = &lab->known->level[look->level - 1];

    if (lab->known->level[look->level].inclusion == HWC_INCLUSIVE)
        return 0;
    if (above->inclusion == HWC_INCLUSIVE)
        return (double)above->ways;
    return (double)(above->ways + hwc_lines_above(lab, look->level - 1, look->column.stride));
}

/* So many columns as the level above has sets. */
static void bound_size(const struct look *look, double *low, double *high)
{
    const struct hwc_level *above = &look->lab->known->level[look->level - 1];
    double column = (double)above->size_bytes / (double)above->ways; /* bytes for each line of it */

    *low = floor(look->kept.low - held_above(look)) * column;
    *high = ceil(look->kept.high * hwc_unseen_room(look->lab, look->level, look->kept.hits)) * column;
}

static bool are_close(const struct hwc_finding *finding)
{
    return finding->has_interval && finding->high <= policy.close * finding->low;
}

/* What the bounds that were found before have in common with these; if nothing, one of them is wrong, and all between
 * them is possible. */
static void narrow(const struct hwc_finding *before, double *low, double *high)
{
    bool agree;

    if (!before->has_interval)
        return;
    agree = before->low < *high && *low < before->high;
    *low = agree ? fmax(*low, before->low) : fmin(*low, before->low);
    *high = agree ? fmin(*high, before->high) : fmax(*high, before->high);
}

static int report(const struct look *look, struct hwc_finding *finding, struct hwc_error *error)
{
    double low, high, fits, overflows;

    bound_size(look, &low, &high);
    narrow(finding, &low, &high);
    if (hwc_fitted_bounds(look->lab, look->level, &fits, &overflows) && fits > high)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines of a set speak for %.1f MiB at most, footprints for %.1f at least",
                        high / (1 << 20), fits / (1 << 20));
    if (low <= 0 || high > HWC_WIDEST_BOUNDS * low)
        return hwc_fail(error, HWC_INCONCLUSIVE, "what it keeps of lines of a set leaves too much open");
    hwc_finding_between(finding, low, high, "bounded by how many lines of one set of the level above it keeps");
    return HWC_OK;
}

static int add_curve(const struct look *look, struct hwc_curves *curves, struct hwc_error *error)
{
    const char *x = "lines of a set of the level above";
    struct hwc_series *missing;
    struct hwc_curve *curve;

    if (!counts(look))
        return hwc_curve_add_drawn(curves, "lower_size", x, "lines", &look->curve, error);
    TRY(hwc_curve_add(curves, "lower_size", "random", x, "lines", &curve, error));
    TRY(hwc_series_add(curve, "loads from memory", "share", &missing, error));
    for (size_t i = 0; i < look->counted.points; i++)
        TRY(hwc_point_add(missing, look->counted.lines[i], look->counted.missing[i], error));
    return HWC_OK;
}

/* *pages: on how many to look, and if those have too few lines of a set, how many would have enough. */
static int look_once(struct hwc_lab *lab, unsigned level, size_t *pages, struct hwc_profile *profile,
                     struct hwc_error *error)
{
    uint64_t most = (uint64_t)(policy.seconds * 1e9 / lab->machine->reference_ns);
    struct look look = {.lab = lab, .level = level, .until = lab->references + most};
    int status = measure(&look, *pages, error);

    *pages = status == HWC_UNAVAILABLE && look.column.lines > 0 && !is_seen(&look) ? more_pages(&look) : 0;
    if (*pages <= look.column.pages)
        *pages = 0;
    hwc_column_close(&look.column);
    if (status != HWC_OK)
        return status;
    TRY(add_curve(&look, &profile->curves, error));
    return report(&look, &profile->cache[level - 1].finding[HWC_CACHE_SIZE], error);
}

/* Where others disturbed, another set may do; where lines were too few, more pages. Once there are bounds, a look that
 * comes to nothing takes nothing from them. */
static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *size = &profile->cache[level - 1].finding[HWC_CACHE_SIZE];
    int status = HWC_INCONCLUSIVE;
    int bounded = 0; /* looks since there are bounds */
    size_t pages = 0;

    for (int i = 0; i < TRIES && bounded < NARROWED && !are_close(size) &&
                    (bounded > 0 || status == HWC_INCONCLUSIVE || pages > 0); i++) {
        status = look_once(lab, level, &pages, profile, error);
        bounded += bounded > 0 || status == HWC_OK;
        if (bounded > 0 && hwc_came_to_nothing(status))
            status = HWC_OK;
    }
    return hwc_findings_settle(status, &size, 1, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    if (!lab->machine->has_clock || lab->known->level[1].line_bytes == 0)
        return HWC_OK;
    for (unsigned level = 3; level <= lab->known->fit.levels && level <= profile->caches; level++) {
        const struct hwc_level *known = &lab->known->level[level];
        if (known->size_bytes == 0 && hwc_is_set_known(known - 1, known[-1].ways + HWC_COLUMN_SPARES))
            TRY(run_level(lab, level, profile, error));
    }
    return HWC_OK;
}

const struct hwc_probe hwc_probe_lower_size = {
    .name = "lower_size",
    .summary = "size of a level below the second, by lines of one set of the level above",
    .source = "King, Analysis of demand paging algorithms, IFIP 1971; Zhao et al., ASPLOS 2024",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_SIZE},
    .basic = true,
    .run = run,
};
