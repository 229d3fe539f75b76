/* What the numbers of instructions that fit between two misses say of the core's parts. Pure. */
#ifndef HWC_IN_FLIGHT_H
#define HWC_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds of instructions by which a window is filled. */
enum hwc_fill {
    HWC_FILL_MIXED,   /* of several kinds, no more of any than a share: only the reorder buffer has to hold them all */
    HWC_FILL_NOTHING, /* without effect: a core may keep several in one place */
    HWC_FILL_BESIDE_FEW, /* the same, behind so many of the mixture: each of those takes their room for one of its */
    HWC_FILL_BESIDE_SOME,
    HWC_FILL_BESIDE_MORE,
    HWC_FILL_BESIDE_MANY,
    HWC_FILL_INT,
    HWC_FILL_VECTOR,
    HWC_FILL_VECTOR_HELD, /* the same, with an instruction behind them for the other load, as in VECTOR_BEHIND */
    HWC_FILL_LOAD,     /* into vector registers, */
    HWC_FILL_LOAD_INT, /* and into integer registers */
    HWC_FILL_STORE,
    HWC_FILL_INT_WAITS,
    HWC_FILL_VECTOR_WAITS,
    HWC_FILL_VECTOR_BEHIND, /* the same, with an instruction behind them that does not wait, for the other load */
    HWC_FILL_LOAD_WAITS,
    HWC_FILLS
};

struct hwc_in_flight {
    size_t most;              /* no more were tried */
    size_t fit[HWC_FILLS];    /* so many fit; 0 = it is not known */
    size_t beyond[HWC_FILLS]; /* and so many did not, with the core whole; 0 = none is known not to */
    size_t beside[HWC_FILLS];         /* beside so many of the mixture */
    unsigned mixed[HWC_FILLS];        /* so many of each kind in one round of the mixture */
    unsigned named_int, named_vector; /* registers */
};

enum hwc_part {
    HWC_PART_REORDER_BUFFER,
    HWC_PART_INT_REGISTERS,
    HWC_PART_VECTOR_REGISTERS,
    HWC_PART_LOAD_QUEUE,
    HWC_PART_STORE_QUEUE,
    HWC_PART_INT_SCHEDULER,
    HWC_PART_VECTOR_SCHEDULER,
    HWC_PART_LOAD_SCHEDULER,
    HWC_PARTS
};

struct hwc_part_size {
    bool known;         /* it lies between the two */
    double low, high;
    bool exhausted;     /* not known: all that were tried fit, so there are `low` or more */
    const char *fuller; /* not known: what was full first, likewise; NULL = nobody knows */
};

struct hwc_part_size hwc_size_of_part(const struct hwc_in_flight *in_flight, enum hwc_part part);

#endif
