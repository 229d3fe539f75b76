/* Emitted code: walks that are executed instead of loaded. Every cell of a
 * walk holds the way to the next; the last counts a pass and returns in the
 * end. Memory is written or executed, never both (W^X).
 *
 * Where misses are counted, the way is a jump. Where they are timed, jumps
 * hide them: predictors run ahead and fetch early. There the way is a return
 * to elsewhere than its call says, which no predictor foresees, so that every
 * fetch waits for the one before; but for walks that ask about jumps. */
#ifndef HWC_NATIVE_CODE_H
#define HWC_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "walk.h"

/* Write the walk into `base`, mapped for `bytes`, and make it executable.
 * Returns in *entry where it begins. */
int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, bool by_returns, uint64_t *entry,
                        struct hwc_error *error);

/* Execute so many passes, at least one. */
void native_code_run(const char *base, uint64_t entry, uint32_t passes);

#endif
