#include "sibling.h"

#include "kernels.h"
#include "statistics.h"

/* Long against the clock's steps: some clocks count in steps of 26 cycles and more. */
#define ADDITIONS 1024
/* A sibling that works has gaps: in some looks of many it is not seen. */
#define LOOKS 24
/* A sibling that works takes far more than this. */
#define MORE 1.1
/* The core's frequency stood still meanwhile. */
#define SAME 1.05

/* What a chain takes hangs on the core's frequency alone, and an interrupt only adds to it: the least counts. */
static double least_of_chains(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < LOOKS; i++) {
        uint64_t begin = native_ticks(), ticks;

        native_add_chain(ADDITIONS);
        ticks = native_ticks() - begin;
        if (ticks < least)
            least = ticks;
    }
    return (double)least;
}

static double side_by_side(void)
{
    uint64_t begin = native_ticks();

    native_add_side_by_side(ADDITIONS);
    return (double)(native_ticks() - begin);
}

bool native_is_alone(struct native_sibling *sibling)
{
    double looks[LOOKS], chain = least_of_chains(), after, usual, low;

    for (int i = 0; i < LOOKS; i++)
        looks[i] = side_by_side();
    after = least_of_chains();
    if (chain > SAME * after || after > SAME * chain)
        return false;
    usual = hwc_median(looks, LOOKS) / chain; /* sorts them */
    low = looks[0] / chain;
    if (sibling->least <= 0 || low < sibling->least)
        sibling->least = low;
    return usual <= MORE * sibling->least;
}
