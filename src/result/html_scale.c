#include "html_scale.h"

#include <math.h>

/* Values whose ends are as many times apart are drawn on a logarithmic scale. */
#define FAR_APART 8

struct hwc_scale hwc_scale_of_sizes(double low, double high, double from, double to)
{
    struct hwc_scale scale = {HWC_LINEAR, low, high, from, to};

    if (low > 0 && high >= FAR_APART * low)
        scale.kind = HWC_BINARY_LOG;
    if (high <= low)
        scale.high = low + 1;
    return scale;
}

/* 1, 2 or 5 times a power of ten: the next one from a value on, upwards or downwards. */
static double round_to(double value, bool upwards)
{
    static const double steps[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(value)));
    double found = upwards ? 10 * decade : decade;

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double step = steps[upwards ? 3 - i : i] * decade;
        if (upwards ? step >= value * (1 - 1e-9) : step <= value * (1 + 1e-9))
            found = step;
    }
    return found;
}

/* The step between named values of a linear scale, `fewest` of which fit between its ends. */
static double linear_step(double range, double fewest)
{
    return round_to(range / fewest, true);
}

struct hwc_scale hwc_scale_of_values(double low, double high, double from, double to)
{
    const double fewest = 4, near = 0.3; /* values that differ by less than this share need not begin at 0 */
    const double farthest = 1e5;         /* beyond, most of the scale would be of what is next to nothing */
    struct hwc_scale scale = {HWC_LINEAR, low, high, from, to};
    double step;

    if (low > 0 && high >= FAR_APART * low && high <= farthest * low) {
        scale.kind = HWC_DECIMAL_LOG;
        scale.low = round_to(low, false);
        scale.high = round_to(high, true);
        return scale;
    }
    if (low > 0 && (high - low > near * high || high == low))
        scale.low = 0;
    if (scale.high <= scale.low)
        scale.high = scale.low + 1;
    step = linear_step(scale.high - scale.low, fewest);
    scale.low = step * floor(scale.low / step + 1e-9);
    scale.high = step * ceil(scale.high / step - 1e-9);
    return scale;
}

static double part(const struct hwc_scale *scale, double value)
{
    if (scale->kind == HWC_LINEAR)
        return (value - scale->low) / (scale->high - scale->low);
    return value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : 0;
}

double hwc_scale_place(const struct hwc_scale *scale, double value)
{
    return scale->from + (scale->to - scale->from) * fmin(1, fmax(0, part(scale, value)));
}

static unsigned binary_ticks(const struct hwc_scale *scale, double apart, double ticks[HWC_MOST_TICKS])
{
    int first = (int)ceil(log2(scale->low) - 1e-9), last = (int)floor(log2(scale->high) + 1e-9), step = 1;
    double octave = fabs(scale->to - scale->from) / log2(scale->high / scale->low);
    unsigned count = 0;

    while (step * octave < apart || (last - first) / step >= HWC_MOST_TICKS)
        step++;
    for (int i = first; i <= last; i++)
        if (i % step == 0)
            ticks[count++] = ldexp(1, i);
    return count;
}

static unsigned decimal_ticks(const struct hwc_scale *scale, double apart, double ticks[HWC_MOST_TICKS])
{
    double decade = fabs(scale->to - scale->from) / log10(scale->high / scale->low), log_of_2 = log10(2);
    double tick = round_to(scale->low, true);
    unsigned count = 0, decades = decade < apart ? (unsigned)ceil(apart / decade) : 1;

    for (; tick <= scale->high * (1 + 1e-9) && count < HWC_MOST_TICKS; tick = round_to(tick * 1.5, true)) {
        double power = log10(tick);
        bool whole = fabs(power - round(power)) < 1e-9;
        if (decade * log_of_2 >= apart || (whole && lround(power) % decades == 0))
            ticks[count++] = tick;
    }
    return count;
}

static unsigned linear_ticks(const struct hwc_scale *scale, double apart, double ticks[HWC_MOST_TICKS])
{
    double range = scale->high - scale->low, most = floor(fabs(scale->to - scale->from) / apart);
    double step = linear_step(range, fmin(fmax(most, 1), HWC_MOST_TICKS - 2));
    unsigned count = 0;

    for (double i = ceil(scale->low / step - 1e-9); i * step <= scale->high + 1e-9 * range; i++)
        ticks[count++] = i * step + 0.0; /* no negative zero */
    return count;
}

unsigned hwc_scale_ticks(const struct hwc_scale *scale, double apart, double ticks[HWC_MOST_TICKS])
{
    switch (scale->kind) {
    case HWC_BINARY_LOG:
        return binary_ticks(scale, apart, ticks);
    case HWC_DECIMAL_LOG:
        return decimal_ticks(scale, apart, ticks);
    default:
        return linear_ticks(scale, apart, ticks);
    }
}
