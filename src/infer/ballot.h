/* A ballot of a vote (vote.h). */
#ifndef HWC_BALLOT_H
#define HWC_BALLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum { HWC_MAX_QUESTIONS = 6, HWC_MAX_VOTES = 64 };

/* A ballot answers several questions at once. */
struct hwc_ballot {
    bool cast[HWC_MAX_QUESTIONS]; /* false: abstains on this question */
    int64_t value[HWC_MAX_QUESTIONS];
    unsigned disturbed;       /* samples and tries discarded before it was cast */
    bool others_showed;       /* so many, or others were seen at work on this core */
    char reason[HWC_MESSAGE]; /* why it abstains */
};

#endif
