/* The program's own data: lines that it touches before each step of an experiment,
 * and that take room in the caches. */
#ifndef HWC_SIM_OWN_DATA_H
#define HWC_SIM_OWN_DATA_H

#include "hierarchy.h"

struct sim_own_data {
    struct sim_place place[SIM_MOST_OWN_LINES];
    unsigned lines;
};

/* Place `lines` lines at random in 64 KiB. */
void sim_own_data_init(struct sim_own_data *own, const struct sim_hierarchy *hierarchy, unsigned lines, uint64_t seed);

void sim_own_data_touch(const struct sim_own_data *own, struct sim_hierarchy *hierarchy);

#endif
