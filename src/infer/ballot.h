/* A ballot of a vote (vote.h). */
#ifndef HWC_BALLOT_H
#define HWC_BALLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum { HWC_MAX_QUESTIONS = 6, HWC_MAX_VOTES = 64 };

/* What others who work on the core may do to an answer. */
enum hwc_effect {
    HWC_OTHERS_MAY_CHANGE, /* anything */
    HWC_OTHERS_MAY_LESSEN, /* they hold a part of what is measured: so much there is */
    HWC_OTHERS_MAY_LESSEN_SOME, /* the same, but not in each ballot by as much */
    HWC_OTHERS_MAY_PREVENT /* they make ballots abstain, but those that do not are as good as others */
};

/* A ballot answers several questions at once. */
struct hwc_ballot {
    bool cast[HWC_MAX_QUESTIONS]; /* false: abstains on this question */
    int64_t value[HWC_MAX_QUESTIONS];
    enum hwc_effect effect[HWC_MAX_QUESTIONS];
    int64_t at_least[HWC_MAX_QUESTIONS]; /* of values that others may lessen: one that abstains saw as much; 0: nothing */
    unsigned disturbed;       /* samples and tries discarded before it was cast */
    bool others_showed;       /* so many, or others were seen at work on this core */
    bool others_seen;         /* the latter: they may have held a part of a level all the time, which disturbs no sample */
    bool whole;               /* that there is no more was seen while nobody else worked */
    char reason[HWC_MESSAGE]; /* why it abstains */
};

#endif
