/* Findings: a value and how it is known, or no value and the reason. The
 * meaning, unit and kind of each finding are in the table of fields. */
#ifndef HWC_FINDING_H
#define HWC_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "lab.h"
#include "own_walks.h"
#include "poll.h"
#include "round.h"

/* Why there is no value. */
enum hwc_why {
    HWC_WHY_NOT_SAID,
    HWC_WHY_UNAVAILABLE,  /* it cannot be measured on this machine */
    HWC_WHY_INCONCLUSIVE, /* it was measured, without conclusive evidence */
    HWC_WHY_UNDECIDED,    /* the votes disagree */
    HWC_WHY_DEPENDS,      /* it depends on another finding that has no value */
    HWC_WHY_NOTHING,      /* the answer is that there is no such thing */
    HWC_WHYS
};

/* A reason with a constant text. */
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
    bool has_interval; /* it lies between `low` and `high`, whether `value` is known or not */
    double low, high;
    double value;             /* exact for integers below 2^53; boolean: 0 = no, anything else = yes */
    double stray;             /* a time: what its readings stray from the value by; 0 = not known */
    char text[160];           /* the value of a word */
    const char *alternatives; /* word: other names that fit, separated by spaces; NULL = none; the record's memory */
    enum hwc_witness_kind witness;
    char counter[HWC_NATIVE_NAME]; /* the native counter that counted it */
    char event[32];
    unsigned alike, votes;
    unsigned rounds; /* of the vote, if there was one */
    struct hwc_round round[HWC_MOST_ROUNDS];
    bool has_documented;
    double documented;  /* what the system documents; never an input */
    double nanoseconds; /* a latency in nanoseconds, if known; else 0 */
    double seconds;     /* time spent on it */
    struct hwc_walk_counts counted; /* clock: in its own walks, by an event */
    enum hwc_why why;
    char reason[HWC_MESSAGE];
};

/* Does it say anything of the value? */
static inline bool hwc_finding_is_told(const struct hwc_finding *finding)
{
    return finding->known || finding->has_interval;
}

struct hwc_bounds {
    double low, high;
};

/* Of a finding that is told: its value, which may be off by so much, or its interval. */
static inline struct hwc_bounds hwc_finding_bounds(const struct hwc_finding *finding, double off)
{
    return finding->known ? (struct hwc_bounds){finding->value - off, finding->value + off}
                          : (struct hwc_bounds){finding->low, finding->high};
}

/* The name in JSON: "unavailable", ...; "" for HWC_WHY_NOT_SAID. */
const char *hwc_why_name(enum hwc_why why);

/* Fill in a finding from the result of a vote that `witness` answered. */
void hwc_finding_from_result(struct hwc_finding *finding, const struct hwc_result *result,
                             const struct hwc_witness *witness, double seconds);

/* Vote on several values at once. If the vote comes to nothing, all findings
 * are unknown, with the reason, and the results undecided. */
int hwc_findings_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                         unsigned questions, struct hwc_finding *const *findings, struct hwc_result *results,
                         struct hwc_error *error);

/* Vote on one value. */
int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        struct hwc_finding *finding, struct hwc_result *result, struct hwc_error *error);

/* Vote on yes (anything but 0) or no. */
int hwc_decide_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                       struct hwc_finding *finding, struct hwc_error *error);

/* Times are reported in hundredths. */
double hwc_in_hundredths(double value);

/* A value that the clock gave, or what was tried out while it ran, in one reading: it counts as one vote. */
void hwc_finding_by_clock(struct hwc_finding *finding, double value);

/* The same of cycles read off a timing curve, rounded to hundredths. */
void hwc_finding_cycles(struct hwc_finding *finding, double cycles);

/* A value that was read, not measured; one vote, too. */
void hwc_finding_by_system(struct hwc_finding *finding, double value);

/* Add the time in nanoseconds of so many cycles, where the core's frequency is known (machine.h), in hundredths. */
void hwc_finding_nanoseconds(struct hwc_finding *finding, double cycles, double cycles_per_ns);

/* No value, but bounds that the clock gave, and the reason why there is no more. */
void hwc_finding_between(struct hwc_finding *finding, double low, double high, const char *reason);

/* Set no value, and the reason. */
void hwc_finding_unknown(struct hwc_finding *finding, enum hwc_why why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hwc_finding_because(struct hwc_finding *finding, struct hwc_reason reason);

/* Set no value because a step failed: inconclusive for HWC_INCONCLUSIVE, else unavailable. */
void hwc_finding_failed(struct hwc_finding *finding, const struct hwc_error *error);

void hwc_findings_because(struct hwc_finding *const *findings, unsigned count, struct hwc_reason reason);
void hwc_findings_failed(struct hwc_finding *const *findings, unsigned count, const struct hwc_error *error);

/* The end of a measurement: if by its status only this one came to nothing, its findings have no value, and the run
 * goes on. Any other status is returned. */
int hwc_findings_settle(int status, struct hwc_finding *const *findings, unsigned count, const struct hwc_error *error);

#endif
