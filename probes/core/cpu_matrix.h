/* Matrices over the machine's CPUs. */
#ifndef HWC_CPU_MATRIX_H
#define HWC_CPU_MATRIX_H

#include "profile.h"

/* A matrix whose rows and columns are labelled with the system's numbers. May return HWC_NO_MEMORY. */
int hwc_cpu_matrix_add(struct hwc_machine *machine, struct hwc_profile *profile, const char *name, const char *what,
                       struct hwc_matrix **matrix, struct hwc_error *error);

#endif
