/* How many pages the data TLBs hold, where their entries could not be counted.
 *
 * Claim: bounds of the entries of the data TLBs for ordinary pages.
 *
 * Method: that of capacity.c, with pages for lines: a TLB of E entries translates
 * E of P pages drawn at random, whichever it keeps (King, IFIP 1971). The time of
 * as many neighbouring lines, drawn in the same way, is subtracted, so that only
 * translation is left. Pages lie side by side: address bits, or a hash that XORs
 * them (Tatar et al., USENIX Security 2022), then put as many into each set; as not all hashes do, nor are all pages ours,
 * on a real machine any spread over sets of a few ways is taken to be possible. They
 * are first touched in a random order, so that neighbours are not backed by
 * neighbouring memory, and no entry covers two of them for that. Where what an
 * entry of the first level covers is not known, or the system merges pages, they
 * lie three apart; and where as many pages as seem to fit a later level, three
 * apart, miss much more: its entries cover more than those of the first.
 *
 * What can fool it: lines at random places begin to miss a data cache where
 * neighbouring ones still fit, and so do page tables: a step where a cache holds
 * about as many lines is not told from one of translation, nor what lies beyond
 * it. Other page walks that take longer the more pages there are. A sibling thread
 * takes its part of the entries: what was read beside it is at least what there is.
 * Entries that cover more than a page by themselves: then nothing is asked. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "page_times.h"
#include "table.h"
#include "tlb_curve.h"
#include "walks_fit.h"

static const struct {
    uint64_t first_pages, most_pages;
    double points_per_octave;
    double floor;
    double widest;
    double of_lines;
    double of_step;
    double close, points_where_it_ends;
    unsigned usual_ways;
    uint64_t pages_apart;
    double covered;
} policy = {
    .first_pages = 8,
    .most_pages = 8192,
    .points_per_octave = 4,
    /* Share of the time that translation and misses of the first level take which depends on where lines and page
     * tables lie: walks take the longer the more pages there are. */
    .floor = 0.05,
    .widest = 4,
    /* Up to this many times more or fewer lines than a cache has, more of them may miss than of neighbouring ones: of
     * tables, an eighth as many go with the pages, eight entries to a line. */
    .of_lines = 1.5,
    .of_step = 1.5, /* points up to this many times fewer or more pages tell where a level ends */
    .close = 1.35, /* bounds farther apart than this many times are asked again, by so many points to an octave */
    .points_where_it_ends = 12,
    .usual_ways = 4,
    .pages_apart = 3,
    /* Of twice as many pages as just fit side by side, half miss; of those that fit, three apart, as many if entries cover
     * two (fewer if those are filled page by page). Else a fifth at most, where a hash spreads them over sets of 4 ways. */
    .covered = 0.5,
};

static bool is_asked(const struct hwc_record *tlb)
{
    return !tlb->code && !tlb->large && tlb->level > 0 && !tlb->finding[HWC_TLB_ENTRIES].known;
}

static bool any_asked(const struct hwc_profile *profile)
{
    for (unsigned i = 0; i < profile->tlbs; i++)
        if (is_asked(&profile->tlb[i]))
            return true;
    return false;
}

/* A reading takes less than a millisecond, and who works on the core's other thread often pauses for some. */
static const struct hwc_quiet_core quiet = {.wait_seconds = 0.001, .tries = 3, .needed = true},
                                   quiet_where_it_ends = {.wait_seconds = 0.001, .tries = 8, .needed = true};

/* An entry may cover several pages by itself, while none is known to cover one; or the system merges neighbours. */
static bool neighbours_take_two(const struct hwc_lab *lab)
{
    return lab->known->tlb[HWC_DTLB1].page_bytes == lab->machine->page_bytes && !lab->known->pages_grow;
}

static size_t points_between(double first, double last, double per_octave, struct hwc_page_point *point, size_t most)
{
    size_t points = 0;

    for (double pages = first; pages <= last && points < most; pages *= exp2(1 / per_octave))
        if (pages >= (double)policy.first_pages && (points == 0 || (uint64_t)pages > point[points - 1].pages))
            point[points++] = (struct hwc_page_point){.pages = (uint64_t)pages};
    return points;
}

static double most_pages(const struct hwc_lab *lab, uint64_t pages_apart)
{
    double bytes = (double)(pages_apart * lab->machine->page_bytes);

    return fmin((double)policy.most_pages, (double)lab->machine->max_arena_bytes / 4 / bytes);
}

