/* The clock: what a tick of the time stamp is worth in core cycles. */
#ifndef HWC_NATIVE_CLOCK_H
#define HWC_NATIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "drift.h"
#include "random.h"

struct native_clock {
    double cycles_per_tick;
    double ticks_per_ns;
    double step_ticks;        /* by which time stamps advance at once */
    uint64_t quick_additions; /* in a chain that lasts at least a thousand steps */
    bool steady;              /* the frequency settled before the wait timed out */
    uint64_t pulse_additions; /* in a pulse: 1024, or more if ticks are coarse */
    uint64_t pulse_loads;     /* and so many loads, which last about as long */
    double additions_ticks;   /* what each takes at cycles_per_tick */
    double loads_ticks;
    double last_pulse;        /* how long the last pulse took */
    uint64_t last_ticks;      /* the time stamp after it */
    struct native_drift drift;
    double drifted;           /* how much longer pulses have become, not yet followed; 1 = no longer */
    struct hwc_random random; /* of native_clock_dither */
};

/* Wait until the core has ramped up, then calibrate by dependent additions, which
 * take a cycle each. (They are register to register: a core may fold additions
 * of constants into other instructions.) */
void native_clock_calibrate(struct native_clock *clock);

/* Time stamps that so many additions take, or loads that hit, each of which waits for the one before. */
double native_ticks_of_additions(uint64_t additions);
double native_ticks_of_loads(uint64_t loads);

/* How many additions last at least `ticks`? A power of two times `at_least`. */
uint64_t native_additions_lasting(double ticks, uint64_t at_least);

/* Where time stamps advance by many ticks at once, wait for a random part of such a step, and some whole ones: readings
 * that keep in step with the stamps would all be rounded alike, and their mean would be no better than one of them. */
void native_clock_dither(struct native_clock *clock);

/* What so many loads take that hit, each after the one before: of what they were found to take, the next whole number of
 * cycles each, as additions, which the cycles were counted by, are slowed by others. `overhead` is what no load takes. */
double native_whole_loads(double cycles, double overhead, uint64_t loads);

/* Time a pulse, a chain of additions and one of loads that hit, and return how
 * long it took: 1 = as when the clock was calibrated. The core's frequency may
 * change between two samples; the pulses before and after a sample tell what a
 * tick was worth during it. Changes smaller than a frequency step are noise in
 * one pulse, and followed once many show them (native_clock_follow). A change of frequency stretches both chains alike; a sibling
 * thread slows the one that needs what it uses, so the less stretched one counts. */
double native_clock_pulse(struct native_clock *clock);

/* Between samples, not between the pulses of one: follow a drift of the frequency that many pulses have shown. From then on
 * a tick is worth what it was worth then. True if it was followed. */
bool native_clock_follow(struct native_clock *clock);

/* The last pulse if it is recent and a new one would take long; else a new one. */
double native_clock_recent_pulse(struct native_clock *clock);

/* Cycles per tick between two pulses; *steady is false if they differ by more than a frequency step. */
double native_clock_between(const struct native_clock *clock, double before, double after, bool *steady);

#endif
