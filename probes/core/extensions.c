/* Extensions of the instruction set.
 *
 * Claim: this CPU executes what the extension has.
 *
 * Method: X-Ray (QEST 2005, 3.4) asks of times whether an operation exists. Here, code that the compiler makes for
 * the extension is executed, by a process of its own: it ends if the CPU does not know an instruction. What CPUID or
 * the kernel says stands beside it. Floating point is done by hardware if an addition of doubles takes less than ten
 * cycles.
 *
 * What can fool it: a kernel or a hypervisor that emulates instructions; times then tell. */
#include <stdlib.h>
#include <string.h>

#include "finding_by_clock.h"
#include "operations.h"
#include "table.h"

/* X-Ray's threshold. */
static const double software_cycles = 10;

static const struct {
    const char *name; /* as in a type's extension */
    enum hwc_field_id field;
} extensions[] = {{"fma", HWC_CORE_HAS_FMA},
                  {"sse2", HWC_CORE_HAS_SSE2},
                  {"avx2", HWC_CORE_HAS_AVX2},
                  {"avx512", HWC_CORE_HAS_AVX512},
                  {"neon", HWC_CORE_HAS_NEON}};

enum { EXTENSIONS = sizeof extensions / sizeof extensions[0] };

static const struct hwc_core_type *type_named(const struct hwc_core *core, const char *name)
{
    for (unsigned i = 0; i < *core->type_count; i++)
        if (strcmp(core->types[i].name, name) == 0)
            return &core->types[i];
    return NULL;
}

/* A statement that needs the extension; false if none does on this architecture. */
static bool nano_for(const struct hwc_core *core, const char *extension, struct hwc_nano *nano)
{
    const struct hwc_core_type *type = type_named(core, "f64");

    if (strcmp(extension, "fma") == 0) {
        *nano = hwc_nano_of(hwc_find_operation("fma", type), type, 1, 1);
        return true;
    }
    for (unsigned i = 0; i < *core->type_count; i++) {
        type = &core->types[i];
        if (type->extension == NULL || strcmp(type->extension, extension) != 0 || !type->floating)
            continue;
        *nano = hwc_nano_of(hwc_find_operation("add", type), type, 1, 1);
        return true;
    }
    return false;
}

/* Did a process of its own come to its end? */
static void set_exists(const struct hwc_nano_code *code, bool fused, struct hwc_finding *finding)
{
    const unsigned of_loop = 4;

    if (code->runs || strstr(code->reason, "does not know") != NULL)
        hwc_finding_by_clock(finding, code->runs && (!fused || code->instructions <= code->statements + of_loop));
    else
        hwc_finding_because(finding, hwc_unavailable(code->reason));
}

static int ask_extension(struct hwc_machine *machine, const char *name, struct hwc_finding *finding,
                         struct hwc_error *error)
{
    struct hwc_nano nano;
    unsigned handle;
    bool known;

    if (!nano_for(machine->core, name, &nano))
        return HWC_OK;
    TRY(machine->core->prepare(machine, &nano, 1, &handle, error));
    set_exists(machine->core->code(machine, handle), strcmp(name, "fma") == 0, finding);
    finding->documented = machine->core->documents(name, &known);
    finding->has_documented = known;
    return HWC_OK;
}

static int ask_hardware_float(struct hwc_machine *machine, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_core_type *type = type_named(machine->core, "f64");
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", type), type, 1, 1);
    unsigned handle;
    double cycles;
    int status;

    TRY(machine->core->prepare(machine, &nano, 1, &handle, error));
    status = machine->core->time(machine, handle, &cycles, error);
    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    TRY(status);
    hwc_finding_by_clock(finding, cycles < software_cycles);
    return HWC_OK;
}

static int ask_all(struct hwc_machine *machine, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned i = 0; i < EXTENSIONS; i++)
        TRY(ask_extension(machine, extensions[i].name, &profile->core.finding[extensions[i].field], error));
    return ask_hardware_float(machine, &profile->core.finding[HWC_CORE_HARDWARE_FLOAT], error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *const floating = &profile->core.finding[HWC_CORE_HARDWARE_FLOAT];
    struct hwc_finding *const fused = &profile->core.finding[HWC_CORE_HAS_FMA];
    int status;

    if (lab->machine->core == NULL) {
        hwc_findings_because((struct hwc_finding *[]){floating, fused}, 2, hwc_unavailable(lab->machine->core_reason));
        return HWC_OK;
    }
    status = ask_all(lab->machine, profile, error);
    if (!hwc_came_to_nothing(status))
        return status;
    hwc_findings_failed((struct hwc_finding *[]){floating, fused}, 2, error);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_extensions = {
    .name = "extensions",
    .summary = "extensions of the instruction set that the CPU executes",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.4",
    .provides = {HWC_CORE_HARDWARE_FLOAT, HWC_CORE_HAS_FMA, HWC_CORE_HAS_SSE2, HWC_CORE_HAS_AVX2, HWC_CORE_HAS_AVX512,
                 HWC_CORE_HAS_NEON},
    .on_request = true,
    .group = "core",
    .run = run,
};
