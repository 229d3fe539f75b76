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

/* What a text like /proc/cpuinfo says of a CPU; of the first for which it says something where the CPU is not in it. */
void ctr_read_identity(FILE *cpuinfo, int cpu, struct ctr_identity *identity);

/* The family, NULL if there is no table. On a machine with two kinds of core, the name of the core's PMU
 * (ctr_find_core_pmu) tells the kind. */
const char *ctr_identified(const struct ctr_identity *identity, const char *pmu);

/* The family of this machine's CPU, whose core has this PMU. LIBPFM_FORCE_PMU=NAME, which libpfm4 obeys, is obeyed here,
 * too. */
const char *ctr_cpu_family(int cpu, const struct ctr_core_pmu *core);

#endif
