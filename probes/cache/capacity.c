/* What every data-cache level holds of a walk, with those above it.
 *
 * Claim: bounds of the effective size: how many bytes of what a program uses
 * equally often lie in this level and those above.
 *
 * Method: references drawn at random, each independent of those before, from
 * footprints that grow. A level that is full serves E of N bytes, whichever lines
 * its policy keeps and wherever pages lie (King, IFIP 1971), so that the mean time
 * is a polygon in 1 / N. Its corners are the capacities (levels_fit.h). No
 * threshold, no plateau and no knowledge of ways, sets or policy is needed, and
 * no prefetcher can predict what is drawn.
 *
 * What can fool it: others who use a shared level: they take the more of it the
 * less often we come back to our lines, so that the capacity depends on the
 * footprint; then the points contradict the polygon, and there are no bounds. A
 * level less than about three times as large as the one above, which is not told
 * from it. A level whose tags stand for several lines holds fewer of such draws
 * than of a program that uses neighbours together. */
#include <math.h>

#include "drawn_curve.h"
#include "footprint.h"
#include "table.h"

static const struct {
    double first_share, last_share;
    uint64_t least_first_bytes, least_last_bytes;
    uint64_t usual_line;
    uint64_t usual_ways;
    double widest;
    double most_off;
} policy = {
    .first_share = 1.0 / 8, /* of the first level, with which footprints begin */
    .last_share = 5,        /* times the last level, with which they end */
    .least_first_bytes = 1024,
    .least_last_bytes = UINT64_C(64) << 20,
    .usual_line = 64, /* of references, if lines are not known; longer ones hold several, and no set stays empty */
    .usual_ways = 4, /* of a level below the first whose ways are not known, at least */
    .widest = 4, /* bounds further apart say too little */
    /* A level's latency is a value if all that the points allow lies within this share of it. */
    .most_off = 0.1,
};

/* The fewest ways of a level below the first, of those that are known; else four. */
static unsigned least_ways(const struct hwc_lab *lab)
{
    uint64_t least = policy.usual_ways;

    for (unsigned i = 2; i <= lab->known->levels; i++)
        if (lab->known->level[i].ways > 0 && lab->known->level[i].ways < least)
            least = lab->known->level[i].ways;
    return (unsigned)least;
}

static struct hwc_drawn_range range_of(const struct hwc_lab *lab)
{
    const struct hwc_level *first = &lab->known->level[1];
    struct hwc_drawn_range range = {
        .line_bytes = first->line_bytes > 0 ? first->line_bytes : policy.usual_line,
        .first_bytes = first->size_bytes > 0 ? (uint64_t)(policy.first_share * (double)first->size_bytes)
                                             : policy.least_first_bytes,
        .last_bytes = policy.least_last_bytes,
    };

    for (unsigned i = 1; i <= lab->known->levels; i++) {
        const struct hwc_level *level = &lab->known->level[i];
        uint64_t capacity = level->rough_high > level->size_bytes ? level->rough_high : level->size_bytes;
        if (policy.last_share * (double)capacity > (double)range.last_bytes)
            range.last_bytes = (uint64_t)(policy.last_share * (double)capacity);
    }
    return range;
}

/* Can this be the level, by what is known of its size and of those above? While others use a level as well, on the
 * core's other thread or on cores that share the last level, it holds less than its size. */
static bool agrees(const struct hwc_fitted_level *fitted, const struct hwc_level *known, double above, bool is_last)
{
    double size = (double)known->size_bytes;

    return size <= 0 || (fitted->low <= size + above && (is_last || fitted->high >= size / 2));
}

/* A level that only this thread and its sibling use is not bounded by what a sibling left of it. */
static bool is_whole(const struct hwc_fitted_level *fitted, const struct hwc_level *known, bool is_last)
{
    return is_last || fitted->high >= (double)known->size_bytes;
}

/* Are the first fitted levels the known ones? */
static bool all_agree(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    if (fit->levels < lab->known->levels)
        return false;
    for (unsigned i = 0; i < lab->known->levels; i++)
        if (!agrees(&fit->level[i], &lab->known->level[i + 1], i > 0 ? fit->level[i - 1].high : 0,
                    i + 1 == fit->levels))
            return false;
    return true;
}

static void report_size(const struct hwc_fitted_level *fitted, double line_bytes, struct hwc_finding *finding)
{
    if (finding->known || fitted->high > policy.widest * fitted->low)
        return;
    hwc_finding_between(finding, floor(fitted->low / line_bytes) * line_bytes,
                        ceil(fitted->high / line_bytes) * line_bytes,
                        "bounded by how long references drawn at random take");
}

static void set_cycles(const struct hwc_lab *lab, double cycles, struct hwc_finding *finding)
{
    hwc_finding_cycles(finding, cycles);
    hwc_finding_nanoseconds(finding, cycles, lab->machine->cycles_per_ns);
}

/* A single line always hits (X-Ray 4.1.1), whatever is known of the first level. */
static int find_first_latency(struct hwc_lab *lab, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_footprint one = {1, HWC_CELL_BYTES, HWC_LARGE_PAGES, hwc_pages_per_group(lab)};
    double cycles;

    if (finding->known)
        return HWC_OK;
    TRY(hwc_time_data(lab, &one, lab->settings.samples, &cycles, error));
    set_cycles(lab, cycles - lab->machine->decode_cycles, finding);
    return HWC_OK;
}

