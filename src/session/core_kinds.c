#include "core_kinds.h"

#include "kinds.h"
#include "text.h"

_Static_assert((int)HWC_MOST_KINDS == (int)NATIVE_MOST_KINDS, "as many as can be found");

unsigned hwc_core_kinds(struct hwc_core_kind kinds[HWC_MOST_KINDS])
{
    struct native_kind found[NATIVE_MOST_KINDS];
    unsigned count = native_find_kinds(found);

    for (unsigned i = 0; i < count; i++) {
        kinds[i] = (struct hwc_core_kind){.cpu = found[i].cpu, .cpus = found[i].cpus};
        hwc_write(kinds[i].name, sizeof kinds[i].name, "%s", found[i].name);
    }
    return count;
}
