#include "access_quantile.h"

#include <math.h>

static const struct {
    int searches;
    double most_cycles;
} policy = {.searches = 3, .most_cycles = 4096};

static int search(hwc_ask_slow ask, const void *context, double share, double resolution, double *cycles,
                  struct hwc_error *error)
{
    double low = 1, high = policy.most_cycles;

    while (high > low * (1 + resolution)) {
        double middle = sqrt(low * high), found;
        TRY(ask(context, middle, &found, error));
        *(found <= share ? &high : &low) = middle;
    }
    *cycles = high;
    return HWC_OK;
}

int hwc_least_quantile(hwc_ask_slow ask, const void *context, double share, double resolution, double *cycles,
                       struct hwc_error *error)
{
    *cycles = INFINITY;
    for (int i = 0; i < policy.searches; i++) {
        double found = 0;
        TRY(search(ask, context, share, resolution, &found, error));
        *cycles = fmin(*cycles, found);
    }
    return HWC_OK;
}
