/* Votes on a replacement policy: each ballot rules candidates out; the one that most ballots leave in is named. */
#ifndef HWC_POLICY_VOTE_H
#define HWC_POLICY_VOTE_H

#include "finding.h"
#include "policy_inference.h"
#include "profile.h"

struct hwc_policy_vote {
    struct hwc_candidates candidates;
    struct hwc_approvals approvals;
    char *alternatives; /* HWC_POLICY_NAMES bytes: the policies that nothing tells from the one found */
};

/* Run a probe of policies with a vote from the heap: it is too large for the stack. HWC_NO_MEMORY. */
int hwc_with_policy_vote(struct hwc_lab *lab, struct hwc_profile *profile,
                         int (*run)(struct hwc_lab *, struct hwc_profile *, struct hwc_policy_vote *,
                                    struct hwc_error *),
                         struct hwc_error *error);

/* One ballot: infer the policy of this set. */
int hwc_cast_for_policy(struct hwc_lab *lab, struct hwc_policy_vote *vote, const struct hwc_set_instrument *set,
                        struct hwc_ballot *ballot, struct hwc_error *error);

/* Hold the vote, and name what it decides. */
int hwc_vote_on_policy(struct hwc_lab *lab, struct hwc_policy_vote *vote, hwc_measure measure, void *context,
                       const struct hwc_witness *witness, struct hwc_finding *finding, struct hwc_error *error);

#endif
