/* Which replacement policy does a set follow?
 *
 * Sequences of visits to a few lines more than the set holds are played on it
 * and on a model of each candidate (Abel and Reineke, RTAS 2013 and ISPASS
 * 2020). A candidate that does not predict how many of them miss is out; the
 * next sequence is the one, of many drawn, that tells most of those left apart.
 * This goes on until no sequence tells them apart any more, and until an
 * unknown policy would hardly have answered as they predict by luck. Where none
 * is left, the set is held against random replacement: by the mean and the
 * variance of many plays of one sequence.
 *
 * Pure: the set is played by a callback, which says how far its answers may be
 * off. It may be a set of a cache or of a TLB, or a model of one. */
#ifndef HWC_POLICY_INFERENCE_H
#define HWC_POLICY_INFERENCE_H

#include "candidates.h"
#include "error.h"
#include "set_model.h"

enum { HWC_SEQUENCE_VISITS = 208 };

/* Visits to lines, by name. */
struct hwc_sequence {
    size_t befores, visits;
    uint8_t before[2 * HWC_MODEL_WAYS]; /* bring the set into a state that is known */
    uint8_t visit[HWC_SEQUENCE_VISITS]; /* of these the misses are asked for */
};

/* What a sequence begins from. */
enum hwc_set_start {
    HWC_FROM_EMPTY, /* the set is emptied; what its policy remembers may stay */
    HWC_FROM_FULL,  /* it cannot be emptied: other lines fill it first */
    HWC_STEADY,     /* whatever was in it: the sequence goes round until passes miss alike, and one is counted */
};

/* What chance brings about less often than this is not put down to chance. */
#define HWC_RISK 0.001
/* Answers of which the error is known are within so many of it: of a normal error, all but three in a thousand. */
#define HWC_ERRORS 3.0
/* Misses are whole numbers: an answer that is off by less than half a miss is exact. */
#define HWC_HALF_A_MISS 0.5

struct hwc_answer {
    double misses;   /* of the visits */
    double error;    /* standard error of that; 0 = exact */
    double variance; /* of single plays, as far as the set is the cause; 0 where that cannot be told */
};

/* A single play in the steady state is the mean of so many passes. */
enum { HWC_STEADY_PASSES = 4 };

/* How a set can be played. */
struct hwc_set_instrument {
    unsigned ways;
    unsigned lines;       /* that sequences visit: more than ways */
    unsigned fillers;     /* lines to fill the set with, where it begins full: names from `lines` on */
    unsigned visits;      /* of a sequence */
    enum hwc_set_start start;
    bool counts_filling;  /* what happens between what is counted and what is not spoils the state: nothing may */
    bool holds_victims;   /* a hit takes the line away, and it comes back as a fill (an exclusive level) */
    bool shows_chance;    /* single plays tell what the set does from noise */
    unsigned wrong;       /* answers, of one inference, that may be off by more than their error says */
    /* Play it: what the visits miss, as well as can be told; with `plays` > 0, mean and variance of so many single
     * plays. HWC_UNAVAILABLE where nothing can be told. */
    int (*play)(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                struct hwc_error *error);
    void *context;
};

/* Which candidates does nothing tell from what the set does? None where it replaces at random. HWC_UNAVAILABLE with the
 * reason where that is not decided; HWC_INCONCLUSIVE and *refuted where it is, and nothing that is known predicts what
 * misses. */
int hwc_infer_policy(const struct hwc_set_instrument *set, const struct hwc_candidates *candidates,
                     struct hwc_random *random, bool left[HWC_MOST_CANDIDATES], bool *refuted,
                     struct hwc_error *error);

/* A sequence as inference draws them: visits at random, or some that come again and again while others pass. */
void hwc_draw_sequence(const struct hwc_set_instrument *set, struct hwc_random *random, struct hwc_sequence *sequence);

/* One line more than fits, round and round, from the state that drawn sequences begin from. */
void hwc_draw_rounds(const struct hwc_set_instrument *set, struct hwc_sequence *sequence);

#endif
