#include "held_share.h"

#include <math.h>

/* Lines of one set: eight times the ways, and what chance adds to that. */
enum { MOST_WAYS = 512, MOST_LINES = 2 * MOST_WAYS << HWC_SHARE_ABOVE };

/* Of so few, one more or less makes a difference. */
static const unsigned ways_of[HWC_SPREADS] = {0, MOST_WAYS, 256, 128, 64, 32, 16, 8, 4, 3, 2, 1};

unsigned hwc_spread_ways(unsigned spread)
{
    return ways_of[spread];
}

static double share_evenly(double octaves)
{
    return octaves > 0 ? 1 - exp2(-octaves) : 0;
}

static double misses_of(unsigned lines, unsigned ways)
{
    return lines > ways ? lines - ways : 0;
}

/* Over the numbers of lines that a set may have, to ten standard deviations from the mean. */
static double share_by_chance(unsigned ways, double octaves)
{
    double mean = ways * exp2(octaves), reach = 10 * sqrt(mean) + 10;
    unsigned first = mean > reach ? (unsigned)(mean - reach) : 0;
    unsigned last = (unsigned)fmin(mean + reach, MOST_LINES - 1);
    double chance = exp(first * log(mean) - mean - lgamma(first + 1.0)), share = 0;

    for (unsigned lines = first; lines <= last; lines++) {
        share += chance * misses_of(lines, ways) / mean;
        chance *= mean / (lines + 1);
    }
    return share;
}

static const double powers[HWC_RIVALRIES] = {1, 1.5, 2, 3, 4};

static double with_rivals(double misses, unsigned rivalry)
{
    return rivalry == 0 ? misses : 1 - pow(1 - misses, powers[rivalry]);
}

static double octaves_at(int i)
{
    return (double)i / HWC_SHARES_PER_OCTAVE - HWC_SHARE_BELOW;
}

void hwc_held_share_init(struct hwc_held_share *share)
{
    for (unsigned spread = 0; spread < HWC_SPREADS; spread++)
        for (int i = 0; i < HWC_SHARES; i++) {
            double misses = spread == HWC_SPREAD_EVENLY ? share_evenly(octaves_at(i))
                                                        : share_by_chance(hwc_spread_ways(spread), octaves_at(i));
            for (unsigned rivalry = 0; rivalry < HWC_RIVALRIES; rivalry++)
                share->misses[rivalry][spread][i] = with_rivals(misses, rivalry);
        }
}

static double look_up(const double values[HWC_SHARES], double octaves)
{
    double at = fmax(octaves + HWC_SHARE_BELOW, 0) * HWC_SHARES_PER_OCTAVE;
    int below = (int)at;

    return below >= HWC_SHARES - 1 ? values[HWC_SHARES - 1]
                                   : values[below] + (at - below) * (values[below + 1] - values[below]);
}

double hwc_miss_share(const struct hwc_held_share *share, unsigned spread, unsigned rivalry, double octaves)
{
    return octaves >= HWC_SHARE_ABOVE ? with_rivals(share_evenly(octaves), rivalry)
                                      : look_up(share->misses[rivalry][spread], octaves);
}
