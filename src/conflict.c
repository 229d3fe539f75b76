#include "conflict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "slow.h"

/* A line that does not fit costs at least one miss a pass under every policy
 * (about 0.12 of ways + 1 under random, all of them under LRU). */
#define CONFLICT_MISSES 0.5

/* In a long sequence misses must also stand out from its own length. */
#define CLOCK_NOISE_SHARE 0.02
#define COUNTER_NOISE_SHARE 0.005

struct search {
    struct hwc_lab *lab;
    const struct hwc_conflict_plan *plan;
    const struct hwc_witness *witness;
    uint64_t base; /* offset of every line within its stride */
    uint64_t *kept;
    size_t count;
    bool against_half; /* side by side, walks are held against the first half of the kept lines, not against all */
    size_t fillers;
    struct hwc_walk walk;
    struct hwc_walk twin; /* the walk's pages, in lines that the first level holds */
    struct hwc_walk reference, reference_twin; /* the kept lines, where walks are timed side by side */
    double threshold;     /* misses a pass from which on lines conflict */
    double last_cost;     /* clock: cycles of the pass that was measured last */
    double kept_cost;     /* clock: cycles of a reference to the kept lines, translation taken off */
};

static int open_search(struct search *search, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                       struct hwc_error *error)
{
    *search = (struct search){.lab = lab, .plan = plan, .witness = &lab->witness[plan->level], .fillers = plan->fillers,
                              .threshold = CONFLICT_MISSES};
    hwc_walk_init(&search->walk);
    hwc_walk_init(&search->twin);
    hwc_walk_init(&search->reference);
    hwc_walk_init(&search->reference_twin);
    search->kept = malloc((plan->candidates + 1) * sizeof *search->kept);
    return search->kept != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
}

static void close_search(struct search *search)
{
    free(search->kept);
    hwc_walk_free(&search->walk);
    hwc_walk_free(&search->twin);
    hwc_walk_free(&search->reference);
    hwc_walk_free(&search->reference_twin);
}

static const struct hwc_level *upper(const struct search *search)
{
    return &search->lab->level[search->plan->level - 1];
}

/* Fillers compete with the lines in every level above (their distance is a
 * multiple of each period) but not in this one (an odd multiple of the longest
 * period above, and this level's is at least twice as long).
 *
 * They come in one block, after the last line of a pass. Behind the block the
 * levels above hold fillers only, so every line that is still cached is at
 * home here, whatever the levels above kept of the lines meanwhile and whether
 * or not they are included: one line more than fits costs a miss in every
 * pass. Where half of the lines are moved into another set of the levels
 * above, a second block follows them. */
static int append_fillers(struct search *search, struct hwc_walk *walk, uint64_t flip, uint64_t cell,
                          struct hwc_error *error)
{
    uint64_t period = hwc_period_above(search->lab, search->plan->level);
    int status = HWC_OK;

    if (flip != 0)
        cell += HWC_CELL_BYTES; /* moved fillers may share a line of this level with others */
    for (size_t i = 0; i < search->fillers && status == HWC_OK; i++)
        status = hwc_walk_append(walk, ((search->base + (2 * i + 1) * period) ^ flip) + cell, error);
    return status;
}

/* The shortest line above: lines moved by less share all sets above. */
static uint64_t shortest_line_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t line = UINT64_MAX;

    for (unsigned i = 1; i < level; i++)
        if (lab->level[i].line_bytes < line)
            line = lab->level[i].line_bytes;
    return line;
}

/* The walk over `lines`, of which those marked are moved by `flip`. */
static int build(struct search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
                 struct hwc_error *error)
{
    bool parted = moved != NULL && flip >= shortest_line_above(search->lab, search->plan->level);
    int status = HWC_OK;

    hwc_walk_clear(&search->walk);
    for (size_t i = 0; i < count && status == HWC_OK; i++)
        status = hwc_walk_append(&search->walk, lines[i] ^ (moved != NULL && moved[i] ? flip : 0), error);
    if (status == HWC_OK)
        status = append_fillers(search, &search->walk, 0, 0, error);
    if (status == HWC_OK && parted)
        status = append_fillers(search, &search->walk, flip, 0, error);
    return status;
}

