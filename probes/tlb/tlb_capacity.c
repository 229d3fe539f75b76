/* How many pages the data TLBs hold, where their entries could not be counted.
 *
 * Claim: bounds of the entries of the data TLBs for ordinary pages.
 *
 * Method: that of capacity.c, with pages for lines: a TLB of E entries translates
 * E of P pages drawn at random, whichever it keeps (King, IFIP 1971). The time of
 * as many neighbouring lines, drawn in the same way, is subtracted, so that only
 * translation is left. Pages lie side by side: address bits, or a hash that XORs
 * them (Tatar et al., USENIX Security 2022), then put as many into each set. They
 * are first touched in a random order, so that neighbours are not backed by
 * neighbouring memory, and no entry covers two of them. Where what an entry covers
 * is not known, or the system merges pages, they lie three apart.
 *
 * What can fool it: lines at random places begin to miss a data cache where
 * neighbouring ones still fit, and so do page tables: a step where a cache holds
 * about as many lines is not told from one of translation, nor what lies beyond
 * it. Other page walks that take longer the more pages there are. A sibling thread
 * takes its part of the entries: what was read beside it is at least what there is.
 * Entries that cover more than a page by themselves: then nothing is asked. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "drawn_curve.h"
#include "quiet_core.h"
#include "sampler.h"
#include "statistics.h"
#include "table.h"

static const struct {
    uint64_t first_pages, most_pages, pages_apart;
    double points_per_octave;
    uint64_t references;
    double floor;
    double widest;
    double of_lines;
    double of_step;
    unsigned usual_ways;
    double of_middle;
} policy = {
    .first_pages = 8,
    .most_pages = 8192,
    .pages_apart = 3,
    .points_per_octave = 4,
    .references = 8192,
    /* Share of the time that translation and misses of the first level take which depends on where lines and page
     * tables lie: walks take the longer the more pages there are. */
    .floor = 0.05,
    .widest = 4,
    /* Up to this many times more or fewer lines than a cache has, more of them may miss than of neighbouring ones: of
     * tables, an eighth as many go with the pages, eight entries to a line. */
    .of_lines = 1.5,
    .of_step = 1.5, /* points up to this many times fewer or more pages tell where a level ends */
    .usual_ways = 4,
    /* Of six normal readings, the second and the median are 0.64 standard deviations apart, and the median's error is
     * 0.49 of one. Those above the median tell less: noise only adds to a time. */
    .of_middle = 0.77,
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

enum { ROUNDS = 6 };

/* The time of a reference, by round, and the least standard error of one. */
struct times {
    double cycles[ROUNDS];
    double error;
    unsigned beside; /* rounds in which somebody else worked on this core */
};

/* The times of a reference to a line in each of so many pages, and to as many neighbouring lines. */
struct point {
    uint64_t pages;
    struct times in_pages, in_lines;
};

/* The pages of a round. All its points use the first of them: fresh ones for each would take most of the time. */
struct ground {
    struct hwc_arena pages, lines;
};

/* An entry may cover several pages by itself, while none is known to cover one; or the system merges neighbours. */
static bool neighbours_take_two(const struct hwc_lab *lab)
{
    return lab->known->tlb[HWC_DTLB1].page_bytes == lab->machine->page_bytes && !lab->known->pages_grow;
}

static uint64_t pages_apart(const struct hwc_lab *lab)
{
    return neighbours_take_two(lab) ? 1 : policy.pages_apart;
}

static struct hwc_drawn drawn_pages(const struct hwc_lab *lab, uint64_t pages)
{
    uint64_t line = lab->known->level[1].line_bytes, page = lab->machine->page_bytes;

    return (struct hwc_drawn){.references = policy.references,
                              .cells = pages,
                              .spacing = pages_apart(lab) * page,
                              .line_shift = (unsigned)__builtin_ctzll(line),
                              .page_shift = (unsigned)__builtin_ctzll(page)};
}

static uint64_t longest_line(const struct hwc_lab *lab)
{
    uint64_t longest = lab->known->level[1].line_bytes;

    for (unsigned level = 2; level <= lab->known->levels; level++)
        longest = lab->known->level[level].line_bytes > longest ? lab->known->level[level].line_bytes : longest;
    return longest;
}

/* As many lines of every level as of pages. */
static struct hwc_drawn drawn_lines(const struct hwc_lab *lab, uint64_t lines)
{
    return (struct hwc_drawn){.references = policy.references, .cells = lines, .spacing = longest_line(lab)};
}

