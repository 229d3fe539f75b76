/* Why nothing is counted here, and what would help: in this container, virtual machine or host. */
#ifndef HWC_COUNTERS_DOCTOR_H
#define HWC_COUNTERS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "core_pmu.h"

enum { CTR_PMU_NAMES = 512 };

/* What the system says, and what it answers. */
struct ctr_facts {
    char container[32];  /* "docker"; empty = in none */
    char hypervisor[32]; /* empty = none */
    bool has_pmu;        /* of this CPU's core, as sysfs has it */
    char pmu[64];
    char others[CTR_PMU_NAMES]; /* further PMUs, separated by ", " */
    int paranoid;        /* below -1: not known */
    bool watchdog;       /* the kernel's NMI watchdog is on */
    int refusal;         /* errno of opening the core's cycles in user mode; 0 = it opens */
    unsigned free;       /* counters that count at the same time, up to CTR_MOST_COUNTED; 0 = none counts */
    bool has_family;     /* hwchar has a table of this CPU's events */
    bool with_papi;      /* hwchar was built with PAPI */
};

enum { CTR_MOST_COUNTED = 16 };

/* Look and try. `hypervisor` is the name of one, empty if there is none. */
void ctr_find_facts(int cpu, const char *hypervisor, struct ctr_facts *facts);

/* A paragraph of sentences, none of which comes twice: what there is, what it lacks, what to do. Pure. */
void ctr_diagnose(const struct ctr_facts *facts, char *text, size_t size);

/* Where counting works: how many counters there are at once, and who may hold another; empty if nobody does. Pure. */
void ctr_diagnose_well(const struct ctr_facts *facts, char *text, size_t size);

#endif
