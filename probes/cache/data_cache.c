/* Data caches: line size, size and associativity of every level.
 *
 * Claim: the greatest set of lines that stay cached together, which of them
 * compete with one more, and the distance at which competitors part, give all
 * three, for any number of sets, any index hash and any replacement policy.
 *
 * Method: the first level by X-Ray's search (SIGMETRICS 2005, Figure 6): the
 * longest compact sequence at each stride, until doubling the stride changes
 * nothing. Then, there and at lower levels, a conflict-free set grown line by
 * line (src/conflict.h). Each is a vote (AMP, ISPASS 2001, 2.2) on fresh
 * pages.
 *
 * What can fool it:
 * - a level above that keeps lines, so that this level never sees them: each
 *   pass ends with fillers that empty the levels above (X-Ray 5), where
 *   contiguous memory allows to place them;
 * - physical pages in random order: lines one page apart are drawn from many
 *   pages, so that the greatest set is found whatever the order;
 * - a TLB whose reach ends before the cache does: time is compared with a walk
 *   over the same pages that stays in the first level;
 * - an exclusive level, which holds its own lines and the level above's
 *   (X-Ray 8.2): seen where leaving out the fillers makes more lines fit.
 */
#include <stdio.h>

#include "conflict.h"
#include "fill_unit.h"
#include "hierarchy_scan.h"
#include "single_access.h"
#include "table.h"

enum question { LINE, SIZE, WAYS, PERIOD, EFFECTIVE, FILL, QUESTIONS };

/* What is reported of it; the others later probes go by. */
static const enum hwc_field_id fields[QUESTIONS] = {[LINE] = HWC_CACHE_LINE_SIZE,
                                                    [SIZE] = HWC_CACHE_SIZE,
                                                    [WAYS] = HWC_CACHE_ASSOCIATIVITY,
                                                    [EFFECTIVE] = HWC_CACHE_EFFECTIVE_SIZE};

struct context {
    unsigned level;
    struct hwc_look look;
};

/* X-Ray, Figure 6: the smallest number of references at this stride that are not compact. */
static int smallest_not_compact(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t stride, size_t at_most,
                                size_t *smallest, struct hwc_error *error)
{
    size_t low = 1;
    size_t high = at_most;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool compact;
        int status = hwc_compact(lab, 1, arena, 0, stride, middle, &compact, error);
        if (status != HWC_OK)
            return status;
        if (compact)
            low = middle + 1;
        else
            high = middle;
    }
    *smallest = low;
    return HWC_OK;
}

/* Double the number of references from *length on until they are not compact. */
static int first_not_compact(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t stride, size_t *length,
                             struct hwc_error *error)
{
    bool compact = true;
    int status = HWC_OK;

    while (status == HWC_OK && compact && 2 * *length * stride <= arena->bytes) {
        *length *= 2;
        status = hwc_compact(lab, 1, arena, 0, stride, *length, &compact, error);
    }
    if (status == HWC_OK && compact)
        return hwc_fail(error, HWC_UNAVAILABLE, "no footprint up to %llu bytes leaves the first level",
                        (unsigned long long)arena->bytes);
    return status;
}

#define SHORTEST_LINE 16

/* X-Ray, Figure 6: the first stride from which on the longest compact sequence keeps its length. */
static int find_stride(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t *stride, size_t *length,
                       struct hwc_error *error)
{
    uint64_t S = SHORTEST_LINE;
    size_t N = 1;
    size_t N_old = 0;
    bool compact;
    int status = first_not_compact(lab, arena, S, &N, error);

    while (status == HWC_OK && N != N_old) {
        S *= 2;
        N_old = N;
        if (N * S > arena->bytes)
            return hwc_fail(error, HWC_UNAVAILABLE, "no stride up to %llu bytes maps to a single set",
                            (unsigned long long)S);
        status = smallest_not_compact(lab, arena, S, N_old, &N, error);
        if (status == HWC_OK && N == N_old)
            status = hwc_compact(lab, 1, arena, 0, S, N, &compact, error);
        if (status == HWC_OK && N == N_old && compact) {
            /* It was compact all the time: something disturbed the shorter strides, whose walks are longer. */
            status = first_not_compact(lab, arena, S, &N, error);
            N_old = 0;
        }
    }
    *stride = S / 2; /* the one before had that length already; at longer ones fewer pages can be translated */
    *length = N - 1;
    return status;
}

