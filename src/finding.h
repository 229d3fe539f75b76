/* Findings: one value with how it is known, or no value with the reason. */
#ifndef HWC_FINDING_H
#define HWC_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "poll.h"

struct hwc_finding {
    bool asked;   /* a probe looked for it */
    bool known;   /* it was found; else `reason` says why not */
    bool boolean; /* 0 is no, all else yes */
    bool integral;
    const char *alternatives; /* other words for the same, parted by spaces; NULL = none; the profile's */
    char text[160]; /* where the value is a word: a policy's name */
    double value; /* exact for integers below 2^53 */
    const char *unit; /* "bytes", "ways", "cycles", ... ; static */
    enum hwc_witness_kind witness;
    char counter[128]; /* what counted it: native counter */
    char event[32];
    unsigned alike, votes;
    bool has_documented;
    double documented; /* what the system documents; never an input */
    double nanoseconds; /* of a latency, where known; else 0 */
    double seconds;     /* what it cost */
    char reason[256];
};

/* A finding from a vote, by the witness of a level. */
void hwc_finding_from_result(struct hwc_finding *finding, const struct hwc_result *result, const char *unit,
                             const struct hwc_witness *witness, double seconds);

/* Vote on several values at once, in these units. What cannot be measured here
 * leaves all of them unknown, with the reason, and the results undecided. */
int hwc_findings_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                         unsigned questions, const char *const *units, struct hwc_finding *const *findings,
                         struct hwc_result *results, struct hwc_error *error);

/* On one value. */
int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        const char *unit, struct hwc_finding *finding, struct hwc_result *result,
                        struct hwc_error *error);

/* On yes (anything but 0) or no. */
int hwc_decide_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                       struct hwc_finding *finding, struct hwc_error *error);

/* Cycles that were read off a curve of time, to hundredths: one vote. */
void hwc_finding_cycles(struct hwc_finding *finding, double cycles);

void hwc_finding_unknown(struct hwc_finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hwc_findings_unknown(struct hwc_finding *const *findings, unsigned count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
