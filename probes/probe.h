/* Probes: one question each.
 *
 * A probe is one file that ends in one `const struct hwc_probe`; a row of
 * probes/table.def names it. It asks the lab and fills the profile. It never
 * knows who answered, and calls no other probe: it says what it needs, and the
 * session runs first what provides that. */
#ifndef HWC_PROBE_H
#define HWC_PROBE_H

#include "lab.h"
#include "profile.h"

#define HWC_MAX_NEEDS 8

struct hwc_probe {
    const char *name;    /* as on the command line */
    const char *summary; /* one line */
    const char *source;  /* the paper and section whose method it is */
    enum hwc_field_id needs[HWC_MAX_NEEDS];    /* must have been asked for before; the first that provides one is run */
    enum hwc_field_id provides[HWC_MAX_NEEDS]; /* what it looks for */
    int (*run)(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error);
};

/* All probes in the order in which they run; ends with NULL. */
extern const struct hwc_probe *const hwc_probes[];

#endif
