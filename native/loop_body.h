/* Loops with a given body (body.h), written and entered. One is kept at a time. */
#ifndef HWC_NATIVE_LOOP_BODY_H
#define HWC_NATIVE_LOOP_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "error.h"
#include "walk.h"

struct native_loop_body {
    char *base, *entry;    /* code, NULL = nothing is mapped; */
    char *scratch; /* behind it: instructions.h */
    bool written;  /* this body lies there: */
    struct hwc_body body;
    const void *arena; /* in which the chains of this walk lie; NULL = none */
    uint64_t serial;
};

/* Write the walk's body, and its chains into the arena, unless they are already there. HWC_UNAVAILABLE where an
 * instruction is lacking. */
int native_lay_out_body(struct native_loop_body *loop, const struct hwc_arena *arena, const struct hwc_walk *walk,
                        struct hwc_error *error);

/* Take at least one turn. The chains begin at these cells. */
void native_take_turns(const struct native_loop_body *loop, const uint64_t *cells, uint64_t first, uint64_t second,
                       uint64_t turns);

void native_forget_chains(struct native_loop_body *loop);
void native_loop_body_free(struct native_loop_body *loop);

#endif
