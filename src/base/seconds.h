/* Reading the system's clocks. */
#ifndef HWC_SECONDS_H
#define HWC_SECONDS_H

#include <time.h>

static inline double hwc_seconds(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