/* A reference to a line in each page takes what a hit of the first level takes, and translation: neighbouring lines
 * take the rest. */
static void add_point(const struct hwc_page_point *point, double hit_cycles, struct hwc_drawn_curve *curve)
{
    struct hwc_estimate in_pages = hwc_middle_of_rounds(&point->in_pages);
    struct hwc_estimate in_lines = hwc_middle_of_rounds(&point->in_lines);
    double rest = in_lines.value, translation = fmax(in_pages.value - rest, 0);

    curve->bytes[curve->points] = (double)point->pages;
    curve->reading[curve->points] =
        hypot(hypot(in_pages.error, in_lines.error), policy.floor * (rest - hit_cycles + translation));
    curve->cycles[curve->points] = (struct hwc_tally){0};
    hwc_tally_add(&curve->cycles[curve->points++], translation + hit_cycles);
}

struct look {
    uint64_t pages_apart;
    double hit_cycles;
    size_t points;
    struct hwc_page_point point[HWC_MOST_DRAWN_POINTS];
    struct hwc_drawn_curve curve; /* of these points */
    struct hwc_levels_fit fit;
};

static void fit(const struct hwc_lab *lab, struct look *look)
{
    look->curve = (struct hwc_drawn_curve){
        .least_ways = look->pages_apart == 1 && !lab->machine->interference ? UINT_MAX : policy.usual_ways};
    for (size_t i = 0; i < look->points; i++)
        add_point(&look->point[i], look->hit_cycles, &look->curve);
    if (lab->machine->interference)
        hwc_fit_levels_apart(&look->curve, &look->fit);
    else
        hwc_fit_levels(&look->curve, &look->fit);
}

static int look_around(struct hwc_lab *lab, uint64_t pages_apart, struct look *look, struct hwc_error *error)
{
    const struct hwc_page_look around = {.pages_apart = pages_apart, .rounds = HWC_PAGE_ROUNDS, .quiet = &quiet};

    look->pages_apart = pages_apart;
    look->points = points_between((double)policy.first_pages, most_pages(lab, pages_apart), policy.points_per_octave,
                                  look->point, HWC_MOST_DRAWN_POINTS);
    TRY(hwc_time_pages(lab, &around, look->point, look->points, error));
    fit(lab, look);
    return HWC_OK;
}

/* Does a point tell where the level ends? */
static bool tells(const struct hwc_page_point *point, const struct hwc_fitted_level *fitted)
{
    double pages = (double)point->pages;

    return pages * policy.of_step >= fitted->low && pages <= fitted->high * policy.of_step;
}

/* Did somebody else work on this core whenever the points were read that tell where the level ends? */
static bool is_beside(const struct look *look, const struct hwc_fitted_level *fitted)
{
    for (size_t i = 0; i < look->points; i++)
        if (tells(&look->point[i], fitted) && 2 * look->point[i].in_pages.beside > HWC_PAGE_ROUNDS)
            return true;
    return false;
}

/* Do the levels whose entries are known lie where the fit has them? */
static bool agrees(const struct hwc_profile *profile, const struct hwc_levels_fit *fit)
{
    for (unsigned i = 0; i < profile->tlbs; i++) {
        const struct hwc_record *tlb = &profile->tlb[i];
        const struct hwc_finding *entries = &tlb->finding[HWC_TLB_ENTRIES];
        if (tlb->code || tlb->large || !entries->known || tlb->level == 0)
            continue;
        if (tlb->level > fit->levels || entries->value < fit->level[tlb->level - 1].low ||
            entries->value > fit->level[tlb->level - 1].high)
            return false;
    }
    return true;
}

/* Does a cache hold about as many lines as there are pages at this step? */
static bool may_be_a_caches(const struct hwc_lab *lab, const struct hwc_fitted_level *fitted)
{
    for (unsigned i = 1; i <= lab->known->levels; i++) {
        const struct hwc_level *cache = &lab->known->level[i];
        double line = (double)(cache->line_bytes > 0 ? cache->line_bytes : lab->known->level[1].line_bytes);
        double least, most;
        hwc_held_bounds(lab, i, &least, &most);
        if (line * fitted->low <= most * policy.of_lines && line * fitted->high >= least / policy.of_lines)
            return true;
    }
    return false;
}

