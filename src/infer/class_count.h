/* Congruence classes: over how many sets are lines at one place of their pages
 * spread?
 *
 * Pages lie at random, so a line falls into the set of another one, the target,
 * one time in as many as there are sets. If the target's set lacks some lines to
 * be full, n more fill it in half of the tries where about that number of n fall
 * into it. Each try asks what the median of the likely numbers would leave open,
 * so that some dozens of tries decide (Wald's sequential test, between powers of
 * two and three times those).
 *
 * The lines come from a pool, in which the target's class has more members than
 * another by chance: one target tells no more than that. Further targets do.
 *
 * Others, who use the level, too, fill the set now and then. How often is not known,
 * so that every fourth try is with so few lines that hardly ever they do. Pure. */
#ifndef HWC_CLASS_COUNT_H
#define HWC_CLASS_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HWC_CLASS_HYPOTHESES = 48, HWC_CLASS_SIZES = 7, HWC_CLASS_RIVALS = 3 };

struct hwc_class_count {
    size_t pool;
    unsigned tries;
    int hypotheses;
    double shares[HWC_CLASS_HYPOTHESES][HWC_CLASS_SIZES]; /* of lines, that fall into the target's set */
    double likelihood[HWC_CLASS_HYPOTHESES]; /* logarithm, of each number of sets, by all tries */
    /* For each number of sets, by this target's tries: how likely each size of its class is, and how often others fill
     * its set. The sum is 1. */
    double now[HWC_CLASS_HYPOTHESES][HWC_CLASS_SIZES][HWC_CLASS_RIVALS];
};

/* Lines that a set lacks, and lines drawn at random to fill it. Those of its class that are there already, the target
 * among them, are in the pool, too, and fill nothing. */
struct hwc_class_try {
    size_t missing, lines, present;
};

/* Nothing is known yet. Lines are drawn from so many. */
void hwc_class_count_begin(struct hwc_class_count *count, size_t pool);

/* Something else says that there are from `low` to `high` sets: other numbers are a tenth as likely. */
void hwc_class_count_expect(struct hwc_class_count *count, double low, double high);

/* What to try next? `ways`: the most that may be missing, at least 1. `few`: more lines than that only if one missing
 * line takes as many. */
struct hwc_class_try hwc_class_count_next(const struct hwc_class_count *count, size_t ways, size_t few);

/* The set was full, or not. */
void hwc_class_count_learn(struct hwc_class_count *count, const struct hwc_class_try *tried, bool full);

/* The tries that follow are of another target. */
void hwc_class_count_next_target(struct hwc_class_count *count);

/* The likeliest number of sets so far, decided or not. */
uint64_t hwc_class_count_likeliest(const struct hwc_class_count *count);

/* The number of sets once it is a thousand times as likely as any other; 0 before that. One that the pool cannot fill
 * is never told. */
uint64_t hwc_class_count_decided(const struct hwc_class_count *count);

#endif
