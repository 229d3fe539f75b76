/* Places of a page whose lines share sets. */
#ifndef HWC_PLACES_H
#define HWC_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* Which places share sets follows from exclusive ors of address bits, hashed or
 * not. So their distances are a group under exclusive or: moved by any of them,
 * nearly all fall onto each other. A distance that moves them elsewhere is none
 * of the group (a line that lay unluckily seems to share sets as often as it is
 * asked). *sharing: how many there are; returns whether they are such a group. Pure. */
bool hwc_share_evenly(const bool *shares, size_t count, size_t *sharing);

#endif
