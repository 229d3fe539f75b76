/* The lines of one simulated cache that were written and not written back: a
 * set of line numbers, open addressing with linear probing.
 *
 * It forgets all that it holds rather than be more than half full, which only
 * lines that were lost otherwise than by eviction can bring about. */
#ifndef HWC_SIM_DIRTY_H
#define HWC_SIM_DIRTY_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct sim_dirty {
    uint32_t *slot; /* line number + 1; 0 = free */
    uint32_t mask;  /* slots - 1, slots being a power of two */
    uint32_t count;
};

/* Room for so many lines. */
int sim_dirty_init(struct sim_dirty *dirty, uint64_t lines, struct hwc_error *error);
void sim_dirty_free(struct sim_dirty *dirty);

void sim_dirty_add(struct sim_dirty *dirty, uint64_t line);

/* Was it there? It is not any more. */
bool sim_dirty_remove(struct sim_dirty *dirty, uint64_t line);

#endif