/* Cells of the walks that are laid out beside each other: lines are moved by
 * one bit of their address, and these differ from each other and from their
 * lines by more. */
#define REFERENCE_CELL 24
#define TWIN_CELL 40
#define REFERENCE_TWIN_CELL 48

/* The kept lines, or the first half of them, to hold a walk against. */
static int build_reference(struct search *search, struct hwc_error *error)
{
    size_t half = search->count / 2 > 0 ? search->count / 2 : 1;
    size_t count = search->against_half ? half : search->count;
    int status = HWC_OK;

    hwc_walk_clear(&search->reference);
    for (size_t i = 0; i < count && status == HWC_OK; i++)
        status = hwc_walk_append(&search->reference, search->kept[i] + REFERENCE_CELL, error);
    if (status == HWC_OK)
        status = append_fillers(search, &search->reference, 0, REFERENCE_CELL, error);
    return status;
}

/* The walk's pages in the same order, in cells spread over all sets of the
 * first level: what is left of its time is translation. Lower levels are
 * reached through many pages, and a TLB miss must not pass for a cache miss. */
static int build_twin(const struct search *search, const struct hwc_walk *walk, struct hwc_walk *twin, uint64_t cell,
                      struct hwc_error *error)
{
    uint64_t page = search->lab->machine->page_bytes;
    uint64_t line = search->lab->level[1].line_bytes;
    int status = HWC_OK;

    hwc_walk_clear(twin);
    for (size_t i = 0; i < walk->count && status == HWC_OK; i++)
        status = hwc_walk_append(twin, (walk->offsets[i] & ~(page - 1)) + i * line % page + cell, error);
    return status;
}

static bool wants_twin(const struct search *search)
{
    const struct hwc_level *first = &search->lab->level[1];
    size_t pages = search->walk.count;

    return search->plan->level > 1 && pages > 8 && first->line_bytes > 0 &&
           pages * first->line_bytes <= first->size_bytes && first->period_bytes <= search->lab->machine->page_bytes;
}

/* Cycles of one pass, translation taken off. */
static int cost(struct search *search, unsigned samples, double *cycles, struct hwc_error *error)
{
    struct hwc_steady steady;
    int status = hwc_measure_steady(search->lab, search->plan->arena, &search->walk, HWC_NO_EVENT, samples, &steady,
                                    error);

    if (status != HWC_OK)
        return status;
    *cycles = steady.cycles;
    if (!wants_twin(search))
        return HWC_OK;
    status = build_twin(search, &search->walk, &search->twin, 0, error);
    if (status == HWC_OK)
        status = hwc_measure_steady(search->lab, search->plan->arena, &search->twin, HWC_NO_EVENT, samples, &steady,
                                    error);
    *cycles -= steady.cycles;
    return status;
}

/* Cycles of the walk that was built beyond what the kept lines take, timed side by side. */
static int cost_beside(struct search *search, unsigned samples, double *excess, struct hwc_error *error)
{
    const struct hwc_witness *witness = search->witness;
    const struct hwc_comparison comparison = {
        .arena = search->plan->arena,
        .walk = &search->walk,
        .walk_twin = &search->twin,
        .reference = &search->reference,
        .reference_twin = &search->reference_twin,
        .threshold = search->threshold * (witness->miss_cycles - witness->hit_cycles),
        .samples = samples,
    };
    int status = build_reference(search, error);

    hwc_walk_clear(&search->twin);
    hwc_walk_clear(&search->reference_twin);
    if (status == HWC_OK && wants_twin(search)) {
        status = build_twin(search, &search->walk, &search->twin, TWIN_CELL, error);
        if (status == HWC_OK)
            status = build_twin(search, &search->reference, &search->reference_twin, REFERENCE_TWIN_CELL, error);
    }
    return status == HWC_OK ? hwc_compare(search->lab, &comparison, excess, error) : status;
}

/* More slow references than this share of a walk that stays in the first level: the clock has changed. */
#define MOST_SLOW_TWINS 0.25

