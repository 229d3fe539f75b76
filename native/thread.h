/* Threads beside the measuring one. */
#ifndef HWC_NATIVE_THREAD_H
#define HWC_NATIVE_THREAD_H

#include <pthread.h>
#include <sched.h>

/* The set of this CPU alone. */
cpu_set_t native_only(int cpu);

/* Start a thread on one of these CPUs; NULL = where this one may run. It takes no signals: those are for the measuring
 * thread. Returns 0, or errno. */
int native_start_thread(pthread_t *thread, const cpu_set_t *cpus, void *(*work)(void *), void *context);

#endif
