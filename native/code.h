/* Emitted code: walks that are executed instead of loaded. The code in each
 * cell of a walk goes on to the next cell; the last cell counts a pass, and
 * after the last pass returns. Memory is writable or executable, never both.
 *
 * A walk may ask for more code in each cell (its code_bytes). The rest is
 * instructions that do nothing, in front of the transfer to the next cell.
 *
 * Where misses are counted, the transfer is a jump. Where they are timed, jumps
 * would hide them: predictors run ahead and fetch early. There it is a return
 * that no predictor foresees, so that every fetch waits for the one before.
 * Only walks that ask about jumps are timed with jumps.
 *
 * A return without a call is always mispredicted where returns are predicted
 * from a stack of calls alone: its time does not depend on what the branch
 * target buffer holds. A core that also predicts returns as it does indirect
 * jumps, from the branches before them, learns such returns. There a call goes
 * before each; its own target is found late where the branch target buffer has
 * forgotten it. */
#ifndef HWC_NATIVE_CODE_H
#define HWC_NATIVE_CODE_H

#include <stdint.h>

#include "emit.h"
#include "error.h"
#include "walk.h"

/* Write the walk into `base`, mapped for `bytes`, and make it executable.
 * Returns in *entry where it begins. */
int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, enum native_transfer transfer,
                        uint64_t *entry, struct hwc_error *error);

/* Execute so many passes, at least one. */
void native_code_run(const char *base, uint64_t entry, uint32_t passes);

#endif
