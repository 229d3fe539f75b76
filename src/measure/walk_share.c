#include "walk_share.h"

#include <limits.h>
#include <math.h>

#include "fit.h"
#include "least.h"

/* What fits need not come to rest in every order, from all that was there
 * before: under a tree whose halves are not alike, say. Set by set it does in
 * one order or another, and stays. What does not fit never does. So the least
 * of a few orders counts, for as long as one of the last few still had less. */
enum { ORDERS_IN_VAIN = 3 };

static int count_share(const struct hwc_walk_share *walk, struct hwc_estimate *share, enum hwc_side *side,
                       struct hwc_error *error)
{
    struct hwc_least least = {0};
    size_t references = 1;

    *side = HWC_ABOVE;
    for (int in_vain = 0; *side == HWC_ABOVE && in_vain < ORDERS_IN_VAIN;) {
        double misses = 0, before = least.taken > 0 ? least.value : INFINITY;
        TRY(walk->read(walk->context, &misses, &references, error));
        hwc_least_add(&least, misses);
        in_vain = least.value < before - 0.5 ? 0 : in_vain + 1;
        if (least.value < 0.5)
            *side = HWC_BELOW;
    }
    *share = (struct hwc_estimate){.value = round(least.value) / (double)references, .samples = least.taken};
    return HWC_OK;
}

static int draw(void *context, double *reading, bool *disturbed, struct hwc_error *error)
{
    const struct hwc_walk_share *walk = context;
    size_t references = 1;
    double misses = 0;

    TRY(walk->read(walk->context, &misses, &references, error));
    *reading = misses / (double)references;
    *disturbed = false;
    return HWC_OK;
}

/* A reading is the least of AMP's samples and repeats itself well, but what hits take in one order and in another
 * differs: none may pass for some, and some for many. */
static int time_share(const struct hwc_walk_share *walk, struct hwc_estimate *share, enum hwc_side *side,
                      struct hwc_error *error)
{
    const struct hwc_sequential_test test = {
        .threshold = hwc_fit_shares.many,
        .unit = 1,
        .known = (hwc_fit_shares.many - hwc_fit_shares.some) / hwc_student_bound(UINT_MAX),
        .most = walk->lab->settings.samples};
    struct hwc_walk_share drawn = *walk;

    return hwc_test_sequentially(&test, draw, &drawn, share, side, error);
}

double hwc_unseen_share(const struct hwc_witness *witness)
{
    return hwc_counts(witness) ? 0 : hwc_fit_shares.many;
}

int hwc_ask_share(const struct hwc_walk_share *walk, struct hwc_estimate *share, enum hwc_side *side,
                  struct hwc_error *error)
{
    return (hwc_counts(walk->witness) ? count_share : time_share)(walk, share, side, error);
}
