#include "sibling.h"

#include <math.h>

#include "kernels.h"
#include "statistics.h"

enum { LOOKS = 24 };

static const struct {
    uint64_t additions, glance_chain, glance_aside;
    int decides; /* index of the look that decides, of all in ascending order */
    double more;
    uint64_t rare;
    double bin, first_bin;
} policy = {
    .additions = 1024, /* much longer than the clock's steps, which may be some tens of cycles */
    .glance_chain = 2048,
    .glance_aside = 4096,
    /* A busy sibling pauses now and then, so some looks miss it; the others exceed this factor by far. */
    .decides = 20,
    .more = 1.06,
    /* On a quiet core independent additions always take the same time. Now and then a sibling slows the chain down more
     * than them, so their least time must have been seen in more than one answer in `rare`. */
    .rare = 200,
    .bin = 1.02, /* ratio of one bin to the one before */
    .first_bin = 0.5,
};

/* A chain's time depends on the core's frequency alone. That may change at any time, so each look is compared with the
 * chains right before and after it, and the median leaves out looks that a change or an interrupt fell into. */
static double look_once(uint64_t chain_before, uint64_t *chain_after)
{
    uint64_t begin = native_ticks(), middle, end;

    native_add_side_by_side(policy.additions);
    middle = native_ticks();
    native_add_chain(policy.additions);
    end = native_ticks();
    *chain_after = end - middle;
    return 2.0 * (double)(middle - begin) / (double)(chain_before + *chain_after);
}

static void count_look(struct native_sibling *sibling, double usual)
{
    double bin = log(usual / policy.first_bin) / log(policy.bin);

    sibling->asked++;
    if (bin >= 0 && bin < NATIVE_SIBLING_BINS)
        sibling->seen[(unsigned)bin]++;
}

static double least_not_rare(const struct native_sibling *sibling)
{
    unsigned bin = 0;

    while (bin + 2 < NATIVE_SIBLING_BINS && sibling->seen[bin] + sibling->seen[bin + 1] <= sibling->asked / policy.rare)
        bin++;
    return policy.first_bin * pow(policy.bin, bin + 1);
}

static void look(double looks[LOOKS])
{
    uint64_t chain;

    look_once(1, &chain);
    for (int i = 0; i < LOOKS; i++)
        looks[i] = look_once(chain, &chain);
}

double native_sibling_load(void)
{
    double looks[LOOKS];

    look(looks);
    return hwc_median(looks, LOOKS);
}

bool native_sibling_idle(struct native_sibling *sibling)
{
    double looks[LOOKS], usual;

    look(looks);
    usual = hwc_median(looks, LOOKS);
    count_look(sibling, usual);
    return looks[policy.decides] <= policy.more * least_not_rare(sibling); /* the median sorted them */
}

bool native_sibling_glance(struct native_sibling *sibling)
{
    uint64_t begin = native_ticks(), middle, end;
    double usual;

    native_add_side_by_side(policy.glance_aside);
    middle = native_ticks();
    native_add_chain(policy.glance_chain);
    end = native_ticks();
    usual = (double)(middle - begin) * (double)policy.glance_chain / ((double)(end - middle) * (double)policy.glance_aside);
    count_look(sibling, usual);
    return usual <= policy.more * least_not_rare(sibling);
}
