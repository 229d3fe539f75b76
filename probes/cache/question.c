#include "question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "evict.h"
#include "slow.h"
#include "steady_state.h"

/* In a long sequence misses must also stand out from its own length. */
#define CLOCK_NOISE_SHARE 0.02
#define COUNTER_NOISE_SHARE 0.005

int hwc_open_search(struct hwc_search *search, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                    struct hwc_error *error)
{
    *search = (struct hwc_search){.lab = lab, .plan = plan, .started = hwc_lab_worked(), .witness = &lab->witness[plan->level],
                                   .fillers = plan->fillers, .threshold = CONFLICT_MISSES};
    hwc_walk_init(&search->walk);
    search->walk.strands = hwc_asks_of_last(search);
    hwc_walk_init(&search->twin);
    hwc_walk_init(&search->reference);
    hwc_walk_init(&search->reference_twin);
    search->candidates = malloc(plan->candidates * sizeof *search->candidates);
    search->kept = malloc((plan->candidates + 1) * sizeof *search->kept);
    search->competes = calloc(plan->candidates + 1, sizeof *search->competes);
    if (search->candidates == NULL || search->kept == NULL || search->competes == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    return HWC_OK;
}

void hwc_close_search(struct hwc_search *search)
{
    free(search->candidates);
    free(search->kept);
    free(search->competes);
    hwc_walk_free(&search->walk);
    hwc_walk_free(&search->twin);
    hwc_walk_free(&search->reference);
    hwc_walk_free(&search->reference_twin);
}

int hwc_append_fillers(struct hwc_search *search, struct hwc_walk *walk, uint64_t flip, uint64_t cell,
                       struct hwc_error *error)
{
    int status = HWC_OK;

    if (flip != 0)
        cell += HWC_CELL_BYTES; /* moved fillers may share a line of this level with others */
    for (size_t i = 0; i < search->fillers && status == HWC_OK; i++)
        status = hwc_walk_append(walk, (hwc_filler_at(search, i) ^ flip) + cell, error);
    return status;
}

/* The shortest line above: lines moved by less share all sets above. */
static uint64_t shortest_line_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t line = UINT64_MAX;

    for (unsigned i = 1; i < level; i++)
        if (lab->known->level[i].line_bytes < line)
            line = lab->known->level[i].line_bytes;
    return line;
}

/* The walk over `lines`, of which those marked are moved by `flip`. */
static int build(struct hwc_search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
                 struct hwc_error *error)
{
    bool parted = moved != NULL && flip >= shortest_line_above(search->lab, search->plan->level);
    int status = HWC_OK;

    hwc_walk_clear(&search->walk);
    for (size_t i = 0; i < count && status == HWC_OK; i++)
        status = hwc_walk_append(&search->walk, lines[i] ^ (moved != NULL && moved[i] ? flip : 0), error);
    if (status == HWC_OK)
        status = hwc_append_fillers(search, &search->walk, 0, 0, error);
    if (status == HWC_OK && parted)
        status = hwc_append_fillers(search, &search->walk, flip, 0, error);
    return status;
}

/* Cells of the walks that are laid out beside each other: lines are moved by
 * one bit of their address, and these differ from each other and from their
 * lines by more. */
#define REFERENCE_CELL 24
#define TWIN_CELL 40
#define REFERENCE_TWIN_CELL 48

/* The kept lines, or the first half of them, to hold a walk against. */
static int build_reference(struct hwc_search *search, struct hwc_error *error)
{
    size_t half = search->count / 2 > 0 ? search->count / 2 : 1;
    size_t count = search->against_half ? half : search->count;
    int status = HWC_OK;

    hwc_walk_clear(&search->reference);
    for (size_t i = 0; i < count && status == HWC_OK; i++)
        status = hwc_walk_append(&search->reference, search->kept[i] + REFERENCE_CELL, error);
    if (status == HWC_OK)
        status = hwc_append_fillers(search, &search->reference, 0, REFERENCE_CELL, error);
    return status;
}

