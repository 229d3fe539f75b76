#include "off_cpu.h"

#include <math.h>

#include "seconds.h"

static double seconds_off(void)
{
    return hwc_seconds(CLOCK_MONOTONIC) - hwc_seconds(CLOCK_THREAD_CPUTIME_ID);
}

struct native_off_cpu native_off_cpu_begin(void)
{
    return (struct native_off_cpu){.seconds = seconds_off()};
}

double native_off_cpu_since(struct native_off_cpu *off)
{
    double before = off->seconds;

    off->seconds = seconds_off();
    return fmax(off->seconds - before, 0);
}
