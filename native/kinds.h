/* Kinds of cores: big and small ones, in one machine. */
#ifndef HWC_NATIVE_KINDS_H
#define HWC_NATIVE_KINDS_H

#include <sched.h>
#include <stdbool.h>

enum { NATIVE_MOST_KINDS = 8 };

struct native_kind {
    int cpu;       /* the first that this process may use */
    unsigned cpus; /* that it may use */
    char name[64]; /* "cpu_atom", "armv8_cortex_a55", "capacity 446" */
};

/* The kinds of the CPUs that this process may use, in the order of their first CPUs. Returns how many; one where the
 * system tells none apart. */
unsigned native_find_kinds(struct native_kind kinds[NATIVE_MOST_KINDS]);

/* Leave those CPUs that are of the same kind as this one. */
void native_keep_kind(int cpu, cpu_set_t *cpus);

#endif
