/* Does another thread work on this core? Where two share it, one that could do
 * several additions a cycle gets part of its turns, and one that waits for each
 * addition loses nothing. No source: simultaneous multithreading as such. */
#ifndef HWC_NATIVE_SIBLING_H
#define HWC_NATIVE_SIBLING_H

#include <stdbool.h>

/* How often additions side by side took so much, in units of as many in a chain: bins of 2 % from a half on. */
#define NATIVE_SIBLING_BINS 128

struct native_sibling {
    unsigned seen[NATIVE_SIBLING_BINS];
    unsigned asked;
};

/* Some 50000 cycles. Can be fooled by a sibling that has worked nearly whenever it was asked: then nothing less was
 * seen. */
bool native_is_alone(struct native_sibling *sibling);

#endif