/* Slow references of a pass over the walk that was built, those that translation makes slow taken off. */
static int count_slow(struct search *search, double *slow, struct hwc_error *error)
{
    double cycles = search->witness->slow_cycles;
    double in_twin = 0;
    int status = hwc_count_slow(search->lab, search->plan->arena, &search->walk, cycles, slow, error);

    if (status != HWC_OK || *slow == 0 || !wants_twin(search))
        return status;
    status = build_twin(search, &search->walk, &search->twin, 0, error);
    if (status == HWC_OK)
        status = hwc_count_slow(search->lab, search->plan->arena, &search->twin, cycles, &in_twin, error);
    if (status == HWC_OK && in_twin > MOST_SLOW_TWINS * (double)search->twin.count)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f of %zu references to the first level were slow", in_twin,
                        search->twin.count);
    *slow -= fmin(in_twin, *slow);
    return status;
}

/* Others disturb this machine, and single references cannot be told apart: time nothing against what was timed earlier. */
static bool goes_beside(const struct search *search)
{
    return search->witness->kind == HWC_CLOCK && search->witness->slow_cycles == 0 && search->lab->machine->noisy && search->lab->level[1].line_bytes >= 64;
}

/* Misses of one pass over the walk that was built. By the clock: what the pass
 * takes beyond `expected` cycles, in units of a miss. */
static int misses(struct search *search, double expected, unsigned samples, double *result, struct hwc_error *error)
{
    const struct hwc_witness *witness = search->witness;
    struct hwc_steady steady = {0};
    double cycles = 0;
    int status;

    *result = 0;
    if (witness->kind == HWC_COUNTER) {
        status = hwc_measure_steady(search->lab, search->plan->arena, &search->walk, witness->event, samples, &steady,
                                    error);
        if (status == HWC_OK && !steady.counted)
            return hwc_fail(error, HWC_UNAVAILABLE, "%s stopped counting", witness->counter);
        *result = steady.misses / witness->factor;
        return status;
    }
    if (witness->slow_cycles > 0)
        return count_slow(search, result, error);
    if (goes_beside(search)) {
        status = cost_beside(search, samples, result, error);
        *result /= witness->miss_cycles - witness->hit_cycles;
        return status;
    }
    status = cost(search, samples, &cycles, error);
    search->last_cost = cycles;
    *result = (cycles - expected) / (witness->miss_cycles - witness->hit_cycles);
    return status;
}

static bool conflicts(const struct search *search, double found)
{
    double share = search->witness->kind == HWC_CLOCK ? CLOCK_NOISE_SHARE : COUNTER_NOISE_SHARE;

    return found > fmax(search->threshold, search->plan->level == 1 ? share * (double)search->walk.count : 0);
}

/* What a pass over the walk that was built should take when all of it stays
 * cached: for each reference what the kept lines and their fillers take. */
static double expected_cost(const struct search *search)
{
    return search->kept_cost * (double)search->walk.count;
}

/* How many misses a pass do `count` lines, some of them moved, cost? */
static int ask(struct search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
               unsigned samples, double *found, struct hwc_error *error)
{
    int status = build(search, lines, count, moved, flip, error);

    if (status == HWC_OK)
        status = misses(search, expected_cost(search), samples, found, error);
    return status;
}

/* Do the first `count` of the kept lines, those marked moved, conflict? */
static int ask_whether(struct search *search, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                       struct hwc_error *error)
{
    double found = 0;
    int status = ask(search, search->kept, count, moved, flip, search->lab->settings.samples, &found, error);

    *conflict = status == HWC_OK && conflicts(search, found);
    return status;
}

/* Measure what a reference to the kept lines costs now. */
static int reprice(struct search *search, unsigned samples, struct hwc_error *error)
{
    int status;

    if (search->witness->kind != HWC_CLOCK || search->witness->slow_cycles > 0 || goes_beside(search))
        return HWC_OK;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the analyser loses sight of `kept`; close_search frees it */
    status = build(search, search->kept, search->count, NULL, 0, error);
    if (status == HWC_OK)
        status = cost(search, samples, &search->kept_cost, error);
    search->kept_cost /= (double)search->walk.count;
    return status;
}