/* Of so many pages or fewer, those of the last point: no more are known to fit. Between two points, the fit takes a walk
 * to cost the same; but the more pages there are the more it costs, so that a level seems larger than it is. */
static double last_point(const struct look *look, double pages)
{
    double last = 0;

    for (size_t i = 0; i < look->points && (double)look->point[i].pages <= pages; i++)
        last = (double)look->point[i].pages;
    return last;
}

/* A level may hold none of the pages that the one above holds, which then counts, too. */
static void report(const struct hwc_lab *lab, const struct look *look, struct hwc_record *tlb)
{
    const struct hwc_fitted_level *fitted = &look->fit.level[tlb->level - 1];
    double high = hwc_most_entries(lab, fitted->high);
    double least = fmin(fitted->low, last_point(look, fitted->capacity));
    double low = least - (tlb->level > 1 ? look->fit.level[tlb->level - 2].high : 0);

    if (low <= 0 || high > policy.widest * low)
        return;
    hwc_report_entries(is_beside(look, fitted) || hwc_may_be_halved(lab, tlb->level), low, high,
                       "bounded by how long references to pages drawn at random take", &tlb->finding[HWC_TLB_ENTRIES]);
}

/* How many levels' steps are theirs for certain? Beyond one that may be a cache's, it is not known which is which.
 * Where others disturbed so much that the first level was not found, here neither, nothing is told beyond it. */
static unsigned levels_told(const struct hwc_lab *lab, const struct look *look)
{
    const struct hwc_levels_fit *fit = &look->fit;
    bool spoilt = lab->machine->interference && lab->known->tlb[HWC_DTLB1].entries == 0 && fit->levels > 1 &&
                  is_beside(look, &fit->level[0]);
    unsigned told = 0, most = spoilt ? 1 : fit->levels;

    while (told < most && !may_be_a_caches(lab, &fit->level[told]))
        told++;
    return told;
}

static int by_pages(const void *a, const void *b)
{
    const struct hwc_page_point *one = a, *other = b;

    return (one->pages > other->pages) - (one->pages < other->pages);
}

/* Points in place of those that tell where the level ends, closer together. */
static void replace(const struct hwc_page_point *closer, size_t points, const struct hwc_fitted_level *fitted,
                    struct look *look)
{
    size_t left = 0;

    for (size_t i = 0; i < look->points; i++)
        if (!tells(&look->point[i], fitted))
            look->point[left++] = look->point[i];
    for (size_t i = 0; i < points && left < HWC_MOST_DRAWN_POINTS; i++)
        look->point[left++] = closer[i];
    look->points = left;
    qsort(look->point, left, sizeof *look->point, by_pages);
}

/* Cycles of a reference to pages further apart, as many as surely fit the level side by side; once more where that
 * takes longer, as others may be why. */
static int time_apart(struct hwc_lab *lab, const struct look *look, struct hwc_page_point *point, double threshold,
                      double *cycles, struct hwc_error *error)
{
    const struct hwc_page_look apart = {.pages_apart = policy.pages_apart, .rounds = 1, .quiet = &quiet};

    *cycles = INFINITY;
    for (unsigned i = 0; i < 2 && *cycles > threshold; i++) {
        TRY(hwc_time_pages(lab, &apart, point, 1, error));
        *cycles = fmin(*cycles, point->in_pages.cycles[0] - point->in_lines.cycles[0] + look->hit_cycles);
    }
    return HWC_OK;
}

/* Cycles of a reference to so many pages side by side, or more. */
static double cycles_side_by_side(const struct look *look, double pages)
{
    for (size_t i = 0; i < look->curve.points; i++)
        if (look->curve.bytes[i] >= pages)
            return look->curve.cycles[i].mean;
    return look->curve.cycles[look->curve.points - 1].mean;
}

/* Does an entry of the level cover neighbouring pages? */
static int cover_more(struct hwc_lab *lab, const struct look *look, unsigned level, bool *more, struct hwc_error *error)
{
    const struct hwc_fitted_level *fitted = &look->fit.level[level - 1];
    double cycles, fitting = 0, threshold;
    struct hwc_page_point point = {0};

    *more = false;
    for (size_t i = 0; i < look->curve.points && look->curve.bytes[i] <= fitted->low; i++) {
        point.pages = look->point[i].pages;
        fitting = look->curve.cycles[i].mean;
    }
    if (point.pages == 0)
        return HWC_OK;
    threshold = fitting + policy.covered * (cycles_side_by_side(look, 2 * (double)point.pages) - fitting);
    TRY(time_apart(lab, look, &point, threshold, &cycles, error));
    *more = cycles > threshold;
    return HWC_OK;
}

