/* Calibration, done once before any experiment. */
#include <math.h>

#include "branch_prediction.h"
#include "kernels.h"
#include "native_machine.h"
#include "statistics.h"

enum { ROUNDS = 32 };

static const struct {
    double fine_cycles, cycles_off;
    uint64_t decoded;
} policy = {
    /* A cache hit and a miss differ by some tens of cycles. Single references can be timed if the clock's steps are
     * well below that. */
    .fine_cycles = 8,
    /* The frequency is followed, by no less than it varies by from one sample to the next: hits of a first level that
     * take 4 cycles took 3.92 to 4.08 in sixteen runs beside others (docs/machines_seen.md). */
    .cycles_off = 0.03,
    .decoded = 4096, /* references in a chain */
};

/* Cycles by which a load from base + index * 8 takes longer than one from a plain address, on a chain in one line. */
static double measure_decoding(const struct native_clock *clock)
{
    uint64_t indexed[1] = {0};
    void *plain[1] = {plain};
    double longer[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = native_ticks(), middle, end;
        native_chase(indexed, 0, policy.decoded);
        middle = native_ticks();
        native_chase_addresses(plain, policy.decoded);
        end = native_ticks();
        longer[i] = (double)(middle - begin) - (double)(end - middle);
    }
    return fmax(0, hwc_median(longer, ROUNDS)) / (double)policy.decoded * clock->cycles_per_tick;
}

/* The clock may have followed a drift of the frequency. */
static void know_frequency(struct native_machine *machine)
{
    const struct native_clock *clock = &machine->clock;

    machine->base.cycles_per_ns = clock->cycles_per_tick * clock->ticks_per_ns;
}

void native_follow_frequency(struct native_machine *machine)
{
    if (native_clock_follow(&machine->clock))
        know_frequency(machine);
}

void native_calibrate(struct native_machine *machine)
{
    struct native_clock *clock = &machine->clock;

    native_clock_calibrate(clock);
    know_frequency(machine);
    machine->base.cycles_off = policy.cycles_off;
    machine->base.stamps_per_ns = clock->ticks_per_ns;
    machine->base.steady = clock->steady;
    machine->base.decode_cycles = measure_decoding(clock);
    machine->base.step_cycles = clock->step_ticks * clock->cycles_per_tick;
    machine->base.times_each = machine->base.step_cycles <= policy.fine_cycles;
    machine->unpredicted = native_unpredicted_transfer();
}