#define FIRST_LEVEL_ARENA (UINT64_C(8) << 20)

static uint64_t first_level_arena(const struct hwc_lab *lab)
{
    uint64_t most = lab->machine->max_arena_bytes / 2;
    return most < FIRST_LEVEL_ARENA ? most : FIRST_LEVEL_ARENA;
}

/* Where lines did not meet again within the stride, several sets were filled at
 * multiples of it, and the period is so many strides. */
static uint64_t period_of(const struct hwc_geometry *geometry, uint64_t stride)
{
    uint64_t sets = geometry->kept / geometry->ways;

    return geometry->period_bytes == stride && (sets & (sets - 1)) == 0 ? sets * stride : geometry->period_bytes;
}

/* Conflicts give what is filled together; the line may be less. */
static int answer(struct hwc_lab *lab, unsigned level, uint64_t stride, const struct hwc_geometry *geometry,
                  struct hwc_ballot *ballot, struct hwc_error *error)
{
    uint64_t line_bytes = geometry->line_bytes;
    int status;

    /* Lines do not cross pages: what parts only farther apart is something else, such as translation. */
    if (line_bytes >= lab->machine->page_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts part at %llu bytes only, which is no line",
                        (unsigned long long)line_bytes);
    status = hwc_tell_line_from_fill(lab, level, &line_bytes, error);
    if (status != HWC_OK)
        return status;
    for (int q = 0; q < QUESTIONS; q++)
        ballot->cast[q] = true;
    ballot->value[LINE] = (int64_t)line_bytes;
    ballot->value[SIZE] = (int64_t)(geometry->kept * geometry->period_bytes);
    ballot->value[WAYS] = (int64_t)geometry->ways;
    ballot->value[PERIOD] = (int64_t)period_of(geometry, stride);
    ballot->value[EFFECTIVE] = ballot->value[SIZE];
    ballot->value[FILL] = (int64_t)geometry->line_bytes;
    return HWC_OK;
}

static void know_first(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, const struct hwc_geometry *geometry)
{
    struct hwc_level first = lab->known->level[1];

    first.look = (struct hwc_look){HWC_BASE_PAGES, plan->stride, plan->candidates, 0};
    first.conflict_misses = geometry->conflict_misses;
    hwc_know_level(lab, 1, &first);
}

static int measure_first(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct hwc_conflict_plan plan = {.level = 1};
    struct hwc_geometry geometry = {0};
    struct hwc_arena arena;
    size_t length = 0;
    int status = lab->machine->ops->arena_open(lab->machine, first_level_arena(lab), HWC_BASE_PAGES, &arena, error);

    (void)data;
    if (status != HWC_OK)
        return status;
    plan.arena = &arena;
    status = find_stride(lab, &arena, &plan.stride, &length, error);
    if (status == HWC_OK) {
        plan.candidates = 3 * length + 8;
        if (plan.candidates * plan.stride > arena.bytes)
            plan.candidates = (size_t)(arena.bytes / plan.stride);
        status = hwc_find_geometry(lab, &plan, &geometry, error);
    }
    /* Others only make lines seem to conflict: the sequence may come out short, never long. */
    if (status == HWC_OK && geometry.kept < length)
        status = hwc_fail(error, HWC_UNAVAILABLE, "%llu lines fit one by one, but a sequence of %zu",
                          (unsigned long long)geometry.kept, length);
    lab->machine->ops->arena_close(lab->machine, &arena);
    if (status == HWC_OK)
        know_first(lab, &plan, &geometry);
    return status == HWC_OK ? answer(lab, 1, plan.stride, &geometry, ballot, error) : status;
}

/* An exclusive level holds, besides its own lines, one set of the level above. */
static bool is_exclusive(const struct hwc_lab *lab, unsigned level, const struct hwc_geometry *geometry)
{
    return geometry->kept_unwashed >= geometry->kept + lab->known->level[level - 1].ways;
}

/* Lines at one place of every period compete for one set, or a hash spreads them over several. */
static bool is_hashed(const struct hwc_geometry *geometry, uint64_t stride)
{
    return geometry->kept > geometry->ways && geometry->period_bytes < stride;
}

/* The lines that fit are those of this level and of those above that share a
 * stack with it: of the one above, and where that is exclusive itself, of all. */
