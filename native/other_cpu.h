/* A second thread, which takes steps of experiments on another CPU while the
 * measuring thread waits. Between steps it spins for a while, as to wake a thread
 * takes the kernel, and of a virtual machine the hypervisor, whose lines put ours
 * out; then it sleeps, as it would disturb a thread that shares its core. */
#ifndef HWC_NATIVE_OTHER_CPU_H
#define HWC_NATIVE_OTHER_CPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "error.h"

struct native_journey;

struct native_other_cpu {
    bool running;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool sleeps;                          /* under the lock */
    atomic_bool asked, ends, done;
    const struct native_journey *journey; /* set before `asked` */
    int cpu;                              /* likewise: where to go through it */
    int pinned;                           /* where it is; -1 = nowhere yet */
    int fault;                            /* errno if it could not get there */
};

/* Go through the journey on that CPU. The thread that asks does not sleep meanwhile, so that its core keeps its
 * frequency, and the kernel its caches. */
int native_other_cpu_go(struct native_other_cpu *other, int cpu, const struct native_journey *journey,
                        struct hwc_error *error);

/* End the thread, if there is one. */
void native_other_cpu_end(struct native_other_cpu *other);

#endif
