/* Shares: does next to none of a walk's references miss, or do most of them?
 *
 * Where all or none are to be expected (a store that allocates or not, code
 * that puts data out or not), what comes between says that something else is at
 * work, and is no answer. One pair of bounds for all such questions. Pure. */
#ifndef HWC_SHARE_H
#define HWC_SHARE_H

enum hwc_share { HWC_SHARE_BETWEEN, HWC_SHARE_NONE, HWC_SHARE_MOST };

static const struct {
    double none; /* up to so many miss by chance: lines lost to others, to our own code, to pages that share a set */
    double most; /* from so many on they do as a rule: a random policy, or one that resists scans, keeps some */
} hwc_share_bounds = {.none = 0.25, .most = 0.5};

static inline enum hwc_share hwc_judge_share(double share)
{
    return share <= hwc_share_bounds.none   ? HWC_SHARE_NONE
           : share >= hwc_share_bounds.most ? HWC_SHARE_MOST
                                            : HWC_SHARE_BETWEEN;
}

#endif
