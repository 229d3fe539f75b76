/* The clock's own walks over code, counted (own_walks.h). */
#ifndef HWC_COUNT_BLOCKS_H
#define HWC_COUNT_BLOCKS_H

#include "code_blocks.h"

/* Once the clock has decided that so many blocks fit: what an event counts of them, and of too many. Does nothing where
 * none counts. */
int hwc_count_code_blocks(struct hwc_code_blocks *blocks, size_t ways, uint64_t period_bytes, struct hwc_error *error);

#endif
