/* Does another thread work on this core? Where two share it, one that could do
 * several additions a cycle gets part of its turns, and one that waits for each
 * addition loses nothing. No source: simultaneous multithreading as such. */
#ifndef HWC_NATIVE_SIBLING_H
#define HWC_NATIVE_SIBLING_H

#include <stdbool.h>

struct native_sibling {
    double least; /* additions side by side, in units of as many in a chain: the least median so far; 0 = not yet asked */
};

/* Some 50000 cycles. Can be fooled by a sibling that has worked whenever it was asked: then nothing less was seen. */
bool native_is_alone(struct native_sibling *sibling);

#endif
