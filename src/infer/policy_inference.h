/* Which replacement policy does a set follow?
 *
 * Sequences of visits to a few lines more than the set holds are played on it
 * and on a model of each candidate (Abel and Reineke, RTAS 2013 and ISPASS
 * 2020). A candidate that does not predict how many visits miss is dropped; of
 * many sequences drawn, the next is the one that tells most of the rest apart.
 * This ends when no sequence tells them apart any more, and an unknown policy
 * would hardly have answered as they predict by luck. If none is left, the set is
 * compared with random replacement, by the mean and the variance of many plays
 * of one sequence.
 *
 * Pure: the set is played by a callback, which also returns the error of its
 * answers. It may be a set of a cache or of a TLB, or a model of one. */
#ifndef HWC_POLICY_INFERENCE_H
#define HWC_POLICY_INFERENCE_H

#include "candidates.h"
#include "error.h"
#include "set_model.h"

enum { HWC_SEQUENCE_VISITS = 208 };

/* Visits to lines, by name. */
struct hwc_sequence {
    size_t befores, visits;
    uint8_t before[2 * HWC_MODEL_WAYS]; /* bring the set into a known state */
    uint8_t visit[HWC_SEQUENCE_VISITS]; /* the visits whose misses are asked for */
};

/* What a sequence begins from. */
enum hwc_set_start {
    HWC_FROM_EMPTY, /* the set is emptied; what its policy remembers may stay */
    HWC_FROM_FULL,  /* it cannot be emptied: other lines fill it first */
    HWC_STEADY,     /* any contents: the sequence repeats until passes miss alike, and one pass is counted */
};

/* An outcome with a lower probability than this is not attributed to chance. */
#define HWC_RISK 0.001
/* An answer lies within this many standard errors: all but three in a thousand if the error is normal. */
#define HWC_ERRORS 3.0
/* Misses are whole numbers: an answer that is off by less than half a miss is exact. */
#define HWC_HALF_A_MISS 0.5

struct hwc_answer {
    double misses;   /* of the visits */
    double error;    /* standard error of that; 0 = exact */
    double variance; /* between single plays, as far as the set causes it; 0 if that is unknown */
};

/* In the steady state, a single play is the mean of this many passes. */
enum { HWC_STEADY_PASSES = 4 };

/* How a set can be played. */
struct hwc_set_instrument {
    unsigned ways;
    unsigned lines;       /* number of lines that sequences visit: more than ways */
    unsigned fillers;     /* lines to fill the set with if it begins full: names from `lines` on */
    unsigned visits;      /* visits in a sequence */
    enum hwc_set_start start;
    bool counts_filling;  /* count the visits that fill the set, too: starting to count after them spoils the state */
    bool holds_victims;   /* a hit removes the line, and it comes back as a fill (an exclusive level) */
    bool shows_chance;    /* single plays distinguish the set's own variation from noise */
    unsigned wrong;       /* answers of an inference that may be off by more than their error */
    /* Play the sequence: the misses of the visits, as well as can be told; with `plays` > 0, mean and variance of this
     * many single plays. HWC_UNAVAILABLE if nothing can be told. */
    int (*play)(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                struct hwc_error *error);
    void *context;
};

/* The candidates that nothing tells from the set's policy; none if it replaces at random. HWC_INCONCLUSIVE with
 * *refuted false if the answers do not decide, with *refuted true if no known policy predicts them; else what `play`
 * fails with. */
int hwc_infer_policy(const struct hwc_set_instrument *set, const struct hwc_candidates *candidates,
                     struct hwc_random *random, bool left[HWC_MOST_CANDIDATES], bool *refuted,
                     struct hwc_error *error);

/* Draw a sequence as inference does: random visits, or some hot lines that recur while others stream past. */
void hwc_draw_sequence(const struct hwc_set_instrument *set, struct hwc_random *random, struct hwc_sequence *sequence);

/* A cyclic walk over one line more than fits, beginning from the same state as drawn sequences. */
void hwc_draw_rounds(const struct hwc_set_instrument *set, struct hwc_sequence *sequence);

#endif
