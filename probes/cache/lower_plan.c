/* How to look at a lower level: on what pages, with what stride, how many
 * candidate lines, and how many evictors to empty the levels above. Several plans
 * are tried before the vote, which uses the first that gives a result. */
#include <math.h>

#include "cache_ballot.h"
#include "conflict_test.h"
#include "single_access.h"
#include "statistics.h"

static const struct {
    size_t lines;         /* candidates, where a stride can exceed the period: more than twice the most ways */
    size_t pages_counted; /* lines one page apart that can be tried by a counter */
    size_t pages_timed;   /* the same, by the clock: a line costs some 30 passes over all others */
    size_t pages_a_line;  /* candidates for each line that would fit without a hash: with one several times as many fit,
                             and twice as many fill all sets */
    size_t pages_a_line_timed; /* by the clock: the more there are, the less the classes' sizes differ (class_count.h) */
    size_t pages_apart; /* a sixteenth of those are four for each line that fits */
} most = {.lines = 256, .pages_counted = 2048, .pages_timed = 800, .pages_a_line = 16, .pages_a_line_timed = 64,
          .pages_apart = 16};

/* Evictors put everything else out of a set of every level above. An LRU set, which takes all of them in, needs half as
 * many again as its ways; a policy that may keep a line for long (random keeps one of eight ways through thirteen fills
 * one time in six) four times as many. A policy may do so if one line too many costs less than the share `lru_like` of
 * its misses under LRU. */
static const struct {
    size_t lasting;
    double lru_like;
} keeping = {.lasting = 4, .lru_like = 0.35};

static uint64_t power_of_two_at_least(uint64_t value)
{
    uint64_t power = 1;

    while (power < value)
        power *= 2;
    return power;
}

static size_t usual_evictors(const struct hwc_lab *lab, unsigned level)
{
    size_t evictors = 1;

    for (unsigned i = 1; i < level; i++)
        evictors += (size_t)(lab->known->level[i].ways + lab->known->level[i].ways / 2);
    return evictors;
}

/* One line too many costs far fewer misses than under LRU: the policy is random, or resists scans. */
static bool keeps_lines(const struct hwc_level *level)
{
    return level->conflict_misses > 0 && level->conflict_misses < keeping.lru_like * (double)(level->ways + 1);
}

static size_t evictors_for(const struct hwc_lab *lab, unsigned level)
{
    size_t evictors = usual_evictors(lab, level);

    for (unsigned i = 1; i < level; i++) {
        size_t ways = (size_t)lab->known->level[i].ways;
        if (keeps_lines(&lab->known->level[i]))
            evictors += keeping.lasting * ways - (ways + ways / 2);
    }
    return evictors;
}

/* So far apart, as memory has room for. */
static uint64_t most_lines(const struct hwc_lab *lab, uint64_t stride)
{
    return stride > 0 ? lab->machine->max_arena_bytes / 2 / stride : 0;
}

struct hwc_look hwc_look_at_pages(const struct hwc_lab *lab, unsigned level)
{
    size_t pages_a_line = hwc_counts_events(&lab->witness[level]) ? most.pages_a_line : most.pages_a_line_timed;
    uint64_t page = lab->machine->page_bytes;
    size_t pages = (size_t)(pages_a_line * hwc_most_rough(&lab->known->level[level]) / page + 64);

    return (struct hwc_look){.pages = HWC_BASE_PAGES,
                             .stride = page,
                             .candidates = hwc_lesser(pages, most_lines(lab, page))};
}

struct hwc_look hwc_in_one_first_set(const struct hwc_lab *lab, unsigned level, struct hwc_look look)
{
    uint64_t period = lab->known->level[1].period_bytes;

    if (level == 1 || look.pages != HWC_BASE_PAGES || look.stride != lab->machine->page_bytes || period <= look.stride)
        return look;
    for (size_t apart = 2; apart <= most.pages_apart && look.apart == 0; apart++)
        look.apart = apart * look.stride % period == 0 ? apart : 0;
    return look;
}

