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

/* Pin the thread to `cpu`, or if that is -1 to the quietest CPU that it may use; of those of the same kind of core as `cpu`
 * if any of them will do. Under valgrind, where time means nothing, -1 leaves the thread unpinned. */
int native_pin(struct native_placement *placement, int cpu, bool any_of_kind, struct hwc_error *error);
/* Move the calling thread to that CPU. Returns 0, or errno. */
int native_go_to(int cpu);

void native_unpin(const struct native_placement *placement);
/* Back to the CPU that it was pinned to. */
void native_repin(const struct native_placement *placement);

/* Go to another CPU that it may use, of the same kind and in the same package, if less is at work there: of processes, or on
 * its core. Takes some 30 ms, and 8 ms for each that is looked at. false = none does better. */
bool native_move_on(struct native_placement *placement);

/* How many other CPUs may the process use? And the number of the i-th of those, from 1 on; -1 = there is none. */
unsigned native_count_others(const struct native_placement *placement);
int native_other_allowed(const struct native_placement *placement, unsigned i);

/* The number of the i-th that it may use, from 0 on, its own included; -1 = there is none. */
int native_allowed(const struct native_placement *placement, unsigned i);

/* Ticks that the hypervisor has taken from this CPU so far; 0 if it does not report them. */
unsigned long long native_stolen(int cpu);

#endif
