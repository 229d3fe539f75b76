/* What a curve says of the machine: filling it in, and showing it. */
#ifndef HWC_READ_OFF_H
#define HWC_READ_OFF_H

#include "curve.h"
#include "show.h"

/* "L1 size" in that unit, of a series ("" = the curve as a whole): unknown so far. */
struct hwc_read_off hwc_read_off_of(const char *name, const char *unit, const char *series);

/* Its value; or bounds of it, and why no more is known; or why nothing is. */
void hwc_read_off_know(struct hwc_read_off *read_off, double value);
void hwc_read_off_bound(struct hwc_read_off *read_off, double low, double high, const char *reason);
void hwc_read_off_leave_open(struct hwc_read_off *read_off, const char *reason);

/* Where on the curve it shows. */
void hwc_read_off_show_at(struct hwc_read_off *read_off, double at);

/* "48 KiB", "0.7 to 1.3 MiB", "12 ways", "yes", "unknown"; without a unit that the name has already. */
void hwc_show_read_off(char text[HWC_SHOWN], const struct hwc_read_off *read_off);

#endif
