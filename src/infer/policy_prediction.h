/* The misses of a sequence in a set that follows a policy, as an interval where
 * they depend on what was in the set before. Pure. */
#ifndef HWC_POLICY_PREDICTION_H
#define HWC_POLICY_PREDICTION_H

#include "policy_inference.h"

struct hwc_interval {
    double low, high;
};

extern const struct hwc_interval hwc_no_interval;

/* Widen the interval so that it contains the value. */
void hwc_include(struct hwc_interval *interval, double value);

/* Misses that are predicted to lie in the interval, and the standard error of an answer about them. */
struct hwc_gauge {
    struct hwc_interval predicted;
    double error;
};

/* The density of an answer's probability. Some answers are disturbed, and may be any number of the visits. */
double hwc_density(const struct hwc_gauge *gauge, double misses, size_t visits);

/* What was in the set before is unknown, and may decide what a policy remembers or which steady state a sequence
 * reaches: this many histories are tried. */
enum hwc_histories { HWC_ONE_HISTORY = 1, HWC_FEW_HISTORIES = 4, HWC_MANY_HISTORIES = 24 };

/* Misses of the visits. Only HWC_FEW_HISTORIES are tried if these make no difference. `forgets`: emptying the set also
 * clears the policy's state. */
struct hwc_interval hwc_predict(const struct hwc_set_instrument *set, const struct hwc_policy *policy, bool forgets,
                                const struct hwc_sequence *sequence, enum hwc_histories histories,
                                struct hwc_random *random);

/* Mean and variance of the misses of a single play under random replacement; the mean of n plays has the variance
 * *variance / n. Returns the number of plays of the model that were averaged. */
unsigned hwc_predict_chance(const struct hwc_set_instrument *set, const struct hwc_sequence *sequence,
                            struct hwc_random *random, double *mean, double *variance);

#endif
