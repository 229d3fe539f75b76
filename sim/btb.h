/* Simulated branch target buffers: which jumps of a fetch walk are foreseen.
 *
 * Assumptions: one entry per jump, found by its address; the set index is the
 * jump's number (address / 4) folded by XOR, so that jumps at any small distance
 * from each other use all sets; a level's penalty is the cost of looking up the
 * next level, or after the last of finding the target by decoding. */
#ifndef HWC_SIM_BTB_H
#define HWC_SIM_BTB_H

#include "hierarchy.h"

struct sim_btb {
    const struct sim_description *description;
    struct sim_cache cache[SIM_MAX_BTBS]; /* in the description's order: by level */
};

int sim_btb_init(struct sim_btb *btb, const struct sim_description *description, struct hwc_error *error);
void sim_btb_free(struct sim_btb *btb);

/* Take the jump at the address. */
void sim_btb_jump(struct sim_btb *btb, uint64_t virtual_address, struct sim_counts *counts, struct hwc_random *random);

/* Cycles that the jumps of these counts waited for their targets. */
double sim_btb_cycles(const struct sim_btb *btb, const struct sim_counts *counts);

/* A hash of all state that further jumps at these places depend on. */
uint64_t sim_btb_state(struct sim_btb *btb, const struct sim_place *places, size_t count);

/* Is replacement deterministic at every level? */
bool sim_btb_is_steady(const struct sim_btb *btb);

#endif
