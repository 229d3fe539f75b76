/* Data caches: line size, size and associativity of every level.
 *
 * Claim: the largest set of lines that stay cached together, which of them
 * compete with one more, and the distance that moves competitors to different
 * sets give all three, for any number of sets, any index hash and any
 * replacement policy.
 *
 * Method: the first level by X-Ray's search (SIGMETRICS 2005, Figure 6): the
 * longest compact sequence at each stride, until doubling the stride changes
 * nothing (first_level.c). Then, there and at lower levels (lower_level.c), a
 * conflict-free set grown line by line (conflict.h). Each level is decided by a
 * vote (AMP, ISPASS 2001, 2.2), with fresh pages for each ballot, or other lines of
 * so many that they need not be (kept_arena.h).
 *
 * What can fool it:
 * - a level above that keeps lines, so that this level never sees them: each
 *   pass ends with evictors that empty the levels above (X-Ray 5), where
 *   contiguous memory allows placing them;
 * - physical pages in random order: lines one page apart are drawn from many
 *   pages, so that the largest set is found whatever the order. The clock finds
 *   the eviction set of one line instead, and over how many sets lines are spread
 *   (eviction_set.h, congruence.h), as other programs always evict some of hundreds;
 * - a TLB whose reach is smaller than the cache: time is compared with a walk
 *   over the same pages that stays in the first level;
 * - an exclusive level, where walks can keep its own lines and the level above's
 *   (X-Ray 8.2): seen when more lines fit without the evictors.
 */
#include "cache_ballot.h"
#include "hierarchy_scan.h"
#include "quiet_core.h"
#include "table.h"

/* The questions whose answers are reported. The other answers are for later probes. */
static const enum hwc_field_id fields[HWC_CACHE_QUESTIONS] = {[HWC_ASK_LINE] = HWC_CACHE_LINE_SIZE,
                                                              [HWC_ASK_SIZE] = HWC_CACHE_SIZE,
                                                              [HWC_ASK_WAYS] = HWC_CACHE_ASSOCIATIVITY,
                                                              [HWC_ASK_EFFECTIVE] = HWC_CACHE_EFFECTIVE_SIZE};

static uint64_t decided(const struct hwc_result *result, uint64_t otherwise)
{
    return result->decided ? (uint64_t)result->value : otherwise;
}

/* Later probes build on all of a geometry, or none: each part needs the others. What others may hold a part of is
 * enough for them to find what lies below. */
static bool is_whole(const struct hwc_result *results, bool *at_least)
{
    static const int parts[] = {HWC_ASK_LINE, HWC_ASK_SIZE, HWC_ASK_WAYS, HWC_ASK_PERIOD};
    bool whole = true;

    *at_least = false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const struct hwc_result *part = &results[parts[i]];
        whole = whole && (part->decided || part->at_least);
        *at_least = *at_least || part->at_least;
    }
    return whole;
}

static void know_geometry(struct hwc_lab *lab, unsigned level, const struct hwc_result *results)
{
    struct hwc_level known = lab->known->level[level];

    if (!is_whole(results, &known.at_least))
        return;
    known.line_bytes = (uint64_t)results[HWC_ASK_LINE].value;
    known.fill_bytes = decided(&results[HWC_ASK_FILL], known.line_bytes);
    known.size_bytes = (uint64_t)results[HWC_ASK_SIZE].value;
    known.ways = (uint64_t)results[HWC_ASK_WAYS].value;
    known.period_bytes = (uint64_t)results[HWC_ASK_PERIOD].value;
    known.effective_shows = results[HWC_ASK_EFFECTIVE].decided;
    known.effective_bytes = decided(&results[HWC_ASK_EFFECTIVE], known.size_bytes);
    if (known.line_bytes > 0 && known.fill_bytes > known.line_bytes)
        hwc_note(&lab->notes, "level %u: a miss fills %llu lines", level,
                 (unsigned long long)(known.fill_bytes / known.line_bytes));
    hwc_know_level(lab, level, &known);
}

