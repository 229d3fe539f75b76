#include "show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    double bytes;
    double whole; /* bytes; a value that is no multiple of this is shown in a smaller unit */
} units[] = {{"GiB", 1 << 30, 1 << 26}, {"MiB", 1 << 20, 1 << 16}, {"KiB", 1 << 10, 1 << 6}, {"B", 1, 0}};

static size_t unit_of(double bytes, bool exactly)
{
    size_t unit = 0;

    while (units[unit].bytes > 1 && (bytes < units[unit].bytes || (exactly && fmod(bytes, units[unit].whole) != 0)))
        unit++;
    return unit;
}

/* Of less than one, two digits: four instructions a cycle are 0.25 cycles each. */
static int decimals_of(double value)
{
    if (value > 0 && value < 0.995)
        return 2;
    return fabs(value) < 100 ? 1 : 0;
}

static void show_rounded(char text[HWC_SHOWN], double value, const char *unit)
{
    hwc_write(text, HWC_SHOWN, "%.*f %s", decimals_of(value), value, unit);
}

/* A rate's units, as bandwidths are quoted, are powers of ten. */
static void show_rate(char text[HWC_SHOWN], double value)
{
    if (value >= 1e3)
        show_rounded(text, value / 1e3, "GB/s");
    else
        show_rounded(text, value, "MB/s");
}

void hwc_show_number(char text[HWC_SHOWN], enum hwc_value_kind kind, double value)
{
    size_t unit = unit_of(value, true);

    switch (kind) {
    case HWC_VALUE_BYTES:
        hwc_write(text, HWC_SHOWN, "%.6g %s", value / units[unit].bytes, units[unit].name);
        break;
    case HWC_VALUE_CYCLES:
        show_rounded(text, value, "cycles");
        break;
    case HWC_VALUE_RATE:
        show_rate(text, value);
        break;
    case HWC_VALUE_FREQUENCY:
        hwc_write(text, HWC_SHOWN, "%.0f MHz", value);
        break;
    case HWC_VALUE_BOOLEAN:
        hwc_write(text, HWC_SHOWN, "%s", value != 0 ? "yes" : "no");
        break;
    default:
        hwc_write(text, HWC_SHOWN, "%.15g", value);
    }
}

void hwc_show_interval(char text[HWC_SHOWN], enum hwc_value_kind kind, double low, double high)
{
    size_t unit = unit_of(high, false);

    if (kind == HWC_VALUE_BYTES)
        hwc_write(text, HWC_SHOWN, "%.3g to %.3g %s", low / units[unit].bytes, high / units[unit].bytes,
                  units[unit].name);
    else if (kind == HWC_VALUE_CYCLES)
        hwc_write(text, HWC_SHOWN, "%.1f to %.1f cycles", low, high);
    else
        hwc_write(text, HWC_SHOWN, "%.15g to %.15g", low, high);
}

void hwc_show_value(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding)
{
    char number[HWC_SHOWN], nanoseconds[HWC_SHOWN] = "";

    text[0] = '\0';
    if (!finding->known && finding->has_interval)
        hwc_show_interval(text, field->kind, finding->low, finding->high);
    if (!finding->known)
        return;
    if (field->kind == HWC_VALUE_WORD)
        hwc_write(number, sizeof number, "%s", finding->text);
    else
        hwc_show_number(number, field->kind, finding->value);
    if (finding->nanoseconds > 0)
        show_rounded(nanoseconds, finding->nanoseconds, "ns");
    hwc_write(text, HWC_SHOWN, nanoseconds[0] != '\0' ? "%s (%s)" : "%s%s", number, nanoseconds);
}

void hwc_show_answer(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding)
{
    hwc_show_value(text, field, finding);
    if (text[0] == '\0' && finding->why == HWC_WHY_NOTHING)
        hwc_write(text, HWC_SHOWN, "none");
}

bool hwc_differs(const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    double documented = finding->documented;

    if (!finding->has_documented)
        return false;
    if (!finding->known)
        return finding->has_interval && (documented < finding->low || documented > finding->high);
    if (kind == HWC_VALUE_CYCLES)
        return fabs(finding->value - documented) > hwc_same_cycles(documented);
    return finding->value != documented;
}