static int take_off_shared(const struct hwc_lab *lab, const struct context *context, struct hwc_geometry *geometry,
                           struct hwc_error *error)
{
    const struct hwc_level *above = &lab->known->level[context->level - 1];
    uint64_t all = hwc_ways_above(lab, context->level);
    uint64_t shared = above->effective_bytes > above->size_bytes ? all : above->ways;

    if (geometry->ways <= all)
        return hwc_fail(error, HWC_UNAVAILABLE, "the levels above may hold all of the %llu lines that fit",
                        (unsigned long long)geometry->ways);
    if (context->level > 2 && !above->effective_shows)
        return hwc_fail(error, HWC_UNAVAILABLE, "how many of the %llu lines that fit the levels above hold is not known",
                        (unsigned long long)geometry->ways);
    geometry->kept_unwashed = geometry->kept;
    geometry->kept -= shared;
    geometry->ways -= shared;
    return HWC_OK;
}

/* Without fillers, the lines that fit may be this level's, or this one's and
 * the one above's. The set of the level above holds as many as it has ways.
 *
 * Where a hash spreads the lines over many more sets than the levels above can
 * hold at a time, one line more always finds all its competitors at home at
 * some point of a pass, and what fits is this level's. */
static int settle_bare(const struct hwc_lab *lab, const struct context *context, struct hwc_geometry *geometry,
                       struct hwc_error *error)
{
    uint64_t above = lab->known->level[context->level - 1].ways;

    if (context->look.pages == HWC_BASE_PAGES)
        return HWC_OK;
    if (is_hashed(geometry, context->look.stride) && geometry->kept >= 4 * geometry->ways &&
        geometry->kept >= 4 * hwc_ways_above(lab, context->level))
        return HWC_OK;
    if (geometry->recency == HWC_RECENCY_UNKNOWN || geometry->ways <= above)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "its sets are as few as those of the level above; whether lines are in one or in both cannot "
                        "be told");
    return geometry->recency == HWC_RECENCY_SHARED ? take_off_shared(lab, context, geometry, error) : HWC_OK;
}

/* Why it is not to be seen whether walks can keep more than the level's own lines; NULL where it is. */
static const char *doubt_of_effective(const struct hwc_lab *lab, const struct context *context,
                                      const struct hwc_geometry *geometry)
{
    if (geometry->kept_unwashed > geometry->kept)
        return "the levels above keep some lines beyond this one's, but not a set of them";
    if (is_hashed(geometry, context->look.stride))
        return "a hash spreads its lines, so what the levels above may keep beyond it does not show";
    /* An exclusive level that is not LRU need not keep lines alive by the level above's victims. */
    if (context->look.fillers > 0 && geometry->conflict_misses < (double)geometry->ways + 0.5)
        return "its policy is not LRU, so that whether the levels above keep more does not show";
    if (context->look.fillers == 0 ? geometry->recency != HWC_RECENCY_APART
                                   : !hwc_counts(&lab->witness[context->level]))
        return "whether the levels above keep more was not to be seen";
    return NULL;
}

static void answer_effective(const struct hwc_lab *lab, const struct context *context,
                             const struct hwc_geometry *geometry, struct hwc_ballot *ballot)
{
    const char *doubt = doubt_of_effective(lab, context, geometry);

    if (is_exclusive(lab, context->level, geometry)) {
        ballot->value[EFFECTIVE] += (int64_t)lab->known->level[context->level - 1].effective_bytes;
    } else if (doubt != NULL) {
        ballot->cast[EFFECTIVE] = false;
        snprintf(ballot->reason, sizeof ballot->reason, "%s", doubt);
    }
}

static int measure_lower(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    const struct hwc_level *level = &lab->known->level[context->level];
    struct hwc_conflict_plan plan;
    struct hwc_geometry geometry;
    struct hwc_arena arena;
    struct hwc_level known;
    uint64_t size;
    int status = hwc_open_look(lab, context->level, &context->look, &arena, &plan, error);

    if (status != HWC_OK)
        return status;
    status = hwc_find_geometry(lab, &plan, &geometry, error);
    lab->machine->ops->arena_close(lab->machine, &arena);
    if (status != HWC_OK)
        return status;
    if (context->look.fillers == 0)
        status = settle_bare(lab, context, &geometry, error);
    if (status != HWC_OK)
        return status;
    size = geometry.kept * geometry.period_bytes;
    if (size <= lab->known->level[context->level - 1].size_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts speak for %llu bytes, which is the level above",
                        (unsigned long long)size);
    if (size < level->rough_low / 2 || size > 2 * level->rough_high)
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts speak for %llu bytes, footprints for %llu to %llu",
                        (unsigned long long)size, (unsigned long long)level->rough_low,
                        (unsigned long long)level->rough_high);
    known = lab->known->level[context->level];
    known.conflict_misses = geometry.conflict_misses;
    hwc_know_level(lab, context->level, &known);
    status = answer(lab, context->level, context->look.stride, &geometry, ballot, error);
    if (status == HWC_OK)
        answer_effective(lab, context, &geometry, ballot);
    return status;
}

