/* Of many lines that evict the target, the fewest that do.
 *
 * While there are many, groups without which the others still evict it are left
 * out (group testing; Vila et al., S&P 2019). Then the shortest part of the list
 * that evicts it is found by bisection: its last line shares the target's set, and
 * moves to the front; and so on until those at the front suffice (Xue et al.,
 * CTPP, RAID 2023; Zhao et al., ASPLOS 2024).
 *
 * Each question has a control (eviction_search.h): what others do puts the target
 * out as often beside that. */
#ifndef HWC_MINIMAL_SET_H
#define HWC_MINIMAL_SET_H

#include "eviction_search.h"

/* The kept lines evict the target; keep the fillers and as few others as do. HWC_INCONCLUSIVE if that are many, or others
 * do not stop. */
int hwc_find_members(struct hwc_eviction_search *search, struct hwc_error *error);

/* Drop those of them that are not needed, make the fillers that share the target's set members, and mark these:
 * *competitors lines. HWC_INCONCLUSIVE if the target stays beside all of them. */
int hwc_mark_members(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error);

#endif
