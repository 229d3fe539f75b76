/* Bodies of loops: lists of instructions, for questions about the core itself.
 *
 * An instruction is named by what it takes of the core, and each architecture
 * writes it in its own way. A body reads like the experiments of Wong
 * (blog.stuffedcow.net, 2013): two loads that miss, and so many instructions of
 * one kind between them. */
#ifndef HWC_BODY_H
#define HWC_BODY_H

#include <stdbool.h>
#include <stddef.h>

enum hwc_op {
    HWC_OP_CHASE,         /* load the next cell of the first chain, whose loads wait for each other, */
    HWC_OP_CHASE_SECOND,  /* and of the second */
    HWC_OP_NOTHING,       /* an instruction without effect */
    HWC_OP_INT,           /* an integer result; waits for nothing, as all others do that do not say so */
    HWC_OP_VECTOR,        /* a result in a vector register */
    HWC_OP_LOAD_VECTOR,   /* a load that hits, into a vector register */
    HWC_OP_STORE,         /* a store that hits */
    HWC_OP_INT_WAITS,     /* an integer result that waits for the first chain's last load */
    HWC_OP_ZERO_WAITS,    /* a zero that does, for LOAD_WAITS */
    HWC_OP_LOAD_WAITS,    /* a load whose address waits for the last zero */
    HWC_OP_TAKE_VECTOR,   /* the first chain's last load in a vector register, for VECTOR_WAITS */
    HWC_OP_VECTOR_WAITS,  /* a result in a vector register that waits for it */
    HWC_OP_INT_WAITS_SECOND, /* the same three for the second chain's last load */
    HWC_OP_ZERO_WAITS_SECOND,
    HWC_OP_TAKE_VECTOR_SECOND,
    HWC_OP_BY_VECTOR,        /* the first chain's last load to a vector register and back, */
    HWC_OP_SECOND_BY_VECTOR, /* and the second's */
    HWC_OP_ADD_CHAIN,     /* an addition that waits for the one before */
    HWC_OP_MOVE_CHAIN,    /* a copy of the last link of that chain, which is the next link */
    HWC_OP_MOVE_VECTOR,   /* the same in the chain of vector registers: VECTOR_CHAIN */
    HWC_OP_VECTOR_CHAIN,  /* an integer addition in a vector register that waits for the one before */
    HWC_OP_LOAD_CHAIN,    /* a load that hits, whose address is what the load before it loaded */
    HWC_OP_TO_VECTOR,     /* that address to a vector register, */
    HWC_OP_FROM_VECTOR,   /* back again, */
    HWC_OP_LOAD_CHAIN_VECTOR, /* and a load like LOAD_CHAIN, but into a vector register */
    HWC_OP_FORWARD,       /* the chain of additions goes through memory: a store, and a load of the same bytes */
    HWC_OP_FORWARD_ALIKE, /* the same, and both instructions name the address in the same way */
    HWC_OP_FORWARD_VECTOR,
    HWC_OP_DRAW,          /* draw a random bit: FLIP and STAY jump by it */
    HWC_OP_FLIP,          /* a jump over nothing that is taken at random: nobody foresees it */
    HWC_OP_STAY,          /* the same jump, never taken */
    HWC_OP_INDICES,       /* indices of eight integers of one line, for GATHER: */
    HWC_OP_GATHER,        /* these integers into a vector register */
    HWC_OP_INDICES_WIDE,  /* and the same for sixteen */
    HWC_OP_GATHER_WIDE,
    HWC_OP_NOTHING_4,     /* like NOTHING, in so many bytes */
    HWC_OP_NOTHING_5,
    HWC_OP_NOTHING_6,
    HWC_OP_NOTHING_8,
    HWC_OP_INT_LONG,      /* like INT, in 7 bytes */
    HWC_OP_MOVE,          /* a copy of an integer register that nobody changes */
    HWC_OP_MOVE_4,        /* the same, in 4 bytes where MOVE has 3 */
    HWC_OPS
};

enum { HWC_MAX_STRETCHES = 10, HWC_MAX_KINDS = 16 };

/* So many instructions, of these kinds in turn. */
struct hwc_stretch {
    enum hwc_op kind[HWC_MAX_KINDS];
    size_t kinds, count;
};

/* Caches of code and of micro-ops are addressed by lines of a page. */
enum { HWC_CODE_LINE = 64, HWC_CODE_LINES = 64 };

struct hwc_body {
    size_t calls; /* > 0: before the stretches, functions call each other so deep, and return */
    size_t functions; /* so many call each other in a round; 0 = one for each call */
    size_t line; /* the loop begins with a line of HWC_CODE_LINE bytes: so many, less than HWC_CODE_LINES, further on */
    size_t stretches;
    struct hwc_stretch stretch[HWC_MAX_STRETCHES];
};

#endif
