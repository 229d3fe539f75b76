/* The lab: what a probe works in: the machine, the settings of the run, who
 * answers for each level, what is known so far, and the time that is left. */
#ifndef HWC_LAB_H
#define HWC_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "knowledge.h"
#include "machine.h"
#include "notes.h"
#include "random.h"
#include "settings.h"
#include "witness.h"

/* Of the last so many readings. */
struct hwc_mean {
    double value, readings;
    double odd; /* readings far from it, one after the other */
};

struct hwc_lab {
    struct hwc_machine *machine;
    struct hwc_settings settings;
    struct hwc_random random;
    double started;              /* seconds, monotonic */
    double probe_started;        /* seconds since then; of the probe at work */
    const struct hwc_knowledge *known;
    struct hwc_witness witness[HWC_MAX_CACHE_LEVEL + 2]; /* by data-cache level, from 1 */
    struct hwc_witness structure_witness[HWC_STRUCTURES];
    struct hwc_witness writeback[HWC_MAX_CACHE_LEVEL + 1]; /* by level, from 1: counters of the lines that it writes back */
    struct hwc_mean first_again; /* cycles of reading one line of the first level, the reading included (meter_eviction.c) */
    uint64_t references; /* played */
    uint64_t samples_taken;
    uint64_t samples_dropped;
    uint64_t tries_dropped; /* what was done while others worked on this core, and done again (quiet_core.h) */
    struct hwc_notes notes;
};

/* Nothing is known, and no witness chosen. HWC_NO_MEMORY; close in any case. */
int hwc_lab_open(struct hwc_lab *lab, struct hwc_machine *machine, const struct hwc_settings *settings,
                 struct hwc_error *error);
void hwc_lab_close(struct hwc_lab *lab);

/* Seconds since the lab was opened. */
double hwc_lab_elapsed(const struct hwc_lab *lab);

/* A machine that others disturb could be asked for ever. Have its run, and the probe at work, taken what they
 * reasonably may? A run that is over its time leaves each later probe some of its own. */
bool hwc_lab_is_late(const struct hwc_lab *lab);

/* Do references take so long that walks are thinned where that loses nothing? */
bool hwc_references_are_dear(const struct hwc_machine *machine);

/* Is the budget spent? */
bool hwc_lab_overdrawn(const struct hwc_lab *lab);

/* Close an arena; where it was never opened (all zero), nothing. */
void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena);

#endif
