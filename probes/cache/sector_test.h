/* Line or fill: what conflicts show as one line may be several.
 *
 * If competitors still compete when moved half a line apart, both halves come
 * and go together. Either they are one line, or a miss fills more than its line
 * (sectors, neighbouring lines fetched along). A flush tells: it takes out one
 * line, and the rest of the fill still hits. */
#ifndef HWC_SECTOR_TEST_H
#define HWC_SECTOR_TEST_H

#include "lab.h"

/* Lower *line_bytes, found by conflicts at the level, to the line that a flush
 * takes out. *told: false if it may still be several lines, as the level above
 * brings in as many at a time and the flush shows nothing. Does nothing on a
 * machine that cannot flush. The level's witness must be settled. */
int hwc_tell_line_from_fill(struct hwc_lab *lab, unsigned level, uint64_t *line_bytes, bool *told,
                            struct hwc_error *error);

#endif
