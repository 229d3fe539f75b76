/* A modelled set, and how it answers: exactly, or as an instrument that errs. */
#ifndef HWC_TEST_PLAYED_SET_H
#define HWC_TEST_PLAYED_SET_H

#include "policy_inference.h"

struct played {
    struct hwc_policy policy;
    struct hwc_set_instrument set;
    struct hwc_set_model model;
    struct hwc_random random;
    bool keeps;      /* a flush leaves the state of the policy as it was */
    double error;    /* standard error of an answer */
    double outliers; /* share of answers that are some misses too high */
    unsigned plays;
};

/* The hwc_set_instrument's play, of a struct played. */
int play_modelled_set(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                      struct hwc_error *error);

#endif
