/* Emitted code: walks that are executed instead of loaded. Every cell of a
 * walk holds the way to the next; the last counts a pass and returns in the
 * end. Memory is written or executed, never both (W^X).
 *
 * A cell's code may have instructions before that way that do nothing (the
 * walk's code_bytes), one byte each where there are such.
 *
 * Where misses are counted, the way is a jump. Where they are timed, jumps
 * hide them: predictors run ahead and fetch early. There the way is a return
 * that no predictor foresees, so that every fetch waits for the one before; but
 * for walks that ask about jumps.
 *
 * Such a return is one without a call: whether a branch target buffer knows it
 * or not, what is foreseen is wrong, and its time does not depend on that
 * buffer. Some cores (Intel since Skylake) foresee returns without a call by
 * what came before, as they do indirect jumps: there a call goes before each,
 * which is found late where the buffer has forgotten it. */
#ifndef HWC_NATIVE_CODE_H
#define HWC_NATIVE_CODE_H

#include <stdint.h>

#include "error.h"
#include "walk.h"

enum native_hops { NATIVE_JUMPS, NATIVE_RETURNS, NATIVE_CALLED_RETURNS };

/* Write the walk into `base`, mapped for `bytes`, and make it executable.
 * Returns in *entry where it begins. */
int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, enum native_hops hops,
                        uint64_t *entry, struct hwc_error *error);

/* Execute so many passes, at least one. */
void native_code_run(const char *base, uint64_t entry, uint32_t passes);

#endif