/* Few samples while growing: a line turned away by noise is replaced by
 * another, and noise never lets one in. */
#define GROWING_SAMPLES 3

/* Lines that are taken on trust: one, or by the clock without fillers as many
 * as it takes to get past the levels above. */
static size_t lines_on_trust(const struct search *search)
{
    if (hwc_counts(search->witness) || search->fillers > 0 || search->plan->level == 1)
        return 1;
    return 2 * hwc_ways_above(search->lab, search->plan->level) + 2;
}

/* Lines that were turned away: how many, and the one that cost most. */
struct strangers {
    size_t count;
    uint64_t line;
    double misses;
};

/* Do `batch` lines behind the kept ones conflict? On a noisy machine a line
 * that is let in by mistake spoils all that follows, as the kept lines are what
 * others are held against; so is the first that is thought a stranger. Those
 * are asked again, and the third answer decides where two differ. */
static int conflict_of_more(struct search *search, size_t batch, bool certain, bool *conflict, double *found,
                            struct hwc_error *error)
{
    size_t count = search->count + batch;
    unsigned samples = search->lab->settings.samples;
    bool first;
    int status = ask(search, search->kept, count, NULL, 0, GROWING_SAMPLES, found, error);

    *conflict = first = status == HWC_OK && conflicts(search, *found);
    if (status != HWC_OK || !goes_beside(search) || (first && !certain))
        return status;
    status = ask(search, search->kept, count, NULL, 0, samples, found, error);
    if (status == HWC_OK && conflicts(search, *found) != first)
        status = ask(search, search->kept, count, NULL, 0, 2 * samples, found, error);
    *conflict = status == HWC_OK && conflicts(search, *found);
    return status;
}

/* Batches that change much of what others are held against. */
static bool is_leap(const struct search *search, size_t batch)
{
    return goes_beside(search) && batch >= 8 && 4 * batch >= search->count;
}

/* Do so many of the lines conflict, held against the first half of the kept
 * ones? Lines that were let in together by mistake would pass for the measure
 * of all others. */
static int conflict_with_half(struct search *search, size_t count, bool *conflict, struct hwc_error *error)
{
    int status;

    search->against_half = true;
    status = ask_whether(search, count, NULL, 0, conflict, error);
    search->against_half = false;
    return status;
}

/* More lines than any footprint speaks for: something that conflicts was let in. */
static bool is_too_large(const struct search *search)
{
    uint64_t most = 2 * search->lab->level[search->plan->level].rough_high;

    /* With a stride beyond the period, lines say nothing of bytes. */
    return search->plan->stride <= search->lab->machine->page_bytes && most > 0 &&
           search->count * search->plan->stride > most && search->count > 2 * lines_on_trust(search);
}

/* Others can keep a search on a noisy machine going for ever. */
#define NOISY_SECONDS 18.0

static int check_sense(const struct search *search, struct hwc_error *error)
{
    if (is_too_large(search))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines %llu bytes apart fit, more than footprints speak for",
                        search->count, (unsigned long long)search->plan->stride);
    if (search->lab->machine->noisy && hwc_lab_elapsed(search->lab) > NOISY_SECONDS)
        return hwc_fail(error, HWC_UNAVAILABLE, "others disturb this machine too much to decide in time");
    return HWC_OK;
}

/* Grow the kept set from `candidates`, in batches that double while all fit
 * and halve when something does not. Ends when `patience` lines in a row were
 * turned away, or `enough` in all. */
