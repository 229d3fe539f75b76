/* A validation in words, for text and pages. */
#ifndef HWC_VALIDATION_SHOW_H
#define HWC_VALIDATION_SHOW_H

#include "profile.h"
#include "show.h"

/* "nothing differs", "3 differences, 1 of them from what is documented alone" */
void hwc_show_differences(char text[HWC_SHOWN], const struct hwc_validation *validation);

/* "L1d size" */
void hwc_show_row_name(char text[HWC_SHOWN], const struct hwc_validated *row);

/* "48 KiB"; "" if nothing is documented. */
void hwc_show_documented(char text[HWC_SHOWN], const struct hwc_validated *row);

/* "agree", "differ: the clock stands", "not as documented" */
void hwc_show_says(char text[HWC_SHOWN], const struct hwc_validated *row);

/* "0.1 % of 8 lines missed, 100 % of 9"; "" if nothing was counted. */
void hwc_show_walks(char text[HWC_SHOWN], enum hwc_group group, const struct hwc_walk_counts *counted);

/* Undecided rows are gathered by the part of their reasons before the details. For the first one of its kind:
 * "only the clock tells (8): L1d latency, miss penalty, L2 latency"; for any other row, false. */
enum { HWC_LISTED = 8192 };
bool hwc_list_undecided(char text[HWC_LISTED], const struct hwc_validation *validation, unsigned row);

#endif
