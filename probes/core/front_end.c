/* How many instructions a cycle the core takes in, and whether it executes moves.
 *
 * Claim: so many instructions a cycle are fetched, and as many with results are renamed; copies of registers are
 * eliminated by renaming, or executed.
 *
 * Method: loops of instructions that wait for nothing: some without effect, in several lengths, and some with results,
 * of several kinds, as each kind of unit is needed by few of them. The highest rate is the width if another loop comes
 * near it and it is that of a whole number. Moves stand in a chain of additions: the chain is as long as without them
 * where they are eliminated.
 *
 * What can fool it: what keeps all loops down to the same whole number.
 *
 * Source: Fog, The microarchitecture of Intel, AMD and VIA CPUs; beside Yotov et al., QEST 2005. */
#include "table.h"
#include "turn_reading.h"

/* Of a loop: it fits any first level of code, and any micro-op cache. */
enum { INSTRUCTIONS = 384, CHAIN_ROUNDS = 8, MOVES = 2 };

#define SIX(op) op, op, op, op, op, op

static const struct loop {
    struct hwc_round_of round;
    bool results;
} loops[] = {
    {HWC_ROUND_OF(HWC_OP_NOTHING), false},
    {HWC_ROUND_OF(HWC_OP_NOTHING_4), false},
    {HWC_ROUND_OF(HWC_OP_NOTHING_5), false},
    {HWC_ROUND_OF(HWC_OP_NOTHING_6), false},
    {HWC_ROUND_OF(HWC_OP_NOTHING_8), false},
    {HWC_ROUND_OF(HWC_OP_MOVE), true},
    {HWC_ROUND_OF(HWC_OP_INT, HWC_OP_MOVE), true},
    {HWC_ROUND_OF(HWC_OP_INT, HWC_OP_MOVE, HWC_OP_INT, HWC_OP_LOAD_VECTOR), true},
    {HWC_ROUND_OF(HWC_OP_INT_LONG, HWC_OP_MOVE), true},
    {HWC_ROUND_OF(HWC_OP_INT_LONG, HWC_OP_MOVE, HWC_OP_INT_LONG, HWC_OP_LOAD_VECTOR), true},
};

enum { LOOPS = sizeof loops / sizeof loops[0] };

static const struct moves {
    enum hwc_field_id field;
    struct hwc_round_of with, without;
} moves[] = {
    {HWC_CORE_MOVE_ELIMINATION, HWC_ROUND_OF(HWC_OP_MOVE_CHAIN, HWC_OP_MOVE_CHAIN, SIX(HWC_OP_ADD_CHAIN)),
     HWC_ROUND_OF(SIX(HWC_OP_ADD_CHAIN))},
    {HWC_CORE_VECTOR_MOVE_ELIMINATION, HWC_ROUND_OF(HWC_OP_MOVE_VECTOR, HWC_OP_MOVE_VECTOR, SIX(HWC_OP_VECTOR_CHAIN)),
     HWC_ROUND_OF(SIX(HWC_OP_VECTOR_CHAIN))},
};

static int find_elimination(struct hwc_body_time *time, const struct moves *kind, struct hwc_finding *finding,
                            struct hwc_error *error)
{
    struct hwc_turn_reading with = {0}, without = {0};

    TRY(hwc_read_rounds(time, &kind->without, CHAIN_ROUNDS, &without, error));
    TRY(hwc_read_rounds(time, &kind->with, CHAIN_ROUNDS, &with, error));
    hwc_set_said(finding, hwc_is_eliminated(with.cycles, without.cycles, MOVES), "some moves are, and others are not");
    return HWC_OK;
}

static void set_width(const double *rates, size_t count, struct hwc_finding *finding)
{
    double width;

    if (hwc_core_width(rates, count, &width))
        hwc_finding_by_clock(finding, width);
    else
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%.0f or more: no rate of two loops is near a whole number",
                            width);
}

/* An architecture may lack some of the instructions. */
static int read_rate(struct hwc_body_time *time, const struct loop *loop, double *rate, struct hwc_error *error)
{
    struct hwc_turn_reading reading = {0};
    int status = hwc_read_rounds(time, &loop->round, INSTRUCTIONS / loop->round.kinds, &reading, error);

    *rate = 0;
    if (status == HWC_UNAVAILABLE)
        return HWC_OK;
    TRY(status);
    *rate = (double)loop->round.kinds / reading.low; /* what disturbs only makes it less */
    return HWC_OK;
}

/* What is renamed was fetched. */
static int find_widths(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    double rates[LOOPS], renamed[LOOPS] = {0};

    for (unsigned i = 0; i < LOOPS; i++) {
        TRY(read_rate(time, &loops[i], &rates[i], error));
        if (loops[i].results)
            renamed[i] = rates[i];
    }
    set_width(rates, LOOPS, &core->finding[HWC_CORE_FETCH_WIDTH]);
    set_width(renamed, LOOPS, &core->finding[HWC_CORE_RENAME_WIDTH]);
    return HWC_OK;
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    for (unsigned i = 0; i < sizeof moves / sizeof moves[0]; i++)
        TRY(find_elimination(time, &moves[i], &core->finding[moves[i].field], error));
    return find_widths(time, core, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_front_end, 1, measure, profile, error);
}

const struct hwc_probe hwc_probe_front_end = {
    .name = "front_end",
    .summary = "instructions fetched and renamed in a cycle, and whether moves are eliminated",
    .source = "beside Yotov et al., QEST 2005; Fog, 2024",
    .provides = {HWC_CORE_MOVE_ELIMINATION, HWC_CORE_VECTOR_MOVE_ELIMINATION, HWC_CORE_FETCH_WIDTH,
                 HWC_CORE_RENAME_WIDTH},
    .on_request = true,
    .group = "core",
    .run = run,
};
