/* Pseudo-random numbers: xoshiro256** (Blackman and Vigna), seeded by
 * splitmix64. One generator per run, its seed in the profile's notes, so that
 * a run can be repeated. */
#ifndef HWC_RANDOM_H
#define HWC_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct hwc_random {
    uint64_t state[4];
};

void hwc_random_seed(struct hwc_random *random, uint64_t seed);
uint64_t hwc_random_next(struct hwc_random *random);

/* Uniform in [0, bound); bound > 0. */
uint64_t hwc_random_below(struct hwc_random *random, uint64_t bound);

/* Uniform in [0, 1). */
double hwc_random_unit(struct hwc_random *random);

/* Standard normal, by Box-Muller: a sum of uniforms is too thin in the tails. */
double hwc_random_normal(struct hwc_random *random);

/* Fisher-Yates: every order equally likely. */
void hwc_random_shuffle(struct hwc_random *random, uint64_t *values, size_t count);

#endif
