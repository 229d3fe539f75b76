/* Loading what a compiler wrote. Nothing that it wrote is trusted: a child process tries it first. */
#ifndef NANO_OBJECT_H
#define NANO_OBJECT_H

#include <stdbool.h>

#include "error.h"

typedef void nano_function(unsigned long n);

/* What is looked for in an object. */
struct nano_symbol {
    char name[32];
    nano_function *function; /* NULL = it does not run, and the reason says why */
    bool refused;            /* the CPU does not know one of its instructions */
    char reason[96];
};

/* Load an object and take it off the disk. HWC_UNAVAILABLE if it cannot be loaded. All its pages are there then. What
 * was loaded stays until the process ends: it is little, and code that was timed must not come to lie where other code
 * was. */
int nano_load(const char *path, struct nano_symbol *symbols, unsigned count, struct hwc_error *error);

#endif
