#include "clock.h"

#include <math.h>
#include <stdint.h>

#include "kernels.h"
#include "seconds.h"

#define QUICK_ADDITIONS 32768
#define QUIET_WINDOWS 20
#define QUIET_SPREAD 0.005
#define PATIENCE_NS 500e6

static double now_ns(void)
{
    return 1e9 * hwc_seconds(CLOCK_MONOTONIC_RAW);
}

/* Not inlined: where it is called twice, the second call runs code that the
 * first has brought, and waits for none. */
__attribute__((noinline)) static double ticks_of(void (*chain)(uint64_t), uint64_t count)
{
    uint64_t begin = native_ticks();

    chain(count);
    return (double)(native_ticks() - begin);
}

/* Two lengths, differenced, so that reading the time cancels; the least of a few. */
static double ticks_each(void (*chain)(uint64_t))
{
    double least[2] = {INFINITY, INFINITY};

    for (int i = 0; i < 5; i++) {
        least[0] = fmin(least[0], ticks_of(chain, QUICK_ADDITIONS / 8));
        least[1] = fmin(least[1], ticks_of(chain, QUICK_ADDITIONS / 4));
    }
    return (least[1] - least[0]) / (QUICK_ADDITIONS / 8.0);
}

double native_clock_cycles_per_tick(void)
{
    return 1.0 / ticks_each(native_add_chain);
}

/* Windows of a millisecond until twenty in a row agree to half a percent. */
static void wait_for_ramp_up(struct native_clock *clock)
{
    double begin = now_ns();
    double reference = 0;
    int quiet = 0;

    while (quiet < QUIET_WINDOWS && now_ns() - begin < PATIENCE_NS) {
        double window = now_ns();
        double speed;
        while (now_ns() - window < 1e6)
            native_add_chain(1024);
        speed = native_clock_cycles_per_tick();
        if (fabs(speed / reference - 1) <= QUIET_SPREAD) {
            quiet++;
        } else {
            reference = speed;
            quiet = 0;
        }
    }
    clock->steady = quiet == QUIET_WINDOWS;
    clock->settle_ms = (now_ns() - begin) / 1e6;
}

#define PULSE_ADDITIONS 1024
#define PULSE_TICKS_AT_LEAST 500
/* Frequencies come in steps of some percent. */
#define FREQUENCY_STEP 0.015

/* Whatever disturbs a pulse makes it longer, be it its own code that has left
 * the caches (a line from memory takes a sixth of it): the least of a few. */
double native_clock_pulse(const struct native_clock *clock)
{
    double least;

    ticks_of(native_add_chain, PULSE_ADDITIONS / 8);
    least = ticks_of(native_add_chain, clock->pulse_additions);
    return fmin(least, ticks_of(native_add_chain, clock->pulse_additions));
}

double native_clock_between(const struct native_clock *clock, double before, double after, bool *steady)
{
    double pulse = fmin(before, after);

    *steady = fmax(before, after) <= pulse * (1 + FREQUENCY_STEP);
    if (fabs(pulse / clock->pulse_ticks - 1) <= FREQUENCY_STEP)
        return clock->cycles_per_tick;
    return clock->cycles_per_tick * clock->pulse_ticks / pulse;
}

static void calibrate_pulse(struct native_clock *clock)
{
    clock->pulse_additions = PULSE_ADDITIONS;
    while ((double)clock->pulse_additions / clock->cycles_per_tick < PULSE_TICKS_AT_LEAST)
        clock->pulse_additions *= 2;
    clock->pulse_ticks = INFINITY;
    for (int i = 0; i < 16; i++)
        clock->pulse_ticks = fmin(clock->pulse_ticks, native_clock_pulse(clock));
}

void native_clock_calibrate(struct native_clock *clock)
{
    double begin_ns = now_ns();
    uint64_t begin = native_ticks();
    double add;

    wait_for_ramp_up(clock);
    clock->ticks_per_ns = (double)(native_ticks() - begin) / (now_ns() - begin_ns);
    add = ticks_each(native_add_chain);
    clock->cycles_per_tick = 1.0 / add;
    calibrate_pulse(clock);
    clock->multiply_ratio = ticks_each(native_multiply_chain) / add;
}
