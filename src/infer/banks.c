#include "banks.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "statistics.h"

static const struct {
    double slow[2];  /* times what is usual: half way to twice that, which two or four loads take that go together; and
                        half way to one and a half times, as three take two cycles instead of one */
    double one_load; /* cycles of a pair: no two loads go together */
    double likelier; /* than without banks, as a logarithm: some 8000 pairs of period and width are tried */
    double hints;
    double alone;    /* than every other period and width */
    double scatter;  /* the share of slow pairs from which on nothing is told */
    unsigned span;   /* of places to show where there are no banks */
    double errors;   /* standard errors by which a place may differ from the others of its kind */
} policy = {.slow = {1.5, 1.25}, .one_load = 1.9, .likelier = 18, .hints = 8, .alone = 7, .scatter = 0.25, .span = 64,
            .errors = 6};

/* Slow pairs, of so many. */
struct tally {
    double slow, pairs;
};

/* By place, or by place in the period. */
struct tallies {
    unsigned count;
    struct tally at[HWC_PAIR_PLACES];
};

struct fit {
    unsigned period, width;
    double gain; /* logarithm of how much likelier it is than that place does not matter */
    struct tally in, out; /* of the bank, and of the others */
};

static struct tally plus(struct tally a, struct tally b)
{
    return (struct tally){a.slow + b.slow, a.pairs + b.pairs};
}

static double share_of(struct tally tally)
{
    return tally.pairs > 0 ? tally.slow / tally.pairs : 0;
}

/* Logarithm of the likelihood, each pair being slow by the same chance. */
static double log_likelihood(struct tally tally)
{
    double p = share_of(tally);

    return p > 0 && p < 1 ? tally.slow * log(p) + (tally.pairs - tally.slow) * log(1 - p) : 0;
}

static double quartile(const struct hwc_pair_times *times)
{
    size_t count = 0;
    double *all = malloc(sizeof times->cycles), found = 0;

    if (all == NULL)
        return 0;
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i++)
        for (unsigned k = 0; k < times->readings; k++)
            all[count++] = times->cycles[i][k];
    hwc_sort(all, count);
    if (count > 0)
        found = all[count / 4];
    free(all);
    return found;
}

static bool is_slow(const struct hwc_banks *banks, double cycles)
{
    return cycles > banks->slow_cycles;
}

static struct tally tally_of(const struct hwc_pair_times *times, const struct hwc_banks *banks, unsigned place)
{
    struct tally tally = {0, times->readings};

    for (unsigned k = 0; k < times->readings; k++)
        tally.slow += is_slow(banks, times->cycles[place][k]);
    return tally;
}

static struct tallies fold(const struct tallies *places, unsigned period)
{
    struct tallies folded = {.count = period};

    for (unsigned i = 0; i < places->count; i++)
        folded.at[i % period] = plus(folded.at[i % period], places->at[i]);
    return folded;
}

/* The best fit, and how much likelier it is than the second. */
static struct fit find_fit(const struct tallies *places, struct tally all, double *ahead)
{
    double none = log_likelihood(all), second = 0;
    struct fit best = {0};

    for (unsigned period = 2; period <= HWC_PAIR_PLACES / 2; period++) {
        const struct tallies folded = fold(places, period);
        struct tally in = {0};
        for (unsigned width = 1; width <= period / 2; width++) {
            struct fit fit = {.period = period, .width = width};
            in = plus(in, folded.at[width - 1]);
            fit.in = in;
            fit.out = (struct tally){all.slow - in.slow, all.pairs - in.pairs};
            fit.gain = log_likelihood(fit.in) + log_likelihood(fit.out) - none;
            if (share_of(fit.in) <= share_of(fit.out))
                continue;
            second = fmax(second, fmin(fit.gain, best.gain));
            if (fit.gain > best.gain)
                best = fit;
        }
    }
    *ahead = best.gain - second;
    return best;
}

/* Is the share at each place that of its kind, and do all together differ from it no more than by chance? Others
 * disturb in bursts: hence twice the variance of chance. */
static bool all_fit(const struct tallies *tallies, const struct fit *fit)
{
    double squares = 0;

    for (unsigned i = 0; i < tallies->count; i++) {
        struct tally at = tallies->at[i];
        double p = share_of(i % fit->period < fit->width ? fit->in : fit->out);
        double errors = fabs(at.slow - p * at.pairs) / sqrt(2 * at.pairs * p * (1 - p) + 1);
        if (errors > policy.errors)
            return false;
        squares += errors * errors;
    }
    return squares < tallies->count + policy.errors * sqrt(2.0 * tallies->count);
}

