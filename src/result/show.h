/* The values of findings as text. */
#ifndef HWC_SHOW_H
#define HWC_SHOW_H

#include "fields.h"
#include "finding.h"

enum { HWC_SHOWN = 256 };

/* "48 KiB", "12", "5.0 cycles", "12.3 GB/s"; "yes" or "no" for a boolean. */
void hwc_show_number(char text[HWC_SHOWN], enum hwc_value_kind kind, double value);

/* The value, with nanoseconds if known; if only an interval is known, "3.4 to 4.2 MiB"; else "". */
void hwc_show_value(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* The text in the line of its level: the phrase of the field, how many votes agree if not all do, and the documented
 * value if it differs; "" if there is nothing to show. */
void hwc_show_phrase(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

#endif
