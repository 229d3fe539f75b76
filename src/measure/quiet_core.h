/* Measuring while nobody else works on this core.
 *
 * Sibling threads share a core's caches and tables, or partition them. Where a
 * sibling may come and go, what was measured beside it is measured again, or not
 * believed. */
#ifndef HWC_QUIET_CORE_H
#define HWC_QUIET_CORE_H

#include "lab.h"

/* Is nobody else working on this core just now? Waits up to `wait_seconds` until that is so, and if that takes long, goes
 * to another one. After waits in vain it waits less. Always true on machines where nobody ever does. */
bool hwc_is_alone(struct hwc_lab *lab, double wait_seconds);

/* Before a sample: is nobody else at work on this core this very moment? Waits for a pause of theirs, but for no more of
 * the run's time than is left for samples, and not at once again after a wait in vain. false = others do not pause: the
 * sample is taken beside them. */
bool hwc_seize_pause(struct hwc_lab *lab);

/* After it: does the pause go on? Where nobody was met for long, that is asked of one sample in some. */
bool hwc_pause_goes_on(struct hwc_lab *lab);

/* Are others who were met at so many of the looks at work there, and no interrupt or mistake of a few looks? */
bool hwc_is_company(uint64_t met, uint64_t looks);

/* Did others work on this core at more than a few of the looks so far? Measuring beside them takes longer. */
bool hwc_in_company(const struct hwc_lab *lab);

/* Go on measuring on another CPU of the same kind, if there is one on whose core less is at work: what is in the caches is
 * left behind. */
bool hwc_move_on(struct hwc_lab *lab);

/* Is any of the run's time left to wait for others in, and of the probe's? */
bool hwc_may_wait(const struct hwc_lab *lab);

/* Wait so long, less than a second, for others who showed, unless too much of the run's time has gone by waiting. */
void hwc_wait_for_others(struct hwc_lab *lab, double seconds);

/* Others often come and go within milliseconds: pause for so long, less than a second, where time passes. */
void hwc_let_others_pass(const struct hwc_lab *lab, double seconds);

/* The measurement; HWC_UNAVAILABLE or HWC_INCONCLUSIVE if it has no result. */
typedef int (*hwc_act)(struct hwc_lab *lab, void *context, struct hwc_error *error);

struct hwc_quiet_core {
    double wait_seconds; /* before each try, at most */
    double pause_seconds; /* nobody else was seen for so long before each try: what threads that share a core divide may stay
                             divided for a while */
    unsigned tries;      /* at most, until one was alone from its beginning to its end */
    bool needed;         /* if no try was alone: true = HWC_UNAVAILABLE; false = the last try counts all the same */
};

/* Before a ballot about what sibling threads share or partition. */
#define HWC_WAIT_FOR_BALLOT 1.0
/* A reading takes a millisecond, and a busy sibling pauses for a few: most tries are not alone to the end. */
#define HWC_TRIES_FOR_READING 24

/* Returns what the last try returned, or HWC_UNAVAILABLE (see `needed`). */
int hwc_on_quiet_core(struct hwc_lab *lab, const struct hwc_quiet_core *quiet, hwc_act act, void *context,
                      struct hwc_error *error);

/* Ask about what a thread on the core's other half may hold a part of while it works, and for a while after: in one of its
 * pauses, of five milliseconds at least, looked for so many times. *asked: there was one, and the question had an answer. */
int hwc_ask_in_a_pause(struct hwc_lab *lab, unsigned tries, hwc_act ask, void *context, bool *asked,
                       struct hwc_error *error);

#endif
