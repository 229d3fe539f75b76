/* A validation: what the counters found and what the clock found, side by side with what is documented, and the verdict
 * on each row; and what differs on the whole, with its cause. */
#ifndef HWC_VALIDATION_H
#define HWC_VALIDATION_H

#include "fields.h"
#include "finding.h"

enum hwc_says { HWC_AGREE, HWC_DIFFER, HWC_UNDECIDED, HWC_SAYS };

/* Which of them the evidence supports. */
enum hwc_supported {
    HWC_SUPPORTS_NONE,
    HWC_SUPPORTS_COUNTER,
    HWC_SUPPORTS_CLOCK,
    HWC_SUPPORTS_DOCUMENTED,
    HWC_SUPPORTED
};

struct hwc_verdict {
    enum hwc_says says;
    enum hwc_supported supports;
    char why[HWC_MESSAGE]; /* "" where all that there is agrees */
};

/* One finding by both witnesses. What a witness did not answer is unknown, with the reason. Their alternatives are left
 * to the profile's own finding. */
struct hwc_validated {
    enum hwc_group group; /* with level, code and large: the record that it belongs to */
    unsigned level;
    bool code, large;
    enum hwc_field_id field;
    struct hwc_finding counter, clock;
    struct hwc_verdict verdict;
};

/* What lies behind a difference. */
enum hwc_cause {
    HWC_CAUSE_WITNESSES,         /* counter and clock differ, and nothing below explains it */
    HWC_CAUSE_DOCUMENTATION,     /* what is documented is not so */
    HWC_CAUSE_PARTITION,         /* of the last level, a part is there */
    HWC_CAUSE_NO_LEVEL,          /* a documented level is not there */
    HWC_CAUSE_HIDDEN_LEVEL,      /* a level is not documented */
    HWC_CAUSE_MISCOUNT,          /* an event counts more than there is, or less */
    HWC_CAUSE_COUNTS_PREFETCHES, /* an event counts what is prefetched, too */
    HWC_CAUSE_COUNTS_NOTHING,    /* an event does not count */
    HWC_CAUSE_OTHER_LEVEL,       /* an event counts the misses of another level */
    HWC_CAUSE_BROKEN_PAGES,      /* large pages are smaller ones beneath */
    HWC_CAUSE_CLOCK_FREQUENCY,   /* the clock and the core do not tick alike */
    HWC_CAUSES
};

struct hwc_difference {
    enum hwc_cause cause;
    char of[32]; /* "L3", "l2_miss", "clock", "memory" */
    enum hwc_supported supports;
    char why[HWC_MESSAGE];
};

/* HWC_MOST_VALIDATED: all records of a profile, and their fields, are fewer. */
enum { HWC_MOST_VALIDATED = 192, HWC_MOST_DIFFERENCES = 48 };

struct hwc_validation {
    bool counters; /* there were some to hold against the clock */
    unsigned rows;
    struct hwc_validated row[HWC_MOST_VALIDATED];
    unsigned differences; /* further ones than fit are dropped */
    struct hwc_difference difference[HWC_MOST_DIFFERENCES];
};

/* The answer that has what is documented, if either does. */
const struct hwc_finding *hwc_documented_side(const struct hwc_validated *row);

/* How many rows have such a verdict? */
unsigned hwc_validation_count(const struct hwc_validation *validation, enum hwc_says says);

/* How many differences are of the witnesses, and not only from what is documented? */
unsigned hwc_differences_of_witnesses(const struct hwc_validation *validation);

/* Their names in JSON: "agree"; "counter" (NULL for none); "partition". */
const char *hwc_says_name(enum hwc_says says);
const char *hwc_supported_name(enum hwc_supported supported);
const char *hwc_cause_name(enum hwc_cause cause);

#endif
