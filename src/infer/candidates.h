/* Candidates: the replacement policies that a set may follow, and what the
 * ballots of a vote say about them. Pure. */
#ifndef HWC_CANDIDATES_H
#define HWC_CANDIDATES_H

#include "policy.h"
#include "vote.h"

enum {
    HWC_MOST_CANDIDATES = 412,
    HWC_BY_CHANCE = HWC_MOST_CANDIDATES, /* a ballot's value where the set behaves as random replacement does */
    HWC_CANDIDATE_NAME = 32,
};

struct hwc_candidate {
    char name[HWC_CANDIDATE_NAME];
    struct hwc_policy policy;
    bool holds_victims; /* the set holds what the level above throws out (an exclusive level) */
    bool needs_empty;   /* the state that it is in is known only of a set that was emptied before */
};

struct hwc_candidates {
    struct hwc_candidate item[HWC_MOST_CANDIDATES];
    size_t count;
};

/* Every policy that a set of so many ways may follow, ready to be played: LRU, FIFO, trees of bits, groups of ways with
 * a tree each, bit-PLRU, NRU, SRRIP, the QLRU family (nanoBench's naming); where the level may hold victims, those of
 * them that are known to be built again, as such. Simple names come first: of candidates that nothing tells apart, the
 * first names them all. */
void hwc_list_candidates(struct hwc_candidates *candidates, unsigned ways, bool may_hold_victims);

/* How many ballots did not rule each candidate out? */
struct hwc_approvals {
    unsigned of[HWC_MOST_CANDIDATES];
    unsigned of_none; /* ballots that ruled all of them out, and chance: they speak against whichever is named */
};

/* Count a ballot that leaves these; returns its value: the first of them, or HWC_BY_CHANCE where none is left. */
int64_t hwc_approve(struct hwc_approvals *approvals, const struct hwc_candidates *candidates, const bool *left);

/* A ballot is cast for the first of those that it leaves. What more ballots leave than that is named instead, if as
 * many did as decide a vote. Undecided where ballots that left nothing show that it may be by chance. */
void hwc_decide_by_approval(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                            struct hwc_result *result);

/* The name of what was decided, and in `alternatives` (HWC_POLICY_NAMES) the names of what as many ballots left:
 * nothing tells these from it. */
void hwc_name_policy(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                     const struct hwc_result *result, char *name, size_t size, char *alternatives);

#endif
