/* What the time of ever more jumps says of branch target buffers. Pure.
 *
 * Chains of so many jumps are timed at several distances between them. A step
 * that comes with the same number of jumps at each of three distances in a row
 * is one of a table of jumps; a step of caches and TLBs comes with the same
 * number of bytes, at half as many jumps of twice the distance. */
#ifndef HWC_JUMP_CURVE_H
#define HWC_JUMP_CURVE_H

#include <stddef.h>
#include <stdint.h>

#define HWC_JUMP_DISTANCES 4 /* each twice the one before */
#define HWC_JUMP_POINTS 25
#define HWC_JUMP_STEPS 3
/* The distances at which a step must show, one after the other. */
#define HWC_JUMP_WITNESSES 3

/* So many jumps at the i-th point: two points for each doubling, from 4 to 16384. */
size_t hwc_jumps_at(unsigned point);

struct hwc_jump_step {
    unsigned below, above; /* points */
    unsigned distance;     /* the first of those at which it shows */
    double rise;           /* cycles, the least of theirs */
};

/* Steps in cycles[distance][point] a jump, by ascending number of jumps; returns how many. */
unsigned hwc_jump_steps(double cycles[HWC_JUMP_DISTANCES][HWC_JUMP_POINTS], struct hwc_jump_step steps[HWC_JUMP_STEPS]);

/* The roundest number from `low` to `high`: the multiple of the greatest power
 * of two. Tables have as many entries as a small number of ways, or of banks, times a
 * power of two. */
uint64_t hwc_round_number(uint64_t low, uint64_t high);

#endif
