#include "walk_share.h"

#include <limits.h>
#include <math.h>

#include "fit.h"
#include "least.h"

/* What fits need not settle in every order and from every earlier state, for
 * example under a tree with unequal halves. Each set settles in some order, and
 * then stays so. What does not fit never settles. So the least of several orders
 * counts, until a few orders in a row have not lowered it. */
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

/* A reading is the least of AMP's samples and repeats well, but the time of hits differs between orders, by as much as
 * turns none into some, or some into many. That difference bounds the error of a reading. */
static double error_of_reading(void)
{
    return (hwc_fit_shares.many - hwc_fit_shares.some) / hwc_student_bound(UINT_MAX);
}

/* AMP's samples tell some from many. To tell none from some takes as many more as their shares lie nearer, squared. */
static unsigned most_readings(const struct hwc_lab *lab, double threshold)
{
    double apart = hwc_fit_shares.many - hwc_fit_shares.some, fine = (hwc_fit_shares.some - hwc_fit_shares.none) / 2;

    return threshold < hwc_fit_shares.many ? (unsigned)ceil(pow(apart / fine, 2)) : lab->settings.samples;
}

static int time_share(const struct hwc_walk_share *walk, double threshold, struct hwc_estimate *share,
                      enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_sequential_test test = {.threshold = threshold,
                                             .unit = 1,
                                             .known = error_of_reading(),
                                             .most = most_readings(walk->lab, threshold)};
    struct hwc_walk_share drawn = *walk;

    return hwc_test_sequentially(&test, draw, &drawn, share, side, error);
}

double hwc_unseen_share(const struct hwc_witness *witness)
{
    return hwc_counts(witness) ? 0 : hwc_fit_shares.many;
}

int hwc_ask_share(const struct hwc_walk_share *walk, double threshold, struct hwc_estimate *share, enum hwc_side *side,
                  struct hwc_error *error)
{
    return hwc_counts(walk->witness) ? count_share(walk, share, side, error)
                                     : time_share(walk, threshold, share, side, error);
}