static uint64_t power_of_two_at_least(uint64_t value)
{
    uint64_t power = 1;

    while (power < value)
        power *= 2;
    return power;
}

/* Lines one page apart can be tried by the thousand by a counter, by the
 * hundred by the clock (a line costs some 30 passes over all others). */
#define MOST_LINES 256
#define MOST_PAGES_COUNTED 2048
#define MOST_PAGES_TIMED 800

/* So many pages are to choose from for each that would fit if sets were not
 * hashed: a hash lets several times as many in, and twice as many fill all sets. */
#define PAGES_A_LINE 16

/* Fewer misses of one line too many than this share of them: the policy is random, or resists. */
#define LRU_LIKE 0.35

/* Lines that put everything else out of a set of every level above: half as
 * many again as an LRU stack would take; where a policy may keep a line for
 * long (random keeps one of eight ways through thirteen fills as often as one
 * time in six), four times as many. */
#define LASTING 4

static size_t usual_fillers(const struct hwc_lab *lab, unsigned level)
{
    size_t fillers = 1;

    for (unsigned i = 1; i < level; i++)
        fillers += (size_t)(lab->known->level[i].ways + lab->known->level[i].ways / 2);
    return fillers;
}

static size_t fillers_for(const struct hwc_lab *lab, unsigned level)
{
    size_t fillers = usual_fillers(lab, level);

    for (unsigned i = 1; i < level; i++) {
        size_t ways = (size_t)lab->known->level[i].ways;
        if (lab->known->level[i].conflict_misses > 0 && lab->known->level[i].conflict_misses < LRU_LIKE * (double)(ways + 1))
            fillers += LASTING * ways - (ways + ways / 2);
    }
    return fillers;
}

/* Lines one page apart, wherever the pages lie. */
static int plan_pages(const struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    const struct hwc_level *level = &lab->known->level[context->level];
    uint64_t page = lab->machine->page_bytes;
    bool counted = hwc_counts_events(&lab->witness[context->level]);
    uint64_t most = counted ? MOST_PAGES_COUNTED : MOST_PAGES_TIMED;

    context->look = (struct hwc_look){.pages = HWC_BASE_PAGES,
                                      .stride = page,
                                      .candidates = (size_t)(PAGES_A_LINE * level->rough_high / page + 64)};
    if (level->rough_low / page > most || (context->level > 2 && !counted))
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "footprints of %.1f MiB fit, of %.1f MiB do not; more cannot be told while the physical order "
                        "of pages is unknown: contiguous huge pages would help",
                        (double)level->rough_low / (1 << 20), (double)level->rough_high / (1 << 20));
    return HWC_OK;
}

/* Where memory is known to be contiguous beyond a page, take a stride that
 * leaves some tens of lines to find; else one line a page. */
static int plan_lower(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    const struct hwc_level *level = &lab->known->level[context->level];
    uint64_t page = lab->machine->page_bytes;
    uint64_t period_above = hwc_period_above(lab, context->level);
    struct hwc_arena arena;
    int status = lab->machine->ops->arena_open(lab->machine, page, HWC_LARGE_PAGES, &arena, error);

    if (status != HWC_OK)
        return status;
    lab->machine->ops->arena_close(lab->machine, &arena);
    if (arena.contiguous_bytes > page) {
        context->look.pages = HWC_LARGE_PAGES;
        context->look.stride = power_of_two_at_least(level->rough_high / (level->rough_high > (4 << 20) ? 32 : 8));
        if (context->look.stride < 4 * period_above)
            context->look.stride = 4 * period_above;
        if (context->look.stride > arena.contiguous_bytes)
            context->look.stride = arena.contiguous_bytes;
        context->look.fillers = context->look.stride >= 2 * period_above ? fillers_for(lab, context->level) : 0;
        context->look.candidates = context->look.fillers < MOST_LINES ? MOST_LINES : 2 * context->look.fillers;
        return HWC_OK;
    }
    return plan_pages(lab, context, error);
}

