/* What all probes of the core begin with. */
#ifndef HWC_NEED_CORE_H
#define HWC_NEED_CORE_H

#include "machine.h"

/* HWC_UNAVAILABLE, with the machine's reason, where its core executes nothing. */
static inline int hwc_need_core(const struct hwc_machine *machine, struct hwc_error *error)
{
    return machine->core_reason == NULL ? HWC_OK : hwc_fail(error, HWC_UNAVAILABLE, "%s", machine->core_reason);
}

/* The same where there is no other CPU either. */
static inline int hwc_need_cpus(const struct hwc_machine *machine, struct hwc_error *error)
{
    TRY(hwc_need_core(machine, error));
    return machine->cpus != NULL ? HWC_OK : hwc_fail(error, HWC_UNAVAILABLE, "%s", machine->alone_reason);
}

#endif
