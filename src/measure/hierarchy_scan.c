#include "hierarchy_scan.h"

#include <math.h>

#include "footprint.h"
#include "least.h"
#include "miss_cost.h"
#include "sampler.h"
#include "seen_levels.h"
#include "statistics.h"
#include "steady_state.h"

static int cycles_per_reference(struct hwc_lab *lab, uint64_t bytes, uint64_t spacing, double *cycles,
                                struct hwc_error *error)
{
    const struct hwc_footprint footprint = {(size_t)(bytes / spacing), spacing, HWC_BASE_PAGES, 1, HWC_LOAD};
    struct hwc_steady steady = {0};

    TRY(hwc_measure_footprint(lab, &footprint, HWC_NO_EVENT, lab->settings.samples, &steady, error));
    *cycles = steady.cycles / (double)footprint.lines;
    return HWC_OK;
}

static const double slower = 1.5;

/* Lines one page apart, at one place of their pages, and as many at places spread over the sets of the first level. */
struct stack {
    struct hwc_arena arena;
    struct hwc_walk same, spread;
};

enum { PLACE = 1536, SPREAD = 72, MOST_STACKED = 128, STACK_HEIGHTS = 16 };
enum { STACK_REFERENCES = 1024, STACK_SAMPLES = 6, STACK_DRAWS = 3, STACK_MORE_DRAWS = 9, STACKS_DRAWN_AGAIN = 3 };

static int lay_out_stack(struct hwc_lab *lab, size_t lines, struct stack *stack, struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes;

    for (size_t i = 0; i < lines; i++) {
        TRY(hwc_walk_append(&stack->same, i * page + PLACE % page, error));
        TRY(hwc_walk_append(&stack->spread, i * page + (PLACE + i * SPREAD) % page, error));
    }
    return HWC_OK;
}

/* What a reference takes longer where the lines are stacked: the median of some pairs. */
static int time_stack(struct hwc_lab *lab, const struct stack *stack, double *cycles, struct hwc_error *error)
{
    uint32_t passes = (uint32_t)(STACK_REFERENCES / stack->same.count);
    const struct hwc_experiment experiment = {.arena = &stack->arena,
                                              .event = HWC_NO_EVENT,
                                              .steps = 4,
                                              .step = {{HWC_RUN, &stack->spread, passes},
                                                       {HWC_MEASURE, &stack->spread, passes},
                                                       {HWC_RUN, &stack->same, passes},
                                                       {HWC_MEASURE, &stack->same, passes}}};
    double longer[STACK_SAMPLES];

    for (int i = 0; i < STACK_SAMPLES; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        longer[i] = (sample.reading[1].cycles - sample.reading[0].cycles) / (double)(passes * stack->same.count);
    }
    *cycles = hwc_median(longer, STACK_SAMPLES);
    return HWC_OK;
}

static int draw_stack(struct hwc_lab *lab, size_t lines, double *cycles, struct hwc_error *error)
{
    struct stack stack;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, lines * lab->machine->page_bytes, HWC_BASE_PAGES, &stack.arena,
                                      error));
    hwc_walk_init(&stack.same);
    hwc_walk_init(&stack.spread);
    stack.same.repeats = stack.spread.repeats = true; /* both from lists, as what is compared must cost the same */
    status = lay_out_stack(lab, lines, &stack, error);
    if (status == HWC_OK)
        status = time_stack(lab, &stack, cycles, error);
    hwc_walk_free(&stack.same);
    hwc_walk_free(&stack.spread);
    lab->machine->ops->arena_close(lab->machine, &stack.arena);
    return status;
}

/* The least of several draws of pages: some share so few sets of the next level that it does not hold the lines. */
static int measure_stack(struct hwc_lab *lab, size_t lines, unsigned draws, double *cycles, struct hwc_error *error)
{
    struct hwc_least least = {0};

    while (least.taken < draws) {
        double drawn;
        TRY(draw_stack(lab, lines, &drawn, error));
        hwc_least_add(&least, drawn);
    }
    *cycles = least.value;
    return HWC_OK;
}

/* Growing numbers of lines, and what a reference takes longer. */
struct stacks {
    size_t lines[STACK_HEIGHTS];
    double longer[STACK_HEIGHTS];
    unsigned heights;
};

