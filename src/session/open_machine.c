#include "open_machine.h"

#include <stdlib.h>

#include "description.h"
#include "native.h"
#include "simulated.h"

void hwc_request_of_native(const struct hwc_machine_request *request, struct native_request *native)
{
    *native = (struct native_request){
        .cpu = request->cpu,
        .any_of_kind = request->core_kind != NULL,
        .allow_hugetlb = request->allow_hugetlb,
        .compiler = request->compiler,
        .compiler_flags = request->compiler_flags,
        .counters = request->counters,
        .backend = request->backend,
        .event_map_file = request->event_map_file,
        .audits = request->audits,
        .overrides = request->overrides,
    };
    for (unsigned i = 0; i < request->overrides; i++)
        native->override[i] = (struct native_override){request->override[i].event, request->override[i].native};
}

static int open_native(struct hwc_machine **machine, const struct hwc_machine_request *request, struct hwc_host *host,
                       struct hwc_error *error)
{
    struct native_request native;

    hwc_request_of_native(request, &native);
    return native_machine_open(machine, &native, host, error);
}

static int open_simulated(struct hwc_machine **machine, const char *file, uint64_t seed, struct hwc_host *host,
                          struct hwc_error *error)
{
    struct sim_description *description = malloc(sizeof *description);
    int status;

    if (description == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a machine description");
    status = sim_description_read(file, description, error);
    if (status == HWC_OK)
        status = sim_machine_open(machine, description, seed, error);
    if (status == HWC_OK) {
        hwc_write(host->cpu_model, sizeof host->cpu_model, "%s", description->name);
        hwc_write(host->arch, sizeof host->arch, "simulated");
    }
    free(description);
    return status;
}

int hwc_open_machine(struct hwc_machine **machine, const struct hwc_machine_request *request, uint64_t seed,
                     struct hwc_host *host, struct hwc_error *error)
{
    host->cpu = -1;
    if (request->machine_file != NULL)
        return open_simulated(machine, request->machine_file, seed, host, error);
    return open_native(machine, request, host, error);
}
