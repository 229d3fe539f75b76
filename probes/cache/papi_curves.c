#include "papi_curves.h"

static const struct {
    double chance; /* one in so many intervals has so round a number by chance */
} policy = {.chance = 16};

const char hwc_papi_moves[] = "looked for twice, the time rises at two places: others work on this machine";

const char *hwc_papi_page_series(const struct hwc_miss_source *source)
{
    return source->level == 1 ? "DTLB1 misses, one load a page" : "DTLB2 misses, one load a page";
}

struct hwc_read_off hwc_papi_read_off(const struct hwc_miss_source *source, const char *what, const char *unit)
{
    char name[48], series[48];

    hwc_write(name, sizeof name, "%s %s", source->of, what);
    hwc_write(series, sizeof series, "%s misses", source->of);
    return hwc_read_off_of(name, unit, series);
}

static const struct hwc_read_off *find(const struct hwc_curve *curve, const struct hwc_miss_source *source,
                                       const char *what)
{
    char name[48];

    hwc_write(name, sizeof name, "%s %s", source->of, what);
    return hwc_curve_says(curve, name);
}

double hwc_papi_known(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what)
{
    const struct hwc_read_off *says = find(curve, source, what);

    return says != NULL && says->known ? says->value : 0;
}

void hwc_papi_bounds(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what, double *low,
                     double *high)
{
    const struct hwc_read_off *says = find(curve, source, what);

    *low = *high = 0;
    if (says != NULL && says->known) {
        *low = *high = says->value;
    } else if (says != NULL && says->has_interval) {
        *low = says->low;
        *high = says->high;
    }
}

int hwc_papi_say(struct hwc_curve *curve, struct hwc_read_off *says, double value, const char *reason,
                 struct hwc_error *error)
{
    if (value > 0)
        hwc_read_off_know(says, value);
    else
        hwc_read_off_leave_open(says, reason);
    return hwc_read_off_add(curve, says, error);
}

void hwc_papi_round(const struct hwc_ramp *ramp, struct hwc_read_off *says)
{
    double power, round;

    if (!ramp->fits) {
        hwc_read_off_leave_open(says, "the time does not rise as it does where an LRU level is outgrown");
        return;
    }
    hwc_read_off_show_at(says, ramp->capacity);
    hwc_read_off_bound(says, ramp->low, ramp->high, "the time bounds it no closer");
    round = hwc_roundest(ramp->low, ramp->high, &power);
    if (power >= policy.chance * (ramp->high - ramp->low))
        hwc_read_off_know(says, round);
}