/* The walk's pages in the same order, in cells spread over all sets of the
 * first level: what is left of its time is translation. Lower levels are
 * reached through many pages, and a TLB miss must not pass for a cache miss. */
static int build_twin(const struct hwc_search *search, const struct hwc_walk *walk, struct hwc_walk *twin,
                      uint64_t cell, struct hwc_error *error)
{
    uint64_t page = search->lab->machine->page_bytes;
    uint64_t line = search->lab->known->level[1].line_bytes;
    int status = HWC_OK;

    hwc_walk_clear(twin);
    for (size_t i = 0; i < walk->count && status == HWC_OK; i++)
        status = hwc_walk_append(twin, (walk->offsets[i] & ~(page - 1)) + i * line % page + cell, error);
    return status;
}

/* Translation shows in what stays in the first level; of a third level on, also
 * in what the second holds: its hits are short of a miss there. */
static bool wants_twin(const struct hwc_search *search)
{
    const struct hwc_level *first = &search->lab->known->level[1], *second = &search->lab->known->level[2];
    uint64_t bytes = search->walk.count * first->line_bytes;

    if (search->plan->level < 2 || search->walk.count <= 8 || first->line_bytes == 0)
        return false;
    if (bytes <= first->size_bytes && first->period_bytes <= search->lab->machine->page_bytes)
        return true;
    return search->plan->level > 2 && 4 * bytes <= second->size_bytes;
}

/* Cycles of one pass, translation taken off. */
static int cost(struct hwc_search *search, unsigned samples, double *cycles, struct hwc_error *error)
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
static int cost_beside(struct hwc_search *search, unsigned samples, double *excess, struct hwc_error *error)
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
static int count_slow_once(struct hwc_search *search, double *slow, struct hwc_error *error)
{
    double cycles = search->witness->slow_cycles;
    double in_twin = 0;
    int status = hwc_count_slow(search->lab, search->plan->arena, &search->walk, cycles, search->threshold, slow,
                                error);

    if (status != HWC_OK || *slow <= search->threshold || !wants_twin(search))
        return status;
    status = build_twin(search, &search->walk, &search->twin, 0, error);
    if (status == HWC_OK)
        status = hwc_count_slow(search->lab, search->plan->arena, &search->twin, cycles, 0, &in_twin, error);
    if (status == HWC_OK && in_twin > MOST_SLOW_TWINS * (double)search->twin.count)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f of %zu references to the first level were slow", in_twin,
                        search->twin.count);
    *slow -= fmin(in_twin, *slow);
    return status;
}

/* A sibling thread may slow everything down for a moment. */
#define MOMENTS 5

static int count_slow(struct hwc_search *search, double *slow, struct hwc_error *error)
{
    int status = count_slow_once(search, slow, error);

    for (int i = 1; i < MOMENTS && status == HWC_UNAVAILABLE; i++)
        status = count_slow_once(search, slow, error);
    return status;
}

bool hwc_asks_of_last(const struct hwc_search *search)
{
    const struct hwc_machine *machine = search->lab->machine;

    return !hwc_counts(search->witness) && search->plan->level > 1 && (machine->noisy || machine->step_cycles > 0);
}

bool hwc_may_be_disturbed(const struct hwc_search *search)
{
    return search->lab->machine->noisy && search->witness->kind == HWC_CLOCK;
}

bool hwc_goes_beside(const struct hwc_search *search)
{
    return !hwc_counts(search->witness) && search->lab->machine->noisy && search->plan->level == 1 &&
           search->lab->known->level[1].line_bytes >= 64;
}

int hwc_misses(struct hwc_search *search, double expected, unsigned samples, double *result, struct hwc_error *error)
{
    const struct hwc_witness *witness = search->witness;
    double cycles = 0;
    int status;

    *result = 0;
    if (witness->kind == HWC_COUNTER)
        return hwc_measure_by(search->lab, witness, search->plan->arena, &search->walk, samples, result, error);
    if (witness->slow_cycles > 0)
        return count_slow(search, result, error);
    if (hwc_goes_beside(search)) {
        status = cost_beside(search, samples, result, error);
        *result /= witness->miss_cycles - witness->hit_cycles;
        return status;
    }
    status = cost(search, samples, &cycles, error);
    search->last_cost = cycles;
    *result = (cycles - expected) / (witness->miss_cycles - witness->hit_cycles);
    return status;
}

