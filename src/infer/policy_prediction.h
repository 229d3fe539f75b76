/* What a sequence misses in a set that follows a policy, as far as that does not
 * depend on what was in the set before. Pure. */
#ifndef HWC_POLICY_PREDICTION_H
#define HWC_POLICY_PREDICTION_H

#include "policy_inference.h"

struct hwc_interval {
    double low, high;
};

extern const struct hwc_interval hwc_no_interval;

/* Widen it so that it holds the value. */
void hwc_include(struct hwc_interval *interval, double value);

/* What was in the set before is not known, and may decide what a policy remembers, or which steady state a sequence
 * comes to: so many histories are tried. */
enum hwc_histories { HWC_ONE_HISTORY = 1, HWC_FEW_HISTORIES = 4, HWC_MANY_HISTORIES = 24 };

/* Misses of the visits; from a few histories, where these make no difference. `forgets`: emptying makes the policy
 * forget, too. */
struct hwc_interval hwc_predict(const struct hwc_set_instrument *set, const struct hwc_policy *policy, bool forgets,
                                const struct hwc_sequence *sequence, enum hwc_histories histories,
                                struct hwc_random *random);

/* Of single plays under random replacement: of so many the variance of the mean is *variance / plays. Returns how many
 * plays of the model it rests on. */
unsigned hwc_predict_chance(const struct hwc_set_instrument *set, const struct hwc_sequence *sequence,
                            struct hwc_random *random, double *mean, double *variance);

#endif
