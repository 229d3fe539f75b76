/* Two counters whose counts add up to an event's: their names with a "+" between, "r0084+r0f85". */
#ifndef HWC_COUNTERS_PARTS_H
#define HWC_COUNTERS_PARTS_H

#include "event.h"

enum { CTR_MOST_PARTS = 2 };

/* The names between the pluses, one or more. 0 if there are too many, or one is empty or too long. */
unsigned ctr_parts(const char *native, char part[CTR_MOST_PARTS][HWC_NATIVE_NAME]);

#endif
