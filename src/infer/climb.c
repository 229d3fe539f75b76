#include "climb.h"

static const struct {
    double begun; /* a climb begins with a step that even growth leaves so large a share of a rise short, */
    double goes_on; /* and goes on if later steps are, in the mean, at least this much */
    double foreseen; /* what is foreseen is by more than this share of a misprediction quicker than what is not */
    size_t even;  /* so many steps before it tell what even growth is, */
    size_t after; /* and so many after it whether it goes on */
} policy = {.begun = 0.5, .goes_on = 0.5, .foreseen = 0.5, .even = 4, .after = 4};

size_t hwc_last_before_climb(const double *values, size_t count, double rise)
{
    for (size_t i = policy.even + 1; i + policy.after < count; i++) {
        double even = (values[i - 1] - values[i - 1 - policy.even]) / (double)policy.even;
        double step = values[i] - values[i - 1];
        double later = (values[i + policy.after] - values[i]) / (double)policy.after;
        if (step - even > policy.begun * rise && later - even > policy.goes_on * rise)
            return i;
    }
    return 0;
}

bool hwc_goes_round(const struct hwc_round_stack *stack)
{
    double foreseen = stack->as_many + policy.foreseen * stack->rise;

    return stack->rise > 0 && stack->one_fewer > foreseen && stack->one_more > foreseen;
}