static int plan_pages(const struct hwc_lab *lab, unsigned at, struct hwc_look *look, struct hwc_error *error)
{
    const struct hwc_level *level = &lab->known->level[at];
    bool counted = hwc_counts_events(&lab->witness[at]);
    uint64_t pages = counted ? most.pages_counted : most.pages_timed;

    *look = hwc_look_at_pages(lab, at);
    if (level->rough_low / look->stride > pages || (at > 2 && !counted))
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "footprints of %.1f MiB fit, of %.1f MiB do not; more cannot be told while the physical order "
                        "of pages is unknown: contiguous huge pages would help",
                        (double)level->rough_low / (1 << 20), (double)level->rough_high / (1 << 20));
    return HWC_OK;
}

/* Lines several periods of the levels above apart, so that few fit and are soon found: tens in a large level, some in a
 * small one. */
static void plan_contiguous(const struct hwc_lab *lab, unsigned at, uint64_t contiguous_bytes, struct hwc_look *look)
{
    const struct hwc_level *level = &lab->known->level[at];
    uint64_t period_above = hwc_period_above(lab, at);

    *look = (struct hwc_look){.pages = HWC_LARGE_PAGES,
                              .stride = power_of_two_at_least(level->rough_high /
                                                              (level->rough_high > (4 << 20) ? 32 : 8))};
    if (look->stride < 4 * period_above)
        look->stride = 4 * period_above;
    if (look->stride > contiguous_bytes)
        look->stride = contiguous_bytes;
    look->evictors = look->stride >= 2 * period_above ? evictors_for(lab, at) : 0;
    look->candidates = look->evictors < most.lines ? most.lines : 2 * look->evictors;
}

static int plan(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes;
    struct hwc_arena arena;

    TRY(lab->machine->ops->arena_open(lab->machine, page, HWC_LARGE_PAGES, &arena, error));
    lab->machine->ops->arena_close(lab->machine, &arena);
    if (arena.contiguous_bytes <= page)
        return plan_pages(lab, level, look, error);
    plan_contiguous(lab, level, arena.contiguous_bytes, look);
    return HWC_OK;
}

enum { NUMBERS_TO_TRY = 6 };

/* Numbers of evictors to try, the most likely first: as planned; more, if a level
 * above keeps lines for longer than it seemed; fewer, if they do not all fit in
 * this level; just enough to clear a set of the level above, if that is not
 * exclusive; none, if they compete with the lines, as they do when this level's
 * period is no longer than the one above's. */
static void list_evictors(const struct hwc_lab *lab, const struct hwc_look *look, unsigned level,
                          size_t evictors[NUMBERS_TO_TRY])
{
    size_t ways = lab->known->level[level - 1].ways, few = ways + ways / 4 + 1;

    evictors[0] = look->evictors;
    evictors[1] = keeping.lasting * hwc_ways_above(lab, level) + 1;
    evictors[2] = usual_evictors(lab, level);
    evictors[3] = look->evictors * 2 / 3;
    evictors[4] = few < look->evictors ? few : look->evictors;
    evictors[5] = 0;
}

static struct hwc_look with(const struct hwc_look *planned, size_t candidates, size_t evictors)
{
    struct hwc_look look = *planned;

    look.candidates = candidates;
    look.evictors = evictors;
    return look;
}

/* Fills the looks to try, each number of evictors once; the first also with four
 * times the candidates, in case those are too few. Returns how many. */
static size_t list_tries(const struct hwc_lab *lab, const struct hwc_look *look, unsigned level,
                         struct hwc_look tries[NUMBERS_TO_TRY + 1])
{
    size_t evictors[NUMBERS_TO_TRY], count = 0;

