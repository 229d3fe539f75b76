#include "sequential.h"

#include <limits.h>
#include <math.h>

static double clip(double reading, const struct hwc_sequential_test *test)
{
    return fmin(fmax(reading, test->threshold - test->unit), test->threshold + test->unit);
}

/* The standard error if one more reading lay on the other side. */
static double cautious_error(const struct hwc_estimate *estimate, const struct hwc_sequential_test *test)
{
    double n = estimate->samples;
    double unseen = test->unit * test->unit / (n + 2);

    return sqrt(estimate->error * estimate->error + unseen / n);
}

enum hwc_side hwc_side_of(const struct hwc_estimate *estimate, double threshold)
{
    double bound = estimate->error > 0 ? hwc_student_bound(estimate->samples) * estimate->error : 0;

    if (fabs(estimate->value - threshold) <= bound)
        return HWC_STRADDLES;
    return estimate->value < threshold ? HWC_BELOW : HWC_ABOVE;
}

/* The error of a reading is known: the bound is the last of the t table, close to that of the normal distribution. */
static void look_with_known_error(const struct hwc_tally *tally, const struct hwc_sequential_test *test,
                                  struct hwc_estimate *estimate, enum hwc_side *side)
{
    double bound = hwc_student_bound(UINT_MAX) * test->known / sqrt(tally->readings);

    *estimate = (struct hwc_estimate){
        .value = tally->mean, .error = test->known / sqrt(tally->readings), .samples = tally->readings};
    if (fabs(tally->mean - test->threshold) <= bound)
        *side = HWC_STRADDLES;
    else
        *side = tally->mean < test->threshold ? HWC_BELOW : HWC_ABOVE;
}

static void look(const struct hwc_tally *tally, const struct hwc_sequential_test *test, struct hwc_estimate *estimate,
                 enum hwc_side *side)
{
    struct hwc_estimate cautious;

    *estimate = cautious = hwc_tally_mean(tally, test->resolution);
    cautious.error = cautious_error(estimate, test);
    *side = hwc_side_of(&cautious, test->threshold);
}

int hwc_test_sequentially(const struct hwc_sequential_test *test, hwc_draw draw, void *context,
                          struct hwc_estimate *estimate, enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_tally tally = {0};

    *side = HWC_STRADDLES;
    *estimate = (struct hwc_estimate){0};
    while (*side == HWC_STRADDLES && tally.readings + tally.disturbed / 2 < test->most) {
        double reading = 0;
        bool disturbed = false;
        TRY(draw(context, &reading, &disturbed, error));
        tally.disturbed += disturbed;
        if (disturbed)
            continue;
        hwc_tally_add(&tally, clip(reading, test));
        if (test->known > 0)
            look_with_known_error(&tally, test, estimate, side);
        else if (tally.readings >= 2)
            look(&tally, test, estimate, side);
    }
    estimate->disturbed = tally.disturbed;
    return HWC_OK;
}
