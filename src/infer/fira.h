/* Forward initialisation and reverse access (FIRA): what it is expected to find in a level, and what follows from what
 * it finds. Pure.
 *
 * Every line of an array is read once in ascending order. Under LRU a level then holds the last lines, as many as it
 * has room for, and none before: read backwards, those hit and all further ones miss. How far back a line lies, in
 * bytes, tells whether it does. Where pages lie at random, or an index is hashed, sets get lines by chance: some evict
 * lines that lie nearer than the level is large, others still have room for lines that lie farther back. */
#ifndef HWC_FIRA_H
#define HWC_FIRA_H

#include <stdbool.h>

#include "policy.h"

/* What is known of a level. */
struct hwc_fira_level {
    double bytes;   /* what it and those above hold */
    double ways;    /* 0 = not known */
    bool by_chance; /* its sets get lines by chance, */
    double lines_of_page; /* those of a page together; 0 = it is not allowed for */
};

/* Lines that are read backwards in a row: from so many bytes before the end to so many, one every `line` bytes. */
struct hwc_fira_phase {
    double from, to, line;
};

/* How many of a phase's lines does a level miss under LRU? */
double hwc_fira_misses(const struct hwc_fira_level *level, const struct hwc_fira_phase *phase);

/* What share of its own phase's lines, those that it holds under LRU and the level above, which holds `above` of them,
 * does not, is left in a level under this policy? In the mean over arrays of two to three times the level's size, and
 * over what was there before. Negative where the model has no room for so many ways. */
double hwc_fira_kept(const struct hwc_policy *policy, unsigned ways, double above, struct hwc_random *random);

enum hwc_fira_verdict { HWC_FIRA_OPEN, HWC_FIRA_AS_LRU, HWC_FIRA_NOT_LRU };

/* Does a level that misses so many lines of its own phase replace its lines as LRU would? */
enum hwc_fira_verdict hwc_fira_judge(const struct hwc_fira_level *level, const struct hwc_fira_phase *own,
                                     double missed);

/* The same by how many more lines of its own phase it loses than if none but lines that fit are read, each number
 * within `error`. Sets that got more lines than they have ways by chance lose them in both, whatever the policy, so
 * that a policy shows in the others alone. */
enum hwc_fira_verdict hwc_fira_judge_beside(const struct hwc_fira_level *level, const struct hwc_fira_phase *own,
                                            double lost, double error);

/* How near is what was counted to what was expected? 1 = as many. */
double hwc_fira_accuracy(double expected, double counted);

#endif
