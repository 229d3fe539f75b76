/* The clock: what a tick of the time stamp is worth in core cycles. */
#ifndef HWC_NATIVE_CLOCK_H
#define HWC_NATIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct native_clock {
    double cycles_per_tick;
    double ticks_per_ns;
    double step_ticks;        /* time stamps are advanced by so many at once */
    uint64_t quick_additions; /* of a chain that lasts some thousand steps */
    bool steady;       /* the frequency came to rest while it was waited for */
    double settle_ms;  /* how long that took */
    uint64_t pulse_additions; /* of a pulse: a thousand, or more where ticks are few */
    double pulse_ticks;       /* what a pulse takes at cycles_per_tick */
    double last_pulse;        /* the pulse that was taken last, and when */
    uint64_t last_ticks;
    double multiply_ratio; /* cycles of a multiplication over an addition: 3 on most cores */
};

/* Wait until the core has ramped up, then calibrate: dependent additions take
 * a cycle each (register to register: some cores fold immediates away). */
void native_clock_calibrate(struct native_clock *clock);

/* The core's frequency may change between two samples. A pulse is a chain of
 * additions, timed; from the pulses before and after a sample comes what a tick
 * was worth in it. Changes of less than a step of frequency are noise and are
 * not followed. */
double native_clock_pulse(struct native_clock *clock);

/* The last one, where that was a moment ago and a pulse takes long; else a new one. */
double native_clock_recent_pulse(struct native_clock *clock);

/* Cycles per tick between two pulses; *steady is false when they differ. */
double native_clock_between(const struct native_clock *clock, double before, double after, bool *steady);

#endif
