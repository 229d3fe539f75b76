/* A simulated cache of decoded instructions, in front of the instruction cache:
 * what it serves is not looked up there, and need not be there.
 *
 * Assumptions: an entry holds a number of instructions of one line, in order,
 * from where the line is entered; the virtual line number chooses the set; code
 * is served if all of its entries are present. Otherwise it is fetched and
 * decoded, which takes the miss penalty, except in walks of jumps: foreseen
 * jumps let fetch and decoding run ahead of execution. Each byte of a cell's
 * code is an instruction, up to the jump at its end. (AMD since Zen: Software
 * Optimization Guides, "Op Cache". Intel's since Sandy Bridge holds nothing that
 * the instruction cache has lost, and hides nothing: it is not modelled.) */
#ifndef HWC_SIM_DECODED_H
#define HWC_SIM_DECODED_H

#include "hierarchy.h"

struct sim_decoded {
    const struct sim_description *description;
    struct sim_cache cache; /* has no sets if the machine has no such cache */
};

int sim_decoded_init(struct sim_decoded *decoded, const struct sim_description *description, struct hwc_error *error);
void sim_decoded_free(struct sim_decoded *decoded);

/* Execute a cell of `code_bytes` at the address. Returns whether this cache held all of it; afterwards it does. */
bool sim_decoded_serves(struct sim_decoded *decoded, uint64_t virtual_address, uint32_t code_bytes,
                        struct hwc_random *random);

/* Cycles that the fetches of these counts waited for decoding. */
double sim_decoded_cycles(const struct sim_decoded *decoded, const struct sim_counts *counts);

/* A hash of all state that further fetches at these places depend on. */
uint64_t sim_decoded_state(struct sim_decoded *decoded, const struct sim_place *places, size_t count);

/* Is replacement deterministic? */
bool sim_decoded_is_steady(const struct sim_decoded *decoded);

#endif
