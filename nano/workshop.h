/* Nano-benchmarks of a run: compiled when they are first asked for, and kept until its end. */
#ifndef NANO_WORKSHOP_H
#define NANO_WORKSHOP_H

#include <stddef.h>

#include "compile.h"
#include "nano.h"
#include "object.h"

struct nano_workshop;

/* Opens nothing yet: that costs time, which only those who ask for code should have to pay. NULL: no memory.
 * `command` is the user's compiler, or NULL for the one that is found. The texts are borrowed. */
struct nano_workshop *nano_workshop_open(const char *command, const char *flags,
                                         const volatile sig_atomic_t *const *stop);

/* Compile those that are not yet; handle[i] is that of nanos[i] from then on. HWC_UNAVAILABLE: there is no compiler
 * that works. Other faults of compilers are those of single functions. Compilers run on all CPUs that this thread
 * may use. */
int nano_prepare(struct nano_workshop *workshop, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                 struct hwc_error *error);

/* What keeps all code from being made, or some that a compiler does not refuse for what it is. false = nothing does. */
bool nano_trouble(const struct nano_workshop *workshop, char *text, size_t size);

const struct hwc_nano_code *nano_code_of(const struct nano_workshop *workshop, unsigned handle);
nano_function *nano_function_of(const struct nano_workshop *workshop, unsigned handle);

/* Does nothing for NULL. */
void nano_workshop_close(struct nano_workshop *workshop);

#endif
