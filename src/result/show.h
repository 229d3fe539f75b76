/* Values of findings as people read them. */
#ifndef HWC_SHOW_H
#define HWC_SHOW_H

#include "fields.h"
#include "finding.h"

enum { HWC_SHOWN = 256 };

/* "48 KiB", "12", "5.0 cycles"; of a boolean "yes" or "no". */
void hwc_show_number(char text[HWC_SHOWN], enum hwc_value_kind kind, double value);

/* The value, with nanoseconds where they are known; of an interval "3.4 to 4.2 MiB"; else "". */
void hwc_show_value(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

/* As the line of its level says it: the phrase of the field, how many votes agree where not all do, and what is
 * documented where that differs; "" where there is nothing to say. */
void hwc_show_phrase(char text[HWC_SHOWN], const struct hwc_field *field, const struct hwc_finding *finding);

#endif
