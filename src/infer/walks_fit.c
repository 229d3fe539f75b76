#include "walks_fit.h"

#include <math.h>

/* The curve as it would be if walks, which take longer in proportion to the pages, all took what those take that begin
 * where the level ends. */
static struct hwc_drawn_curve with_even_walks(const struct hwc_drawn_curve *curve, const struct hwc_fitted_level *last)
{
    struct hwc_drawn_curve even = *curve;

    for (size_t i = 0; i < even.points; i++) {
        double longer = even.bytes[i] / last->capacity, cycles = even.cycles[i].mean, hit = last->cycles.value;
        if (longer <= 1)
            continue;
        even.cycles[i] = (struct hwc_tally){0};
        hwc_tally_add(&even.cycles[i], hit + (cycles - hit) / longer);
        even.reading[i] /= longer;
    }
    return even;
}

void hwc_allow_longer_walks(const struct hwc_drawn_curve *curve, bool apart, struct hwc_levels_fit *fit)
{
    struct hwc_fitted_level *last;
    struct hwc_drawn_curve even;
    struct hwc_levels_fit other;

    if (fit->levels < 2)
        return;
    last = &fit->level[fit->levels - 1];
    even = with_even_walks(curve, last);
    if (!(apart ? hwc_fit_levels_apart : hwc_fit_levels)(&even, &other) || other.levels != fit->levels)
        return;
    last->low = fmin(last->low, other.level[other.levels - 1].low);
    last->high = fmax(last->high, other.level[other.levels - 1].high);
}
