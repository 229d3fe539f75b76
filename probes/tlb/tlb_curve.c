#include "tlb_curve.h"

#include <math.h>

#include "quiet_core.h"
#include "served_above.h"
#include "statistics.h"

static const struct {
    double first, first_large; /* pages at the first point: no first level has fewer entries */
    size_t least;              /* the curve goes at least this far where the caches set its end */
    size_t of_usual_code;      /* lines of a first instruction cache that is not known: 32 KiB in lines of 64 bytes */
    int looks;                 /* of code the least counts: predictors do better in some orders than in others */
    double leeway;             /* a step may be off by this factor: it lies between points that are sqrt(2) apart */
} points_of = {
    .first = 8, .first_large = 4, .least = 128, .of_usual_code = 512, .looks = 3, .leeway = 1.3};

static const struct {
    double rise;      /* a rise is more than this share of the time on the control, */
    double rise_over; /* on top of this many times the plateau before */
    double flat;      /* two neighbouring points that agree within this share, and whose controls do, too, */
    unsigned soon;    /* are a plateau if they come less than this many points after the rise began */
} shape = {.rise = 0.15, .rise_over = 1.5, .flat = 0.12, .soon = 4};

/* A core may partition its entries for code among active threads: beside a sibling thread only half of them show. */
static const struct hwc_quiet_core quiet_for_code = {.wait_seconds = 0.3, .tries = 8};

/* Seen on cores with nobody on their other half: of 3072 entries, references to more pages than that find 2830. */
static const double entries_to_pages = 1.125;

double hwc_most_entries(const struct hwc_lab *lab, double pages)
{
    return lab->machine->interference ? entries_to_pages * pages : pages;
}

void hwc_report_entries(bool beside, double least, double most, const char *why, struct hwc_finding *entries)
{
    if (beside)
        hwc_finding_unknown(entries, HWC_WHY_INCONCLUSIVE, HWC_AT_LEAST_BESIDE, floor(least));
    else
        hwc_finding_between(entries, floor(least), ceil(most), why);
}

bool hwc_may_be_halved(const struct hwc_lab *lab, unsigned level)
{
    return level > 1 && hwc_in_company(lab);
}

/* With more pages than this, lines begin to miss a data cache if they are spread,
 * but not if they are packed; with sets of one or two ways much sooner than with
 * sets of many. */
size_t hwc_most_pages(const struct hwc_lab *lab, const struct hwc_tlb_side *side)
{
    const struct hwc_level *level = &lab->known->level[lab->known->levels > 1 ? 2 : 1];
    uint64_t bytes = level->size_bytes > 0 ? level->size_bytes : level->rough_low;
    uint64_t pages = bytes / (level->fill_bytes > 64 ? level->fill_bytes : 64);
    size_t most = side->code ? HWC_MOST_PAGES / 4 : HWC_MOST_PAGES;

    if (level->ways > 0 && level->ways <= 2)
        pages /= 4;
    if (side->large)
        return side->most_large;
    if (side->code && lab->known->code.size_bytes == 0)
        return points_of.of_usual_code;
    if (pages < points_of.least)
        return points_of.least;
    return pages < most ? (size_t)pages : most;
}

struct point {
    struct hwc_translation *translation;
    size_t pages, visits; /* one to a page; or so many in all */
    double control, excess;
};

static int look_at_point(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct point *point = context;

    (void)lab;
    if (point->visits > point->pages)
        return hwc_translation_excess_of_visits(point->translation, point->visits, point->pages, &point->control,
                                                &point->excess, error);
    return hwc_translation_excess(point->translation, point->pages, &point->control, &point->excess, error);
}

static int read_point(struct point *point, double *control, double *excess, struct hwc_error *error)
{
    struct hwc_translation *translation = point->translation;
    double cycles = INFINITY; /* others only add to it, and to the control's */

    *control = INFINITY;
    for (int look = 0; look < (translation->code ? points_of.looks : 1); look++) {
        if (translation->code)
            TRY(hwc_on_quiet_core(translation->lab, &quiet_for_code, look_at_point, point, error));
        else
            TRY(look_at_point(translation->lab, point, error));
        *control = fmin(*control, point->control);
        cycles = fmin(cycles, point->control + point->excess);
    }
    *excess = cycles - *control;
    return HWC_OK;
}

int hwc_read_tlb_point(struct hwc_translation *translation, size_t pages, double *control, double *excess,
                       struct hwc_error *error)
{
    struct point point = {.translation = translation, .pages = pages, .visits = pages};

    return read_point(&point, control, excess, error);
}

