/* Values in the units of findings and curves. */
#include <math.h>
#include <string.h>

#include "show.h"

/* The kind of the first finding in this unit; counts for a unit that no finding has. */
static enum hwc_value_kind kind_of(const char *unit)
{
    if (strcmp(unit, HWC_YES_OR_NO) == 0)
        return HWC_VALUE_BOOLEAN;
    for (enum hwc_field_id id = HWC_NO_FIELD + 1; id < HWC_FIELDS; id++)
        if (unit[0] != '\0' && strcmp(hwc_fields[id].unit, unit) == 0)
            return hwc_fields[id].kind;
    return HWC_VALUE_COUNT;
}

/* Large numbers: powers of two with binary prefixes, others with decimal ones. */
static void show_count(char text[HWC_SHOWN], double value)
{
    static const char *const binary[] = {"", " Ki", " Mi", " Gi"}, *const decimal[] = {"", " k", " M", " G"};
    const double largest = 8192; /* that is written out */
    bool whole = fmod(value, 1024) == 0;
    double base = whole ? 1024 : 1000;
    unsigned prefix = 0;

    if (fabs(value) > largest)
        while (fabs(value) >= base && prefix < 3) {
            value /= base;
            prefix++;
        }
    hwc_write(text, HWC_SHOWN, "%.4g%s", value, whole ? binary[prefix] : decimal[prefix]);
}

void hwc_show_tick(char text[HWC_SHOWN], const char *unit, double value)
{
    enum hwc_value_kind kind = kind_of(unit);

    if (value == 0)
        hwc_write(text, HWC_SHOWN, "0");
    else if (kind == HWC_VALUE_BYTES)
        hwc_show_number(text, kind, value);
    else if (kind == HWC_VALUE_RATE)
        hwc_write(text, HWC_SHOWN, "%.4g GB/s", value / 1e3);
    else
        show_count(text, value);
}

void hwc_show_in_unit(char text[HWC_SHOWN], const char *unit, double value)
{
    char number[HWC_SHOWN];
    enum hwc_value_kind kind = kind_of(unit);

    if (kind != HWC_VALUE_COUNT) {
        hwc_show_number(text, kind, value);
        return;
    }
    show_count(number, value);
    hwc_write(text, HWC_SHOWN, "%s%s%s", number, unit[0] != '\0' ? " " : "", unit);
}

void hwc_show_between(char text[HWC_SHOWN], const char *unit, double low, double high)
{
    enum hwc_value_kind kind = kind_of(unit);
    char bounds[HWC_SHOWN];

    hwc_show_interval(bounds, kind, low, high);
    if (kind == HWC_VALUE_BYTES || kind == HWC_VALUE_CYCLES || unit[0] == '\0')
        hwc_write(text, HWC_SHOWN, "%s", bounds);
    else
        hwc_write(text, HWC_SHOWN, "%s %s", bounds, unit);
}
