/* Do the events of lower levels count the misses of their own level? */
#ifndef HWC_EVENT_LEVELS_H
#define HWC_EVENT_LEVELS_H

#include "qualify.h"

/* Flushed lines miss every level, and a few that stay hit the first: neither tells an event of a lower level from one of
 * the level above. A walk that the level holds, and the one above does not, tells them apart. Events that count the
 * misses of the level above are given up for the next way to count theirs. Of a first and a last level of TLBs that
 * always count the same, the one is given up that has another way which the other event is told apart from; where there
 * is none, both are rejected. The witnesses are chosen anew. `which`: by event, those that are checked; NULL = all. */
int hwc_check_event_levels(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], const bool *which,
                           struct hwc_error *error);

#endif
