/* The clock: what a tick of the time stamp is worth in core cycles. */
#ifndef HWC_NATIVE_CLOCK_H
#define HWC_NATIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct native_clock {
    double cycles_per_tick;
    double ticks_per_ns;
    double step_ticks;        /* time stamps advance by so many at once */
    uint64_t quick_additions; /* in a chain that lasts some thousand steps */
    bool steady;              /* the frequency came to rest before patience ended */
    uint64_t pulse_additions; /* in a pulse: a thousand, or more where ticks are few */
    double pulse_ticks;       /* what a pulse takes at cycles_per_tick */
    double last_pulse;        /* the ticks of the last pulse */
    uint64_t last_ticks;      /* the time stamp after it */
};

/* Wait until the core has ramped up, then calibrate: dependent additions take a
 * cycle each. (Register to register: a core may fold additions of constants
 * into other instructions.) */
void native_clock_calibrate(struct native_clock *clock);

/* The core's frequency may change between two samples. A pulse is a timed chain
 * of additions: the pulses before and after a sample tell what a tick was worth
 * meanwhile. Changes smaller than a step of frequency are noise and are not
 * followed. Returns the pulse's ticks. */
double native_clock_pulse(struct native_clock *clock);

/* The last pulse, where it is recent and a new one would take long; else a new one. */
double native_clock_recent_pulse(struct native_clock *clock);

/* Cycles per tick between two pulses; *steady is false where they differ. */
double native_clock_between(const struct native_clock *clock, double before, double after, bool *steady);

#endif