bool hwc_conflicts(const struct hwc_search *search, double found)
{
    double share = search->witness->kind == HWC_CLOCK ? CLOCK_NOISE_SHARE : COUNTER_NOISE_SHARE;

    return found > fmax(search->threshold, search->plan->level == 1 ? share * (double)search->walk.count : 0);
}

/* What a pass over the walk that was built should take when all of it stays
 * cached: for each reference what the kept lines and their fillers take. */
static double expected_cost(const struct hwc_search *search)
{
    return search->kept_cost * (double)search->walk.count;
}

/* Do the others put the last line out? */
static int ask_of_last(struct hwc_search *search, const uint64_t *lines, size_t count, const bool *moved,
                       uint64_t flip, bool certain, double *found, struct hwc_error *error)
{
    size_t last = count - 1;
    const struct hwc_eviction eviction = {
        .level = search->plan->level,
        .arena = search->plan->arena,
        .walk = &search->walk,
        .line = lines[last] ^ (moved != NULL && moved[last] ? flip : 0),
        .certain = certain,
    };
    int status = build(search, lines, last, moved, flip, error);

    *found = 0;
    return status == HWC_OK && last > 0 ? hwc_share_evicted(search->lab, &eviction, found, error) : status;
}

int hwc_ask(struct hwc_search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            unsigned samples, double *found, struct hwc_error *error)
{
    int status;

    if (hwc_asks_of_last(search))
        return ask_of_last(search, lines, count, moved, flip, samples >= search->lab->settings.samples, found, error);
    status = build(search, lines, count, moved, flip, error);
    if (status == HWC_OK)
        status = hwc_misses(search, expected_cost(search), samples, found, error);
    return status;
}

int hwc_ask_whether(struct hwc_search *search, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error)
{
    double found = 0;
    int status = hwc_ask(search, search->kept, count, moved, flip, search->lab->settings.samples, &found, error);

    *conflict = status == HWC_OK && hwc_conflicts(search, found);
    return status;
}

int hwc_ask_kept(struct hwc_search *search, bool *conflict, struct hwc_error *error)
{
    *conflict = false;
    if (!hwc_may_be_disturbed(search) || search->witness->slow_cycles <= 0)
        return HWC_OK;
    return hwc_ask_whether(search, search->count, NULL, 0, conflict, error);
}

int hwc_fail_kept(const struct hwc_search *search, struct hwc_error *error)
{
    return hwc_fail(error, HWC_UNAVAILABLE, "the %zu lines that were found to fit do not fit any more", search->count);
}

int hwc_reprice(struct hwc_search *search, unsigned samples, struct hwc_error *error)
{
    int status;

    if (hwc_counts(search->witness) || hwc_goes_beside(search) || hwc_asks_of_last(search))
        return HWC_OK;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the analyser loses sight of `kept`; close_search frees it */
    status = build(search, search->kept, search->count, NULL, 0, error);
    if (status == HWC_OK)
        status = cost(search, samples, &search->kept_cost, error);
    search->kept_cost /= (double)search->walk.count;
    return status;
}

/* Seconds that a search may take where pages lie in random order. */
#define LONGEST_LOOK 12.0

int hwc_check_time(const struct hwc_search *search, struct hwc_error *error)
{
    const struct hwc_lab *lab = search->lab;

    if (hwc_lab_is_late(lab))
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "others disturb this machine too much to decide in time: --budget=SECONDS waits for longer");
    if (search->plan->stride <= lab->machine->page_bytes && lab->settings.budget_seconds == 0 &&
        hwc_lab_worked() - search->started > LONGEST_LOOK)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "one look takes more than %.0f s where pages lie in random order: --budget=SECONDS lets it",
                        LONGEST_LOOK);
    return HWC_OK;
}
