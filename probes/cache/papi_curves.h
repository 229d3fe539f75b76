/* What papi_cacheSize and papi_cacheBlock have in common: the names of their curves and series, and of what is read
 * off. */
#ifndef HWC_PAPI_CURVES_H
#define HWC_PAPI_CURVES_H

#include <math.h>

#include "cost_line.h"
#include "read_off.h"

#define HWC_PAPI_SIZE "papi_cacheSize"
#define HWC_PAPI_BLOCK "papi_cacheBlock"
#define HWC_PAPI_TIME "time of a load"
#define HWC_PAPI_PAGE_TIME "time of a load, one a page"

static inline const char *hwc_papi_type(enum hwc_type type)
{
    return type == HWC_FLOAT ? "double" : "int";
}

/* Instead of a number that came out otherwise when it was looked for once more, and why there is none. */
#define HWC_PAPI_MOVES (-1.0)
extern const char hwc_papi_moves[];

static inline double hwc_papi_confirmed(double once, double again)
{
    return fabs(again - once) > 0 ? HWC_PAPI_MOVES : once;
}

/* "DTLB1 misses, one load a page" */
const char *hwc_papi_page_series(const struct hwc_miss_source *source);

/* "L1 size", in that unit, of the series of the source: unknown so far. */
struct hwc_read_off hwc_papi_read_off(const struct hwc_miss_source *source, const char *what, const char *unit);

/* "L1 size", as a curve says it; 0 = it does not. */
double hwc_papi_known(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what);

/* The same with what bounds it, where that is all that is known; 0 = nothing is. */
void hwc_papi_bounds(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what, double *low,
                     double *high);

/* Add what is read off: the value, or, if it is not positive, why there is none. */
int hwc_papi_say(struct hwc_curve *curve, struct hwc_read_off *says, double value, const char *reason,
                 struct hwc_error *error);

/* A step of the time that no count explains: a level is outgrown in [from, to]. */
struct hwc_papi_step {
    struct hwc_ramp ramp;
    double from, to;
};

enum { HWC_PAPI_STEPS = 8 };

/* What is known of the levels of one type of data, as its arrays grow. */
struct hwc_papi_sizes {
    unsigned sources;
    struct hwc_miss_source source[HWC_MISS_SOURCES];
    double size[HWC_MISS_SOURCES];       /* 0 = unknown */
    double low[HWC_MISS_SOURCES], high[HWC_MISS_SOURCES]; /* bounds of it by the curve itself; 0 = none */
    const struct hwc_papi_sizes *before; /* the same of another type; NULL = none */
    double last;                         /* bytes of the largest array */
    unsigned steps;
    struct hwc_papi_step step[HWC_PAPI_STEPS];
};

/* Find the steps of the time over array sizes, which was measured at each doubling. */
int hwc_papi_find_steps(struct hwc_lab *lab, struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                        struct hwc_error *error);

/* Read them off: of levels that are not counted. */
int hwc_papi_say_steps(struct hwc_lab *lab, const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                       struct hwc_curve *curve, struct hwc_error *error);

/* Add the curves of papi_cacheSize. */
int hwc_papi_measure_sizes(struct hwc_lab *lab, struct hwc_curves *curves, struct hwc_error *error);

/* Add the curve of what memory keeps of arrays that outgrow it, if the user wants that. */
int hwc_papi_measure_memory(struct hwc_lab *lab, struct hwc_curves *curves, struct hwc_error *error);

/* Read off how many entries the data TLBs have, over pages in an array of ordinary ones. */
int hwc_papi_read_entries(struct hwc_lab *lab, struct hwc_array *array, struct hwc_curve *curve,
                          struct hwc_error *error);

/* Read off the time what papi_cacheBlock cannot count: sizes are those of papi_cacheSize. */
int hwc_papi_block_by_time(struct hwc_lab *lab, struct hwc_curve *curve, const struct hwc_curve *sizes,
                           struct hwc_array *large, struct hwc_array *base, struct hwc_error *error);

/* The capacity that a ramp of the time shows. Sizes are round: a whole number of ways of a power of two. If the
 * interval is so narrow that a number as round as its roundest would hardly lie there by chance, it is the value. */
void hwc_papi_round(const struct hwc_ramp *ramp, struct hwc_read_off *says);

#endif
