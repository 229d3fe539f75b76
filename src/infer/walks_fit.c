#include "walks_fit.h"

#include <math.h>

static bool fit_curve(const struct hwc_drawn_curve *curve, bool apart, struct hwc_levels_fit *fit)
{
    return apart ? hwc_fit_levels_apart(curve, fit) : hwc_fit_levels(curve, fit);
}

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

bool hwc_fit_walks(const struct hwc_drawn_curve *curve, bool apart, struct hwc_levels_fit *fit)
{
    struct hwc_fitted_level *last;
    struct hwc_drawn_curve even;
    struct hwc_levels_fit other;

    if (!fit_curve(curve, apart, fit))
        return false;
    if (fit->levels < 2)
        return true;
    last = &fit->level[fit->levels - 1];
    even = with_even_walks(curve, last);
    if (fit_curve(&even, apart, &other) && other.levels == fit->levels) {
        last->low = fmin(last->low, other.level[other.levels - 1].low);
        last->high = fmax(last->high, other.level[other.levels - 1].high);
    }
    return true;
}