/* Of the first level, entries are known to cover one. */
static int any_covers_more(struct hwc_lab *lab, const struct look *look, const struct hwc_profile *profile, bool *more,
                           struct hwc_error *error)
{
    unsigned told = levels_told(lab, look);

    *more = false;
    for (unsigned i = 0; i < profile->tlbs && !*more; i++)
        if (is_asked(&profile->tlb[i]) && profile->tlb[i].level > 1 && profile->tlb[i].level <= told)
            TRY(cover_more(lab, look, profile->tlb[i].level, more, error));
    return HWC_OK;
}

/* Side by side where that is not known to mislead, else apart. */
static int look_far_enough_apart(struct hwc_lab *lab, const struct hwc_profile *profile, struct look *look,
                                 struct hwc_error *error)
{
    bool more = !neighbours_take_two(lab);

    if (!more) {
        TRY(look_around(lab, 1, look, error));
        TRY(any_covers_more(lab, look, profile, &more, error));
    }
    return more ? look_around(lab, policy.pages_apart, look, error) : HWC_OK;
}

/* Where a level ends, points a fifth apart say little, and others may just have been there: look again. */
static int look_where_it_ends(struct hwc_lab *lab, unsigned level, struct look *look, struct hwc_error *error)
{
    const struct hwc_page_look closely = {
        .pages_apart = look->pages_apart, .rounds = HWC_PAGE_ROUNDS, .quiet = &quiet_where_it_ends};
    const struct hwc_fitted_level fitted = look->fit.level[level - 1];
    double most = (double)look->point[look->points - 1].pages;
    struct hwc_page_point closer[HWC_MOST_DRAWN_POINTS / 2];
    size_t points;
    int status;

    if (fitted.high <= policy.close * fitted.low && !is_beside(look, &fitted))
        return HWC_OK;
    points = points_between(fitted.low / policy.of_step, fmin(fitted.high * policy.of_step, most),
                            policy.points_where_it_ends, closer, HWC_MOST_DRAWN_POINTS / 2);
    status = hwc_time_pages(lab, &closely, closer, points, error);
    if (status != HWC_OK)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    replace(closer, points, &fitted, look);
    fit(lab, look);
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, const struct hwc_profile *profile, struct look *look, struct hwc_error *error)
{
    TRY(look_far_enough_apart(lab, profile, look, error));
    for (unsigned i = 0; i < profile->tlbs; i++)
        if (is_asked(&profile->tlb[i]) && profile->tlb[i].level <= levels_told(lab, look))
            TRY(look_where_it_ends(lab, profile->tlb[i].level, look, error));
    hwc_allow_longer_walks(&look->curve, lab->machine->interference, &look->fit);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct hwc_finding *hit = &profile->cache[0].finding[HWC_CACHE_LATENCY];
    struct look look = {.hit_cycles = hit->value};
    unsigned told;
    int status;

    if (!lab->machine->has_clock || !hit->known || lab->known->level[1].line_bytes == 0 || !any_asked(profile) ||
        lab->known->tlb[HWC_DTLB1].page_bytes > lab->machine->page_bytes)
        return HWC_OK;
    status = measure(lab, profile, &look, error);
    if (status != HWC_OK)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    TRY(hwc_curve_add_drawn(&profile->curves, "tlb_capacity", "pages", "pages", &look.curve, error));
    if (!agrees(profile, &look.fit))
        return HWC_OK;
    told = levels_told(lab, &look);
    for (unsigned i = 0; i < profile->tlbs; i++)
        if (is_asked(&profile->tlb[i]) && profile->tlb[i].level <= told)
            report(lab, &look, &profile->tlb[i]);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_tlb_capacity = {
    .name = "tlb_capacity",
    .summary = "bounds of the data TLBs' entries, where they could not be counted",
    .source = "King, Analysis of demand paging algorithms, IFIP 1971",
    .needs = {HWC_TLB_ENTRIES, HWC_CACHE_LATENCY},
    .provides = {HWC_TLB_ENTRIES},
    .basic = true,
    .run = run,
};
