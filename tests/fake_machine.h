/* A machine whose samples the test writes, for testing code that measures and repeats. */
#ifndef HWC_FAKE_MACHINE_H
#define HWC_FAKE_MACHINE_H

#include "lab.h"

/* Fill the sample that the n-th play returns. Where its counter stopped, the play fails. */
typedef void (*fake_play)(void *context, unsigned n, const struct hwc_experiment *experiment,
                          struct hwc_sample *sample);

struct fake_machine {
    struct hwc_machine base;
    fake_play play;
    void *context;
    unsigned plays;
    enum hwc_event counts; /* the only event that it counts; HWC_NO_EVENT unless the test sets it */
    unsigned ways;         /* in which it does: the counters "fake 0", "fake 1" and so on */
    bool busy;             /* somebody works on the core's other half; seen once the machine may be looked at for that */
    struct hwc_machine_ops looking; /* what it does then */
    struct hwc_lab lab; /* opened on this machine */
};

/* With AMP's 8 votes and 8 samples. */
void fake_machine_open(struct fake_machine *fake, fake_play play, void *context);
void fake_machine_close(struct fake_machine *fake);

/* Let it be looked whether somebody works on the core's other half. */
void fake_machine_shares_core(struct fake_machine *fake, bool busy);

/* A set of a level or, with all its entries, a TLB that is LRU: `ways` lines or pages, the last used first, 0 = none. Is it a
 * hit? */
bool fake_use(uint64_t *set, size_t ways, uint64_t used);

/* Fill a sample by what each reference takes. */
void fake_references(double (*cycles_of)(uint64_t offset), const struct hwc_experiment *experiment,
                     struct hwc_sample *sample);

#endif
