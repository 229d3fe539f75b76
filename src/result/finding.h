/* Findings: one value with how it is known, or no value with the reason.
 * What a finding is, its unit and kind, stands in the table of fields. */
#ifndef HWC_FINDING_H
#define HWC_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "poll.h"
#include "round.h"

/* Why there is no value. */
enum hwc_why {
    HWC_WHY_NOT_SAID,
    HWC_WHY_UNAVAILABLE,  /* it cannot be asked here */
    HWC_WHY_INCONCLUSIVE, /* it was asked, and the evidence is not there */
    HWC_WHY_UNDECIDED,    /* the votes disagree */
    HWC_WHY_DEPENDS,      /* it hangs on another finding that has no value */
    HWC_WHY_NOTHING,      /* there is no such thing: that is the answer */
    HWC_WHYS
};

/* A reason that is the same each time. */
struct hwc_reason {
    enum hwc_why why;
    const char *text; /* NULL = none */
};

#define HWC_NO_REASON ((struct hwc_reason){HWC_WHY_NOT_SAID, NULL})

static inline struct hwc_reason hwc_unavailable(const char *text)
{
    return (struct hwc_reason){HWC_WHY_UNAVAILABLE, text};
}

static inline struct hwc_reason hwc_inconclusive(const char *text)
{
    return (struct hwc_reason){HWC_WHY_INCONCLUSIVE, text};
}

static inline struct hwc_reason hwc_depends(const char *text)
{
    return (struct hwc_reason){HWC_WHY_DEPENDS, text};
}

static inline struct hwc_reason hwc_nothing_there(const char *text)
{
    return (struct hwc_reason){HWC_WHY_NOTHING, text};
}

struct hwc_finding {
    bool asked;        /* a probe looked for it */
    bool known;        /* it was found; else `why` and `reason` say why not */
    bool has_interval; /* it lies from `low` to `high`, whether the value is known or not */
    double low, high;
    double value;             /* exact for integers below 2^53; of a boolean 0 is no, all else yes */
    char text[160];           /* of a word: the value */
    const char *alternatives; /* of a word: others for the same, parted by spaces; NULL = none; the record's */
    enum hwc_witness_kind witness;
    char counter[128]; /* what counted it: native counter */
    char event[32];
    unsigned alike, votes;
    unsigned rounds; /* of the vote, where there was one */
    struct hwc_round round[HWC_MOST_ROUNDS];
    bool has_documented;
    double documented;  /* what the system documents; never an input */
    double nanoseconds; /* of a latency, where known; else 0 */
    double seconds;     /* what it cost */
    enum hwc_why why;
    char reason[HWC_MESSAGE];
};

/* As JSON has it: "unavailable", ...; "" where nothing is said. */
const char *hwc_why_name(enum hwc_why why);

/* A finding from a vote, by the witness of a level. */
void hwc_finding_from_result(struct hwc_finding *finding, const struct hwc_result *result,
                             const struct hwc_witness *witness, double seconds);

/* Vote on several values at once. What cannot be measured here leaves all of
 * them unknown, with the reason, and the results undecided. */
int hwc_findings_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                         unsigned questions, struct hwc_finding *const *findings, struct hwc_result *results,
                         struct hwc_error *error);

/* On one value. */
int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        struct hwc_finding *finding, struct hwc_result *result, struct hwc_error *error);

/* On yes (anything but 0) or no. */
int hwc_decide_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                       struct hwc_finding *finding, struct hwc_error *error);

/* Cycles that were read off a curve of time, to hundredths: one vote. */
void hwc_finding_cycles(struct hwc_finding *finding, double cycles);

/* No value, and why. */
void hwc_finding_unknown(struct hwc_finding *finding, enum hwc_why why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hwc_finding_because(struct hwc_finding *finding, struct hwc_reason reason);

/* No value, as a step failed that came to nothing. */
void hwc_finding_failed(struct hwc_finding *finding, const struct hwc_error *error);

void hwc_findings_because(struct hwc_finding *const *findings, unsigned count, struct hwc_reason reason);
void hwc_findings_failed(struct hwc_finding *const *findings, unsigned count, const struct hwc_error *error);

#endif