/* The system hands out memory in the order of first touches. */
static int touch_in_random_order(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn,
                                 struct hwc_error *error)
{
    struct hwc_walk walk;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_cells(&walk, drawn, error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&walk, &lab->random);
        walk.independent = true;
        status = hwc_lab_run(lab, arena, &walk, 1, error);
    }
    hwc_walk_free(&walk);
    return status;
}

static int open_ground(struct hwc_lab *lab, uint64_t most, struct ground *ground, struct hwc_error *error)
{
    const struct hwc_drawn pages = drawn_pages(lab, most), lines = drawn_lines(lab, most);

    TRY(lab->machine->ops->arena_open(lab->machine, hwc_drawn_bytes(&pages), HWC_SPARSE_PAGES, &ground->pages, error));
    TRY(touch_in_random_order(lab, &ground->pages, &pages, error));
    return lab->machine->ops->arena_open(lab->machine, hwc_drawn_bytes(&lines), HWC_BASE_PAGES, &ground->lines, error);
}

static void close_ground(struct hwc_lab *lab, struct ground *ground)
{
    hwc_close_arena(lab, &ground->pages);
    hwc_close_arena(lab, &ground->lines);
}

struct reading {
    const struct hwc_arena *arena;
    const struct hwc_drawn *drawn;
    struct hwc_estimate cycles;
};

static int read_once(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct reading *reading = context;

    return hwc_time_drawn_in(lab, reading->arena, reading->drawn, &reading->cycles, error);
}

/* A reading takes less than a millisecond, and who works on the core's other thread often pauses for some. */
static const struct hwc_quiet_core quiet = {.wait_seconds = 0.001, .tries = 3, .needed = true};

static int take_time(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn, unsigned round,
                     struct times *times, struct hwc_error *error)
{
    struct reading reading = {.arena = arena, .drawn = drawn};
    int status = hwc_on_quiet_core(lab, &quiet, read_once, &reading, error);

    if (status == HWC_UNAVAILABLE) {
        times->beside++;
        status = read_once(lab, &reading, error);
    }
    times->cycles[round] = reading.cycles.value;
    times->error = round > 0 ? fmin(times->error, reading.cycles.error) : reading.cycles.error;
    return status;
}

/* The median: arenas differ in where their pages lie, so that the least of some is the luckiest of them, and noise makes
 * outliers. Its standard error, for readings that are about normal but for these. */
static struct hwc_estimate middle_of(const struct times *times)
{
    double sorted[ROUNDS], median;

    memcpy(sorted, times->cycles, sizeof sorted);
    median = hwc_median(sorted, ROUNDS);
    return (struct hwc_estimate){.value = median,
                                 .error = hypot(times->error, policy.of_middle * (median - sorted[1])),
                                 .samples = ROUNDS};
}

static int look_at(struct hwc_lab *lab, const struct ground *ground, unsigned round, struct point *point,
                   struct hwc_error *error)
{
    const struct hwc_drawn apart = drawn_pages(lab, point->pages), packed = drawn_lines(lab, point->pages);

    TRY(take_time(lab, &ground->pages, &apart, round, &point->in_pages, error));
    return take_time(lab, &ground->lines, &packed, round, &point->in_lines, error);
}

/* A round, on fresh pages. */
static int look_at_all(struct hwc_lab *lab, unsigned round, struct point *point, size_t points, struct hwc_error *error)
{
    struct ground ground = {0};
    int status = open_ground(lab, point[points - 1].pages, &ground, error);

    for (size_t i = 0; i < points && status == HWC_OK; i++)
        status = look_at(lab, &ground, round, &point[i], error);
    close_ground(lab, &ground);
    return status;
}

static size_t choose_points(const struct hwc_lab *lab, struct point *point)
{
    double bytes = (double)(pages_apart(lab) * lab->machine->page_bytes);
    double most = fmin((double)policy.most_pages, (double)lab->machine->max_arena_bytes / 4 / bytes);
    double pages = (double)policy.first_pages;
    size_t points = 0;

    while (pages <= most && points < HWC_MOST_DRAWN_POINTS) {
        point[points++] = (struct point){.pages = (uint64_t)pages};
        pages *= exp2(1 / policy.points_per_octave);
    }
    return points;
}

/* A reference to a line in each page takes what a hit of the first level takes, and translation: neighbouring lines
 * take the rest. */