static int grow(struct search *search, const uint64_t *candidates, size_t available, size_t patience, size_t enough,
                size_t *used, struct strangers *strangers, struct hwc_error *error)
{
    size_t batch = 1;
    size_t turned_away = 0;

    while (*used < available && turned_away < patience && strangers->count < enough) {
        double found;
        bool conflict;
        size_t left = available - *used;
        int status = check_sense(search, error);

        if (status != HWC_OK)
            return status;
        if (batch > left)
            batch = left;
        memcpy(search->kept + search->count, candidates + *used, batch * sizeof *candidates);
        status = conflict_of_more(search, batch, batch == 1 && enough < SIZE_MAX, &conflict, &found, error);
        if (status == HWC_OK && !conflict && is_leap(search, batch))
            status = conflict_with_half(search, search->count + batch, &conflict, error);
        if (status != HWC_OK)
            return status;
        if (!conflict) {
            search->count += batch;
            search->kept_cost = search->last_cost / (double)search->walk.count;
            *used += batch;
            batch *= 2;
            turned_away = 0;
        } else if (batch > 1) {
            batch /= 2;
        } else {
            if (strangers->count++ == 0 || found > strangers->misses) {
                strangers->line = candidates[*used];
                strangers->misses = found;
            }
            *used += 1;
            turned_away++;
        }
    }
    return HWC_OK;
}

/* Which of the kept lines compete with the stranger: those without which it
 * fits. Groups first, halved where they hold a competitor. */
struct range {
    size_t begin, end;
};

static int without(struct search *search, const uint64_t *lines, size_t count, struct range gone, uint64_t *scratch,
                   double *found, struct hwc_error *error)
{
    memcpy(scratch, lines, gone.begin * sizeof *lines);
    memcpy(scratch + gone.begin, lines + gone.end, (count - gone.end) * sizeof *lines);
    return ask(search, scratch, count - (gone.end - gone.begin), NULL, 0, search->lab->settings.samples, found,
               error);
}

static int find_competitors(struct search *search, uint64_t stranger, bool *competes, size_t *found,
                            struct hwc_error *error)
{
    size_t count = search->count + 1;
    uint64_t *lines = malloc(2 * count * sizeof *lines);
    struct range *stack = malloc((search->count + 64) * sizeof *stack);
    size_t depth = 0;
    int status = lines != NULL && stack != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    size_t group = search->count / 16 > 0 ? search->count / 16 : 1;

    *found = 0;
    if (status == HWC_OK) {
        memcpy(lines, search->kept, search->count * sizeof *lines);
        lines[search->count] = stranger;
        for (size_t at = 0; at < search->count; at += group)
            stack[depth++] = (struct range){at, at + group < search->count ? at + group : search->count};
    }
    while (status == HWC_OK && depth > 0) {
        struct range range = stack[--depth];
        size_t middle = range.begin + (range.end - range.begin) / 2;
        double misses_left;
        status = without(search, lines, count, range, lines + count, &misses_left, error);
        if (status != HWC_OK || conflicts(search, misses_left))
            continue;
        if (range.end - range.begin == 1) {
            competes[range.begin] = true;
            (*found)++;
        } else {
            stack[depth++] = (struct range){range.begin, middle};
            stack[depth++] = (struct range){middle, range.end};
        }
    }
    free(stack);
    free(lines);
    return status;
}

/* Half of the lines, and half of the competitors among them, the stranger included. */
static void choose_half(const struct search *search, const bool *competes, bool *half)
{
    unsigned competitor = 0;

    for (size_t i = 0; i < search->count; i++)
        half[i] = competes[i] ? competitor++ % 2 == 1 : i % 2 == 1;
    half[search->count] = true;
}

/* Move half of the lines by one address bit after the other (X-Ray 4.1.3 moves
 * one half by C + d). Within a line nothing changes and the conflict stays;
 * beyond it the halves part. */
static int find_line(struct search *search, const bool *half, uint64_t *line_bytes, struct hwc_error *error)
{
    bool conflict = true;
    int status = HWC_OK;

    *line_bytes = HWC_CELL_BYTES / 2;
    while (status == HWC_OK && conflict && *line_bytes * 2 < search->plan->stride) {
        *line_bytes *= 2;
        status = ask_whether(search, search->count + 1, half, *line_bytes, &conflict, error);
    }
    if (status == HWC_OK && conflict)
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing lines",
                        (unsigned long long)search->plan->stride);
    return status;
}

