/* Candidates: the replacement policies that a set may follow, and what the
 * ballots of a vote say about them. Pure. */
#ifndef HWC_CANDIDATES_H
#define HWC_CANDIDATES_H

#include "policy.h"
#include "vote.h"

enum {
    HWC_MOST_CANDIDATES = 412,
    HWC_BY_CHANCE = HWC_MOST_CANDIDATES, /* a ballot's value for a set that behaves like random replacement */
    HWC_CANDIDATE_NAME = 32,
};

struct hwc_candidate {
    char name[HWC_CANDIDATE_NAME];
    struct hwc_policy policy;
    bool holds_victims; /* the set holds what the level above evicts (an exclusive level) */
    bool needs_empty;   /* its state is known only in a set that was emptied before */
};

struct hwc_candidates {
    struct hwc_candidate item[HWC_MOST_CANDIDATES];
    size_t count;
};

/* Every policy that a set of this many ways may follow, ready to be played: LRU, FIFO, trees of bits, groups of ways
 * with a tree each, bit-PLRU, NRU, SRRIP, the QLRU family (nanoBench's naming). If the level may hold victims, those
 * known to be built there are listed again, with holds_victims. Simple names come first: candidates that nothing tells
 * apart are named after the first. */
void hwc_list_candidates(struct hwc_candidates *candidates, unsigned ways, bool may_hold_victims);

/* The number of ballots that did not rule out each candidate. */
struct hwc_approvals {
    unsigned of[HWC_MOST_CANDIDATES];
    bool counted;     /* by counts of events; else by the clock */
    unsigned of_none; /* ballots that ruled out every candidate and random replacement: evidence against any name */
};

/* Count a ballot that leaves the candidates in `left`; returns the first of them, or HWC_BY_CHANCE if there is none. */
int64_t hwc_approve(struct hwc_approvals *approvals, const struct hwc_candidates *candidates, const bool *left);

/* A ballot is cast for the first candidate that it leaves. If more ballots left another one, and enough to decide a
 * vote, that one is named instead. Undecided if ballots that left none show that the result may be luck. */
void hwc_decide_by_approval(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                            struct hwc_result *result);

/* The name of the policy decided on, and in `alternatives` (of size HWC_POLICY_NAMES) the names of the candidates that
 * as many ballots left: nothing tells these from it. */
void hwc_name_policy(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                     const struct hwc_result *result, char *name, size_t size, char *alternatives);

#endif
