/* What mispredicted branches cost, and how many calls deep returns are foreseen.
 *
 * Claim: the misprediction penalty is the time by which a conditional branch that
 * is mispredicted takes longer than one that is not; the return stack holds as
 * many return addresses as calls can nest before returns are mispredicted.
 *
 * Method: a loop draws a bit (xorshift) and branches by it; nobody foresees more
 * than half of these branches. The same loop with a branch that is never taken is
 * taken off, and what is left is half a penalty. For the return stack, functions
 * call each other 1, 2, ... deep, each in a line of its own: beyond what the stack
 * holds each further level costs a misprediction. That shows how deep returns are
 * foreseen; a larger stack may be left to other uses. So functions are made to call
 * each other in a round: a stack that goes round when it is empty gives the right
 * address again where the round has as many functions as the stack has places, and
 * wrong ones where it has one fewer or one more. That shows the stack's own size.
 *
 * What can fool it: a core that foresees returns also by their history, as it does
 * indirect jumps: then no depth shows, and no number is reported. What a branch
 * resolved late costs more is no part of the penalty: the bit is there early. A core
 * that mispredicts returns before its stack is full: a Zen 5 guest does from 31 calls
 * deep on, where 52 addresses are documented. So where the stack does not go round at
 * that depth, the depth is told as a reason, and no size of the stack.
 *
 * Source: Wong, "Microbenchmarking return address branch prediction" (2018); beside Yotov et al., QEST 2005. */
#include "body_time.h"
#include "climb.h"
#include "table.h"

enum { TURNS = 2000, DEEPEST = 128, CALL_TURNS = 40, ROUNDS = 3 };

/* Half of what cannot be foreseen is guessed. */
static const double guessed = 0.5;

/* What is fetched anew comes a cycle later at least. */
static const double least_penalty = 1;

static int measure_penalty(struct hwc_body_time *time, double *penalty, struct hwc_error *error)
{
    const struct hwc_body random = {.stretches = 1, .stretch = {{{HWC_OP_DRAW, HWC_OP_FLIP}, 2, 2}}};
    const struct hwc_body steady = {.stretches = 1, .stretch = {{{HWC_OP_DRAW, HWC_OP_STAY}, 2, 2}}};
    double with = 0, without = 0;

    TRY(hwc_least_turn(time, &random, TURNS, &with, error));
    TRY(hwc_least_turn(time, &steady, TURNS, &without, error));
    *penalty = (with - without) / guessed;
    return HWC_OK;
}

/* What calls 1, 2, ... deep take, in rounds, so that what disturbs one reading of a depth is not there at the next. */
static int time_calls(struct hwc_body_time *time, double cycles[DEEPEST], struct hwc_error *error)
{
    for (unsigned round = 0; round < time->lab->settings.samples; round++)
        for (size_t depth = 1; depth <= DEEPEST; depth++) {
            const struct hwc_body body = {.calls = depth};
            double once = 0;
            TRY(hwc_time_turn(time, &body, CALL_TURNS, false, &once, error));
            if (round == 0 || once < cycles[depth - 1])
                cycles[depth - 1] = once;
        }
    return HWC_OK;
}

/* The least cycles, over some turns, of calls from just beyond `stack` deep to twice as deep, in rounds of one function
 * fewer, as many and one more: of each level. */
static int time_rounds(struct hwc_body_time *time, size_t stack, double cycles[ROUNDS], struct hwc_error *error)
{
    const size_t near = stack + 2, far = 2 * stack;

    for (size_t i = 0; i < ROUNDS; i++) {
        struct hwc_body body = {.calls = near, .functions = stack - 1 + i};
        double before = 0, after = 0;
        TRY(hwc_least_turn(time, &body, CALL_TURNS, &before, error));
        body.calls = far;
        TRY(hwc_least_turn(time, &body, CALL_TURNS, &after, error));
        cycles[i] = (after - before) / (double)(far - near);
    }
    return HWC_OK;
}

static int look_round(struct hwc_body_time *time, size_t depth, double penalty, bool *round, struct hwc_error *error)
{
    double cycles[ROUNDS];

    *round = false;
    if (depth <= ROUNDS)
        return HWC_OK;
    TRY(time_rounds(time, depth, cycles, error));
    *round = hwc_goes_round(&(struct hwc_round_stack){cycles[0], cycles[1], cycles[2], penalty});
    return HWC_OK;
}

static void set_stack(size_t depth, bool round, struct hwc_finding *stack)
{
    if (round)
        hwc_finding_by_clock(stack, (double)depth);
    else if (depth == 0)
        hwc_finding_unknown(stack, HWC_WHY_INCONCLUSIVE, "no return is mispredicted up to %d calls deep: it is "
                            "foreseen by its history, too", DEEPEST);
    else
        hwc_finding_unknown(stack, HWC_WHY_INCONCLUSIVE, "returns are mispredicted from more than %zu calls deep; a "
                            "larger stack may be left to other uses", depth);
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    double penalty = 0, cycles[DEEPEST];
    bool round;
    size_t depth;

    TRY(measure_penalty(time, &penalty, error));
    if (penalty < least_penalty)
        return hwc_fail(error, HWC_INCONCLUSIVE, "branches that nobody foresees take %.1f cycles more than others: "
                        "nothing shows what a misprediction costs", penalty * guessed);
    hwc_finding_cycles(&core->finding[HWC_CORE_MISPREDICTION_PENALTY], penalty);
    TRY(time_calls(time, cycles, error));
    depth = hwc_last_before_climb(cycles, DEEPEST, penalty);
    TRY(look_round(time, depth, penalty, &round, error));
    set_stack(depth, round, &core->finding[HWC_CORE_RETURN_STACK]);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_branches, 1, measure, profile, error);
}

const struct hwc_probe hwc_probe_branches = {
    .name = "branches",
    .summary = "what a mispredicted branch costs, and how many calls deep returns are foreseen",
    .source = "beside Yotov et al., QEST 2005; Wong, 2018",
    .provides = {HWC_CORE_MISPREDICTION_PENALTY, HWC_CORE_RETURN_STACK},
    .on_request = true,
    .group = "core",
    .run = run,
};
