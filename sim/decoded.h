/* A simulated cache of decoded instructions, in front of the instruction cache:
 * what it serves is not looked up there, and need not be there.
 *
 * Assumptions: an entry holds so many instructions of one line, in order, from
 * where the line is entered; sets are chosen by the virtual line's number; code
 * is served where all of its entries are there, and else fetched and decoded,
 * which takes the miss penalty; but nothing waits for it where jumps are
 * foreseen, as both go on ahead of what is executed. A byte of a cell's code is an instruction, but
 * for the hop at its end. (AMD since Zen: Software Optimization Guides, "Op
 * Cache". Intel's since Sandy Bridge holds nothing that the instruction cache
 * has lost, and hides nothing: it is not modelled.) */
#ifndef HWC_SIM_DECODED_H
#define HWC_SIM_DECODED_H

#include "hierarchy.h"

struct sim_decoded {
    const struct sim_description *description;
    struct sim_cache cache; /* without sets where the description has none */
};

int sim_decoded_init(struct sim_decoded *decoded, const struct sim_description *description, struct hwc_error *error);
void sim_decoded_free(struct sim_decoded *decoded);

/* Execute a cell of so many bytes at the address: does it come from here? Then it is, from now on. */
bool sim_decoded_serves(struct sim_decoded *decoded, uint64_t virtual_address, uint32_t code_bytes,
                        struct hwc_random *random);

/* What waiting for decoding took. */
double sim_decoded_cycles(const struct sim_decoded *decoded, const struct sim_counts *counts);

/* A hash of what further fetches of these places depend on. */
uint64_t sim_decoded_state(const struct sim_decoded *decoded, const struct sim_place *places, size_t count);

/* Nothing in it is left to chance. */
bool sim_decoded_is_steady(const struct sim_decoded *decoded);

#endif
