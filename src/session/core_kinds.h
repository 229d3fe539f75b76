/* The kinds of cores that this machine has, so that a session can be held on each. */
#ifndef HWC_SESSION_CORE_KINDS_H
#define HWC_SESSION_CORE_KINDS_H

#include "session.h"

enum { HWC_MOST_KINDS = 8 };

struct hwc_core_kind {
    int cpu;       /* one of its CPUs, for the request */
    unsigned cpus; /* that this process may use */
    char name[64]; /* "cpu_atom" */
};

/* Returns how many there are: one where the system tells none apart. */
unsigned hwc_core_kinds(struct hwc_core_kind kinds[HWC_MOST_KINDS]);

#endif
