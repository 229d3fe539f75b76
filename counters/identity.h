/* Which family of event tables a CPU is of, by what the kernel says of it. */
#ifndef HWC_COUNTERS_IDENTITY_H
#define HWC_COUNTERS_IDENTITY_H

#include <stdint.h>
#include <stdio.h>

#include "core_pmu.h"

struct ctr_identity {
    char vendor[16];                   /* x86: "GenuineIntel" */
    unsigned family, model, stepping;  /* x86 */
    unsigned implementer, part;        /* Arm: MIDR's fields */
    uint64_t machine_vendor, machine;  /* RISC-V: mvendorid, marchid */
};

/* What a text like /proc/cpuinfo says of the CPUs from 0 on; of those that it does not tell, what it says of the first that
 * it does. NULL = it says nothing. */
void ctr_read_identities(FILE *cpuinfo, struct ctr_identity *identities, int cpus);

/* What this machine's says: so many, the caller's to free; NULL if there is no memory. The kernel asks every CPU for what
 * stands there, so that to read it for each would take seconds where there are hundreds. */
struct ctr_identity *ctr_identify_cpus(int cpus);

/* The family, NULL if there is no table. On a machine with two kinds of core, the name of the core's PMU
 * (ctr_find_core_pmu) tells the kind. */
const char *ctr_identified(const struct ctr_identity *identity, const char *pmu);

/* The family of this machine's CPU (-1 = the first), whose core has this PMU. LIBPFM_FORCE_PMU=NAME, which libpfm4 obeys, is obeyed here,
 * too. */
const char *ctr_cpu_family(int cpu, const struct ctr_core_pmu *core);

#endif
