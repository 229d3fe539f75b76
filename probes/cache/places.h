/* Places (line offsets) in a page whose lines share sets. */
#ifndef HWC_PLACES_H
#define HWC_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/* A set index is made of exclusive ors of address bits, hashed or not. So the
 * places that share sets are a group under exclusive or: moved by any of them,
 * nearly all fall onto each other. One that moves them elsewhere is no member (an
 * unlucky line may seem to share sets each time it is asked), and is no longer
 * marked afterwards. *sharing: the number of members; returns whether they are
 * such a group. Pure. */
bool hwc_share_evenly(bool *shares, size_t count, size_t *sharing);

#endif
