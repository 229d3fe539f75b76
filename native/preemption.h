/* Was this thread preempted, or moved to another CPU? Without a system call where that can be had: on some machines one
 * empties the TLB, and the walks of page tables that follow put out lines that are being asked about. */
#ifndef HWC_NATIVE_PREEMPTION_H
#define HWC_NATIVE_PREEMPTION_H

#include <stdbool.h>

struct native_watch {
    long switches; /* of the thread so far; -1 = the kernel marks the next one */
};

/* Watch from now on. One watch at a time in each thread. */
struct native_watch native_watch_begin(void);

/* Did the thread stay on this CPU, and was it never preempted, since the watch began? */
bool native_watch_undisturbed(const struct native_watch *watch, int cpu);

#endif
