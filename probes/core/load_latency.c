/* From a load, or a store, to the use of what is loaded.
 *
 * Claim: what is loaded from the first level can be used after so many cycles; what was just stored, after so many; and
 * whether a core takes the register that was stored in place of a load, as it knows the two by what their addresses are
 * called.
 *
 * Method: chains, each of whose links waits for the one before. A load from a cell that holds its own address; a store
 * of a register, and a load of the same bytes into it. Store and load call their address the same, or not. A core that
 * takes the register does so for some pairs of a loop only: one loop has few of them, another many, and the longest
 * time is that of forwarding.
 *
 * What can fool it: addresses are in integer registers. So no chain has a load into a vector register without the way
 * back to an integer register; as the way there and back is known, it is known within bounds.
 *
 * Source: Fog, The microarchitecture of Intel, AMD and VIA CPUs; beside Yotov et al., QEST 2005. */
#include <math.h>

#include "table.h"
#include "turn_reading.h"

enum chain {
    LOAD,
    VECTOR_LOAD_AND_BACK,
    THERE_AND_BACK,
    APART_FEW, /* the same bytes by two names */
    APART_MANY,
    ALIKE_FEW, /* and by one */
    ALIKE_MANY,
    VECTORS_FEW,
    VECTORS_MANY,
    CHAINS
};

static const struct {
    struct hwc_round_of round;
    size_t rounds;
} chains[CHAINS] = {
    [LOAD] = {HWC_ROUND_OF(HWC_OP_LOAD_CHAIN), 64},
    [VECTOR_LOAD_AND_BACK] = {HWC_ROUND_OF(HWC_OP_LOAD_CHAIN_VECTOR, HWC_OP_FROM_VECTOR), 64},
    [THERE_AND_BACK] = {HWC_ROUND_OF(HWC_OP_TO_VECTOR, HWC_OP_FROM_VECTOR), 64},
    [APART_FEW] = {HWC_ROUND_OF(HWC_OP_FORWARD), 8},
    [APART_MANY] = {HWC_ROUND_OF(HWC_OP_FORWARD), 256},
    [ALIKE_FEW] = {HWC_ROUND_OF(HWC_OP_FORWARD_ALIKE), 8},
    [ALIKE_MANY] = {HWC_ROUND_OF(HWC_OP_FORWARD_ALIKE), 256},
    [VECTORS_FEW] = {HWC_ROUND_OF(HWC_OP_FORWARD_VECTOR), 8},
    [VECTORS_MANY] = {HWC_ROUND_OF(HWC_OP_FORWARD_VECTOR), 256},
};

static const struct hwc_turn_reading *longer(const struct hwc_turn_reading readings[CHAINS], enum chain one,
                                             enum chain other)
{
    return &readings[readings[one].cycles > readings[other].cycles ? one : other];
}

static void set_vector_load(const struct hwc_turn_reading readings[CHAINS], struct hwc_finding *finding)
{
    char reason[HWC_MESSAGE];
    const struct hwc_load_bounds load = hwc_vector_load(&(const struct hwc_load_loops){
        .integer = readings[LOAD].cycles,
        .vector_and_back = readings[VECTOR_LOAD_AND_BACK].cycles,
        .there_and_back = readings[THERE_AND_BACK].cycles,
    });

    hwc_write(reason, sizeof reason, "it takes %.1f with the way back to an integer register, which is in every chain",
              readings[VECTOR_LOAD_AND_BACK].cycles);
    hwc_set_cycles_between(finding, load.low, load.high, reason);
}

static void report(const struct hwc_turn_reading readings[CHAINS], struct hwc_record *core)
{
    double least = INFINITY;

    for (enum chain chain = APART_FEW; chain <= ALIKE_MANY; chain++)
        least = fmin(least, readings[chain].cycles);
    hwc_set_reading(&core->finding[HWC_CORE_LOAD_TO_USE], &readings[LOAD]);
    set_vector_load(readings, &core->finding[HWC_CORE_VECTOR_LOAD_TO_USE]);
    hwc_set_reading(&core->finding[HWC_CORE_STORE_FORWARDING], longer(readings, APART_FEW, APART_MANY));
    hwc_set_reading(&core->finding[HWC_CORE_VECTOR_STORE_FORWARDING], longer(readings, VECTORS_FEW, VECTORS_MANY));
    hwc_set_said(&core->finding[HWC_CORE_MEMORY_RENAMING], hwc_is_renamed(least, readings[LOAD].cycles),
                 "forwarding is hardly shorter than a load");
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    struct hwc_turn_reading readings[CHAINS] = {{0}};

    for (enum chain chain = 0; chain < CHAINS; chain++)
        TRY(hwc_read_rounds(time, &chains[chain].round, chains[chain].rounds, &readings[chain], error));
    report(readings, core);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_load_latency, 1, measure, profile, error);
}

const struct hwc_probe hwc_probe_load_latency = {
    .name = "load_latency",
    .summary = "from a load to the use of what is loaded, also if that was just stored",
    .source = "beside Yotov et al., QEST 2005; Fog, 2024",
    .provides = {HWC_CORE_LOAD_TO_USE, HWC_CORE_VECTOR_LOAD_TO_USE, HWC_CORE_STORE_FORWARDING,
                 HWC_CORE_VECTOR_STORE_FORWARDING, HWC_CORE_MEMORY_RENAMING},
    .on_request = true,
    .group = "core",
    .run = run,
};
