#include "class_count.h"

#include <math.h>
#include <string.h>

static const struct {
    double likelier, unexpected;
    double mistaken; /* share of tries whose answer is wrong */
    /* Share of tries in which others, who use the level, too, fill the set; and how likely each is beforehand. */
    double rivals[HWC_CLASS_RIVALS], weights[HWC_CLASS_RIVALS];
    /* Every so many tries one with so much fewer lines, which hardly ever fill a set: others do. */
    unsigned control_each;
    size_t control_lines;
    double deviation; /* from one class size that is looked at to the next, in standard deviations */
} policy = {
    .likelier = 100,
    .unexpected = 0.1,
    .mistaken = 0.02,
    .rivals = {0, 0.1, 0.25},
    .weights = {1, 0.5, 0.25},
    .control_each = 4,
    .control_lines = 4,
    .deviation = 2.0 / 3,
};

/* 1, 2, 3, 4, 6, 8, 12, ... */
static uint64_t whole_sets_of(int hypothesis)
{
    unsigned half = (unsigned)hypothesis / 2;

    if (hypothesis % 2 == 1)
        return UINT64_C(2) << half;
    return half == 0 ? 1 : (UINT64_C(3) << half) / 2;
}

static double sets_of(int hypothesis)
{
    return (double)whole_sets_of(hypothesis);
}

static double deviations_of(int size)
{
    int from_middle = size - HWC_CLASS_SIZES / 2;

    return policy.deviation * from_middle;
}

/* The share of lines that fall into the target's set, if its class is so much larger than the mean of a pool. */
static double share_of(const struct hwc_class_count *count, int hypothesis, int size)
{
    double sets = sets_of(hypothesis), members = fmax((double)count->pool / sets, 1);

    return sets > 1 ? fmin(exp(deviations_of(size) / sqrt(members)) / sets, 0.999) : 1;
}

/* The chance that at least `missing` of so many lines fall into the set. */
static double chance_of_full(const struct hwc_class_try *tried, double share)
{
    double n = (double)tried->lines, fewer = 0, term;

    if (tried->lines < tried->missing)
        return 0;
    if (share >= 1)
        return 1;
    term = n * log1p(-share); /* logarithm of the chance that none does */
    for (size_t k = 0; k < tried->missing; k++) {
        fewer += exp(term);
        term += log((n - (double)k) / ((double)k + 1) * share / (1 - share));
    }
    return fmax(1 - fewer, 0);
}

/* The median of the number of lines that fill so many gaps. */
static size_t lines_to_fill(size_t missing, double sets)
{
    double lines = ((double)missing - 1.0 / 3) * sets;

    return lines > (double)missing ? (size_t)lines : missing;
}

/* One hypothesis more than the pool can show: where that is the most likely, nothing is told. */
void hwc_class_count_begin(struct hwc_class_count *count, size_t pool)
{
    *count = (struct hwc_class_count){.pool = pool, .hypotheses = 2};
    while (count->hypotheses < HWC_CLASS_HYPOTHESES && lines_to_fill(1, sets_of(count->hypotheses - 1)) <= pool)
        count->hypotheses++;
}

void hwc_class_count_expect(struct hwc_class_count *count, double low, double high)
{
    for (int i = 0; i < count->hypotheses; i++)
        if (sets_of(i) < low || sets_of(i) > high)
            count->before[i] += log(policy.unexpected);
}

/* The likelihood of this target's tries: the mean over the sizes of its class, and over what others do. */
static double likelihood_now(const struct hwc_class_count *count, int hypothesis)
{
    const double(*now)[HWC_CLASS_RIVALS] = count->now[hypothesis];
    double most = now[0][0], sum = 0, weights = 0;

    for (int i = 0; i < HWC_CLASS_SIZES; i++)
        for (int k = 0; k < HWC_CLASS_RIVALS; k++)
            most = fmax(most, now[i][k]);
    for (int i = 0; i < HWC_CLASS_SIZES; i++)
        for (int k = 0; k < HWC_CLASS_RIVALS; k++) {
            double weight = policy.weights[k] * exp(-deviations_of(i) * deviations_of(i) / 2);
            sum += weight * exp(now[i][k] - most);
            weights += weight;
        }
    return most + log(sum / weights);
}

static double likelihood_of(const struct hwc_class_count *count, int hypothesis)
{
    return count->before[hypothesis] + likelihood_now(count, hypothesis);
}

static int most_likely(const struct hwc_class_count *count, double *likelihood)
{
    int best = 0;

    *likelihood = likelihood_of(count, best);
    for (int i = 1; i < count->hypotheses; i++) {
        double found = likelihood_of(count, i);
        if (found <= *likelihood)
            continue;
        *likelihood = found;
        best = i;
    }
    return best;
}

static int median(const struct hwc_class_count *count)
{
    double most, sum = 0, below = 0;
    int found = 0;

    most_likely(count, &most);
    for (int i = 0; i < count->hypotheses; i++)
        sum += exp(likelihood_of(count, i) - most);
    for (; found < count->hypotheses - 2; found++) {
        below += exp(likelihood_of(count, found) - most);
        if (below >= sum / 2)
            break;
    }
    return found;
}

struct hwc_class_try hwc_class_count_next(const struct hwc_class_count *count, size_t ways, size_t few)
{
    double sets = sets_of(median(count));
    struct hwc_class_try next = {.missing = 1};

    while (next.missing < ways && lines_to_fill(next.missing + 1, sets) <= few)
        next.missing++;
    next.lines = lines_to_fill(next.missing, sets);
    if (count->tries % policy.control_each == policy.control_each - 1)
        next.lines /= policy.control_lines;
    return next;
}

/* The chance of the answer, if the lines alone fill the set with such a chance. */
static double chance_of_answer(double filled, double rivals, bool full)
{
    double chance = filled + (1 - filled) * rivals;

    return policy.mistaken + (1 - 2 * policy.mistaken) * (full ? chance : 1 - chance);
}

void hwc_class_count_learn(struct hwc_class_count *count, const struct hwc_class_try *tried, bool full)
{
    for (int i = 0; i < count->hypotheses; i++)
        for (int k = 0; k < HWC_CLASS_SIZES; k++) {
            double filled = chance_of_full(tried, share_of(count, i, k));
            for (int r = 0; r < HWC_CLASS_RIVALS; r++)
                count->now[i][k][r] += log(chance_of_answer(filled, policy.rivals[r], full));
        }
    count->tries++;
}

void hwc_class_count_next_target(struct hwc_class_count *count)
{
    for (int i = 0; i < count->hypotheses; i++)
        count->before[i] = likelihood_of(count, i);
    memset(count->now, 0, sizeof count->now);
}

uint64_t hwc_class_count_decided(const struct hwc_class_count *count)
{
    double most;
    int best = most_likely(count, &most);

    for (int i = 0; i < count->hypotheses; i++)
        if (i != best && most - likelihood_of(count, i) < log(policy.likelier))
            return 0;
    return best < count->hypotheses - 1 ? whole_sets_of(best) : 0;
}
