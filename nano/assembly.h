/* What a compiler made of a loop, read off its assembly. Pure. */
#ifndef NANO_ASSEMBLY_H
#define NANO_ASSEMBLY_H

#include <stdbool.h>

struct nano_loop {
    unsigned instructions;
    unsigned spills; /* of these, that touch memory, or move between registers of different kinds */
};

/* The loop of a function of nano_write. false = it is not there. */
bool nano_read_loop(const char *assembly, const char *symbol, struct nano_loop *loop);

#endif
