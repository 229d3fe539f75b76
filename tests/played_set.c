#include "played_set.h"

#include <math.h>

#define PASSES_TO_REST 12
#define PASSES 8
#define SAMPLES 8

static double misses_once(struct played *played, const struct hwc_sequence *sequence)
{
    if (played->set.start == HWC_FROM_EMPTY)
        hwc_set_model_flush(&played->model, !played->keeps);
    hwc_set_model_play(&played->model, sequence->before, sequence->befores, &played->random);
    return hwc_set_model_play(&played->model, sequence->visit, sequence->visits, &played->random);
}

static double misses_of_passes(struct played *played, const struct hwc_sequence *sequence, unsigned passes)
{
    double misses = 0;

    for (unsigned i = 0; i < passes; i++)
        misses += misses_once(played, sequence) / passes;
    return misses;
}

/* As an instrument does: the minimum of several plays if half of them reach it, else their mean. */
static void settle(struct played *played, const struct hwc_sequence *sequence, struct hwc_answer *answer)
{
    double sum = 0, squares = 0, least = INFINITY;
    unsigned alike = 0, i = 0;

    for (; i < SAMPLES && (alike < 2 || 2 * alike < i); i++) {
        double misses = misses_once(played, sequence);
        alike = misses < least ? 1 : alike + (misses <= least);
        least = fmin(least, misses);
        sum += misses;
        squares += misses * misses;
    }
    answer->variance = fmax(0, squares / i - sum / i * sum / i);
    answer->misses = 2 * alike >= i ? least : sum / i;
    answer->error = 2 * alike >= i ? 0 : sqrt(answer->variance / i);
}

static void play_each(struct played *played, const struct hwc_sequence *sequence, unsigned plays,
                      struct hwc_answer *answer)
{
    unsigned passes = played->set.start == HWC_STEADY ? HWC_STEADY_PASSES : 1;
    double sum = 0, squares = 0;

    for (unsigned i = 0; i < plays; i++) {
        double misses = misses_of_passes(played, sequence, passes);
        sum += misses;
        squares += misses * misses;
    }
    answer->misses = sum / plays;
    answer->variance = fmax(0, squares / plays - answer->misses * answer->misses);
    answer->error = sqrt(answer->variance / plays);
}

int play_modelled_set(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                      struct hwc_error *error)
{
    struct played *played = context;

    (void)error;
    played->plays++;
    *answer = (struct hwc_answer){0};
    misses_of_passes(played, sequence, played->set.start == HWC_STEADY ? PASSES_TO_REST : 1);
    if (plays > 0)
        play_each(played, sequence, plays, answer);
    else if (played->set.start == HWC_STEADY)
        answer->misses = misses_of_passes(played, sequence, PASSES);
    else
        settle(played, sequence, answer);
    answer->misses += played->error * hwc_random_normal(&played->random);
    if (hwc_random_unit(&played->random) < played->outliers)
        answer->misses += 8 * hwc_random_unit(&played->random);
    answer->error = hypot(answer->error, played->error);
    return HWC_OK;
}
