/* Where the measuring thread runs. */
#ifndef HWC_NATIVE_PLACEMENT_H
#define HWC_NATIVE_PLACEMENT_H

#include <sched.h>
#include <stdbool.h>

#include "error.h"

struct native_placement {
    cpu_set_t before;
    int cpu;
};

/* Pin the thread to the CPU, or where it is -1 to the quietest that it may use.
 * Under valgrind time means nothing, and without a wish the thread stays free. */
int native_pin(struct native_placement *placement, int cpu, struct hwc_error *error);
void native_unpin(const struct native_placement *placement);

/* Ticks that the hypervisor took from this CPU so far; 0 where it does not say. */
unsigned long long native_stolen(int cpu);

#endif
