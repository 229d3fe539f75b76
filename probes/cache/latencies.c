/* Hit latency of every data-cache level, and of memory.
 *
 * Claim: cycles from one load to the next that depends on it, when the level
 * serves both.
 *
 * Method: a random chain (X-Ray, SIGMETRICS 2005, 4.2) over a footprint that
 * the level holds and the one above does not; for the first level a single
 * line (4.1.1). The chain holds encoded indices, not pointers, so that no
 * prefetcher follows them; what decoding costs is measured and taken off.
 *
 * Where no footprint tells, or others use the level, too, and put lines of a
 * footprint out: lines of one set of the level above, more than that has ways
 * (beyond_set.h).
 *
 * What can fool it: a level little larger than the one above, which then still
 * serves some references (thrash-resistant policies keep lines): footprints are
 * extrapolated if a third one confirms it, and a level less than four times as
 * large stays unknown.
 * Pages in random order: footprints stay within half of the capacity.
 * Translation: the chain stays among 16 pages of 4 KiB at a time, or fewer
 * larger ones; a TLB-hostile order is slower, and is another question; what
 * translating each page once takes is measured and taken off. Prefetchers: see
 * hwc_walk_spaced_shuffle. Those that learn from many lines of a page see few at a
 * time (hwc_walk_in_rounds), and a page has only few of the flushed lines, since
 * such prefetchers bring in up to half of a page in time. */
#include "latencies.h"

#include <math.h>
#include <string.h>

#include "fitted_levels.h"
#include "footprint.h"
#include "latency_at_most.h"
#include "latency_beyond_set.h"
#include "miss_penalty.h"
#include "seen_levels.h"
#include "served_above.h"
#include "statistics.h"

struct context {
    uint64_t bytes;
    uint64_t spacing;
    bool extrapolate;
    bool flush; /* time what comes from memory after a flush */
};

static const struct {
    double most_off; /* a fitted latency is a value if all that its points allow lies within this share of it */
    double slightly; /* a chain that takes longer than its points allow by no more than this share may be right, too */
} policy = {.most_off = 0.05, .slightly = 0.1};

static int time_footprint(struct hwc_lab *lab, const struct context *context, uint64_t bytes, double *cycles,
                          struct hwc_error *error)
{
    struct hwc_footprint footprint = {1, HWC_CELL_BYTES, HWC_LARGE_PAGES, hwc_pages_per_group(lab), HWC_LOAD};

    if (bytes > context->spacing)
        footprint = hwc_footprint_of(lab, bytes);
    TRY(hwc_time_data(lab, &footprint, lab->settings.samples, cycles, error));
    *cycles = *cycles / (double)footprint.lines - lab->machine->decode_cycles;
    return HWC_OK;
}

/* What each vote read: cycles in the footprint, and in the smaller one if the level above may still serve some of it. */
struct readings {
    double cycles[HWC_MAX_VOTES], in_smaller[HWC_MAX_VOTES];
    unsigned given;
};

static const double smaller = 0.75;

static int read_once(struct hwc_lab *lab, const struct context *context, double *cycles, double *in_smaller,
                     struct hwc_error *error)
{
    if (context->flush) {
        TRY(hwc_time_flushed(lab, context->spacing, cycles, error));
        *cycles -= lab->machine->decode_cycles;
        return HWC_OK;
    }
    TRY(time_footprint(lab, context, context->bytes, cycles, error));
    if (!context->extrapolate)
        return HWC_OK;
    return time_footprint(lab, context, (uint64_t)(smaller * (double)context->bytes), in_smaller, error);
}

/* `error` keeps the reason of the last that came to nothing. */
static int read_votes(struct hwc_lab *lab, const struct context *context, unsigned votes, struct readings *readings,
                      struct hwc_error *error)
{
    readings->given = 0;
    for (unsigned i = 0; i < votes; i++) {
        unsigned at = readings->given;
        int status = read_once(lab, context, &readings->cycles[at], &readings->in_smaller[at], error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        readings->given += status == HWC_OK;
        if (readings->given == 0 && i + 1 >= (votes + 1) / 2)
            break;
    }
    return HWC_OK;
}

static double median_of(const double *values, unsigned count)
{
    double sorted[HWC_MAX_VOTES];

    memcpy(sorted, values, count * sizeof *values);
    return hwc_median(sorted, count);
}

/* How the time of a reference changes with the footprint: half of it, `smaller` of it, and all of it. */
struct curve {
    double half, small, all;
};

static bool is_less(double one, double other)
{
    return one < other * (1 - hwc_served_above.alike);
}

/* If the level above still serves some references, it serves about as many of any footprint. */
static double all_served_here(const struct curve *curve)
{
    return hwc_latency_of_rest(smaller, curve->small, curve->all);
}

/* The smaller the footprint, the steeper that curve is. Misses of this level, or of a TLB, rise with the footprint. */
static bool is_served_above(const struct curve *curve)
{
    double latency = all_served_here(curve), of_half = latency - 2 * (latency - curve->all);

    return curve->half - of_half < curve->small - curve->half;
}

static int read_half(struct hwc_lab *lab, const struct context *context, unsigned votes, double *cycles,
                     struct hwc_error *error)
{
    struct context half = *context;
    struct readings readings;