/* Numbers of fillers to try, the most likely first: more where a level above
 * keeps lines for longer than it seemed; fewer where they do not fit beside each
 * other here; as few as put out a set of the level above, where that is not
 * exclusive; none, where they compete with the lines, as they do when this
 * level's period is no longer than the one above's. */
#define FILLERS 6

static void list_fillers(const struct hwc_lab *lab, const struct hwc_look *look, unsigned level,
                         size_t fillers[FILLERS])
{
    size_t ways = lab->known->level[level - 1].ways, few = ways + ways / 4 + 1;

    fillers[0] = look->fillers;
    fillers[1] = LASTING * hwc_ways_above(lab, level) + 1;
    fillers[2] = usual_fillers(lab, level);
    fillers[3] = look->fillers * 2 / 3;
    fillers[4] = few < look->fillers ? few : look->fillers;
    fillers[5] = 0;
}

/* Fills what is to be tried, each once; where there may be too few lines to
 * choose from, more of them. Returns how many. */
static size_t list_tries(const struct hwc_lab *lab, const struct hwc_look *look, unsigned level,
                         struct hwc_look tries[FILLERS + 1])
{
    size_t fillers[FILLERS], count = 0;

    list_fillers(lab, look, level, fillers);
    for (size_t i = 0; i < FILLERS; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || fillers[k] == fillers[i];
        if (!again)
            tries[count++] = (struct hwc_look){look->pages, look->stride, look->candidates, fillers[i]};
        if (i == 0)
            tries[count++] = (struct hwc_look){look->pages, look->stride, 4 * look->candidates, fillers[i]};
    }
    return count;
}

/* One trial before the vote, which is then held as the first that comes to something. */
static int rehearse(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    struct hwc_look tries[FILLERS + 1];
    const struct hwc_look before = context->look;
    size_t count = list_tries(lab, &before, context->level, tries);
    uint64_t most = before.stride > 0 ? lab->machine->max_arena_bytes / 2 / before.stride : 0;

    if (most < 8)
        return hwc_fail(error, HWC_UNAVAILABLE, "level %u needs more memory than the %llu bytes that may be used",
                        context->level, (unsigned long long)lab->machine->max_arena_bytes);
    for (size_t i = 0; i < count; i++) {
        struct hwc_ballot ballot = {0};
        int status;
        context->look = tries[i];
        if (context->look.candidates > most)
            context->look.candidates = (size_t)most;
        status = measure_lower(lab, context, &ballot, error);
        if (status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
            return status;
        if (before.pages == HWC_BASE_PAGES)
            return HWC_OK; /* one trial says little where pages lie at random: let the votes say */
        if (lab->known->level[context->level].hashed)
            return plan_pages(lab, context, error); /* a hash is seen through by many pages */
    }
    context->look = before;
    return HWC_OK;
}

/* Thousands of pages in random order take seconds to try once, and a vote tries them eight times; a user who sets a
 * budget may wait. In references: what a machine takes for them is no matter. */
#define MOST_REFERENCES UINT64_C(100000000)

static int rehearse_in_time(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    uint64_t before = lab->references;

    TRY(rehearse(lab, context, error));
    if (context->look.pages == HWC_BASE_PAGES && lab->settings.budget_seconds == 0 &&
        lab->references - before > MOST_REFERENCES)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "a vote would take minutes where pages lie in random order: --budget=SECONDS allows it");
    return HWC_OK;
}

