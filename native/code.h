/* Emitted code: walks that are executed instead of loaded. The code in each
 * cell transfers to the next cell; one cell counts the passes, and returns to
 * the caller after the last pass. Memory is writable and executable at once where
 * the system allows that, else in turn.
 *
 * A walk may ask for more code in each cell (its code_bytes). The rest is
 * instructions that do nothing, in front of the transfer to the next cell.
 *
 * Where misses are counted, the transfer is a jump. Timed jumps would hide
 * misses, as predictors run ahead and fetch early. So timed walks use returns
 * that no predictor foresees, and every fetch waits for the one before. Only
 * walks that measure jumps (walk->jumps) are timed with jumps.
 *
 * A core that predicts returns from the return stack alone always mispredicts a
 * return without a call, whatever its branch target buffer holds; what it fetches
 * in error is a trap beside the walk's end (native_enter_returns). A core that
 * also predicts returns like indirect jumps, from branch history, learns such
 * returns. There each return follows a call; the call's own target is found
 * late if the branch target buffer has lost it. */
#ifndef HWC_NATIVE_CODE_H
#define HWC_NATIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "emit.h"
#include "error.h"
#include "walk.h"

/* Where the code of a walk begins: offsets. */
struct native_entry {
    uint64_t cell;
    uint64_t call; /* that fills the return stack (emit.h); 0 = no need, as no return is without a call */
};

/* Write the walk into `base`, mapped for `bytes`, and make it executable. *entry
 * says where to enter it. */
int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, enum native_transfer transfer,
                        struct native_entry *entry, struct hwc_error *error);

/* Let mapped pages be written to, and after that be executed. *both: they are both at once. */
int native_code_unlock(char *base, uint64_t bytes, bool *both, struct hwc_error *error);
int native_code_lock(char *base, uint64_t bytes, bool both, struct hwc_error *error);

/* Execute `passes` passes, at least one. */
void native_code_run(const char *base, struct native_entry entry, uint32_t passes);

#endif
