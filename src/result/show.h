/* The values of findings as text. */
#ifndef HWC_SHOW_H
#define HWC_SHOW_H

#include <math.h>

#include "fields.h"
#include "finding.h"

enum { HWC_SHOWN = 256 };

/* Times that are a tenth or half a cycle apart, whichever is more, are the same; so are rates a tenth apart. */
#define HWC_SAME_RATE 0.1

static inline double hwc_same_cycles(double cycles)
{
    return fmax(0.5, 0.1 * cycles);
}

/* "48 KiB", "12", "5.0 cycles", "12.3 GB/s"; "yes" or "no" for a boolean. */
void hwc_show_number(char text[HWC_SHOWN], enum hwc_value_kind kind, double value);

/* "3.4 to 4.2 MiB", "4.0 to 5.0 cycles" */
void hwc_show_interval(char text[HWC_SHOWN], enum hwc_value_kind kind, double low, double high);

/* The value, with nanoseconds if known; if only an interval is known, "3.4 to 4.2 MiB"; else "". */
void hwc_show_value(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* As above; "none" if the answer is that there is no such thing. */
void hwc_show_answer(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* The text in the line of its level: the phrase of the field, how many votes agree if not all do, and the documented
 * value if it differs; "" if there is nothing to show. */
void hwc_show_phrase(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* Does what is documented differ from what was measured, or lie outside its bounds? */
bool hwc_differs(const struct hwc_finding *finding, enum hwc_value_kind kind);

/* How it compares, in words: "as documented", "0.25 times the documented 32 MiB"; "" if nothing is documented. */
void hwc_show_verdict(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* Does a vote's course say more than its votes? A single unanimous round does not. */
bool hwc_says_more(const struct hwc_finding *finding);

/* "round 1: 8 cast, 0 abstained, 0 disturbed; 7 for 32768, 1 for 16384" */
void hwc_show_round(char text[HWC_SHOWN], const struct hwc_finding *finding, unsigned round, enum hwc_value_kind kind);

/* A value in a unit of findings and curves, as short as can be: "64 KiB", "1.5 M", "0.25". */
void hwc_show_tick(char text[HWC_SHOWN], const char *unit, double value);

/* The unit of what is 1 or 0. */
#define HWC_YES_OR_NO "yes or no"

/* The same with its unit: "64 KiB", "32 entries", "4.5 cycles". */
void hwc_show_in_unit(char text[HWC_SHOWN], const char *unit, double value);

/* Bounds in a unit: "30.1 to 33.5 MiB". */
void hwc_show_between(char text[HWC_SHOWN], const char *unit, double low, double high);

#endif