/* The next level may have so few ways that it seldom holds hardly more lines than this one does. */
static int draw_slower_again(struct hwc_lab *lab, double least, struct stacks *stacks, struct hwc_error *error)
{
    unsigned drawn = 0;

    for (unsigned i = 0; i < stacks->heights && drawn < STACKS_DRAWN_AGAIN; i++) {
        double again, *longer = &stacks->longer[i];
        if (*longer <= least)
            continue;
        TRY(measure_stack(lab, stacks->lines[i], STACK_MORE_DRAWS, &again, error));
        *longer = fmin(*longer, again);
        drawn++;
    }
    return HWC_OK;
}

/* Until they are level. */
static int measure_stacks(struct hwc_lab *lab, double least, struct stacks *stacks, struct hwc_error *error)
{
    stacks->heights = 0;
    for (size_t next = 4; next <= MOST_STACKED && stacks->heights < STACK_HEIGHTS; next += next / 4 + 1) {
        stacks->lines[stacks->heights] = next;
        TRY(measure_stack(lab, next, STACK_DRAWS, &stacks->longer[stacks->heights], error));
        if (hwc_is_cost_level(stacks->longer, ++stacks->heights, least))
            return HWC_OK;
    }
    return draw_slower_again(lab, least, stacks, error);
}

/* What a miss takes if the next level serves it is what a line more or less makes no difference to: else it is a part of
 * one, and counts as none. */
static int drop_part_of_miss(struct hwc_lab *lab, double least, double most, struct stacks *stacks,
                             struct hwc_error *error)
{
    double less, more, *longer;
    unsigned first;

    if (!hwc_may_be_part_of_miss(stacks->longer, stacks->heights, least, most, &first))
        return HWC_OK;
    longer = &stacks->longer[first];
    TRY(measure_stack(lab, stacks->lines[first] - 1, STACK_DRAWS, &less, error));
    TRY(measure_stack(lab, stacks->lines[first] + 1, STACK_DRAWS, &more, error));
    if (hwc_makes_difference(less, *longer) && hwc_makes_difference(more, *longer))
        *longer = 0;
    return HWC_OK;
}

/* Some of a footprint's references come from farther than the next level, and take a translation more. Lines that share
 * a set tell what a miss takes alone. */
static int refine_miss(struct hwc_lab *lab, struct hwc_witness *witness, struct hwc_error *error)
{
    double least = (slower - 1) * witness->hit_cycles, cost;
    struct stacks stacks;

    TRY(measure_stacks(lab, least, &stacks, error));
    TRY(drop_part_of_miss(lab, least, hwc_added_by_miss(witness), &stacks, error));
    cost = hwc_cost_of_miss(stacks.longer, stacks.heights, least);
    if (cost > 0 && witness->hit_cycles + cost < witness->miss_cycles)
        witness->miss_cycles = witness->hit_cycles + cost;
    return HWC_OK;
}

/* X-Ray 4.1.1: a single address always hits. Footprints then double until a
 * reference costs half as much again; at twice that footprint most references
 * miss the first level, and it must take as long: a footprint that was slow for
 * what others did is followed by a fast one. */
int hwc_calibrate_first(struct hwc_lab *lab, struct hwc_error *error)
{
    struct hwc_witness *witness = &lab->witness[1];
    uint64_t most = lab->machine->max_arena_bytes / (2 * HWC_SPACED_SHUFFLE);

    TRY(cycles_per_reference(lab, HWC_CELL_BYTES, HWC_CELL_BYTES, &witness->hit_cycles, error));
    for (uint64_t bytes = 1024; bytes <= most && bytes <= (UINT64_C(1) << 28); bytes *= 2) {
        double cycles;
        TRY(cycles_per_reference(lab, bytes, 64, &cycles, error));
        if (cycles < slower * witness->hit_cycles)
            continue;
        TRY(cycles_per_reference(lab, 2 * bytes, 64, &witness->miss_cycles, error));
        if (witness->miss_cycles >= slower * witness->hit_cycles)
            return refine_miss(lab, witness, error);
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "no footprint was slower than a single line: no cache to be seen");
}

/* The largest footprint of which it is known that a level above holds it; some level may not be known at all. */
static uint64_t largest_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t largest = lab->known->level[1].size_bytes;

    for (unsigned i = 2; i < level; i++)
        if (lab->known->level[i].rough_high > largest)
            largest = lab->known->level[i].rough_high;
    return largest > 0 ? largest : lab->machine->page_bytes;
}

