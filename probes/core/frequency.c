/* The core's frequency.
 *
 * Claim: additions that depend on each other take a cycle each, so that their rate is the core's frequency.
 *
 * Method: X-Ray (QEST 2005, 3.1). The machine times chains of additions when it is opened, in windows of a
 * millisecond until twenty in a row agree: a core that was idle first has to ramp up. The rate of time stamps, which
 * most machines keep whatever the core does, stands beside it.
 *
 * What can fool it: a core whose additions take another time, such as half a cycle (the Pentium 4: X-Ray found
 * twice its frequency) or two (the POWER9). Times in cycles then are times in additions. */
#include <math.h>

#include "body_time.h"
#include "need_core.h"
#include "table.h"

static void set_mhz(struct hwc_finding *finding, double per_ns)
{
    hwc_finding_by_clock(finding, round(per_ns * 1e4) / 10);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct hwc_machine *machine = lab->machine;
    struct hwc_finding *core = &profile->core.finding[HWC_CORE_FREQUENCY];
    struct hwc_finding *stamps = &profile->core.finding[HWC_CORE_STAMP_FREQUENCY];
    int status = hwc_need_core(machine, error);

    if (status == HWC_OK)
        status = hwc_need_own_code(lab, error);
    if (status != HWC_OK)
        return hwc_findings_settle(status, (struct hwc_finding *[]){core, stamps}, 2, error);
    set_mhz(stamps, machine->stamps_per_ns);
    if (machine->steady)
        set_mhz(core, machine->cycles_per_ns);
    else
        hwc_finding_because(core, hwc_inconclusive("the frequency never came to rest"));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_frequency = {
    .name = "frequency",
    .summary = "the core's frequency, and that of time stamps",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.1",
    .provides = {HWC_CORE_FREQUENCY, HWC_CORE_STAMP_FREQUENCY},
    .on_request = true,
    .group = "core",
    .run = run,
};