    half.bytes /= 2;
    half.extrapolate = false;
    TRY(read_votes(lab, &half, votes, &readings, error));
    if (readings.given == 0)
        return HWC_INCONCLUSIVE;
    *cycles = median_of(readings.cycles, readings.given);
    return HWC_OK;
}

/* The correction multiplies errors by several, so it is made of the medians. */
static int correct(struct hwc_lab *lab, const struct context *context, const struct readings *readings,
                   double *cycles, struct hwc_error *error)
{
    struct curve curve = {.all = median_of(readings->cycles, readings->given)};

    *cycles = curve.all;
    if (!context->extrapolate)
        return HWC_OK;
    curve.small = median_of(readings->in_smaller, readings->given);
    /* More lines never take less each: what was taken off for their translation was too much. */
    *cycles = fmax(curve.all, curve.small);
    if (!is_less(curve.small, curve.all))
        return HWC_OK;
    TRY(read_half(lab, context, readings->given, &curve.half, error));
    if (is_served_above(&curve) && all_served_here(&curve) <= curve.all * (1 + hwc_served_above.most_correction))
        *cycles = all_served_here(&curve);
    else if (!is_served_above(&curve) && !is_less(curve.half, curve.small))
        *cycles = curve.half;
    else
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "the time of a reference rises with the footprint, from %.1f to %.1f cycles at %.0f KiB: no "
                        "level of its own is seen", curve.half, curve.all, (double)context->bytes / 1024);
    return HWC_OK;
}

/* How many lie within 5 % of the median, and how far from it these stray. */
static void count_alike(const struct readings *readings, struct hwc_finding *finding)
{
    double usual = median_of(readings->cycles, readings->given);

    for (unsigned i = 0; i < readings->given; i++) {
        double off = fabs(readings->cycles[i] - usual);
        if (off > 0.05 * usual)
            continue;
        finding->alike++;
        finding->stray = fmax(finding->stray, off);
    }
}

/* Latency is continuous: the value is the median of the votes, and `alike` is how many lie within 5 % of it. */
static int measure_latency(struct hwc_lab *lab, const struct context *context, struct hwc_finding *finding,
                           struct hwc_error *error)
{
    unsigned most = context->bytes > (UINT64_C(8) << 20) ? 3 : HWC_MAX_VOTES;
    unsigned votes = lab->settings.votes < most ? lab->settings.votes : most;
    double started = hwc_lab_elapsed(lab), cycles = 0;
    struct readings readings;

    TRY(read_votes(lab, context, votes, &readings, error));
    if (readings.given * 2 < votes || correct(lab, context, &readings, &cycles, error) != HWC_OK) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    *finding = (struct hwc_finding){.asked = true, .witness = hwc_by_clock.kind, .votes = votes};
    finding->value = hwc_in_hundredths(cycles);
    count_alike(&readings, finding);
    finding->seconds = hwc_lab_elapsed(lab) - started;
    finding->known = finding->alike * 4 >= votes * 2 && finding->value > 0;
    hwc_finding_nanoseconds(finding, cycles, lab->machine->cycles_per_ns);
    if (!finding->known)
        hwc_finding_unknown(finding, HWC_WHY_UNDECIDED,
                            "the latency is not steady: %u of %u votes within 5 %% of %.1f cycles",
                            finding->alike, votes, finding->value);
    return HWC_OK;
}

/* With pages in random order a level starts to miss at half its capacity, and at
 * a quarter if it has at most two ways. This is half of that footprint. */
static uint64_t smallest_footprint(const struct hwc_level *level)
{
    if (level->size_bytes == 0)
        return level->rough_low / 2; /* which is itself half of the capacity */
    return level->size_bytes / (level->ways > 0 && level->ways <= 2 ? 8 : 4);
}

/* Choose a footprint that this level holds and the one above, if possible, does
 * not: at most half of this level, less if the one above is that much smaller.
 * False if there is none. */