/* Bound the capacity of a level by its counter: footprints double, from that of
 * the level above on, until a tenth of the references miss. */
static int bound_by_counter(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    for (uint64_t bytes = largest_above(lab, level); bytes <= lab->machine->max_arena_bytes / 4; bytes *= 2) {
        const struct hwc_footprint footprint = hwc_footprint_of(lab, bytes);
        struct hwc_steady steady = {0};
        TRY(hwc_measure_footprint(lab, &footprint, lab->witness[level].event, 2, &steady, error));
        if (steady.misses > 0.1 * (double)footprint.lines) {
            struct hwc_level bounded = lab->known->level[level];
            bounded.rough_low = bytes / 2;
            bounded.rough_high = bytes;
            hwc_know_level(lab, level, &bounded);
            return HWC_OK;
        }
    }
    return hwc_fail(error, HWC_NO_MEMORY, "level %u is larger than the memory that may be used", level);
}

/* The fit's level i is level i + 1 of the hierarchy; memory follows the last. */
static void levels_from_fit(struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    hwc_know_levels(lab, fit->levels);
    for (unsigned i = 1; i <= lab->known->levels; i++) {
        const struct hwc_fitted_level *fitted = &fit->level[i - 1];
        const struct hwc_fitted_cycles *next = i < fit->levels ? &fit->level[i].cycles : &fit->memory;
        struct hwc_level bounded = lab->known->level[i];
        bounded.rough_low = (uint64_t)(fitted->low / 2);
        bounded.rough_high = (uint64_t)(1.5 * fitted->high);
        bounded.few_ways_high =
            fit->may_be_two > 0 && i == fit->may_be_two + 1 ? (uint64_t)(1.5 * fit->level[i].high) : 0;
        bounded.served_from = i > 1 ? lab->known->level[i - 1].rough_high : 0;
        hwc_know_level(lab, i, &bounded);
        if (lab->witness[i].kind != HWC_COUNTER)
            lab->witness[i].kind = HWC_CLOCK;
        else if (i == 1) /* whose times are measured (hwc_calibrate_first) */
            continue;
        lab->witness[i].hit_cycles = fitted->cycles.value;
        lab->witness[i].miss_cycles = next->value;
        lab->witness[i].least_miss_cycles = next->least;
    }
}

/* Three times as much as a level holds misses it two times in three; half as many lines, spread over all of its sets,
 * one time in three, and fewer not at all. That takes far less time, and a twentieth is more than times err by. */
#define THINNED_BELOW 0.95
#define HASH_SECONDS 2.0 /* more than it takes to look */

/* Where a hash spreads the lines of a thinned footprint over the sets of those left out, it takes less time than the
 * full footprint would. Three times as much as the level holds shows it. */
static int look_for_hash(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    const struct hwc_level *known = &lab->known->level[level];
    uint64_t bytes = 2 * known->rough_high;
    struct hwc_footprint thinned = hwc_footprint_of(lab, bytes), all;
    double cycles_thinned, cycles;

    if (thinned.line_bytes == lab->known->level[1].fill_bytes)
        return HWC_OK;
    hwc_know_hashed(lab, true);
    if (hwc_lab_seconds_left(lab) < HASH_SECONDS) /* to thin nothing is always right */
        return HWC_OK;
    all = hwc_footprint_of(lab, bytes);
    TRY(hwc_time_data(lab, &thinned, 3, &cycles_thinned, error));
    TRY(hwc_time_data(lab, &all, 3, &cycles, error));
    hwc_know_hashed(lab, cycles_thinned / (double)thinned.lines < THINNED_BELOW * cycles / (double)all.lines);
    return HWC_OK;
}

static int take_seen(struct hwc_lab *lab, struct hwc_error *error)
{
    if (lab->known->fit.levels == 0)
        return HWC_OK;
    levels_from_fit(lab, &lab->known->fit);
    for (unsigned i = 2; i <= lab->known->levels && !lab->known->hashed && lab->known->level[1].fill_bytes > 0; i++)
        TRY(look_for_hash(lab, i, error));
    return HWC_OK;
}