enum { MOST_POINTS = 32 };

struct curve {
    unsigned points;
    double pages[MOST_POINTS], excess[MOST_POINTS], control[MOST_POINTS];
    struct hwc_tlb_plateau plateau[HWC_TLB_LEVELS];
};

/* The level is missed from the number of pages on where the curve is half-way up to its plateau, and not yet where it is
 * less than a quarter of the way up: of a few pages too many, a cyclic walk may miss about half. */
static void find_step(struct hwc_tlb_side *side, unsigned level, const struct curve *curve)
{
    double before = level > 0 ? side->plateau[level - 1] : 0, rise = side->plateau[level] - before;

    side->below[level] = 0;
    side->above[level] = SIZE_MAX;
    for (unsigned i = 0; i < curve->points && side->above[level] == SIZE_MAX; i++) {
        if (curve->excess[i] < before + rise / 4)
            side->below[level] = (size_t)curve->pages[i];
        else if (curve->excess[i] >= before + rise / 2)
            side->above[level] = (size_t)curve->pages[i];
    }
}

/* What surely fits takes longer than the control, too, if predictors foresee jumps the less the farther they go. It is
 * read at the point before the last one below the step: at that one, some may miss. */
static double hits_of(const struct hwc_tlb_side *side, const struct curve *curve)
{
    double hits = 0;

    for (unsigned i = 0; i < curve->points && (size_t)curve->pages[i] < side->below[0]; i++)
        hits = fmax(0, curve->excess[i]);
    return hits;
}

static int read_points(struct hwc_translation *translation, const struct hwc_tlb_side *side, struct curve *curve,
                       struct hwc_error *error)
{
    double most = (double)hwc_most_pages(translation->lab, side) * 1.01; /* despite rounding */
    bool risen = false;

    for (double at = side->large ? points_of.first_large : points_of.first; at <= most && curve->points < MOST_POINTS;
         at *= sqrt(2)) {
        unsigned i = curve->points++;
        curve->pages[i] = at;
        TRY(hwc_read_tlb_point(translation, (size_t)at, &curve->control[i], &curve->excess[i], error));
        risen = risen || curve->excess[i] > shape.rise * curve->control[0];
        if (!risen && !side->large) /* of a large page, the control uses a small part */
            translation->fitting = (size_t)at;
    }
    return HWC_OK;
}

static void find_levels(struct hwc_tlb_side *side, struct curve *curve, unsigned of_pages)
{
    side->levels = hwc_tlb_plateaus(curve->excess, curve->control, curve->points, of_pages, curve->plateau);
    for (unsigned level = 0; level < side->levels; level++) {
        side->plateau[level] = curve->plateau[level].cycles;
        side->uneven[level] = curve->plateau[level].uneven;
        side->control[level] = curve->plateau[level].control;
        find_step(side, level, curve);
    }
}

/* Is what visits to that many pages take longer than before the pages', and not the lines' or the jumps'? Then as many
 * visits to few pages, as far apart, take no longer: caches hold as many lines no better, and the core foresees as many
 * jumps no better. */
static int ask_whose_rise(struct hwc_translation *translation, size_t pages, size_t few, double before, bool *of_pages,
                          struct hwc_error *error)
{
    struct point to_few = {.translation = translation, .pages = few,
                           .visits = hwc_lesser(pages, HWC_MOST_VISITS * few)};
    double control, excess, excess_of_few;

    TRY(hwc_read_tlb_point(translation, to_few.visits, &control, &excess, error));
    TRY(read_point(&to_few, &control, &excess_of_few, error));
    *of_pages = excess_of_few - before < (excess - before) / 2;
    return HWC_OK;
}

/* Where many lines, one to a page, have begun to miss a cache that holds as many packed ones, time rises as it does
 * where translations miss. `last` is the point at which a level beyond the first is missed, `below` the last one below
 * the rise, at which some may miss. Others only add to a time: one look in which few pages take no longer is enough. */
static int drop_rise_of_lines(struct hwc_translation *translation, struct hwc_tlb_side *side, const struct curve *curve,
                              unsigned last, unsigned below, struct hwc_error *error)
{
    size_t pages = (size_t)curve->pages[last], few = (size_t)curve->pages[below > 0 ? below - 1 : 0];
    bool of_pages = false;

    for (int look = 0; look < points_of.looks && !of_pages; look++)
        TRY(ask_whose_rise(translation, pages, few, side->plateau[0], &of_pages, error));
    if (!of_pages) {
        side->levels = 1;
        side->rises_at = 0;
    }
    return HWC_OK;
}

