/* Whether code on more variables is slower than that on the fewest: both are timed in turn, several times (slower_code.h).
 */
#ifndef HWC_PACED_CODE_H
#define HWC_PACED_CODE_H

#include "machine.h"
#include "slower_code.h"

struct hwc_paced_code {
    unsigned handle, variables;
};

/* Say in `paces` how fast each of them is; `fewest`: the code to be told from. HWC_NEXT_VARIABLES at most. A reading that
 * comes to nothing, as others work on this core, is left out; if all do, what the last one said is returned. */
int hwc_time_paces(struct hwc_machine *machine, unsigned fewest, const struct hwc_paced_code *code, size_t count,
                   struct hwc_paces *paces, struct hwc_error *error);

#endif
