/* Miss shares: do next to none of a walk's references miss, or most of them?
 *
 * Where all or none are expected (a store allocates or not, code evicts data or
 * not), a share in between means that something else is at work, and is no
 * answer. All such questions use the same two bounds. Pure. */
#ifndef HWC_SHARE_H
#define HWC_SHARE_H

#include <stdbool.h>

enum hwc_share { HWC_SHARE_BETWEEN, HWC_SHARE_NONE, HWC_SHARE_MOST };

static const struct {
    double none; /* up to this share misses by chance: evicted by others, by our own code, by pages that share a set */
    double most; /* from this share on they miss as a rule: a random or a scan-resistant policy keeps some */
} hwc_share_bounds = {.none = 0.25, .most = 0.5};

static inline enum hwc_share hwc_judge_share(double share)
{
    return share <= hwc_share_bounds.none   ? HWC_SHARE_NONE
           : share >= hwc_share_bounds.most ? HWC_SHARE_MOST
                                            : HWC_SHARE_BETWEEN;
}

/* Where misses may take less than they are thought to, the share may be as large as `most`: none is none in any case. */
static inline enum hwc_share hwc_judge_share_up_to(double share, double most)
{
    enum hwc_share judged = hwc_judge_share(share);

    if (judged == HWC_SHARE_NONE && hwc_judge_share(most) != HWC_SHARE_NONE)
        return HWC_SHARE_BETWEEN;
    return judged;
}

/* That next to none miss beyond those that miss anyway tells nothing where those are so many that most could not miss
 * beyond them. */
static inline bool hwc_could_add_most(double without)
{
    return without <= 1 - hwc_share_bounds.most;
}

#endif
