/* How far walks may outgrow what memory holds of an arena.
 *
 * What memory does not hold goes to swap, page by page: memory is then a cache that the kernel keeps, of a known size
 * where a control group limits it. Outgrowing all of a machine's memory would bring it to a halt, and without enough
 * swap the kernel ends the process. */
#ifndef HWC_NATIVE_PAGING_H
#define HWC_NATIVE_PAGING_H

#include <pthread.h>
#include <stdatomic.h>

#include "memory.h"
#include "placement.h"

/* Bytes of a sparse arena that walks may visit; 0 if they must not outgrow memory: *reason then says why. */
uint64_t native_paging_limit(const struct native_memory *memory, const char **reason);

/* A thread that reads the control group's statistics all the time, on another CPU if there is one. The kernel brings
 * them up to date every two seconds, or when they are read. By old ones Linux 6.18 does not see that all pages count as
 * in use, puts none out, and ends the program although there is swap. */
struct native_paging {
    bool running;
    atomic_bool ends;
    pthread_t thread;
    char statistics[1250];
};

/* Start it, unless it runs. Without it, memory is outgrown at that risk. */
void native_paging_begin(struct native_paging *paging, const struct native_placement *placement);
void native_paging_end(struct native_paging *paging);

#endif
