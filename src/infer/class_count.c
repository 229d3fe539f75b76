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
    .likelier = 1000,
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
static double share_of(size_t pool, int hypothesis, int size)
{
    double sets = sets_of(hypothesis), members = fmax((double)pool / sets, 1);

    return sets > 1 ? fmin(exp(deviations_of(size) / sqrt(members)) / sets, 0.999) : 1;
}

/* The chance that at least `missing` of so many lines fall into the set. */
static double chance_of_full(const struct hwc_class_try *tried, double share)
{
    const double large = 0x1p300;
    double n = (double)tried->lines, odds, unit, chance = 1, fewer = 0;

    if (tried->lines < tried->missing)
        return 0;
    if (share >= 1)
        return 1;
    odds = share / (1 - share);
    unit = n * log1p(-share); /* logarithm of what chances are told in: at first, the chance that none does */
    for (size_t k = 0; k < tried->missing; k++) {
        fewer += chance;
        chance *= (n - (double)k) / ((double)k + 1) * odds;
        if (chance < large)
            continue;
        fewer /= large;
        chance /= large;
        unit += log(large);
    }
    return fmax(1 - fewer * exp(unit), 0);
}

/* The median of the number of lines that fill so many gaps. */
static size_t lines_to_fill(size_t missing, double sets)
{
    double lines = ((double)missing - 1.0 / 3) * sets;

    return lines > (double)missing ? (size_t)lines : missing;
}

/* How likely each size of a target's class is, and how often others fill its set, before any try. */
static void begin_target(struct hwc_class_count *count)
{
    double weights[HWC_CLASS_SIZES][HWC_CLASS_RIVALS], sum = 0;

    for (int i = 0; i < HWC_CLASS_SIZES; i++)
        for (int r = 0; r < HWC_CLASS_RIVALS; r++) {
            weights[i][r] = policy.weights[r] * exp(-deviations_of(i) * deviations_of(i) / 2);
            sum += weights[i][r];
        }
    for (int i = 0; i < HWC_CLASS_SIZES; i++)
        for (int r = 0; r < HWC_CLASS_RIVALS; r++)
            weights[i][r] /= sum;
    for (int i = 0; i < count->hypotheses; i++)
        memcpy(count->now[i], weights, sizeof weights);
}

/* One hypothesis more than the pool can show: where that is the most likely, nothing is told. */
void hwc_class_count_begin(struct hwc_class_count *count, size_t pool)
{
    *count = (struct hwc_class_count){.pool = pool, .hypotheses = 2};
    while (count->hypotheses < HWC_CLASS_HYPOTHESES && lines_to_fill(1, sets_of(count->hypotheses - 1)) <= pool)
        count->hypotheses++;
    for (int i = 0; i < count->hypotheses; i++)
        for (int k = 0; k < HWC_CLASS_SIZES; k++)
            count->shares[i][k] = share_of(pool, i, k);
    begin_target(count);
}

void hwc_class_count_expect(struct hwc_class_count *count, double low, double high)
{
    for (int i = 0; i < count->hypotheses; i++)
        if (sets_of(i) < low || sets_of(i) > high)
            count->likelihood[i] += log(policy.unexpected);
}

static int most_likely(const struct hwc_class_count *count)
{
    int best = 0;

    for (int i = 1; i < count->hypotheses; i++)
        if (count->likelihood[i] > count->likelihood[best])
            best = i;
    return best;
}

static int median(const struct hwc_class_count *count)
{
    double most = count->likelihood[most_likely(count)], shares[HWC_CLASS_HYPOTHESES] = {0}, sum = 0, below = 0;
    int found = 0;

    for (int i = 0; i < count->hypotheses; i++) {
        shares[i] = exp(count->likelihood[i] - most);
        sum += shares[i];
    }
    for (; found < count->hypotheses - 2; found++) {
        below += shares[found];
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
    next.present = ways + 1 - next.missing;
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

/* What a try tells of one number of sets: the mean over the sizes of the class, and over what others do. */
static void learn_of(struct hwc_class_count *count, int hypothesis, const struct hwc_class_try *tried, bool full)
{
    double(*now)[HWC_CLASS_RIVALS] = count->now[hypothesis], mean = 0;
    double present = (double)tried->present / (double)count->pool;

    for (int i = 0; i < HWC_CLASS_SIZES; i++) {
        double share = fmax(count->shares[hypothesis][i] - present, 0);
        double filled = chance_of_full(tried, share);
        for (int r = 0; r < HWC_CLASS_RIVALS; r++) {
            now[i][r] *= chance_of_answer(filled, policy.rivals[r], full);
            mean += now[i][r];
        }
    }
    for (int i = 0; i < HWC_CLASS_SIZES; i++)
        for (int r = 0; r < HWC_CLASS_RIVALS; r++)
            now[i][r] /= mean;
    count->likelihood[hypothesis] += log(mean);
}

void hwc_class_count_learn(struct hwc_class_count *count, const struct hwc_class_try *tried, bool full)
{
    for (int i = 0; i < count->hypotheses; i++)
        learn_of(count, i, tried, full);
    count->tries++;
}

void hwc_class_count_next_target(struct hwc_class_count *count)
{
    begin_target(count);
}

uint64_t hwc_class_count_likeliest(const struct hwc_class_count *count)
{
    return whole_sets_of(most_likely(count));
}

uint64_t hwc_class_count_decided(const struct hwc_class_count *count)
{
    int best = most_likely(count);

    for (int i = 0; i < count->hypotheses; i++)
        if (i != best && count->likelihood[best] - count->likelihood[i] < log(policy.likelier))
            return 0;
    return best < count->hypotheses - 1 ? whole_sets_of(best) : 0;
}
