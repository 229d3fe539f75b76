/* From how many variables on is code slower, as some have no registers? Pure.
 *
 * Where the core hands on in no time what was just stored, spilled variables cost little, and what they do cost depends
 * on how the loop's instructions fall in groups: code may be slower with an even number of variables, and as fast as ever
 * with the odd ones before and after it. So numbers are tried in pairs of neighbours. Only where these say the same is an
 * interval halved; else all numbers in it count. */
#ifndef HWC_SLOWER_CODE_H
#define HWC_SLOWER_CODE_H

#include <stdbool.h>
#include <stddef.h>

enum { HWC_FEWEST_VARIABLES = 2, HWC_MOST_VARIABLES = 128, HWC_NEXT_VARIABLES = 16 };

enum hwc_pace {
    HWC_NOT_TIMED,
    HWC_AS_FAST,     /* surely as fast as with the fewest variables */
    HWC_SLOWER,      /* surely slower */
    HWC_PACE_UNSURE, /* in between, or the one in some timings and the other in others */
};

/* A statement's time in the code in question, and in that of the fewest variables at about the same time. */
struct hwc_paced {
    double cycles, fewest;
};

/* Code in which each of so many variables is used in turn, with so many statements in the loop. */
struct hwc_loop_size {
    unsigned variables, statements;
};

/* Do all readings say the same? Then a few will do. `count` > 0. */
bool hwc_paces_agree(const struct hwc_paced *readings, size_t count, struct hwc_loop_size size);

/* What readings say, but for one: that may be what somebody else did. `count` > 0. */
enum hwc_pace hwc_pace_of(const struct hwc_paced *readings, size_t count, struct hwc_loop_size size);

/* What is known of each number of variables. Zero-initialise. */
struct hwc_paces {
    enum hwc_pace of[HWC_MOST_VARIABLES + 1];
};

/* The numbers to be timed next; 0 = there are none. */
size_t hwc_next_variables(const struct hwc_paces *paces, unsigned next[HWC_NEXT_VARIABLES]);

/* So many variables do not make code slower: at least `low`, as those and all fewer that were timed are surely as fast,
 * and at most `high`, as one more is surely slower. 0 = none was. */
struct hwc_fast_variables {
    unsigned low, high;
};

struct hwc_fast_variables hwc_fast_variables(const struct hwc_paces *paces);

#endif