/* Drawn references also compute addresses: `added`. A value if all that the points allow lies close together. */
static void report_cycles(const struct hwc_lab *lab, const struct hwc_fitted_cycles *fitted, double added,
                          struct hwc_finding *finding)
{
    double cycles = fitted->value - added;

    if (!finding->known && fitted->most - fitted->least <= 2 * policy.most_off * cycles)
        set_cycles(lab, cycles, finding);
}

static void report(struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile)
{
    double line = (double)range_of(lab).line_bytes;
    double added = fit->level[0].cycles.value - profile->cache[0].finding[HWC_CACHE_LATENCY].value;

    for (unsigned i = 0; i < fit->levels && i < HWC_MAX_CACHE_LEVEL; i++) {
        struct hwc_finding *finding = profile->cache[i].finding;
        if (i >= profile->caches) {
            if (fit->level[i].high > policy.widest * fit->level[i].low)
                return;
            profile->cache[i].level = profile->caches = i + 1;
        }
        if (is_whole(&fit->level[i], &lab->known->level[i + 1], i + 1 == fit->levels))
            report_size(&fit->level[i], line, &finding[HWC_CACHE_EFFECTIVE_SIZE]);
        report_cycles(lab, &fit->level[i].cycles, added, &finding[HWC_CACHE_LATENCY]);
    }
    report_cycles(lab, &fit->memory, added, &profile->memory.finding[HWC_MEMORY_LATENCY]);
}

/* How a level takes part in what the levels above hold is not known here. If it is exclusive, a hit takes the line out,
 * and its sets have ways empty until something is evicted into them: of w ways one at most in the mean, while
 * footprints are twice as large as the level or more. If it is neither exclusive nor inclusive, lines above may be
 * missing here. */
static void allow_for_inclusion(const struct hwc_lab *lab, struct hwc_levels_fit *fit)
{
    for (unsigned i = fit->levels; i-- > 1;) {
        struct hwc_fitted_level *level = &fit->level[i];
        uint64_t ways = i < lab->known->levels ? lab->known->level[i + 1].ways : 0;
        level->high *= 1 + 1 / (double)(ways > 0 ? ways : policy.usual_ways);
        level->low = fmax(level->low - fit->level[i - 1].capacity, fit->level[i - 1].low);
    }
}

static int fit_levels(struct hwc_lab *lab, struct hwc_levels_fit *fit, struct hwc_error *error)
{
    const struct hwc_drawn_range range = range_of(lab);
    struct hwc_drawn_curve curve;

    TRY(hwc_measure_drawn_curve(lab, &range, &curve, error));
    curve.least_ways = least_ways(lab);
    hwc_fit_levels(&curve, fit);
    allow_for_inclusion(lab, fit);
    return HWC_OK;
}

static void widen(struct hwc_fitted_cycles *cycles, const struct hwc_fitted_cycles *again)
{
    cycles->least = fmin(cycles->least, again->least);
    cycles->most = fmax(cycles->most, again->most);
}

/* Take in what another look allows. False if the two contradict each other. */
static bool join(struct hwc_levels_fit *fit, const struct hwc_levels_fit *again)
{
    if (fit->levels != again->levels)
        return false;
    for (unsigned i = 0; i < fit->levels; i++) {
        struct hwc_fitted_level *level = &fit->level[i];
        if (level->low > again->level[i].high || again->level[i].low > level->high)
            return false;
        level->low = fmin(level->low, again->level[i].low);
        level->high = fmax(level->high, again->level[i].high);
        widen(&level->cycles, &again->level[i].cycles);
    }
    widen(&fit->memory, &again->memory);
    return true;
}

/* The levels, which must be those that are known. Where not even the first one is, which happens while others disturb,
 * there is nothing to hold them against but another look. */
static int find_levels(struct hwc_lab *lab, struct hwc_levels_fit *fit, bool *agree, struct hwc_error *error)
{
    struct hwc_levels_fit again;

    TRY(fit_levels(lab, fit, error));
    *agree = fit->levels > 0 && all_agree(lab, fit);
    if (!*agree || lab->known->level[1].size_bytes > 0)
        return HWC_OK;
    TRY(fit_levels(lab, &again, error));
    *agree = join(fit, &again);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_levels_fit fit = {0};
    bool agree = false;
    int status;

    if (!lab->machine->has_clock)
        return HWC_OK;
    status = find_levels(lab, &fit, &agree, error);
    if (status == HWC_OK && agree) {
        TRY(find_first_latency(lab, &profile->cache[0].finding[HWC_CACHE_LATENCY], error));
        report(lab, &fit, profile);
    }
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

const struct hwc_probe hwc_probe_capacity = {
    .name = "capacity",
    .summary = "what every data-cache level holds together with those above it",
    .source = "King, Analysis of demand paging algorithms, IFIP 1971",
    .needs = {HWC_CACHE_SIZE, HWC_CACHE_LATENCY},
    .provides = {HWC_CACHE_EFFECTIVE_SIZE},
    .run = run,
};
