/* Probes: one question each.
 *
 * A probe is one file that ends in one `const struct hwc_probe`; the table in
 * probes/table.c names it. It asks the lab and fills the profile. It never
 * knows who answered. */
#ifndef HWC_PROBE_H
#define HWC_PROBE_H

#include "lab.h"
#include "profile.h"

struct hwc_probe {
    const char *name;    /* as on the command line */
    const char *summary; /* one line */
    const char *source;  /* the paper and section whose method it is */
    const struct hwc_probe *needs; /* runs first, where not yet run; NULL = nothing */
    int (*run)(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error);
};

/* All probes in the order in which they run; ends with NULL. */
extern const struct hwc_probe *const hwc_probes[];

#endif
