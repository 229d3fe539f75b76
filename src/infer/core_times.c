#include "core_times.h"

#include <math.h>

static const struct {
    double less, more; /* what a loop itself takes makes rates less than whole; nothing but errors makes them more */
    size_t alike;
    double eliminated, executed; /* cycles of a move: one that is executed takes one or more */
    double saved, none_saved;    /* cycles by which forwarding is shorter than a load that hits */
    double least;                /* cycles of an instruction */
} policy = {.less = 0.06, .more = 0.02, .alike = 2, .eliminated = 0.25, .executed = 0.75,
            .saved = 1, .none_saved = 0.25, .least = 1};

bool hwc_whole_rate(double rate, double *count)
{
    *count = ceil(rate / (1 + policy.more));
    return *count >= 1 && rate > *count * (1 - policy.less);
}

bool hwc_core_width(const double *rates, size_t rates_count, double *width)
{
    double highest = 0;
    size_t alike = 0;
    bool whole;

    for (size_t i = 0; i < rates_count; i++)
        highest = fmax(highest, rates[i]);
    whole = hwc_whole_rate(highest, width);
    for (size_t i = 0; i < rates_count; i++)
        alike += rates[i] > *width * (1 - policy.less);
    return whole && alike >= policy.alike;
}

enum hwc_said hwc_is_eliminated(double with, double without, double moves)
{
    double each = (with - without) / moves;

    if (each <= policy.eliminated)
        return HWC_SAID_YES;
    return each >= policy.executed ? HWC_SAID_NO : HWC_SAID_NEITHER;
}

enum hwc_said hwc_is_renamed(double forwarded, double load)
{
    if (forwarded <= load - policy.saved)
        return HWC_SAID_YES;
    return forwarded >= load - policy.none_saved ? HWC_SAID_NO : HWC_SAID_NEITHER;
}

struct hwc_load_bounds hwc_vector_load(const struct hwc_load_loops *loops)
{
    double most_back = loops->there_and_back - policy.least;

    return (struct hwc_load_bounds){.low = fmax(loops->integer, loops->vector_and_back - most_back),
                                    .high = loops->vector_and_back - policy.least};
}
