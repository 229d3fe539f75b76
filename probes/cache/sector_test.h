/* Line or fill: lines that conflicts do not part may still be several.
 *
 * Competitors that move half a line apart and still compete show that both
 * halves come and go together. That is one line, or a miss fills more than its
 * line (sectors, neighbours brought along). A flush tells: it takes out one
 * line, and what remains of the fill still hits. */
#ifndef HWC_SECTOR_TEST_H
#define HWC_SECTOR_TEST_H

#include "lab.h"

/* Lower *line_bytes, found by conflicts at the level, to the line that a flush
 * takes out. Does nothing on a machine that cannot flush. The level's witness
 * must be settled. */
int hwc_tell_line_from_fill(struct hwc_lab *lab, unsigned level, uint64_t *line_bytes, struct hwc_error *error);

#endif
