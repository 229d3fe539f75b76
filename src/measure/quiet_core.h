/* Doing something while nobody else works on this core.
 *
 * Sibling threads share a core's caches and tables, or part them; where one may
 * come and go, what was measured beside it is measured again, or not believed. */
#ifndef HWC_QUIET_CORE_H
#define HWC_QUIET_CORE_H

#include "lab.h"

/* Where others may disturb: does nobody else work on this core just now? Waits
 * for so many seconds at most until it is so. */
bool hwc_is_alone(const struct hwc_lab *lab, double wait_seconds);

/* What is done; HWC_UNAVAILABLE where it came to nothing. */
typedef int (*hwc_act)(struct hwc_lab *lab, void *context, struct hwc_error *error);

struct hwc_quiet_core {
    double wait_seconds; /* before each try, at most */
    unsigned tries;      /* until one was alone from its beginning to its end */
    bool needed;         /* else HWC_UNAVAILABLE; or the last try counts all the same */
};

/* Before a ballot about what sibling threads share or part. */
#define HWC_WAIT_FOR_BALLOT 1.0
/* A reading takes a millisecond, and a sibling that works has gaps of some: most tries are not alone to the end. */
#define HWC_TRIES_FOR_READING 24

/* What the last try returned. */
int hwc_on_quiet_core(struct hwc_lab *lab, const struct hwc_quiet_core *quiet, hwc_act act, void *context,
                      struct hwc_error *error);

#endif
