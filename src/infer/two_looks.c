#include "two_looks.h"

#include "estimate.h"

static const struct {
    double least; /* standard deviation between places, as a share of the mean */
    double times; /* as large as that of the differences between both looks */
} policy = {.least = 0.03, .times = 3};

bool hwc_places_differ(const double *first, const double *second, size_t places)
{
    struct hwc_tally of_places = {0}, of_looks = {0};
    double least, deviation_squared;

    for (size_t i = 0; i < places; i++) {
        hwc_tally_add(&of_places, second[i]);
        hwc_tally_add(&of_looks, second[i] - first[i]);
    }
    least = policy.least * of_places.mean;
    deviation_squared = of_places.squares / (double)places;
    return deviation_squared > least * least && of_places.squares > policy.times * policy.times * of_looks.squares;
}