    list_evictors(lab, look, level, evictors);
    for (size_t i = 0; i < NUMBERS_TO_TRY; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || evictors[k] == evictors[i];
        if (!again)
            tries[count++] = with(look, look->candidates, evictors[i]);
        if (i == 0)
            tries[count++] = with(look, 4 * look->candidates, evictors[i]);
    }
    return count;
}

enum { ENOUGH = 2 };

/* A look that gives a result once, by luck, would be that of all ballots: the best of three trials tells. *given: how
 * many gave one. */
static int try_look(struct hwc_lab *lab, struct hwc_cache_look *at, unsigned *given, struct hwc_error *error)
{
    unsigned failed = 0;

    for (*given = 0; *given < ENOUGH && failed < ENOUGH;) {
        struct hwc_ballot ballot = {0};
        int status = hwc_measure_lower_level(lab, at, &ballot, error);
        if (status != HWC_OK && status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
            return status;
        *given += status == HWC_OK;
        failed += status != HWC_OK;
    }
    return HWC_OK;
}

/* Try one look after another, until one gives results, and take the best; if none does, keep the planned one. */
static int try_looks(struct hwc_lab *lab, unsigned level, uint64_t most_lines, struct hwc_look *look,
                     struct hwc_error *error)
{
    struct hwc_look tries[NUMBERS_TO_TRY + 1];
    size_t count = list_tries(lab, look, level, tries);
    unsigned best = 0;

    for (size_t i = 0; i < count && best < ENOUGH; i++) {
        struct hwc_cache_look at = {level, tries[i]};
        unsigned given;
        if (at.look.candidates > most_lines)
            at.look.candidates = (size_t)most_lines;
        TRY(try_look(lab, &at, &given, error));
        if (lab->known->level[level].hashed && given == 0 && plan_pages(lab, level, look, error) == HWC_OK)
            return HWC_OK; /* lines on many pages resolve a hash */
        if (given > 0 && given >= best) {
            best = given;
            *look = at.look;
        }
    }
    return HWC_OK;
}

/* On randomly placed pages one trial says little, and takes long: it tells how long a vote would take, where that may be
 * minutes. */
static int rehearse(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error)
{
    uint64_t lines = most_lines(lab, look->stride);
    struct hwc_ballot ballot = {0};
    int status;

    if (lines < 8)
        return hwc_fail(error, HWC_UNAVAILABLE, "level %u needs more memory than the %llu bytes that may be used",
                        level, (unsigned long long)lab->machine->max_arena_bytes);
    if (look->pages != HWC_BASE_PAGES)
        return try_looks(lab, level, lines, look, error);
    if (!hwc_references_are_dear(lab->machine))
        return HWC_OK;
    status = hwc_measure_lower_level(lab, &(struct hwc_cache_look){level, *look}, &ballot, error);
    return status == HWC_UNAVAILABLE || status == HWC_INCONCLUSIVE ? HWC_OK : status;
}

/* Once more where that shows a farther level, which is nearer than was believed (hwc_check_near). */
static int rehearse_twice(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error)
{
    const struct hwc_look planned = *look;
    double believed = INFINITY;

    for (unsigned i = 0; i < 2 && lab->witness[level].miss_cycles < believed; i++) {
        believed = lab->witness[level].miss_cycles;
        *look = planned;
        TRY(hwc_calibrate_slow(lab, level, error));
        TRY(rehearse(lab, level, look, error));
    }
    return HWC_OK;
}

int hwc_plan_lower_level(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error)
{
    uint64_t before;

    TRY(plan(lab, level, look, error));
    before = lab->references;
    TRY(rehearse_twice(lab, level, look, error));
    if (look->pages == HWC_BASE_PAGES && !hwc_lab_may_take_minutes(lab) &&
        hwc_seconds_for(lab->machine, lab->references - before) > HWC_SECONDS_TO_TRY)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "a vote would take minutes where pages lie in random order: a --budget of minutes allows it");
    return HWC_OK;
}