static unsigned point_at(const struct curve *curve, size_t pages)
{
    unsigned i = 0;

    while (i + 1 < curve->points && (size_t)curve->pages[i] < pages)
        i++;
    return i;
}

/* Of ordinary pages. Large ones are too few for caches to overflow. */
static int check_second_level(struct hwc_translation *translation, struct hwc_tlb_side *side, const struct curve *curve,
                              struct hwc_error *error)
{
    unsigned rises = point_at(curve, side->rises_at);

    if (side->large)
        return HWC_OK;
    if (side->levels > 1)
        return drop_rise_of_lines(translation, side, curve, point_at(curve, side->above[1]),
                                  point_at(curve, side->below[1]), error);
    return side->rises_at > 0 ? drop_rise_of_lines(translation, side, curve, rises, rises - 1, error) : HWC_OK;
}

/* A rise before the first plateau is that of a level, too, where it is the pages', whatever the control does there. If that
 * level has no plateau, the first that has one is not the first level. */
static int find_first_level(struct hwc_translation *translation, struct hwc_tlb_side *side, struct curve *curve,
                            struct hwc_error *error)
{
    unsigned last = 0, from = 0;
    bool of_pages;

    while (side->levels > 0 && last + 1 < curve->points && (size_t)curve->pages[last + 1] < side->below[0])
        last++;
    if (!side->code || side->large || side->levels == 0 ||
        !hwc_tlb_has_risen(curve->excess, curve->control, last, &from))
        return HWC_OK;
    TRY(ask_whose_rise(translation, (size_t)curve->pages[last], (size_t)curve->pages[from] / 2, 0, &of_pages,
                       error));
    if (!of_pages)
        return HWC_OK;
    find_levels(side, curve, last + 1);
    if (side->levels == 0 || (double)side->above[0] > curve->pages[last]) {
        side->levels = 0;
        side->rises_at = (size_t)curve->pages[from + 1];
    }
    return HWC_OK;
}

static int read_levels(struct hwc_translation *translation, struct hwc_tlb_side *side, struct curve *curve,
                       struct hwc_error *error)
{
    unsigned from;

    TRY(read_points(translation, side, curve, error));
    find_levels(side, curve, side->code ? 0 : curve->points);
    side->rises_at = 0;
    if (side->levels > 0 && side->levels < HWC_TLB_LEVELS && !side->code &&
        hwc_tlb_rises_on(curve->excess, curve->control, curve->points, side->plateau[side->levels - 1], &from))
        side->rises_at = (size_t)curve->pages[from];
    TRY(check_second_level(translation, side, curve, error));
    return find_first_level(translation, side, curve, error);
}

int hwc_read_tlb_curve(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    struct curve curve = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, 1), side->large, error);

    if (status == HWC_OK)
        status = read_levels(&translation, side, &curve, error);
    hwc_translation_close(&translation);
    if (status != HWC_OK)
        return status;
    side->longest = curve.points > 0 ? curve.excess[curve.points - 1] : 0;
    side->hit_cycles = side->levels > 0 ? hits_of(side, &curve) : 0;
    for (unsigned level = 0; level < side->levels; level++) {
        side->stray[level] = hwc_tlb_stray(curve.excess, curve.control, curve.points, side->plateau[level]);
        side->more[level] = hwc_tlb_more(curve.pages, curve.excess, curve.plateau[level].at);
        side->plateau[level] -= side->hit_cycles;
    }
    return HWC_OK;
}

bool hwc_is_step_of_curve(const struct hwc_tlb_side *side, unsigned level, uint64_t entries)
{
    double low = (double)side->below[level - 1] / points_of.leeway;
    double high = (double)side->above[level - 1] * points_of.leeway;

    return side->levels >= level && (double)entries >= low && (double)entries <= high;
}

/* By what share point i and the next one differ. */
static double unevenness(const double *curve, unsigned i)
{
    return fabs(curve[i + 1] / curve[i] - 1);
}

static bool is_flat(const double *curve, unsigned i)
{
    return unevenness(curve, i) <= shape.flat;
}

/* What pages beyond this take belongs to the next level. */
static double floor_above(double plateau, const double *control)
{
    return shape.rise * control[0] + shape.rise_over * plateau;
}

/* The flattest place soon after point k, where a rise flattens: while sets are not yet full, some pages still hit, and
 * two points there may agree by chance. */
