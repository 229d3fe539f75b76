/* Running the compiler: several at once, each in a process group of its own, none for longer than it may take. */
#ifndef NANO_COMPILE_H
#define NANO_COMPILE_H

#include <signal.h>
#include <stdbool.h>

#include "directory.h"

struct nano_compiler {
    const char *command; /* "gcc", "ccache gcc" */
    const char *flags;   /* "-O2" */
    double patience;     /* seconds, of one run */
    const volatile sig_atomic_t *const *stop; /* the flag that is set when the user asks to stop; NULL = never */
};

/* NAME.c in the directory, to be made NAME.s and NAME.so. */
struct nano_unit {
    char name[32];
    const char *flag; /* it needs beside the user's; NULL = none */
    bool done;  /* NAME.so is there */
    bool hangs; /* the compiler was killed */
    bool lacks_room; /* it failed where the directory has hardly any room left */
    char reason[HWC_MESSAGE]; /* if it is not there */
};

/* One that is in PATH, as the user would call it; NULL = none is. */
const char *nano_find_compiler(void);

/* Compilers that run at once: one for each CPU that this thread may use. */
unsigned nano_jobs(void);

/* HWC_INTERRUPTED when the user asked to stop; no compiler runs any more in any case. */
int nano_compile(const struct nano_compiler *compiler, const struct nano_directory *directory, struct nano_unit *units,
                 unsigned count, struct hwc_error *error);

#endif