/* The distance at which the halves meet again. With fillers the stranger alone
 * is moved: all sets at the kept lines' place are full, and fillers would get
 * in the way of a moved half. They also mean that this level's period is
 * longer than those above. */
static int find_period(struct search *search, uint64_t stranger, const bool *half, uint64_t line_bytes,
                       uint64_t *period_bytes, struct hwc_error *error)
{
    bool alone = search->fillers > 0 || search->plan->arena->contiguous_bytes <= search->plan->stride;
    /* Fillers lie where lines meet at a distance of the period above, and do not meet these: check_fillers. */
    uint64_t above = alone ? hwc_period_above(search->lab, search->plan->level) << (search->fillers > 0) : 0;

    *period_bytes = above > 2 * line_bytes ? above : 2 * line_bytes;
    for (; *period_bytes < search->plan->stride; *period_bytes *= 2) {
        bool conflict;
        int status;
        search->kept[search->count] = alone ? stranger ^ *period_bytes : stranger;
        status = ask_whether(search, search->count + 1, alone ? NULL : half, *period_bytes, &conflict, error);
        if (status != HWC_OK || conflict)
            return status;
    }
    *period_bytes = search->plan->stride;
    return HWC_OK;
}

static int find_distances(struct search *search, uint64_t stranger, const bool *competes,
                          struct hwc_geometry *geometry, struct hwc_error *error)
{
    bool *half = calloc(search->count + 1, sizeof *half);
    int status;

    if (half == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    choose_half(search, competes, half);
    search->kept[search->count] = stranger;
    status = find_line(search, half, &geometry->line_bytes, error);
    if (status == HWC_OK)
        status = find_period(search, stranger, half, geometry->line_bytes, &geometry->period_bytes, error);
    free(half);
    return status;
}

static bool is_among(uint64_t line, const uint64_t *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i] == line)
            return true;
    return false;
}

/* How many lines fit when the levels above may keep some: the kept ones
 * without fillers, and of the other candidates as many as still go in. */
static int count_unwashed(struct search *search, const uint64_t *candidates, size_t competitors, uint64_t *kept,
                          struct hwc_error *error)
{
    size_t available = search->plan->candidates;
    struct strangers strangers = {0};
    struct search bare;
    uint64_t *others = malloc(available * sizeof *others);
    size_t count = 0, used = 0;
    int status = open_search(&bare, search->lab, search->plan, error);

    if (status == HWC_OK && others == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    for (size_t i = 0; status == HWC_OK && i < available; i++)
        if (!is_among(candidates[i], search->kept, search->count))
            others[count++] = candidates[i];
    bare.fillers = 0;
    bare.threshold = search->threshold;
    bare.count = search->count;
    if (status == HWC_OK) {
        memcpy(bare.kept, search->kept, search->count * sizeof *bare.kept);
        status = reprice(&bare, search->lab->settings.samples, error);
    }
    if (status == HWC_OK)
        status = grow(&bare, others, count, 4 + 2 * search->count / competitors, count, &used, &strangers, error);
    *kept = bare.count;
    close_search(&bare);
    free(others);
    return status;
}

/* Do fillers stay out of the kept lines' sets? One more line at a filler's
 * place must fit. Where this level has no more sets than the one above, what
 * competes there competes here too. */
static int check_fillers(struct search *search, struct hwc_error *error)
{
    uint64_t period = hwc_period_above(search->lab, search->plan->level);
    bool conflict;
    int status;

    search->kept[search->count] = search->base + (2 * search->fillers + 1) * period;
    status = ask_whether(search, search->count + 1, NULL, 0, &conflict, error);
    if (status == HWC_OK && conflict)
        return hwc_fail(error, HWC_UNAVAILABLE, "no lines compete in the level above and not in this one");
    return status;
}

/* A level whose sets are no more than those of the one above leaves no room
 * for fillers, and what fits may be its own lines or, where it is exclusive,
 * both levels'. Tell them by one line x that the level above serves again and
 * again while others pass: x y1 x y2 ... and then the rest, one line more than
 * fits. An inclusive or independent level has not seen x since its first visit
 * and, under LRU, misses it with all others. Under exclusion x was put in here
 * late, and hits. The difference is one miss, so who does not count misses cannot tell. */
static int check_recency(struct search *search, uint64_t stranger, struct hwc_geometry *geometry,
                         struct hwc_error *error)
{
    size_t cells = upper(search)->line_bytes / HWC_CELL_BYTES;
    double count = (double)search->count + 1;
    double found;
    int status = HWC_OK;

