/* What a compiler made of a loop, read off its assembly. Pure. */
#ifndef NANO_ASSEMBLY_H
#define NANO_ASSEMBLY_H

#include <stdbool.h>

struct nano_loop {
    unsigned instructions;
    unsigned fused;  /* of these, that multiply and add */
    unsigned spills; /* of these, that touch memory, or move between registers of different kinds */
};

/* The loop of a function of nano_write. false = it is not there. */
bool nano_read_loop(const char *assembly, const char *symbol, struct nano_loop *loop);

/* How many conditional jumps a function has. Compilers lay out a loop with jumps in any order, so there may be no loop
 * to read. 0 = it is not there. */
unsigned nano_read_jumps(const char *assembly, const char *symbol);

#endif
