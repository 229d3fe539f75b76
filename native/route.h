/* How a step goes through its walk: along a chain in the arena's cells, along
 * several chains, by a list of offsets, as a stream, in pairs of loads, or through
 * emitted code. */
#ifndef HWC_NATIVE_ROUTE_H
#define HWC_NATIVE_ROUTE_H

#include "native_machine.h"

struct native_route {
    char *base;
    const struct hwc_walk *walk;
    bool by_list;
    struct native_order order; /* if the walk repeats, or is of independent loads; else without visits */
    const struct native_loop_body *loop; /* of the walk's body, if it has one; else NULL */
    uint64_t *draws; /* if the walk's references are drawn; else NULL */
    struct native_entry entry; /* of its code */
};

/* Find the routes of so many of the experiment's steps, and write what they need
 * into the arena unless that is already there. Together, they must not overwrite
 * each other's. */
int native_find_routes(struct native_machine *machine, const struct hwc_experiment *experiment,
                       const struct hwc_step *steps, unsigned count, struct native_route *routes,
                       struct hwc_error *error);

/* Can all of the experiment's routes be found before its first step? Then nothing of ours need be read between steps,
 * which would take room in the sets that are looked at. */
bool native_routes_stay(const struct hwc_experiment *experiment);

/* The arena is closed, or its pages are given back. */
void native_forget_layout(struct native_machine *machine, const struct hwc_arena *arena);

/* A route to be followed for so many passes. A chain's or an order's is all that native_go reads: it is in registers, or
 * on the stack where it was just written. The walk's own fields may have been evicted, and must not be fetched while
 * time is taken. */
struct native_journey {
    const struct native_route *route;
    uint32_t passes;
    bool by_chain;
    struct native_order order;
    bool independent; /* the order's loads are */
    const uint64_t *cells;
    uint64_t first, loads;
    struct hwc_drawn drawn;
    struct hwc_stream stream;
    uint64_t second; /* a body's: the cell in which the second chain begins */
    const char *pair[2]; /* NULL if the loads are not pairs */
    bool floats;         /* they are of floating-point numbers */
};

struct native_journey native_prepare(const struct native_route *route, uint32_t passes);

/* Go through the walk. */
void native_go(const struct native_journey *journey);

#endif
