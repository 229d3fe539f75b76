#include "thread.h"

#include <signal.h>

cpu_set_t native_only(int cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return one;
}

int native_start_thread(pthread_t *thread, const cpu_set_t *cpus, void *(*work)(void *), void *context)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int fault;

    pthread_attr_init(&attributes);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    fault = cpus != NULL ? pthread_attr_setaffinity_np(&attributes, sizeof *cpus, cpus) : 0;
    if (fault == 0)
        fault = pthread_create(thread, &attributes, work, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return fault;
}
