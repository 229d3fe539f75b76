/* Chains of jumps in a fresh arena, and what a jump of them takes. */
#ifndef HWC_JUMP_CHAIN_H
#define HWC_JUMP_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab.h"

struct hwc_jump_chain {
    struct hwc_lab *lab;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base;
    bool alone; /* readings count only if nobody else worked on the core meanwhile */
};

/* Readings of a point at most, and of a whole curve where what disturbs it may pass. */
#define HWC_JUMP_LOOKS 3

/* Close in any case. */
int hwc_jump_chain_open(struct hwc_jump_chain *chain, struct hwc_lab *lab, struct hwc_error *error);
void hwc_jump_chain_close(struct hwc_jump_chain *chain);

/* Cycles per jump in a loop of `jumps` jumps, the distance-th of the distances apart (8 bytes << distance), each to the
 * next or in random order. */
int hwc_time_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double *cycles,
                   struct hwc_error *error);
int hwc_time_shuffled_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double *cycles,
                            struct hwc_error *error);

/* Cycles per jump. */
struct hwc_jump_time {
    double all, halved; /* half as many jumps go through the same lines and pages */
    double own;         /* what is left without the code's */
};

/* `halved`: it, where it is known; 0 = measure it. */
int hwc_time_own_jumps(struct hwc_jump_chain *chain, size_t jumps, unsigned distance, double halved,
                       struct hwc_jump_time *time, struct hwc_error *error);

#endif
