/* The instructions of bodies of loops (body.h), as each architecture writes them.
 *
 * A body works on these: the cells of two chains; a scratch area, aligned to
 * lines, whose parts are below; some registers for results, in turn. */
#ifndef HWC_NATIVE_INSTRUCTIONS_H
#define HWC_NATIVE_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "body.h"

enum {
    NATIVE_SCRATCH_SELF = 64,     /* holds its own address */
    NATIVE_SCRATCH_FORWARD = 128, /* stored to, and loaded from */
    NATIVE_SCRATCH_DRAW = 192,    /* the state of the random bits; not 0 */
    NATIVE_SCRATCH_INDICES = 256, /* 0, 1, ..., of 32 bits: of words from the scratch area's begin on */
    NATIVE_SCRATCH_BYTES = 320
};

enum { NATIVE_INDICES = 16 };

/* The most bytes of an instruction, of a call, and of what a loop has besides. */
enum { NATIVE_MOST_OP_BYTES = 48, NATIVE_CALL_APART = 64, NATIVE_FRAME_BYTES = 128 };

/* Cells hold the addresses of cells, not their indices from the first on. */
extern const bool native_chains_of_addresses;

/* What "vector" means here, where it is not what it says; NULL = it is. */
extern const char *const native_about_vectors;

/* Why there is no such instruction here; NULL if there is. */
const char *native_lacks_op(enum hwc_op op);

/* Integer or vector registers that programs can name. */
unsigned native_named_registers(bool vector);

/* Each writes to `at` and returns where the next goes. The first chain's `index`-th instruction of a stretch. */
char *native_put_op(char *at, enum hwc_op op, size_t index);
char *native_put_calls(char *at, size_t depth, size_t functions); /* functions: as a body has them */
char *native_put_entry(char *at);
char *native_put_turn(char *at, const char *first); /* back to `first`, or return after the last turn */

/* Give the vector registers values that functions may change: the core need not hold a zero. */
void native_occupy_vectors(void);

struct native_turns {
    const uint64_t *cells;
    uint64_t first, second; /* the cells in which the chains begin, in cells */
    char *scratch;
    uint64_t turns; /* at least one */
};

void native_enter_body(const char *code, const struct native_turns *turns);

#endif
