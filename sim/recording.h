/* Recordings of what a measurement meets on a machine: "hwchar-noise/1"
 * (docs/noise.schema.json), written by scripts/record-noise.
 *
 * A recording is rounds, one after the other. Times are in nanoseconds, cycles
 * those of the recorded core. */
#ifndef HWC_SIM_RECORDING_H
#define HWC_SIM_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

/* Of each round, as the format has it. */
enum {
    SIM_PULSES = 8,
    SIM_GROUPS = 24, /* references timed one by one, sorted by time: the means of so many groups of them */
    SIM_LATEST = 8,  /* and those that took the longest, which are in no group */
    SIM_PASSES = 16,
    SIM_WAITS = 3,
};

/* The most that a recording may have of each. */
enum { SIM_MOST_FOOTPRINTS = 8, SIM_MOST_ROUNDS = 4096, SIM_MOST_GAPS = 4096 /* in a round */ };

/* The thread did not run. */
struct sim_gap {
    double at_ns; /* since the round began */
    double ns;
    double lost; /* share of the first footprint's lines */
    bool preempted; /* by the system that the thread runs under, which tells */
};

/* Cycles more than usual. */
struct sim_recorded_look {
    int32_t reference[SIM_GROUPS + SIM_LATEST]; /* than the usual reference */
    int32_t pass[SIM_PASSES];                   /* than the fastest pass */
};

struct sim_recorded_footprint {
    uint64_t bytes;
    double pass_references;
    double cycles; /* of a reference in the fastest pass */
    double lost_from; /* cycles more than usual, from which a reference came from memory */
    struct sim_recorded_look *look; /* by round */
};

struct sim_recorded_round {
    double watched_ns; /* how long gaps were looked for */
    int32_t pulse[SIM_PULSES]; /* thousandths that a chain of additions took more than when the clock was calibrated */
    int32_t lost[SIM_MOST_FOOTPRINTS][SIM_WAITS]; /* lines of each footprint, after each wait */
    size_t gaps;
    struct sim_gap *gap; /* in order */
};

struct sim_recording {
    char origin[256]; /* CPU model, hypervisor, date */
    double cycles_per_ns;
    double clock_step_cycles;
    double timed;  /* references that a round timed one by one, of each footprint */
    double probed; /* lines that `lost` is of */
    double waited_ns[SIM_WAITS];
    unsigned footprints; /* by size: the first is in any first level, the last in no cache. Those lose no lines. */
    struct sim_recorded_footprint footprint[SIM_MOST_FOOTPRINTS];
    unsigned rounds;
    struct sim_recorded_round *round;
};

/* Read and check a file. HWC_BAD_INPUT with "where: what" on any fault, and then
 * nothing is left to free. */
int sim_recording_read(const char *path, struct sim_recording *recording, struct hwc_error *error);
void sim_recording_free(struct sim_recording *recording);

#endif
