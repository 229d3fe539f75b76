/* Probes: one question each.
 *
 * A probe is one file that ends in one `const struct hwc_probe`; a row of
 * probes/table.def names it. It measures through the lab and fills the profile.
 * It does not depend on which machine or counter answers, and calls no other
 * probe: the session first runs the probes that provide the fields it needs. */
#ifndef HWC_PROBE_H
#define HWC_PROBE_H

#include "lab.h"
#include "profile.h"

#define HWC_MAX_NEEDS 16

struct hwc_probe {
    const char *name;    /* as on the command line */
    const char *summary; /* one line */
    const char *source;  /* the paper and section that describe the method */
    enum hwc_field_id needs[HWC_MAX_NEEDS];    /* fields to look for before, each by the first probe that provides it */
    enum hwc_field_id provides[HWC_MAX_NEEDS]; /* fields that it looks for */
    bool on_request; /* runs only when it is named, or its group, or with --all */
    const char *group; /* a name for several probes on the command line, "core"; NULL = none */
    bool basic;      /* sizes, latencies, entries: on a budget, these come first */
    int (*run)(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error);
};

/* All probes, in the order of probes/table.def; ends with NULL. */
extern const struct hwc_probe *const hwc_probes[];

#endif
