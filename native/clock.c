#include "clock.h"

#include <math.h>
#include <stdint.h>

#include "kernels.h"
#include "seconds.h"
#include "statistics.h"

enum { READINGS = 1024 };

static const struct {
    double quick_steps, pulse_steps;
    uint64_t quick_additions, pulse_additions, additions_a_load;
    double pulse_ns;
    uint64_t lengths;
    int quiet_windows;
    double quiet_spread;
    double whole_load;
    double patience_ns;
    double frequency_step;
    double long_pulse_ns, recent_ns;
    double dithered_from;
    uint64_t dither_additions;
} policy = {
    /* A time stamp may advance by many ticks at once, at the rate of a slower reference clock. A timed chain lasts at
     * least this many of these steps and additions, and a pulse so many nanoseconds: of shorter ones, what readings vary
     * by would pass for a change of frequency. */
    .quick_steps = 1000,
    .pulse_steps = 100,
    .quick_additions = 4096,
    .pulse_additions = 1024,
    .additions_a_load = 4, /* about as long: a first level takes four cycles or five */
    .pulse_ns = 700,
    /* Chains of 0 to lengths - 1 loads are timed to find the steps. */
    .lengths = 64,
    /* The frequency is steady once quiet_windows consecutive windows of 1 ms agree within quiet_spread. The wait ends
     * after patience_ns at the latest. */
    .quiet_windows = 20,
    .quiet_spread = 0.005,
    .patience_ns = 500e6,
    .whole_load = 0.05, /* additions take so much longer beside others, and no more */
    /* Frequencies change in steps of a few percent. */
    .frequency_step = 0.015,
    /* A pulse is longer than many walks, so a recent one is reused. A change of frequency shows so much later; the few
     * samples until then are off by a step of it. */
    .long_pulse_ns = 500,
    .recent_ns = 100e3,
    /* Steps of some ticks are shorter than the time that readings vary by. Virtual machines have steps of up to 40
     * cycles; chains are multiples of 16 additions, a cycle each. */
    .dithered_from = 8,
    .dither_additions = 512,
};

static double now_ns(void)
{
    return 1e9 * hwc_seconds(CLOCK_MONOTONIC_RAW);
}

/* Not inlined, so that a second call runs the code that the first one brought
 * into the caches. */
__attribute__((noinline)) double native_ticks_of_additions(uint64_t additions)
{
    uint64_t begin = native_ticks();

    native_add_chain(additions);
    return (double)(native_ticks() - begin);
}

__attribute__((noinline)) double native_ticks_of_loads(uint64_t loads)
{
    const uint64_t self[1] = {0};
    uint64_t begin = native_ticks();

    native_chase(self, 0, loads);
    return (double)(native_ticks() - begin);
}

/* Ticks per addition, from the difference of two chain lengths, so that the cost
 * of reading the time cancels. Each length counts with its fastest run. */
static double ticks_each(const struct native_clock *clock)
{
    uint64_t count = clock->quick_additions;
    double least[2] = {INFINITY, INFINITY};

    for (int i = 0; i < 5; i++) {
        least[0] = fmin(least[0], native_ticks_of_additions(count));
        least[1] = fmin(least[1], native_ticks_of_additions(2 * count));
    }
    return (least[1] - least[0]) / (double)count;
}

uint64_t native_additions_lasting(double ticks, uint64_t at_least)
{
    uint64_t count = at_least;

    while (fmin(native_ticks_of_additions(count), native_ticks_of_additions(count)) < ticks)
        count *= 2;
    return count;
}

/* Times of chains of several lengths take many different values if the time
 * stamp shows every tick, and few if it advances in steps. A hypervisor that
 * scales stamps makes the steps unequal, so no common divisor is sought. */
static double measure_step(void)
{
    const unsigned usual = READINGS - READINGS / 8; /* the longest may have been interrupted */
    double ticks[READINGS];
    unsigned different = 1;

    for (unsigned i = 0; i < READINGS; i++)
        ticks[i] = native_ticks_of_loads(i % policy.lengths);
    (void)hwc_median(ticks, READINGS); /* sorts */
    for (unsigned i = 1; i < usual; i++)
        different += ticks[i] > ticks[i - 1];
    return different > 1 ? fmax(1, (ticks[usual - 1] - ticks[0]) / (different - 1)) : 1;
}

/* False if the frequency does not come to rest in time. */
static bool wait_for_ramp_up(const struct native_clock *clock)
{
    double begin = now_ns(), reference = 0;
    int quiet = 0;

    while (quiet < policy.quiet_windows && now_ns() - begin < policy.patience_ns) {
        double window = now_ns(), each;
        while (now_ns() - window < 1e6)
            native_add_chain(policy.pulse_additions);
        each = ticks_each(clock);
        quiet = fabs(each / reference - 1) <= policy.quiet_spread ? quiet + 1 : 0;
        if (quiet == 0)
            reference = each;
    }
    return quiet == policy.quiet_windows;
}