static unsigned flattest(const double *excess, const double *control, unsigned points, unsigned k)
{
    double most = floor_above(excess[k], control);
    unsigned best = k;

    for (unsigned i = k + 1; i < k + shape.soon && i + 1 < points && fmax(excess[i], excess[i + 1]) <= most; i++)
        if (is_flat(control, i) && unevenness(excess, i) < unevenness(excess, best))
            best = i;
    return best;
}

static bool falls(const double *excess, const double *control, unsigned from, unsigned to)
{
    return excess[from] - excess[to] > shape.rise * control[0] && fabs(excess[to] / excess[from] - 1) > shape.flat;
}

/* How many points can be used: more pages never take less time to translate. If the excess falls because the control
 * has begun to take longer, the control alone overflows a cache, and the points from there on say nothing. A control
 * that was climbing before is no such case: no plateau is found there anyway. Nor is a point at which it is still on its
 * way, if the excess is as before at the next one. */
static unsigned points_to_read(const double *excess, const double *control, unsigned points)
{
    for (unsigned i = 1; i < points; i++) {
        bool settled = i < 2 || is_flat(control, i - 2);
        bool on_its_way = i + 1 < points && !is_flat(control, i);
        if (settled && !is_flat(control, i - 1) && falls(excess, control, i - 1, i) &&
            !(on_its_way && !falls(excess, control, i - 1, i + 1)))
            return i;
    }
    return points;
}

static struct hwc_tlb_plateau plateau_at(const double *excess, const double *control, unsigned k)
{
    return (struct hwc_tlb_plateau){.at = k,
                                    .cycles = (excess[k] + excess[k + 1]) / 2,
                                    .uneven = unevenness(excess, k),
                                    .control = (control[k] + control[k + 1]) / 2};
}

/* For code, what makes the control take longer (jumps that are not foreseen) may tell on pages, too: a rise counts by what
 * it exceeds that of the control since it began. */
unsigned hwc_tlb_plateaus(const double *excess, const double *control, unsigned points, unsigned of_pages,
                          struct hwc_tlb_plateau plateau[HWC_TLB_LEVELS])
{
    double floor = shape.rise * control[0], varies = 0, before = control[0];
    unsigned levels = 0, flat_until = 0;

    points = points_to_read(excess, control, points);
    for (unsigned i = 0; levels < HWC_TLB_LEVELS && i < points; i++) {
        before = excess[i] <= floor || i < of_pages ? control[i] : before;
        varies = fmax(0, control[i] - before);
        if (excess[i] <= floor + varies || i < flat_until)
            continue;
        for (unsigned k = i; k < i + shape.soon && k + 1 < points; k++) {
            if (excess[k] <= floor + varies || !is_flat(excess, k) || !is_flat(control, k))
                continue;
            k = flattest(excess, control, points, k);
            plateau[levels++] = plateau_at(excess, control, k); /* may be on the way up still, or already beyond */
            floor = floor_above(plateau[levels - 1].cycles, control);
            flat_until = k + 1;
            break;
        }
    }
    return levels;
}

/* Has the control settled, by its neighbours? */
static bool is_level(const double *control, unsigned points, unsigned i)
{
    return (i == 0 || is_flat(control, i - 1)) && (i + 1 >= points || is_flat(control, i));
}

double hwc_tlb_stray(const double *excess, const double *control, unsigned points, double plateau)
{
    double highest = plateau, stray = 0;

    for (unsigned i = 0; i < points; i++) {
        if (is_level(control, points, i))
            highest = fmax(highest, excess[i]);
        if (excess[i] <= plateau)
            stray = highest - plateau;
    }
    return stray;
}

double hwc_tlb_more(const double *pages, const double *excess, unsigned at)
{
    double most = hwc_latency_of_rest(pages[at] / pages[at + 1], excess[at], excess[at + 1]);

    return fmax(most - (excess[at] + excess[at + 1]) / 2, 0);
}

bool hwc_tlb_has_risen(const double *excess, const double *control, unsigned at, unsigned *from)
{
    double least = excess[0];

    for (unsigned i = 1; i <= at; i++)
        least = fmin(least, excess[i]);
    for (unsigned i = 0; i <= at; i++)
        *from = excess[i] <= least + shape.rise * control[0] ? i : *from;
    return *from < at;
}

bool hwc_tlb_rises_on(const double *excess, const double *control, unsigned points, double plateau, unsigned *from)
{
    double floor = floor_above(plateau, control);

    points = points_to_read(excess, control, points);
    for (unsigned i = 1; i + 1 < points; i++)
        if (excess[i] > floor && excess[i + 1] > excess[i] && is_flat(control, i - 1) && is_flat(control, i)) {
            *from = i;
            return true;
        }
    return false;
}
