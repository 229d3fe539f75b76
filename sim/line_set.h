/* Sets of line numbers, by open addressing with linear probing: the dirty lines
 * of a simulated cache, the sub-pages that a simulated TLB holds.
 *
 * A set that would become more than half full is emptied instead. Only stale
 * numbers, of lines lost other than by eviction, can fill it so far. */
#ifndef HWC_SIM_LINE_SET_H
#define HWC_SIM_LINE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/* Lines are counted by a part of their hash, so that most of those that are absent cost no look into a large table. */
enum { SIM_LINE_GROUPS = 4096 };

struct sim_line_set {
    uint32_t *slot; /* line number + 1; 0 = free */
    uint32_t mask;  /* slots - 1, slots being a power of two */
    uint32_t count;
    uint32_t group[SIM_LINE_GROUPS]; /* lines present, by the low bits of their first slot */
};

/* Make an empty set with room for `lines` line numbers. */
int sim_line_set_init(struct sim_line_set *set, uint64_t lines, struct hwc_error *error);
void sim_line_set_free(struct sim_line_set *set);

void sim_line_set_add(struct sim_line_set *set, uint64_t line);

/* Remove the line; returns whether it was present. */
bool sim_line_set_remove(struct sim_line_set *set, uint64_t line);

bool sim_line_set_has(const struct sim_line_set *set, uint64_t line);

#endif
