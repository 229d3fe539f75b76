#include "policy_prediction.h"

#include <math.h>
#include <string.h>

#include "estimate.h"

const struct hwc_interval hwc_no_interval = {INFINITY, -INFINITY};

void hwc_include(struct hwc_interval *interval, double value)
{
    interval->low = fmin(interval->low, value);
    interval->high = fmax(interval->high, value);
}

double hwc_density(const struct hwc_gauge *gauge, double misses, size_t visits)
{
    const double disturbed = 0.05, width_of_normal = 2.5066; /* the square root of two pi */
    double outside = fmax(0, fmax(gauge->predicted.low - misses, misses - gauge->predicted.high)) / gauge->error;
    double width = gauge->predicted.high - gauge->predicted.low + width_of_normal * gauge->error;

    return (1 - disturbed) * exp(-outside * outside / 2) / width + disturbed / (double)visits;
}

/* How long the models are played. */
static const struct {
    unsigned to_rest; /* passes until a repeated sequence reaches its steady state, at most */
    unsigned passes;  /* to average over, as misses may repeat only after several passes */
    unsigned chances; /* plays under random replacement: several times as many as are compared with them */
} length = {.to_rest = 12, .passes = 12, .chances = 512};

/* The longest history: two visits for each way of a set. */
enum { LONG_HISTORY = 2 * HWC_MODEL_WAYS };

static void play_history(struct hwc_set_model *model, uint64_t lines, size_t visits, struct hwc_random *random)
{
    uint8_t visit[LONG_HISTORY];

    for (size_t i = 0; i < visits; i++)
        visit[i] = (uint8_t)hwc_random_below(random, lines);
    hwc_set_model_play(model, visit, visits, random);
}

/* A set with random contents. */
static void fill_at_random(struct hwc_set_model *model, const struct hwc_set_instrument *set,
                           const struct hwc_policy *policy, struct hwc_random *random)
{
    hwc_set_model_init(model, policy, set->ways, set->holds_victims);
    play_history(model, 2 * (uint64_t)set->ways, 2 * (size_t)set->ways, random);
}

/* Mean misses of a pass. */
static double play_passes(struct hwc_set_model *model, const struct hwc_sequence *sequence, unsigned passes,
                          struct hwc_random *random)
{
    unsigned misses = 0;

    for (unsigned pass = 0; pass < passes; pass++)
        misses += hwc_set_model_play(model, sequence->visit, sequence->visits, random);
    return (double)misses / passes;
}

/* Passes until misses repeat. Each of these periods divides the number of passes to average over, so that its mean is
 * theirs, wherever it begins. */
enum { LONGEST_PERIOD = 4, REMEMBERED = LONGEST_PERIOD + 1 };

/* The last passes. */
struct past {
    unsigned passes;
    struct hwc_set_model after[REMEMBERED];
    unsigned misses[REMEMBERED];
};

static bool same_state(const struct hwc_set_model *a, const struct hwc_set_model *b)
{
    return a->filled == b->filled && memcmp(a->name, b->name, a->ways) == 0 &&
           memcmp(a->state, b->state, sizeof a->state) == 0;
}

/* After how many passes the state is as it was; 0 = it has not been yet. */
static unsigned period_of(const struct past *past, const struct hwc_set_model *model)
{
    for (unsigned period = 1; period <= LONGEST_PERIOD && period < past->passes; period++)
        if (same_state(model, &past->after[(past->passes - 1 - period) % REMEMBERED]))
            return period;
    return 0;
}

static double mean_of_last(const struct past *past, unsigned period)
{
    unsigned misses = 0;

    for (unsigned i = 0; i < period; i++)
        misses += past->misses[(past->passes - 1 - i) % REMEMBERED];
    return (double)misses / period;
}

/* Mean misses of a pass in the steady state, from this one. */
static double play_until_steady(struct hwc_set_model *model, const struct hwc_sequence *sequence,
                                struct hwc_random *random)
{
    struct past past;

    past.passes = 0;
    while (past.passes < length.to_rest) {
        unsigned at = past.passes % REMEMBERED, period;
        past.misses[at] = hwc_set_model_play(model, sequence->visit, sequence->visits, random);
        past.after[at] = *model;
        past.passes++;
        period = period_of(&past, model);
        if (period > 0)
            return mean_of_last(&past, period);
    }
    return play_passes(model, sequence, length.passes, random);
}

static double predict_steady(const struct hwc_set_instrument *set, const struct hwc_policy *policy,
                             const struct hwc_sequence *sequence, struct hwc_random *random)
{
    struct hwc_set_model model;

    fill_at_random(&model, set, policy, random);
    if (!hwc_policy_is_random(policy))
        return play_until_steady(&model, sequence, random);
    play_passes(&model, sequence, length.to_rest, random);
    return play_passes(&model, sequence, length.passes, random);
}

/* Misses of the visits. A set that forgets needs no history. */
static double predict_once(const struct hwc_set_instrument *set, const struct hwc_policy *policy, bool forgets,
                           const struct hwc_sequence *sequence, struct hwc_random *random)
{
    struct hwc_set_model model;

    hwc_set_model_init(&model, policy, set->ways, set->holds_victims);
    if (!forgets) {
        play_history(&model, set->lines, 2 * (size_t)set->ways, random);
        if (hwc_random_below(random, 2) == 0) /* the history may end with this sequence, as when it is played again */
            hwc_set_model_play(&model, sequence->visit, sequence->visits, random);
    }
    if (set->start == HWC_FROM_EMPTY)
        hwc_set_model_flush(&model, false);
    hwc_set_model_play(&model, sequence->before, sequence->befores, random);
    return hwc_set_model_play(&model, sequence->visit, sequence->visits, random);
}

struct hwc_interval hwc_predict(const struct hwc_set_instrument *set, const struct hwc_policy *policy, bool forgets,
                                const struct hwc_sequence *sequence, enum hwc_histories histories,
                                struct hwc_random *random)
{
    struct hwc_interval predicted = hwc_no_interval;

    for (unsigned i = 0; i < histories && (i < HWC_FEW_HISTORIES || predicted.high > predicted.low); i++)
        hwc_include(&predicted, set->start == HWC_STEADY ? predict_steady(set, policy, sequence, random)
                                                         : predict_once(set, policy, forgets, sequence, random));
    return predicted;
}

unsigned hwc_predict_chance(const struct hwc_set_instrument *set, const struct hwc_sequence *sequence,
                            struct hwc_random *random, double *mean, double *variance)
{
    const struct hwc_policy chance = {.kind = HWC_RANDOM};
    struct hwc_tally plays = {0};
    struct hwc_set_model model;

    fill_at_random(&model, set, &chance, random);
    play_passes(&model, sequence, length.to_rest, random);
    for (unsigned i = 0; i < length.chances; i++)
        hwc_tally_add(&plays, set->start == HWC_STEADY
                                  ? play_passes(&model, sequence, HWC_STEADY_PASSES, random)
                                  : predict_once(set, &chance, set->start == HWC_FROM_EMPTY, sequence, random));
    *mean = plays.mean;
    *variance = plays.squares / plays.readings;
    return length.chances;
}
