/* One reading of the eviction meter: touch a line, visit the others, and time the
 * line once more (Liu et al., S&P 2015; Vila et al., S&P 2019).
 *
 * The others are not timed: the core overlaps their loads, and one miss after
 * thousands of references stands out. The time of translation is excluded:
 * another line of the page is visited just before. So is the time of reading the
 * clock: a second reading at once finds the line in the first level, and
 * whatever slows the core for a while slows both. */
#ifndef HWC_EVICTION_READING_H
#define HWC_EVICTION_READING_H

#include "meter.h"

/* The walks that a reading plays, besides those over the others. */
struct hwc_eviction_walks {
    struct hwc_walk line, mate;
};

struct hwc_eviction {
    struct hwc_meter *meter;
    struct hwc_eviction_walks *walks;
    const struct hwc_walk *others; /* as they were laid out; the meter's walk plays them */
    size_t closing;   /* lines at the beginning of the others that come last */
    size_t reordered; /* lines behind them that are played in any order; the rest as they are */
    struct hwc_experiment experiment;
};

/* Two readings of the same time may differ by more than one step of the clock. */
enum { HWC_EVICTION_STEPS = 2 };

/* How far readings of the same time may differ: the clock's steps, plus a hit of this level. */
double hwc_eviction_reach(const struct hwc_eviction *eviction);

/* Is a step of the clock a large part of a miss? */
bool hwc_is_coarse_for(const struct hwc_meter *meter);

/* Lay the others out, with meter and walks set, and play once. */
int hwc_eviction_set_up(struct hwc_eviction *eviction, const struct hwc_question *question, struct hwc_walk *others,
                        struct hwc_error *error);

/* Play without reading: the previous question may have left the line elsewhere. */
int hwc_eviction_settle(const struct hwc_eviction *eviction, uint32_t plays, struct hwc_error *error);

/* The time of the line. `own`: what the first level takes is that sample's own reading, noisy but without a memory of
 * other samples. *disturbed: the sample was, or the line came from too far. */
int hwc_eviction_read(const struct hwc_eviction *eviction, bool own, double *cycles, bool *disturbed,
                      struct hwc_error *error);

/* The same in misses, as a draw of a sequential test; the context is the eviction. */
int hwc_eviction_draw(void *context, double *misses, bool *disturbed, struct hwc_error *error);

#endif
