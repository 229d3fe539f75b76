#include "policy_vote.h"

#include <stdlib.h>
#include <string.h>

int hwc_with_policy_vote(struct hwc_lab *lab, struct hwc_profile *profile,
                         int (*run)(struct hwc_lab *, struct hwc_profile *, struct hwc_policy_vote *,
                                    struct hwc_error *),
                         struct hwc_error *error)
{
    struct hwc_policy_vote *vote = calloc(1, sizeof *vote);
    int status;

    if (vote == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = run(lab, profile, vote, error);
    free(vote);
    return status;
}

int hwc_cast_for_policy(struct hwc_lab *lab, struct hwc_policy_vote *vote, const struct hwc_set_instrument *set,
                        struct hwc_ballot *ballot, struct hwc_error *error)
{
    bool left[HWC_MOST_CANDIDATES], refuted;
    int status = hwc_infer_policy(set, &vote->candidates, &lab->random, left, &refuted, error);

    vote->approvals.of_none += refuted;
    if (status != HWC_OK)
        return status;
    ballot->cast[0] = true;
    ballot->value[0] = hwc_approve(&vote->approvals, &vote->candidates, left);
    return HWC_OK;
}

int hwc_vote_on_policy(struct hwc_lab *lab, struct hwc_policy_vote *vote, hwc_measure measure, void *context,
                       const struct hwc_witness *witness, struct hwc_finding *finding, struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    struct hwc_result result = {0};
    int status;

    memset(&vote->approvals, 0, sizeof vote->approvals);
    vote->approvals.counted = hwc_counts(witness);
    status = hwc_vote(lab, measure, context, 1, &result, error);
    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    if (status != HWC_OK)
        return status;
    hwc_decide_by_approval(&vote->candidates, &vote->approvals, &result);
    hwc_finding_from_result(finding, &result, witness, hwc_lab_elapsed(lab) - started);
    if (result.decided)
        hwc_name_policy(&vote->candidates, &vote->approvals, &result, finding->text, sizeof finding->text,
                        vote->alternatives);
    if (result.decided && result.value != HWC_BY_CHANCE)
        finding->alternatives = vote->alternatives;
    return HWC_OK;
}