static bool choose_footprint(const struct hwc_lab *lab, unsigned level, struct context *context)
{
    const struct hwc_level *this = &lab->known->level[level];
    uint64_t above = level > 1 ? lab->known->level[level - 1].effective_bytes : 0;
    uint64_t largest = this->size_bytes > 0 ? this->size_bytes / 2 : this->rough_low;

    if (level > 1 && above == 0)
        above = lab->known->level[level - 1].rough_high / 3 * 2; /* which is half as much again as fits */
    context->extrapolate = level > 1;
    context->spacing = level == 1 ? HWC_CELL_BYTES : lab->known->level[1].line_bytes;
    if (level == 1)
        context->bytes = HWC_CELL_BYTES;
    else
        context->bytes = smallest_footprint(this);
    while (level > 1 && context->bytes < 4 * above && context->bytes <= largest / 2)
        context->bytes *= 2;
    return level == 1 || (above > 0 && context->bytes >= 2 * above);
}

/* Memory latency: of lines flushed by an instruction if there is one, else of a
 * footprint of several times the last level's capacity. */
static int run_memory(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct hwc_level *last = &lab->known->level[lab->known->levels];
    struct context flushed = {.spacing = hwc_longest_line(lab, lab->known->levels), .flush = true};
    uint64_t capacity = last->rough_high > last->size_bytes ? last->rough_high : last->size_bytes;
    struct context context = {.bytes = capacity * 4, .spacing = lab->known->level[1].line_bytes, .extrapolate = true};

    if (lab->machine->flushes && flushed.spacing > 0)
        return measure_latency(lab, &flushed, &profile->memory.finding[HWC_MEMORY_LATENCY], error);
    if (context.bytes < (UINT64_C(32) << 20))
        context.bytes = UINT64_C(32) << 20;
    if (capacity == 0 || context.spacing == 0 || context.bytes > lab->machine->max_arena_bytes / 4) {
        hwc_finding_because(&profile->memory.finding[HWC_MEMORY_LATENCY],
                            hwc_unavailable("too little memory to get past the caches"));
        return HWC_OK;
    }
    return measure_latency(lab, &context, &profile->memory.finding[HWC_MEMORY_LATENCY], error);
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    struct context context = {0};

    if (!lab->machine->has_clock)
        hwc_finding_because(
            finding, hwc_unavailable("this machine has no clock of its own: time passes in the simulator's host"));
    else if (level > 1 && lab->known->level[1].line_bytes == 0)
        hwc_finding_because(finding, hwc_depends("the first level's line size is not known"));
    else if (!choose_footprint(lab, level, &context))
        hwc_finding_because(finding, hwc_inconclusive("no footprint is served by this level alone"));
    else
        return measure_latency(lab, &context, finding, error);
    return HWC_OK;
}

/* Was the footprint larger than what the level holds wherever pages lie? It must be where the level above is large. */
static bool may_overflow(const struct hwc_lab *lab, unsigned level)
{
    struct context context;

    return level > 1 && choose_footprint(lab, level, &context) &&
           context.bytes > smallest_footprint(&lab->known->level[level]);
}

/* Such a footprint meets misses of the level itself, in all votes alike, if it takes longer than the fit allows. */
static void discard_overflow(double most, struct hwc_finding *finding)
{
    if (finding->known && finding->value > most)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                            "a footprint that is half of the level, as the one above is large, takes %.1f cycles: "
                            "longer than hits, by loads drawn at random", finding->value);
}

static double most_allowed(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned level)
{
    return level <= fit->told ? hwc_latency_at_most(lab, &fit->level[level - 1].cycles) : INFINITY;
}

/* All that the points allow, and a chain that contradicts them slightly: either may be off. Closer bounds stay. */
static void report_bounds(const struct hwc_lab *lab, double least, double most, struct hwc_finding *finding)
{
    double off = lab->machine->cycles_off;

    if (finding->known && finding->value <= (1 + policy.slightly) * most)
        most = fmax(most, finding->value);
    if (most <= fmin(HWC_WIDEST_BOUNDS, finding->has_interval ? finding->high / finding->low : INFINITY) * least)
        hwc_finding_between(finding, hwc_in_hundredths((1 - off) * least), hwc_in_hundredths((1 + off) * most),
                            HWC_WHY_BOUNDED);
}

/* True where nothing bounds the finding. */
static bool is_between(double cycles, const struct hwc_finding *finding)
{
    return !finding->has_interval || (finding->low <= cycles && cycles <= finding->high);
}

/* The bounds of hits that are mixed with misses are none of either. */
static void report_fitted(const struct hwc_lab *lab, const struct hwc_fitted_cycles *fitted, bool overflows, bool mixed,
                          struct hwc_finding *finding)
{
    double decode = lab->machine->decode_cycles, cycles = fitted->value - decode;
    double least = (1 - HWC_FIT_FLOOR) * fitted->least - decode, most = hwc_latency_at_most(lab, fitted);

