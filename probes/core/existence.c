#include "existence.h"

/* Instructions of a loop that are its own: it counts, compares and jumps back. A fused one may have a copy beside it,
 * where it overwrites what is added (NEON). */
enum { OF_LOOP = 4 };

void hwc_finding_exists(struct hwc_finding *finding, const struct hwc_nano_code *code, bool fused)
{
    if (code->refused)
        hwc_finding_by_clock(finding, false);
    else if (!code->runs)
        hwc_finding_because(finding, hwc_unavailable(code->reason));
    else if (fused && !code->assembled)
        hwc_finding_because(finding, hwc_unavailable("the compiler's assembly cannot be read"));
    else
        hwc_finding_by_clock(finding, !fused || code->fused >= code->statements ||
                                          code->instructions <= code->statements + OF_LOOP);
}