    if (!hwc_counts(search->witness) || search->plan->level == 1)
        return HWC_OK;
    if (upper(search)->ways == 1) {
        /* One line above never serves twice in a row: exclusive or not, all that can be seen is what fits. */
        geometry->recency = HWC_RECENCY_APART;
        hwc_note(&search->lab->notes,
                 "level %u: an exclusive level of one way less below a direct-mapped one would look the same",
                 search->plan->level);
        return HWC_OK;
    }
    if (cells < 2)
        return HWC_OK;
    search->kept[search->count] = stranger;
    hwc_walk_clear(&search->walk);
    for (size_t i = 1; status == HWC_OK && i <= search->count; i++) {
        if (i <= cells)
            status = hwc_walk_append(&search->walk, search->kept[0] + (i - 1) * HWC_CELL_BYTES, error);
        if (status == HWC_OK)
            status = hwc_walk_append(&search->walk, search->kept[i], error);
    }
    if (status == HWC_OK)
        status = misses(search, 0, search->lab->settings.samples, &found, error);
    if (status != HWC_OK)
        return status;
    if (fabs(found - count) < 0.25)
        geometry->recency = HWC_RECENCY_APART;
    else if (fabs(found - (count - 1)) < 0.25)
        geometry->recency = HWC_RECENCY_SHARED;
    return HWC_OK;
}

static void draw_candidates(struct search *search, uint64_t *candidates)
{
    const struct hwc_conflict_plan *plan = search->plan;
    uint64_t grain = plan->stride < 1024 ? plan->stride : 1024;

    search->base = hwc_random_below(&search->lab->random, plan->stride / grain) * grain;
    for (size_t i = 0; i < plan->candidates; i++)
        candidates[i] = i * plan->stride + search->base;
    hwc_random_shuffle(&search->lab->random, candidates, plan->candidates);
}

/* What one conflict costs is measured, and a fair share of it is the line
 * between conflict and none: by the clock a pass over other lines or in another
 * order may drift by more than half a miss, and a level that fills more than
 * the line that missed now and then throws out one that is wanted. No more than
 * a share, because the same conflict costs three times as much in one order as
 * in another where the policy is not LRU. */
#define CONFLICT_SHARE 0.15

static int set_threshold(struct search *search, uint64_t stranger, struct hwc_error *error)
{
    double found = 0;
    int status;

    search->kept[search->count] = stranger;
    status = ask(search, search->kept, search->count + 1, NULL, 0, search->lab->settings.samples, &found, error);
    if (status == HWC_OK && !conflicts(search, found))
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts do not stand out from the noise (%.2f misses)", found);
    search->threshold = fmax(CONFLICT_MISSES, CONFLICT_SHARE * found);
    return status;
}

/* A set that still has room is missed by so many random lines for each set that is known with a chance of e^-10;
 * where one is known and there is another, with one of 2^-10. */
#define PATIENCE 10

static int grow_until_full(struct search *search, const uint64_t *candidates, size_t *used,
                           struct strangers *strangers, size_t competitors, struct hwc_error *error)
{
    size_t available = search->plan->candidates;
    size_t patience = search->count > competitors ? PATIENCE * search->count / competitors : PATIENCE;
    double kept_threshold = search->threshold;
    int status;

    search->threshold = CONFLICT_MISSES;
    status = grow(search, candidates, available, patience, SIZE_MAX, used, strangers, error);
    search->threshold = kept_threshold;
    if (status == HWC_OK && goes_beside(search)) {
        bool conflict;
        status = conflict_with_half(search, search->count, &conflict, error);
        if (status == HWC_OK && conflict)
            return hwc_fail(error, HWC_UNAVAILABLE, "the %zu lines that were found to fit do not fit together",
                            search->count);
    }
    if (status == HWC_OK && *used == available && strangers->count * 2 < search->count)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from: %zu of %zu fit", search->count,
                        available);
    return status;
}

