/* CPUs of a machine at the same time: what one does beside others, and how long a line takes from one to another. They
 * are counted from 0, in the order of the system's numbers. */
#ifndef HWC_CPUS_H
#define HWC_CPUS_H

#include <stdbool.h>

#include "error.h"

struct hwc_machine;

/* What chains of additions that wait for nothing but the one before in their chain take on a CPU, in one such chain; it
 * has so many chains that few cores begin all of them in a cycle. */
struct hwc_abreast {
    double rest;    /* while the others run, and do next to nothing */
    double busy;    /* and while they add likewise */
    unsigned looks; /* at each, at least, during which all the others were seen to run; 0: the above say nothing */
};

/* A line that two CPUs write in turn: nanoseconds from one to the other, of several blocks of turns. */
struct hwc_bounce {
    double least, median;
};

struct hwc_cpus {
    /* Those that this process may use, at least two; and which of them measures all else. */
    unsigned (*count)(struct hwc_machine *);
    unsigned (*own)(struct hwc_machine *);

    /* The system's number. */
    int (*number)(struct hwc_machine *, unsigned cpu);

    /* Look at a CPU beside those others that are set. HWC_UNAVAILABLE: no thread can run on one of them. */
    int (*beside)(struct hwc_machine *, unsigned cpu, const bool *others, struct hwc_abreast *, struct hwc_error *);

    /* HWC_INCONCLUSIVE: the other one did not answer for long. */
    int (*bounce)(struct hwc_machine *, unsigned cpu, unsigned other, struct hwc_bounce *, struct hwc_error *);

    /* The system's number of the first CPU of the same core, by what the system says; -1 = it says nothing. */
    int (*documented_core)(struct hwc_machine *, unsigned cpu);

    /* To be called after the above: what they left on other CPUs ends, and the thread is back on its own. */
    void (*leave)(struct hwc_machine *);
};

#endif
