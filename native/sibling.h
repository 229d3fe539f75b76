/* Is another hardware thread of this core busy just now? Where two threads
 * share a core, independent additions, several a cycle, lose some of their
 * issue slots to the other thread; a chain of dependent additions loses next to
 * nothing. The method is our own. */
#ifndef HWC_NATIVE_SIBLING_H
#define HWC_NATIVE_SIBLING_H

#include <stdbool.h>

/* How often five independent chains took so long, relative to one chain of the same length: bins of 2 % from 0.5 on. */
enum { NATIVE_SIBLING_BINS = 128 };

struct native_sibling {
    unsigned seen[NATIVE_SIBLING_BINS];
    unsigned asked;
};

/* How long five independent chains take, relative to one, just now: the more, the busier the sibling. Takes some 50000
 * cycles. */
double native_sibling_load(void);

/* Takes as long. A sibling that was busy at nearly every call is not noticed: the core was never seen to be
 * faster. */
bool native_sibling_idle(struct native_sibling *sibling);

/* The same by one look, a few thousand cycles; its count is of such looks alone. */
bool native_sibling_glance(struct native_sibling *sibling);

#endif
