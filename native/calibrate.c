/* Calibration, done once before any experiment. */
#include <math.h>

#include "branch_prediction.h"
#include "kernels.h"
#include "native_machine.h"

static const struct {
    double fine_cycles, cycles_off;
    uint64_t decoded;
    int rounds;
} policy = {
    /* A cache hit and a miss differ by some tens of cycles. Single references can be timed if the clock's steps are
     * well below that. */
    .fine_cycles = 8,
    /* Beside others on the core, dependent additions are slowed down as well. Hits of a first level that take 4 cycles
     * took 3.88 to 4.15 of a run's in thirty runs (docs/machines_seen.md). */
    .cycles_off = 0.04,
    .decoded = 4096, /* references in a chain; the fastest of `rounds` runs counts */
    .rounds = 32,
};

/* Cycles by which a load from base + index * 8 takes longer than one from a plain address, on a chain in one line. */
static double measure_decoding(const struct native_clock *clock)
{
    uint64_t indexed[1] = {0};
    void *plain[1] = {plain};
    double least_indexed = INFINITY, least_plain = INFINITY;

    for (int i = 0; i < policy.rounds; i++) {
        uint64_t begin = native_ticks(), middle, end;
        native_chase(indexed, 0, policy.decoded);
        middle = native_ticks();
        native_chase_addresses(plain, policy.decoded);
        end = native_ticks();
        least_indexed = fmin(least_indexed, (double)(middle - begin));
        least_plain = fmin(least_plain, (double)(end - middle));
    }
    return fmax(0, least_indexed - least_plain) / (double)policy.decoded * clock->cycles_per_tick;
}

void native_calibrate(struct native_machine *machine)
{
    struct native_clock *clock = &machine->clock;

    native_clock_calibrate(clock);
    machine->base.cycles_per_ns = clock->cycles_per_tick * clock->ticks_per_ns;
    machine->base.cycles_off = policy.cycles_off;
    machine->base.stamps_per_ns = clock->ticks_per_ns;
    machine->base.steady = clock->steady;
    machine->base.decode_cycles = measure_decoding(clock);
    machine->base.step_cycles = clock->step_ticks * clock->cycles_per_tick;
    machine->base.times_each = machine->base.step_cycles <= policy.fine_cycles;
    machine->unpredicted = native_unpredicted_transfer();
}