static void report(struct hwc_lab *lab, struct hwc_record *cache, unsigned level,
                   const struct hwc_result *results, double seconds)
{
    struct hwc_level known = lab->known->level[level];

    for (int q = 0; q < QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_from_result(&cache->finding[fields[q]], &results[q], &lab->witness[level], seconds);
    known.line_bytes = results[LINE].decided ? (uint64_t)results[LINE].value : 0;
    known.fill_bytes = results[FILL].decided ? (uint64_t)results[FILL].value : known.line_bytes;
    if (known.line_bytes > 0 && known.fill_bytes > known.line_bytes)
        hwc_note(&lab->notes, "level %u: a miss fills %llu lines", level,
                 (unsigned long long)(known.fill_bytes / known.line_bytes));
    known.size_bytes = results[SIZE].decided ? (uint64_t)results[SIZE].value : 0;
    known.ways = results[WAYS].decided ? (uint64_t)results[WAYS].value : 0;
    known.period_bytes = results[PERIOD].decided ? (uint64_t)results[PERIOD].value : 0;
    known.effective_shows = results[EFFECTIVE].decided;
    known.effective_bytes = results[EFFECTIVE].decided ? (uint64_t)results[EFFECTIVE].value : known.size_bytes;
    hwc_know_level(lab, level, &known);
}

static void unknown_level(struct hwc_record *cache, struct hwc_reason reason)
{
    for (int q = 0; q < QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_because(&cache->finding[fields[q]], reason);
}

static void failed_level(struct hwc_record *cache, const struct hwc_error *error)
{
    for (int q = 0; q < QUESTIONS; q++)
        if (fields[q] != HWC_NO_FIELD)
            hwc_finding_failed(&cache->finding[fields[q]], error);
}

static int probe_first(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_result results[QUESTIONS];
    double started = hwc_lab_elapsed(lab);
    int status = HWC_OK;

    profile->cache[0].level = 1;
    profile->caches = 1;
    if (!hwc_can_answer(&lab->witness[1])) {
        unknown_level(&profile->cache[0], hwc_unavailable("neither a counter nor a clock can answer here"));
        return HWC_OK;
    }
    if (lab->machine->has_clock)
        status = hwc_calibrate_first(lab, error);
    if (status == HWC_OK)
        status = hwc_vote(lab, measure_first, NULL, QUESTIONS, results, error);
    if (hwc_came_to_nothing(status)) {
        failed_level(&profile->cache[0], error);
        return HWC_OK;
    }
    if (status == HWC_OK)
        report(lab, &profile->cache[0], 1, results, hwc_lab_elapsed(lab) - started);
    return status;
}

static int probe_lower(struct hwc_lab *lab, struct hwc_profile *profile, unsigned level, struct hwc_error *error)
{
    struct hwc_record *cache = &profile->cache[level - 1];
    struct hwc_result results[QUESTIONS];
    struct context context = {.level = level};
    struct hwc_level known;
    double started = hwc_lab_elapsed(lab);
    int status;

    cache->level = level;
    profile->caches = level;
    if (lab->known->level[level - 1].ways == 0 || lab->known->level[level - 1].size_bytes == 0) {
        unknown_level(cache, hwc_depends("the geometry of the level above is not known, and it hides this one"));
        return HWC_OK;
    }
    if (lab->known->level[level].rough_high == 0) {
        unknown_level(cache, hwc_unavailable("its capacity is beyond what could be looked at"));
        return HWC_OK;
    }
    status = plan_lower(lab, &context, error);
    if (status == HWC_OK)
        status = hwc_calibrate_slow(lab, level, error);
    if (status == HWC_OK)
        status = rehearse_in_time(lab, &context, error);
    if (status == HWC_OK)
        status = hwc_vote(lab, measure_lower, &context, QUESTIONS, results, error);
    if (hwc_came_to_nothing(status)) {
        failed_level(cache, error);
        return HWC_OK;
    }
    if (status != HWC_OK)
        return status;
    report(lab, cache, level, results, hwc_lab_elapsed(lab) - started);
    known = lab->known->level[level];
    known.look = context.look;
    hwc_know_level(lab, level, &known);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = probe_first(lab, profile, error);

    if (status == HWC_OK && lab->known->level[1].size_bytes != 0 && lab->known->level[1].line_bytes != 0)
        status = hwc_find_levels(lab, error);
    for (unsigned level = 2; status == HWC_OK && level <= lab->known->levels; level++)
        status = probe_lower(lab, profile, level, error);
    return status;
}

const struct hwc_probe hwc_probe_data_cache = {
    .name = "data_cache",
    .summary = "line size, size and associativity of every data-cache level",
    .source = "Yotov et al., SIGMETRICS 2005, 3-5; Coleman and Davidson, ISPASS 2001, 3.1-3.3",
    .provides = {HWC_CACHE_LINE_SIZE, HWC_CACHE_SIZE, HWC_CACHE_ASSOCIATIVITY, HWC_CACHE_EFFECTIVE_SIZE},
    .run = run,
};