static int see_levels(struct hwc_lab *lab, struct hwc_error *error)
{
    TRY(hwc_see_levels(lab, error));
    return take_seen(lab, error);
}

/* A level of this size may hold what those above do, or not. */
static struct hwc_known_level known_level(const struct hwc_lab *lab, unsigned level, uint64_t bytes)
{
    double above = 0;

    for (unsigned i = 1; i < level; i++)
        above += (double)lab->known->level[i].size_bytes;
    return (struct hwc_known_level){(double)bytes, (double)bytes + above};
}

/* Do footprints show this level, if it is known to be there, and more of them than were seen without? Then these are
 * the points and the levels. */
static bool shows_also(const struct hwc_lab *lab, const struct hwc_known_level *known, struct hwc_drawn_curve *curve,
                       struct hwc_levels_fit *fit)
{
    *curve = lab->known->drawn;
    if (curve->knowns == HWC_MOST_FITTED)
        return false;
    curve->known[curve->knowns++] = *known;
    *fit = (struct hwc_levels_fit){0};
    hwc_fit_chain(curve, lab->known->fit.level[0].cycles.value, fit);
    return fit->levels > lab->known->fit.levels && hwc_fit_has(fit, known);
}

static bool may_be_of(const struct hwc_levels_fit *fit, unsigned level, double bytes)
{
    double low, high;

    if (level > fit->levels)
        return false;
    hwc_seen_bounds(fit, level, &low, &high);
    return low <= bytes && bytes <= high;
}

/* What may as well be the next level's, told for certain or not, is no size of this one. That it is told for certain is
 * asked only where footprints without it tell a level: else they say nothing for certain against it either. */
bool hwc_may_be_hidden(const struct hwc_lab *lab, unsigned level, uint64_t bytes)
{
    const struct hwc_known_level known = known_level(lab, level, bytes);
    struct hwc_drawn_curve curve;
    struct hwc_levels_fit fit;

    return lab->known->fit.levels > 0 && shows_also(lab, &known, &curve, &fit) &&
           (level <= fit.told || level > lab->known->fit.told) && may_be_of(&fit, level, (double)bytes) &&
           !may_be_of(&fit, level + 1, (double)bytes);
}

int hwc_reconsider_levels(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    struct hwc_known_level known = known_level(lab, level, lab->known->level[level].size_bytes);
    struct hwc_drawn_curve curve;
    struct hwc_levels_fit fit;

    if (lab->known->level[level].size_bytes == 0 || lab->known->level[level].at_least || lab->known->fit.levels == 0 ||
        hwc_fit_has(&lab->known->fit, &known))
        return HWC_OK;
    if (!shows_also(lab, &known, &curve, &fit)) {
        hwc_note(&lab->notes, "times of footprints do not show level %u: what they show of those below it may be of others",
                 level);
        return HWC_OK;
    }
    hwc_know_seen(lab, &curve, &fit);
    return take_seen(lab, error);
}

bool hwc_are_all_levels(const struct hwc_lab *lab)
{
    const struct hwc_levels_fit *fit = &lab->known->fit;

    for (unsigned level = 1; level <= lab->known->levels; level++) {
        struct hwc_known_level known = known_level(lab, level, lab->known->level[level].size_bytes);
        if (known.low > 0 && !hwc_fit_has(fit, &known))
            return false;
    }
    return hwc_memory_shows(lab) && fit->told == fit->levels && fit->levels == lab->known->levels;
}

int hwc_find_levels(struct hwc_lab *lab, struct hwc_error *error)
{
    unsigned counted = 0;

    while (counted < HWC_MAX_CACHE_LEVEL && lab->witness[counted + 1].kind == HWC_COUNTER)
        counted++;
    hwc_know_levels(lab, 1);
    if (lab->machine->has_clock) {
        int status = see_levels(lab, error);
        if (status != HWC_OK && status != HWC_NO_MEMORY)
            return status;
    }
    if (lab->known->levels < counted)
        hwc_know_levels(lab, counted);
    for (unsigned i = 2; i <= lab->known->levels && lab->known->level[1].size_bytes > 0; i++) {
        int status;
        if (lab->witness[i].kind != HWC_COUNTER)
            continue;
        status = bound_by_counter(lab, i, error);
        if (status == HWC_NO_MEMORY)
            hwc_note(&lab->notes, "%s", error->message);
        else if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}
