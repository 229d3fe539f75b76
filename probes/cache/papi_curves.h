/* What papi_cacheSize and papi_cacheBlock have in common: the names of their curves and series, and of what is read
 * off. */
#ifndef HWC_PAPI_CURVES_H
#define HWC_PAPI_CURVES_H

#include "cost_line.h"

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

/* "DTLB1 misses, one load a page" */
const char *hwc_papi_page_series(const struct hwc_miss_source *source);

/* "L1 size", in that unit, of the series of the source: unknown so far. */
struct hwc_read_off hwc_papi_read_off(const struct hwc_miss_source *source, const char *what, const char *unit);

/* "L1 size", as a curve says it; 0 = it does not. */
double hwc_papi_known(const struct hwc_curve *curve, const struct hwc_miss_source *source, const char *what);

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
