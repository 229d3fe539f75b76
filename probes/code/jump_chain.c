#include "jump_chain.h"

#include "jump_curve.h"
#include "least.h"
#include "quiet_core.h"
#include "steady_state.h"

#define NEAREST UINT64_C(8) /* least distance between jumps, bytes */
#define PAGES_TO_BEGIN_IN 16

/* Two readings of a point that agree within this share settle it. */
static const double alike = 0.02;

/* So each reading takes a part of the samples that one alone would. */
enum { OF_SAMPLES = 2 };

int hwc_jump_chain_open(struct hwc_jump_chain *chain, struct hwc_lab *lab, struct hwc_error *error)
{
    uint64_t most = hwc_jumps_at(HWC_JUMP_POINTS - 1) * (NEAREST << (HWC_JUMP_DISTANCES - 1));
    uint64_t page = lab->machine->page_bytes;

    *chain = (struct hwc_jump_chain){.lab = lab, .base = hwc_random_below(&lab->random, PAGES_TO_BEGIN_IN) * page};
    hwc_walk_init(&chain->walk);
    chain->walk.access = HWC_FETCH;
    chain->walk.jumps = true;
    return lab->machine->ops->arena_open(lab->machine, most + (PAGES_TO_BEGIN_IN + 1) * page, HWC_CODE_PAGES,
                                         &chain->arena, error);
}

void hwc_jump_chain_close(struct hwc_jump_chain *chain)
{
    hwc_walk_free(&chain->walk);
    hwc_close_arena(chain->lab, &chain->arena);
}

enum order { ASCENDING, SHUFFLED };

struct reading {
    struct hwc_jump_chain *chain;
    double cycles; /* per pass */
};

static int measure_chain(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct reading *reading = context;

    return hwc_measure_by(lab, &hwc_by_clock, &reading->chain->arena, &reading->chain->walk,
                          (lab->settings.samples + OF_SAMPLES - 1) / OF_SAMPLES, &reading->cycles, error);
}

/* A point of the curve that a sibling thread disturbed does no harm, as a step shows at other points, too. A ballot is
 * lost if the sibling does not rest. */
static const struct hwc_quiet_core quiet_for_point = {.wait_seconds = 0.1, .tries = 4};
static const struct hwc_quiet_core quiet_for_ballot = {
    .wait_seconds = HWC_WAIT_FOR_BALLOT, .tries = HWC_TRIES_FOR_READING, .needed = true};

static int time_in_order(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, enum order order,
                         double *cycles, struct hwc_error *error)
{
    const struct hwc_quiet_core *quiet = chain->alone ? &quiet_for_ballot : &quiet_for_point;
    struct hwc_lab *lab = chain->lab;
    struct reading reading = {.chain = chain};
    struct hwc_least least = {0};

    while (least.taken < HWC_JUMP_LOOKS && !hwc_least_settled(&least, alike * least.value)) {
        hwc_walk_clear(&chain->walk);
        TRY(hwc_walk_sequence(&chain->walk, chain->base, NEAREST << distance, jumps, error));
        if (order == SHUFFLED)
            hwc_walk_shuffle(&chain->walk, &lab->random);
        TRY(hwc_on_quiet_core(lab, quiet, measure_chain, &reading, error));
        hwc_least_add(&least, reading.cycles / (double)jumps);
    }
    *cycles = least.value;
    return HWC_OK;
}

int hwc_time_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double *cycles,
                   struct hwc_error *error)
{
    return time_in_order(chain, jumps, distance, ASCENDING, cycles, error);
}

int hwc_time_shuffled_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double *cycles,
                            struct hwc_error *error)
{
    return time_in_order(chain, jumps, distance, SHUFFLED, cycles, error);
}

int hwc_time_own_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double halved,
                       struct hwc_jump_time *time, struct hwc_error *error)
{
    TRY(hwc_time_jumps(chain, jumps, distance, &time->all, error));
    time->halved = halved;
    if (halved <= 0)
        TRY(hwc_time_jumps(chain, jumps / 2, distance + 1, &time->halved, error));
    time->own = hwc_jump_of_its_own(time->all, time->halved);
    return HWC_OK;
}
