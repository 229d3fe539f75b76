#include "likelihood.h"

#include <math.h>

static const struct {
    double odds;
    double apart;
} policy = {.odds = 1000, .apart = 0.25};

double hwc_chance_of(unsigned late, unsigned readings)
{
    return (late + 1.0) / (readings + 2.0);
}

bool hwc_chances_tell(const struct hwc_chances *chances)
{
    return chances->below > 0 && chances->above >= chances->below + policy.apart;
}

/* What a reading adds to the logarithm of the odds that the side is above. */
static double weight_of(const struct hwc_chances *chances, bool late)
{
    return late ? log(chances->above / chances->below) : log((1 - chances->above) / (1 - chances->below));
}

int hwc_test_by_likelihood(const struct hwc_chances *chances, double limit, unsigned most, hwc_draw draw, void *context,
                           enum hwc_side *side, struct hwc_error *error)
{
    double odds = 0, decided = log(policy.odds);
    unsigned readings = 0, disturbed = 0;

    while (fabs(odds) < decided && readings + disturbed / 2 < most) {
        double reading = 0;
        bool spoiled = false;
        TRY(draw(context, &reading, &spoiled, error));
        disturbed += spoiled;
        if (spoiled)
            continue;
        readings++;
        odds += weight_of(chances, reading > limit);
    }
    *side = fabs(odds) < decided ? HWC_STRADDLES : odds > 0 ? HWC_ABOVE : HWC_BELOW;
    return HWC_OK;
}
