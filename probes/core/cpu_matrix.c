#include "cpu_matrix.h"

int hwc_cpu_matrix_add(struct hwc_machine *machine, struct hwc_profile *profile, const char *name, const char *what,
                       struct hwc_matrix **matrix, struct hwc_error *error)
{
    const struct hwc_cpus *cpus = machine->cpus;

    TRY(hwc_matrix_add(&profile->matrices, name, cpus->count(machine), matrix, error));
    hwc_write((*matrix)->what, sizeof(*matrix)->what, "%s", what);
    hwc_write((*matrix)->of, sizeof(*matrix)->of, "CPU");
    for (unsigned i = 0; i < (*matrix)->count; i++)
        hwc_write((*matrix)->label[i], sizeof(*matrix)->label[i], "%d", cpus->number(machine, i));
    return HWC_OK;
}