/* Put the value in place of the phrase's "%s"; "" if either is missing. */
static void fill_in(char text[HWC_SHOWN], const char *phrase, const char *value)
{
    const char *slot = strstr(phrase, "%s");

    if (slot == NULL || value[0] == '\0')
        text[0] = '\0';
    else
        hwc_write(text, HWC_SHOWN, "%.*s%s%s", (int)(slot - phrase), phrase, value, slot + 2);
}

static void choose(char text[HWC_SHOWN], const char *phrase, bool yes)
{
    size_t first = strcspn(phrase, "|");

    if (yes)
        hwc_write(text, HWC_SHOWN, "%.*s", (int)first, phrase);
    else
        hwc_write(text, HWC_SHOWN, "%s", phrase[first] == '|' ? phrase + first + 1 : "");
}

/* A count's phrase may have a text of its own for 1. */
static bool is_one(const struct hwc_field *field, const struct hwc_finding *finding)
{
    return field->kind == HWC_VALUE_COUNT && strchr(field->phrase, '|') != NULL && finding->known &&
           finding->value == 1;
}

static const char *last_of(const char *phrase)
{
    const char *last = strrchr(phrase, '|');

    return last != NULL ? last + 1 : phrase;
}

static void add(char text[HWC_SHOWN], const char *what)
{
    hwc_write(text + strlen(text), HWC_SHOWN - strlen(text), "%s", what);
}

void hwc_show_phrase(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding)
{
    char value[HWC_SHOWN];

    text[0] = '\0';
    if (field->phrase == NULL || !finding->asked)
        return;
    hwc_show_value(value, field, finding);
    if (field->kind == HWC_VALUE_BOOLEAN && finding->known)
        choose(text, field->phrase, finding->value != 0);
    else if (is_one(field, finding))
        choose(text, field->phrase, true);
    else
        fill_in(text, last_of(field->phrase), value);
    if (text[0] == '\0')
        return;
    if (finding->known && finding->alike < finding->votes) {
        hwc_write(value, sizeof value, " (%u of %u)", finding->alike, finding->votes);
        add(text, value);
    }
    if (hwc_differs(finding, field->kind)) {
        add(text, " (documented: ");
        hwc_show_number(value, field->kind, finding->documented);
        add(text, value);
        add(text, ")");
    }
}

static void show_how_far(char text[HWC_SHOWN], const struct hwc_finding *finding, const char *documented)
{
    double least = finding->known ? finding->value : finding->low, most = finding->known ? finding->value : finding->high;

    if (!finding->known)
        hwc_write(text, HWC_SHOWN, "%s than the documented %s", most < finding->documented ? "less" : "more", documented);
    else if (least > 0 && finding->documented > 0)
        hwc_write(text, HWC_SHOWN, "%.3g times the documented %s", least / finding->documented, documented);
    else
        hwc_write(text, HWC_SHOWN, "documented: %s", documented);
}

void hwc_show_verdict(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding)
{
    char documented[HWC_SHOWN];

    text[0] = '\0';
    if (!finding->has_documented)
        return;
    hwc_show_number(documented, field->kind, finding->documented);
    if (hwc_differs(finding, field->kind))
        show_how_far(text, finding, documented);
    else if (finding->known)
        hwc_write(text, HWC_SHOWN, "as documented");
    else
        hwc_write(text, HWC_SHOWN, "%s %s", finding->has_interval ? "may be the documented" : "documented:", documented);
}

bool hwc_says_more(const struct hwc_finding *finding)
{
    const struct hwc_round *first = &finding->round[0];

    return finding->rounds > 1 || (finding->rounds == 1 && (first->abstained > 0 || first->values > 1));
}

void hwc_show_round(char text[HWC_SHOWN], const struct hwc_finding *finding, unsigned round, enum hwc_value_kind kind)
{
    const struct hwc_round *shown = &finding->round[round];
    unsigned values = kind != HWC_VALUE_WORD ? shown->values : 0;
    char value[64];

    hwc_write(text, HWC_SHOWN, "round %u: %u cast, %u abstained, %u disturbed%s", round + 1, shown->cast,
              shown->abstained, shown->disturbed, values > 0 ? ";" : "");
    for (unsigned i = 0; i < values; i++) {
        snprintf(value, sizeof value, " %u for %.15g%s", shown->value[i].votes, shown->value[i].value,
                 i + 1 < values ? "," : "");
        add(text, value);
    }
}
