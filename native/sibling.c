#include "sibling.h"

#include "kernels.h"
#include "statistics.h"

/* Long against the clock's steps: some clocks count in steps of 26 cycles and more. */
#define ADDITIONS 1024
/* A sibling that works has gaps: in some looks of many it is not seen. */
#define LOOKS 24
/* A sibling that works takes far more than this. */
#define MORE 1.06

/* What a chain takes hangs on the core's frequency alone. That may change at any time: each look is held against the
 * chains right before and after it, and the median leaves out the looks that the frequency changed in, or others
 * interrupted. */
static double look_once(uint64_t chain_before, uint64_t *chain_after)
{
    uint64_t begin = native_ticks(), middle, end;

    native_add_side_by_side(ADDITIONS);
    middle = native_ticks();
    native_add_chain(ADDITIONS);
    end = native_ticks();
    *chain_after = end - middle;
    return 2.0 * (double)(middle - begin) / (double)(chain_before + *chain_after);
}

bool native_is_alone(struct native_sibling *sibling)
{
    double looks[LOOKS], usual;
    uint64_t chain;

    look_once(1, &chain);
    for (int i = 0; i < LOOKS; i++)
        looks[i] = look_once(chain, &chain);
    usual = hwc_median(looks, LOOKS);
    if (sibling->least <= 0 || usual < sibling->least)
        sibling->least = usual;
    return usual <= MORE * sibling->least;
}