/* Where votes agree neither on ways nor on a size, what conflicts there is not this level's sets alone, and then the length
 * of its lines is not what parts them, though votes agree on that. */
static void doubt_line(const struct hwc_result *results, struct hwc_finding *line)
{
    if (line->known && !results[HWC_ASK_SIZE].decided && !results[HWC_ASK_WAYS].decided)
        hwc_finding_unknown(line, HWC_WHY_INCONCLUSIVE, "votes agree on %lld bytes, but neither on ways nor on a size",
                            (long long)results[HWC_ASK_LINE].value);
}

static void report(struct hwc_lab *lab, struct hwc_record *cache, unsigned level,
                   const struct hwc_result *results, double seconds)
{
    for (int q = 0; q < HWC_CACHE_QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_from_result(&cache->finding[fields[q]], &results[q], &lab->witness[level], seconds);
    if (level > 1)
        doubt_line(results, &cache->finding[HWC_CACHE_LINE_SIZE]);
    know_geometry(lab, level, results);
}

static void report_nothing(struct hwc_record *cache, struct hwc_reason reason)
{
    for (int q = 0; q < HWC_CACHE_QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_because(&cache->finding[fields[q]], reason);
}

/* A measurement that came to nothing is reported as unknown, with the reason; any other status is returned. */
static int report_failure(struct hwc_record *cache, int status, const struct hwc_error *error)
{
    if (!hwc_came_to_nothing(status))
        return status;
    for (int q = 0; q < HWC_CACHE_QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_failed(&cache->finding[fields[q]], error);
    return HWC_OK;
}

static int probe_first(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_result results[HWC_CACHE_QUESTIONS];
    double started = hwc_lab_elapsed(lab);
    struct hwc_first_look look = {false};
    int status;

    profile->cache[0].level = 1;
    profile->caches = 1;
    if (!hwc_can_answer(&lab->witness[1])) {
        report_nothing(&profile->cache[0], hwc_unavailable("neither a counter nor a clock can answer here"));
        return HWC_OK;
    }
    status = hwc_calibrate_first_once(lab, &look, error);
    if (status == HWC_OK)
        status = hwc_vote(lab, hwc_measure_first_level, &look, HWC_CACHE_QUESTIONS, results, error);
    if (status == HWC_OK)
        status = hwc_calibrate_first_once(lab, &look, error);
    if (status != HWC_OK)
        return report_failure(&profile->cache[0], status, error);
    report(lab, &profile->cache[0], 1, results, hwc_lab_elapsed(lab) - started);
    return HWC_OK;
}

static struct hwc_reason why_hidden(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *above = &lab->known->level[level - 1];

    if (above->ways == 0 || above->size_bytes == 0)
        return hwc_depends("the geometry of the level above is not known, and it hides this one");
    if (lab->known->level[level].rough_high == 0)
        return hwc_unavailable("its capacity is beyond what could be looked at");
    return HWC_NO_REASON;
}

static void know_look(struct hwc_lab *lab, const struct hwc_cache_look *at)
{
    struct hwc_level known = lab->known->level[at->level];

    known.look = at->look;
    hwc_know_level(lab, at->level, &known);
}

static int probe_lower(struct hwc_lab *lab, struct hwc_profile *profile, unsigned level, struct hwc_error *error)
{
    struct hwc_record *cache = &profile->cache[level - 1];
    struct hwc_reason hidden = why_hidden(lab, level);
    struct hwc_result results[HWC_CACHE_QUESTIONS];
    struct hwc_cache_look at = {.level = level};
    double started = hwc_lab_elapsed(lab);
    int status;

    cache->level = level;
    profile->caches = level;
    if (hidden.text != NULL) {
        report_nothing(cache, hidden);
        return HWC_OK;
    }
    status = hwc_plan_lower_level(lab, level, &at.look, error);
    if (status == HWC_OK)
        status = hwc_vote(lab, hwc_measure_lower_level, &at, HWC_CACHE_QUESTIONS, results, error);
    if (status != HWC_OK)
        return report_failure(cache, status, error);
    report(lab, cache, level, results, hwc_lab_elapsed(lab) - started);
    know_look(lab, &at);
    return HWC_OK;
}

/* On a budget, the vote on the first level has a third of this probe's part, so that the estimate of all levels comes to
 * something. */
static int probe_first_in_part(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const double part = 1.0 / 3;
    double ends = lab->probe_ends;
    int status;

    lab->probe_ends = hwc_lab_elapsed(lab) + part * hwc_lab_seconds_left(lab);
    status = probe_first(lab, profile, error);
    lab->probe_ends = ends;
    return status;
}

static const double between_looks = 0.5; /* seconds: others may be gone by then */

/* Traces of others on this core, and, where time passes, elsewhere on the machine. */
static uint64_t traces_of_others(const struct hwc_lab *lab)
{
    return lab->others_seen + (lab->machine->live ? lab->samples_disturbed + lab->tries_dropped : 0);
}

/* Nothing is told of any level where the first is not known: where it came to nothing beside others, it is looked at once
 * more. */
static int probe_first_again(struct hwc_lab *lab, struct hwc_profile *profile, uint64_t traces_before,
                             struct hwc_error *error)
{
    if (lab->known->level[1].ways > 0 || traces_of_others(lab) == traces_before || hwc_lab_is_late(lab))
        return HWC_OK;
    hwc_wait_for_others(lab, between_looks);
    return probe_first_in_part(lab, profile, error);
}

static void forget_lower(struct hwc_lab *lab, struct hwc_profile *profile)
{
    for (unsigned level = 2; level <= profile->caches; level++) {
        hwc_know_level(lab, level, &(struct hwc_level){0});
        profile->cache[level - 1] = (struct hwc_record){0};
    }
    profile->caches = 1;
}

static int probe_all_lower(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    forget_lower(lab, profile);
    TRY(hwc_find_levels(lab, error));
    for (unsigned level = 2; level <= lab->known->levels; level++) {
        TRY(probe_lower(lab, profile, level, error));
        TRY(hwc_reconsider_levels(lab, level, error));
    }
    return HWC_OK;
}

/* Is nothing known of the second level, with others at work meanwhile, and is there time for as much again? */
static bool others_hid_second(const struct hwc_lab *lab, uint64_t traces_before, double seconds)
{
    return lab->known->level[1].ways > 0 && lab->known->level[2].ways == 0 &&
           traces_of_others(lab) > traces_before && !hwc_lab_is_late(lab) && hwc_lab_seconds_left(lab) > seconds;
}

/* Others come and go, and all probes of lower levels build on the second one: where it came to nothing beside them, it is
 * looked at once more, from the footprints on. */
static int find_all(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    uint64_t traces = traces_of_others(lab);
    double begun;

    TRY(probe_first_in_part(lab, profile, error));
    TRY(probe_first_again(lab, profile, traces, error));
    traces = traces_of_others(lab);
    begun = hwc_lab_elapsed(lab);
    TRY(probe_all_lower(lab, profile, error));
    if (!others_hid_second(lab, traces, hwc_lab_elapsed(lab) - begun))
        return HWC_OK;
    hwc_wait_for_others(lab, between_looks);
    return probe_all_lower(lab, profile, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    TRY(find_all(lab, profile, error));
    profile->all_levels = hwc_are_all_levels(lab);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_data_cache = {
    .name = "data_cache",
    .summary = "line size, size and associativity of every data-cache level",
    .source = "Yotov et al., SIGMETRICS 2005, 3-5; Coleman and Davidson, ISPASS 2001, 3.1-3.3",
    .provides = {HWC_CACHE_LINE_SIZE, HWC_CACHE_SIZE, HWC_CACHE_ASSOCIATIVITY, HWC_CACHE_EFFECTIVE_SIZE},
    .basic = true,
    .run = run,
};