static int first_strangers(struct search *search, uint64_t *candidates, size_t *used, struct strangers *strangers,
                           struct hwc_error *error)
{
    const struct hwc_conflict_plan *plan = search->plan;
    size_t enough = search->witness->kind == HWC_COUNTER ? 1 : 4;
    int status;

    *used = lines_on_trust(search);
    if (*used >= plan->candidates)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    draw_candidates(search, candidates);
    memcpy(search->kept, candidates, *used * sizeof *candidates);
    search->count = *used;
    status = reprice(search, search->lab->settings.samples, error);
    if (status == HWC_OK)
        status = grow(search, candidates, plan->candidates, SIZE_MAX, enough, used, strangers, error);
    if (status == HWC_OK && strangers->count == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines %llu bytes apart do not conflict", search->count,
                        (unsigned long long)plan->stride);
    return status;
}

static int search_geometry(struct search *search, uint64_t *candidates, bool *competes, struct hwc_geometry *geometry,
                           struct hwc_error *error)
{
    struct strangers strangers = {0};
    size_t used, competitors = 0;
    uint64_t stranger;
    int status = first_strangers(search, candidates, &used, &strangers, error);

    stranger = strangers.line;
    if (status == HWC_OK)
        status = set_threshold(search, stranger, error);
    if (status == HWC_OK)
        status = find_competitors(search, stranger, competes, &competitors, error);
    if (status == HWC_OK && competitors == 0)
        status = hwc_fail(error, HWC_UNAVAILABLE, "lines conflict, but no single one is the cause");
    if (status == HWC_OK)
        status = grow_until_full(search, candidates, &used, &strangers, competitors, error);
    if (status == HWC_OK)
        status = set_threshold(search, stranger, error);
    if (status == HWC_OK)
        status = find_distances(search, stranger, competes, geometry, error);
    if (status == HWC_OK && search->fillers > 0)
        status = check_fillers(search, error);
    if (status == HWC_OK && search->fillers == 0 && search->count == competitors)
        status = check_recency(search, stranger, geometry, error);
    geometry->kept = search->count;
    geometry->ways = competitors;
    if (status == HWC_OK && search->count % competitors != 0)
        status = hwc_fail(error, HWC_UNAVAILABLE, "%zu lines fit, no whole number of sets of %zu", search->count,
                          competitors);
    if (status == HWC_OK && search->fillers > 0)
        status = count_unwashed(search, candidates, competitors, &geometry->kept_unwashed, error);
    return status;
}

int hwc_find_geometry(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    struct search search = {0};
    uint64_t *candidates = malloc(plan->candidates * sizeof *candidates);
    bool *competes = calloc(plan->candidates + 1, sizeof *competes);
    int status = open_search(&search, lab, plan, error);

    *geometry = (struct hwc_geometry){0};
    if (status == HWC_OK && (candidates == NULL || competes == NULL))
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    if (status == HWC_OK)
        status = search_geometry(&search, candidates, competes, geometry, error);
    close_search(&search);
    free(competes);
    free(candidates);
    return status;
}

int hwc_compact(struct hwc_lab *lab, unsigned level, const struct hwc_arena *arena, uint64_t start, uint64_t stride,
                size_t count, bool *compact, struct hwc_error *error)
{
    struct hwc_conflict_plan plan = {.level = level, .arena = arena, .stride = stride, .candidates = 1};
    struct search search;
    double found = 0;
    int status = open_search(&search, lab, &plan, error);

    if (status != HWC_OK)
        return status;
    status = hwc_walk_sequence(&search.walk, start, stride, count, error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&search.walk, &lab->random);
        status = misses(&search, search.witness->hit_cycles * (double)count, lab->settings.samples, &found, error);
    }
    *compact = !conflicts(&search, found);
    close_search(&search);
    return status;
}