static void add_point(const struct point *point, double hit_cycles, struct hwc_drawn_curve *curve)
{
    struct hwc_estimate in_pages = middle_of(&point->in_pages), in_lines = middle_of(&point->in_lines);
    double rest = in_lines.value, translation = fmax(in_pages.value - rest, 0);

    curve->bytes[curve->points] = (double)point->pages;
    curve->reading[curve->points] =
        hypot(hypot(in_pages.error, in_lines.error), policy.floor * (rest - hit_cycles + translation));
    curve->cycles[curve->points] = (struct hwc_tally){0};
    hwc_tally_add(&curve->cycles[curve->points++], translation + hit_cycles);
}

struct look {
    struct point point[HWC_MOST_DRAWN_POINTS];
    struct hwc_drawn_curve curve; /* of these points */
};

/* Noise comes and goes: each point is looked at again when all others have been. */
static int measure_curve(struct hwc_lab *lab, double hit_cycles, struct look *look, struct hwc_error *error)
{
    size_t points = choose_points(lab, look->point);

    for (unsigned round = 0; round < ROUNDS && points > 0; round++)
        TRY(look_at_all(lab, round, look->point, points, error));
    look->curve.least_ways = neighbours_take_two(lab) ? UINT_MAX : policy.usual_ways;
    for (size_t i = 0; i < points; i++)
        add_point(&look->point[i], hit_cycles, &look->curve);
    return HWC_OK;
}

/* Did somebody else work on this core whenever the points were read that tell where the level ends? */
static bool is_beside(const struct look *look, const struct hwc_fitted_level *fitted)
{
    for (size_t i = 0; i < look->curve.points; i++) {
        double pages = look->curve.bytes[i];
        if (pages * policy.of_step >= fitted->low && pages <= fitted->high * policy.of_step &&
            2 * look->point[i].in_pages.beside > ROUNDS)
            return true;
    }
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
        double least = (double)(cache->size_bytes > 0 ? cache->size_bytes : cache->rough_low) / line;
        double most = (double)(cache->size_bytes > 0 ? cache->size_bytes : cache->rough_high) / line;
        if (fitted->low <= most * policy.of_lines && fitted->high >= least / policy.of_lines)
            return true;
    }
    return false;
}

/* A level may hold none of the pages that the one above holds, which then counts, too. */
static void report(const struct hwc_levels_fit *fit, const struct look *look, struct hwc_record *tlb)
{
    const struct hwc_fitted_level *fitted = &fit->level[tlb->level - 1];
    double low = fitted->low - (tlb->level > 1 ? fit->level[tlb->level - 2].high : 0);

    if (low <= 0 || fitted->high > policy.widest * low)
        return;
    if (is_beside(look, fitted))
        hwc_finding_unknown(&tlb->finding[HWC_TLB_ENTRIES], HWC_WHY_INCONCLUSIVE,
                            "at least %.0f: another thread works on this core, and may have a part of them",
                            floor(low));
    else
        hwc_finding_between(&tlb->finding[HWC_TLB_ENTRIES], floor(low), ceil(fitted->high),
                            "bounded by how long references to pages drawn at random take");
}

/* How many levels' steps are theirs for certain? Beyond one that may be a cache's, it is not known which is which. Where
 * others disturbed so much that the first level was not found, nothing is told beyond it. */
static unsigned levels_told(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    bool spoilt = lab->machine->interference && lab->known->tlb[HWC_DTLB1].entries == 0;
    unsigned told = 0, most = spoilt && fit->levels > 1 ? 1 : fit->levels;

    while (told < most && !may_be_a_caches(lab, &fit->level[told]))
        told++;
    return told;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct hwc_finding *hit = &profile->cache[0].finding[HWC_CACHE_LATENCY];
    struct look look = {0};
    struct hwc_levels_fit fit;
    unsigned told;
    int status;

    if (!lab->machine->has_clock || !hit->known || lab->known->level[1].line_bytes == 0 || !any_asked(profile) ||
        lab->known->tlb[HWC_DTLB1].page_bytes > lab->machine->page_bytes)
        return HWC_OK;
    status = measure_curve(lab, hit->value, &look, error);
    if (status != HWC_OK)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    TRY(hwc_curve_add_drawn(&profile->curves, "tlb_capacity", "pages", "pages", &look.curve, error));
    hwc_fit_levels(&look.curve, &fit);
    if (!agrees(profile, &fit))
        return HWC_OK;
    told = levels_told(lab, &fit);
    for (unsigned i = 0; i < profile->tlbs; i++)
        if (is_asked(&profile->tlb[i]) && profile->tlb[i].level <= told)
            report(&fit, &look, &profile->tlb[i]);
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