static enum hwc_banks_seen judge(const struct tallies *places, struct tally all, struct fit *fit)
{
    double ahead;
    struct tallies folded;

    *fit = find_fit(places, all, &ahead);
    if (fit->gain < policy.likelier)
        return share_of(all) > policy.scatter ? HWC_BANKS_SCATTER
               : fit->gain > policy.hints     ? HWC_BANKS_UNDECIDED
                                              : HWC_BANKS_NONE;
    folded = fold(places, fit->period);
    return ahead >= policy.alone && fit->period % fit->width == 0 && all_fit(&folded, fit) && all_fit(places, fit)
               ? HWC_BANKS_SEEN
               : HWC_BANKS_OTHERWISE;
}

/* The median of the pairs that are slow in one bank, or that are not slow elsewhere. */
static double usual(const struct hwc_pair_times *times, const struct hwc_banks *banks, bool slow)
{
    double *chosen = malloc(sizeof times->cycles), found = 0;
    size_t count = 0;

    if (chosen == NULL)
        return 0;
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i++)
        for (unsigned k = 0; k < times->readings; k++) {
            double cycles = times->cycles[i][k];
            bool in_bank = banks->seen == HWC_BANKS_SEEN && i % banks->period < banks->width;
            if (in_bank == slow && is_slow(banks, cycles) == slow)
                chosen[count++] = cycles;
        }
    if (count > 0)
        found = hwc_median(chosen, count);
    free(chosen);
    return found;
}

/* Judge, if pairs that take more than slow_cycles are slow. */
static struct fit judge_slow(const struct hwc_pair_times *times, struct hwc_banks *banks)
{
    struct tallies places = {.count = HWC_PAIR_PLACES};
    struct tally all = {0};
    struct fit fit;

    for (unsigned i = 0; i < HWC_PAIR_PLACES; i++) {
        places.at[i] = tally_of(times, banks, i);
        all = plus(all, places.at[i]);
    }
    banks->seen = judge(&places, all, &fit);
    return fit;
}

/* The threshold is the one at which banks are seen best; the first, if they are seen at none. */
static struct fit judge_all(const struct hwc_pair_times *times, struct hwc_banks *banks)
{
    struct hwc_banks wide = *banks, close = *banks;
    struct fit of_wide, of_close;

    wide.slow_cycles = policy.slow[0] * banks->free_cycles;
    close.slow_cycles = policy.slow[1] * banks->free_cycles;
    of_wide = judge_slow(times, &wide);
    of_close = judge_slow(times, &close);
    if (close.seen == HWC_BANKS_SEEN && (wide.seen != HWC_BANKS_SEEN || of_close.gain > of_wide.gain)) {
        *banks = close;
        return of_close;
    }
    if (wide.seen == HWC_BANKS_NONE && close.seen == HWC_BANKS_UNDECIDED)
        wide.seen = HWC_BANKS_UNDECIDED;
    *banks = wide;
    return of_wide;
}

void hwc_banks_read(const struct hwc_pair_times *times, struct hwc_banks *banks)
{
    struct fit fit;
    double free_cycles;

    *banks = (struct hwc_banks){.free_cycles = quartile(times)};
    fit = judge_all(times, banks);
    if (banks->seen == HWC_BANKS_NONE && banks->free_cycles >= policy.one_load)
        banks->seen = HWC_BANKS_ONE_LOAD;
    if (banks->seen == HWC_BANKS_SEEN) {
        banks->period = fit.period;
        banks->width = fit.width;
        banks->share = share_of(fit.in);
    }
    free_cycles = usual(times, banks, false);
    if (free_cycles > 0)
        banks->free_cycles = free_cycles;
    if (banks->seen == HWC_BANKS_SEEN)
        banks->penalty = usual(times, banks, true) - banks->free_cycles;
}

unsigned hwc_pair_span(const struct hwc_banks *banks)
{
    switch (banks->seen) {
    case HWC_BANKS_SEEN:
        return 2 * banks->period;
    case HWC_BANKS_OTHERWISE:
        return HWC_PAIR_PLACES;
    default:
        return policy.span;
    }
}

struct hwc_pair_mean hwc_pair_mean(const struct hwc_pair_times *times, const struct hwc_banks *banks, unsigned place)
{
    struct tally tally = {0};
    double sum = 0;

    for (unsigned i = place; i < HWC_PAIR_PLACES; i += hwc_pair_span(banks)) {
        tally = plus(tally, tally_of(times, banks, i));
        for (unsigned k = 0; k < times->readings; k++)
            sum += fmin(times->cycles[i][k], 4 * banks->free_cycles);
    }
    return (struct hwc_pair_mean){tally.pairs > 0 ? sum / tally.pairs : 0, share_of(tally)};
}
