#include "sibling.h"

#include "kernels.h"
#include "statistics.h"

#define ADDITIONS 512
/* A sibling that works has gaps: in some looks of many it is not seen. A few may be low because an interrupt came into
 * their chain. */
#define LOOKS 40
#define LOW 2
/* A sibling that works takes far more than this. */
#define MORE 1.1

static double look(void)
{
    uint64_t begin = native_ticks(), between, end;

    native_add_side_by_side(ADDITIONS);
    between = native_ticks();
    native_add_chain(ADDITIONS);
    end = native_ticks();
    return (double)(between - begin) / (double)(end - between);
}

bool native_is_alone(struct native_sibling *sibling)
{
    double looks[LOOKS], usual, low;

    for (int i = 0; i < LOOKS; i++)
        looks[i] = look();
    usual = hwc_median(looks, LOOKS); /* sorts them */
    low = looks[LOW];
    if (sibling->least <= 0 || low < sibling->least)
        sibling->least = low;
    return usual <= MORE * sibling->least;
}
