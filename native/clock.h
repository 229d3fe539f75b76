/* The clock: what a tick of the time stamp is worth in core cycles. */
#ifndef HWC_NATIVE_CLOCK_H
#define HWC_NATIVE_CLOCK_H

#include <stdbool.h>

struct native_clock {
    double cycles_per_tick;
    double ticks_per_ns;
    bool steady;       /* the frequency came to rest while it was waited for */
    double settle_ms;  /* how long that took */
    double multiply_ratio; /* cycles of a multiplication over an addition: 3 on most cores */
};

/* Wait until the core has ramped up, then calibrate: dependent additions take
 * a cycle each (register to register: some cores fold immediates away). */
void native_clock_calibrate(struct native_clock *clock);

/* Cycles per tick now: a quick look, some 50 microseconds. */
double native_clock_cycles_per_tick(void);

#endif
