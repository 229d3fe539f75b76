/* How a step goes through its walk: along a chain in the arena's cells, along
 * several chains, by a list of offsets, or through emitted code. */
#ifndef HWC_NATIVE_ROUTE_H
#define HWC_NATIVE_ROUTE_H

#include "native_machine.h"

struct native_route {
    char *base;
    const struct hwc_walk *walk;
    const struct native_list *list; /* if the walk repeats; else NULL */
    bool by_list;
    uint64_t *draws; /* if the walk's references are drawn; else NULL */
    uint64_t entry; /* of its code */
};

/* Find the step's route, and write what it needs into the arena unless that is
 * already there. */
int native_find_route(struct native_machine *machine, const struct hwc_experiment *experiment,
                      const struct hwc_step *step, struct native_route *route, struct hwc_error *error);

/* Write what all steps need, for an experiment whose walks share no cell. */
int native_lay_out_apart(struct native_machine *machine, const struct hwc_experiment *experiment,
                         struct hwc_error *error);

/* The arena is closed, or its pages are given back. */
void native_forget_layout(struct native_machine *machine, const struct hwc_arena *arena);

/* A route to be followed for so many passes. A chain's is all that native_go reads: it is in registers, or on the stack
 * where it was just written. The walk's own fields may have been evicted, and must not be fetched while time is taken. */
struct native_journey {
    const struct native_route *route;
    uint32_t passes;
    bool by_chain;
    const uint64_t *cells;
    uint64_t first, loads;
    struct hwc_drawn drawn;
};

struct native_journey native_prepare(const struct native_route *route, uint32_t passes);

/* Go through the walk. */
void native_go(const struct native_journey *journey);

#endif
