/* Candidates: the replacement policies that a level may follow, and which of
 * them are left when their predictions were held against it. */
#ifndef HWC_CANDIDATES_H
#define HWC_CANDIDATES_H

#include "finding.h"
#include "policy.h"

#define HWC_MOST_CANDIDATES 400
/* A ballot's value where nothing but chance predicts what is seen. */
#define HWC_BY_CHANCE HWC_MOST_CANDIDATES

#define HWC_CANDIDATE_NAME 32

struct hwc_candidate {
    char name[HWC_CANDIDATE_NAME];
    struct hwc_policy policy;
    bool victims; /* the level holds what the one above throws out */
};

struct hwc_candidates {
    struct hwc_candidate item[HWC_MOST_CANDIDATES];
    size_t count;
    bool survived[HWC_MOST_CANDIDATES]; /* in every ballot that named what the first one named */
    int64_t named;                      /* -1 = nothing yet */
    unsigned approved[HWC_MOST_CANDIDATES]; /* ballots that left it */
};

/* Simple names first: of candidates that cannot be told apart the first names them all. */
void hwc_add_plain(struct hwc_candidates *candidates, bool victims);
/* Three groups of ways with a tree each, as of Intel's sets of twelve, and groups of four; nothing where the ways do
 * not make so many. */
void hwc_add_trees(struct hwc_candidates *candidates, unsigned ways);
/* All of the QLRU family (nanoBench's naming), or those of it that are known to be built. */
void hwc_add_qlru(struct hwc_candidates *candidates);
void hwc_add_common_qlru(struct hwc_candidates *candidates, bool victims);

/* Before they are played on sets of so many ways. */
void hwc_prepare_candidates(struct hwc_candidates *candidates, unsigned ways);

/* A vote begins: nothing is named. */
void hwc_forget_names(struct hwc_candidates *candidates);

/* Cast a ballot for the first of those that are left, or where none is, for chance. */
void hwc_cast_for_left(struct hwc_candidates *candidates, const bool *left, struct hwc_ballot *ballot);

/* Each ballot was cast for the first of several that it left: what more
 * ballots left than that is named instead, if as many did as decide a vote. */
void hwc_decide_by_approval(struct hwc_candidates *candidates, struct hwc_result *result);

/* Name the decided value, with all that survived beside it: `alternatives`
 * (HWC_POLICY_NAMES) holds the names of what nothing told apart, parted by spaces. */
void hwc_name_policy(struct hwc_candidates *candidates, const struct hwc_result *result, char *alternatives,
                     struct hwc_finding *finding);

#endif
