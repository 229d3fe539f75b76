#include "read_off.h"

#include <string.h>

struct hwc_read_off hwc_read_off_of(const char *name, const char *unit, const char *series)
{
    struct hwc_read_off read_off = {0};

    hwc_write(read_off.axis.name, sizeof read_off.axis.name, "%s", name);
    hwc_write(read_off.axis.unit, sizeof read_off.axis.unit, "%s", unit);
    hwc_write(read_off.series, sizeof read_off.series, "%s", series);
    return read_off;
}

void hwc_read_off_know(struct hwc_read_off *read_off, double value)
{
    read_off->known = true;
    read_off->value = value;
}

void hwc_read_off_bound(struct hwc_read_off *read_off, double low, double high, const char *reason)
{
    read_off->has_interval = true;
    read_off->low = low;
    read_off->high = high;
    hwc_read_off_leave_open(read_off, reason);
}

void hwc_read_off_leave_open(struct hwc_read_off *read_off, const char *reason)
{
    hwc_write(read_off->reason, sizeof read_off->reason, "%s", reason);
}

void hwc_read_off_show_at(struct hwc_read_off *read_off, double at)
{
    read_off->shows = true;
    read_off->at = at;
}

void hwc_show_read_off(char text[HWC_SHOWN], const struct hwc_read_off *read_off)
{
    bool named = strstr(read_off->axis.name, read_off->axis.unit) != NULL;
    const char *unit = named ? "" : read_off->axis.unit;

    if (read_off->known)
        hwc_show_in_unit(text, unit, read_off->value);
    else if (read_off->has_interval)
        hwc_show_between(text, unit, read_off->low, read_off->high);
    else
        hwc_write(text, HWC_SHOWN, "unknown");
}
