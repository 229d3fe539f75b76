/* How long a line is of which blocks of code compete, by two ways to ask. */
#ifndef HWC_CODE_LINE_H
#define HWC_CODE_LINE_H

#include "code_blocks.h"
#include "fit.h"

struct hwc_code_geometry {
    uint64_t line_bytes, period_bytes;
    size_t ways;
    uint64_t row_bytes; /* greatest width of the blocks that fitted */
};

/* Fills line_bytes: the distance by which competing blocks are parted, by the clock no more than the least at which both
 * fetches of a pair miss; or of dense code, that one. HWC_UNAVAILABLE where none is. */
int hwc_find_code_line(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_fit *fit,
                       struct hwc_code_geometry *found, struct hwc_error *error);
int hwc_find_code_line_densely(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                               struct hwc_error *error);

#endif