/* Any disturbance makes a chain longer, a miss on its own code for instance. So
 * its code is brought into the caches first, and the shorter of two counts. */
static double least_of(double (*ticks)(uint64_t), uint64_t warm, uint64_t length)
{
    double once;

    ticks(warm);
    once = ticks(length);
    return fmin(once, ticks(length));
}

static double least_additions(const struct native_clock *clock)
{
    return least_of(native_ticks_of_additions, policy.pulse_additions / 8, clock->pulse_additions);
}

static double least_loads(const struct native_clock *clock)
{
    return least_of(native_ticks_of_loads, policy.pulse_additions / 64, clock->pulse_loads);
}

double native_clock_pulse(struct native_clock *clock)
{
    double additions = least_additions(clock) / clock->additions_ticks;

    clock->last_pulse = fmin(additions, least_loads(clock) / clock->loads_ticks);
    clock->last_ticks = native_ticks();
    if (clock->drifted == 1)
        clock->drifted = native_drift_follow(&clock->drift, clock->last_pulse);
    return clock->last_pulse;
}

bool native_clock_follow(struct native_clock *clock)
{
    double longer = clock->drifted;

    if (longer == 1)
        return false;
    clock->additions_ticks *= longer;
    clock->loads_ticks *= longer;
    clock->cycles_per_tick /= longer;
    clock->last_pulse /= longer;
    clock->drifted = 1;
    return true;
}

void native_clock_dither(struct native_clock *clock)
{
    if (clock->step_ticks > policy.dithered_from)
        native_add_chain(hwc_random_below(&clock->random, policy.dither_additions));
}

double native_clock_recent_pulse(struct native_clock *clock)
{
    double ago = (double)(native_ticks() - clock->last_ticks);

    if (clock->additions_ticks > policy.long_pulse_ns * clock->ticks_per_ns &&
        ago < policy.recent_ns * clock->ticks_per_ns)
        return clock->last_pulse;
    return native_clock_pulse(clock);
}

double native_clock_between(const struct native_clock *clock, double before, double after, bool *steady)
{
    double pulse = fmin(before, after);

    *steady = fmax(before, after) <= pulse * (1 + policy.frequency_step);
    if (fabs(pulse - 1) <= policy.frequency_step)
        return clock->cycles_per_tick;
    return clock->cycles_per_tick / pulse;
}

static void measure_pulse_length(struct native_clock *clock)
{
    double ticks = fmax(policy.pulse_ns * clock->ticks_per_ns, policy.pulse_steps * clock->step_ticks);

    clock->pulse_additions = native_additions_lasting(ticks, policy.pulse_additions);
    clock->pulse_loads = clock->pulse_additions / policy.additions_a_load;
}

double native_whole_loads(double cycles, double overhead, uint64_t loads)
{
    double each = (cycles - overhead) / (double)loads, whole = round(each);

    return whole >= 1 && fabs(each / whole - 1) <= policy.whole_load ? whole * (double)loads + overhead : cycles;
}

/* What a pulse takes, in ticks at cycles_per_tick. The frequency may change meanwhile: what each chain takes is compared
 * with additions right before it. */
static void calibrate_pulse(struct native_clock *clock)
{
    double each[NATIVE_DRIFT_PULSES], additions[NATIVE_DRIFT_PULSES], loads[NATIVE_DRIFT_PULSES], cycles, overhead;

    for (int i = 0; i < NATIVE_DRIFT_PULSES; i++) {
        each[i] = ticks_each(clock);
        additions[i] = least_additions(clock) / each[i];
        loads[i] = least_loads(clock) / each[i];
    }
    cycles = native_usual_time(additions, NATIVE_DRIFT_PULSES);
    overhead = cycles - (double)clock->pulse_additions;
    clock->cycles_per_tick = 1 / native_usual_time(each, NATIVE_DRIFT_PULSES);
    clock->additions_ticks = cycles / clock->cycles_per_tick;
    cycles = native_whole_loads(native_usual_time(loads, NATIVE_DRIFT_PULSES), overhead, clock->pulse_loads);
    clock->loads_ticks = cycles / clock->cycles_per_tick;
    clock->drift.given = 0;
    clock->drifted = 1;
}

void native_clock_calibrate(struct native_clock *clock)
{
    double begin_ns = now_ns();
    uint64_t begin = native_ticks();

    hwc_random_seed(&clock->random, 1);
    clock->step_ticks = measure_step();
    clock->quick_additions = native_additions_lasting(policy.quick_steps * clock->step_ticks, policy.quick_additions);
    clock->steady = wait_for_ramp_up(clock);
    clock->ticks_per_ns = (double)(native_ticks() - begin) / (now_ns() - begin_ns);
    measure_pulse_length(clock);
    calibrate_pulse(clock);
}
