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
    struct hwc_read_off says = {0};

    hwc_write(says.axis.name, sizeof says.axis.name, "%s %s", source->of, what);
    hwc_write(says.axis.unit, sizeof says.axis.unit, "%s", unit);
    hwc_write(says.series, sizeof says.series, "%s misses", source->of);
    return says;
}

double hwc_papi_known(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what)
{
    const struct hwc_read_off *says;
    char name[48];

    hwc_write(name, sizeof name, "%s %s", source->of, what);
    says = hwc_curve_says(curve, name);
    return says != NULL ? says->value : 0;
}

void hwc_papi_round(const struct hwc_ramp *ramp, struct hwc_read_off *says)
{
    double power;

    says->at = ramp->capacity;
    says->shows = ramp->fits;
    if (!ramp->fits) {
        hwc_write(says->reason, sizeof says->reason,
                  "the time does not rise as it does where an LRU level is outgrown");
        return;
    }
    says->has_interval = true;
    says->low = ramp->low;
    says->high = ramp->high;
    says->value = hwc_roundest(ramp->low, ramp->high, &power);
    says->known = power >= policy.chance * (ramp->high - ramp->low);
    if (!says->known)
        hwc_write(says->reason, sizeof says->reason, "the time bounds it no closer");
}
