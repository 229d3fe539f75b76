/* What is read off the traditional surface of stride by size (Saavedra): the average time of a reference to an array
 * of a size, one every `stride` bytes, both powers of two. Pure.
 *
 * Along the strides of an array larger than a level, the time rises to that of a miss, reached at the line size. At
 * that stride, it jumps from one size to the next where a level is full. Where the stride leaves no more references
 * than the first level has ways, they fit again, however large the array is. */
#ifndef HWC_SAAVEDRA_H
#define HWC_SAAVEDRA_H

#include <stdbool.h>

enum { HWC_SURFACE_SIZES = 24, HWC_SURFACE_STRIDES = 32, HWC_SURFACE_LEVELS = 5 };

/* The i-th size is first_size << i, the k-th stride first_stride << k. */
struct hwc_surface {
    double first_size, first_stride;
    unsigned sizes, strides;
    double cycles[HWC_SURFACE_SIZES][HWC_SURFACE_STRIDES]; /* NAN = not measured */
};

double hwc_surface_size(const struct hwc_surface *surface, unsigned i);
double hwc_surface_stride(const struct hwc_surface *surface, unsigned k);

/* 0 = it does not show. */
struct hwc_surface_reading {
    double line_bytes; /* the longest of all levels */
    double read_at;    /* the stride at which levels are read: of lines, or, if prefetchers hide these, the first at
                          which the largest array takes about as long as at any */
    double ways;       /* of the first level; the power of two below */
    unsigned levels;   /* whose ends show, the last of them included, after which memory answers */
    double bytes[HWC_SURFACE_LEVELS];      /* the largest array that fits, by level from 0 */
    double beyond[HWC_SURFACE_LEVELS];     /* the first that takes as long as one that the level does not serve */
    double cycles[HWC_SURFACE_LEVELS + 1]; /* of a reference that it serves; and of one beyond the last */
};

void hwc_surface_read(const struct hwc_surface *surface, struct hwc_surface_reading *reading);

#endif