    if (overflows)
        discard_overflow(most, finding);
    if (most - least > 2 * policy.most_off * cycles) {
        bool contradicts = finding->value > most && !hwc_is_latency_agreed(finding, most);
        if (!mixed && (!finding->known || contradicts))
            report_bounds(lab, least, most, finding);
        return;
    }
    if (hwc_is_latency_agreed(finding, most) || !is_between(cycles, finding))
        return;
    hwc_finding_cycles(finding, cycles);
    finding->stray = (most - least) / 2;
    hwc_finding_nanoseconds(finding, cycles, lab->machine->cycles_per_ns);
}

/* Others only add to what a chain takes. One that took longer than loads drawn at random allow, which were timed over
 * longer, is timed once more, and the less counts. */
static int look_again(struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile,
                      struct hwc_error *error)
{
    for (unsigned i = 0; i < fit->told && i < profile->caches; i++) {
        struct hwc_finding *finding = &profile->cache[i].finding[HWC_CACHE_LATENCY], again = {0};
        if (!finding->known || finding->value <= hwc_latency_at_most(lab, &fit->level[i].cycles))
            continue;
        TRY(run_level(lab, i + 1, &again, error));
        if (again.known && again.value < finding->value)
            *finding = again;
    }
    return HWC_OK;
}

/* A chain that takes as long as references to the next level, by loads drawn at random, whatever it was made of: of a
 * level of few ways, a few lines of one set above may be too many. */
static void discard_served_beyond(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned level,
                                  struct hwc_finding *finding)
{
    if (finding->known && hwc_is_served_beyond(fit, level, finding->value + lab->machine->decode_cycles))
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                            "lines that this level should hold take %.1f cycles: as long as those of the next, by "
                            "loads drawn at random", finding->value);
}

/* Where no footprint is served by one level alone, or votes differ, as some of them met misses of the level itself, the
 * fit to drawn references may tell what each takes (levels_fit.h). */
static void fill_in_fitted(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile)
{
    for (unsigned i = 0; i < fit->told && i < profile->caches; i++)
        discard_served_beyond(lab, fit, i, &profile->cache[i].finding[HWC_CACHE_LATENCY]);
    for (unsigned i = 0; i < fit->told && i < profile->caches && hwc_is_told_apart(&lab->known->fit, i); i++)
        report_fitted(lab, &fit->level[i].cycles, may_overflow(lab, i + 1), hwc_others_hold_part(lab, fit, i + 1),
                      &profile->cache[i].finding[HWC_CACHE_LATENCY]);
    if (hwc_memory_shows(lab))
        report_fitted(lab, &fit->memory, false, false, &profile->memory.finding[HWC_MEMORY_LATENCY]);
}

/* What is hardly quicker than memory is memory: a level of few ways, which is full little by little, may have looked like
 * two. One whose size was found is there. */
static void discard_memory(const struct hwc_lab *lab, struct hwc_profile *profile)
{
    const struct hwc_finding *memory = &profile->memory.finding[HWC_MEMORY_LATENCY];
    double flushed = lab->known->flushed_cycles - lab->machine->decode_cycles;
    double cycles = memory->known ? memory->value : flushed; /* where votes differ, as it was when levels were seen */

    for (unsigned level = 2; level <= profile->caches && cycles > 0; level++) {
        struct hwc_finding *finding = &profile->cache[level - 1].finding[HWC_CACHE_LATENCY];
        if (finding->known && lab->known->level[level].size_bytes == 0 &&
            (1 + HWC_LEAST_RISE) * finding->value > cycles)
            hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                                "lines that this level should hold take %.1f cycles, and those from memory %.1f: no level "
                                "of its own is seen", finding->value, cycles);
    }
}

int hwc_time_latencies(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_levels_fit fit;
    bool is_fitted = hwc_fitted_levels(lab, &fit);

    if (is_fitted)
        hwc_allow_few_ways(lab, &fit);
    else
        fit.told = 0;
    for (unsigned level = 1; level <= profile->caches; level++)
        TRY(run_level(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_LATENCY], error));
    if (is_fitted)
        TRY(look_again(lab, &fit, profile, error));
    for (unsigned level = 2; level <= profile->caches; level++)
        TRY(hwc_latency_beyond_set(lab, level, most_allowed(lab, &fit, level), profile, error));
    if (lab->machine->has_clock)
        TRY(run_memory(lab, profile, error));
    else
        hwc_finding_because(&profile->memory.finding[HWC_MEMORY_LATENCY],
                            hwc_unavailable("this machine has no clock of its own"));
    if (is_fitted) {
        fill_in_fitted(lab, &fit, profile);
        hwc_discard_beyond_untold(lab, &fit, profile);
    }
    discard_memory(lab, profile);
    hwc_discard_beyond_rest(lab, profile);
    hwc_report_penalties(lab->machine->cycles_off, profile);
    return HWC_OK;
}
