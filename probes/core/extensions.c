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
#include <string.h>

#include "existence.h"
#include "need_core.h"
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
                  {"neon", HWC_CORE_HAS_NEON},
                  {"sve", HWC_CORE_HAS_SVE}};

enum { EXTENSIONS = sizeof extensions / sizeof extensions[0] };

/* A statement that needs the extension; false if none does on this architecture. */
static bool nano_for(const struct hwc_core *core, const char *extension, struct hwc_nano *nano)
{
    const struct hwc_core_type *type = hwc_core_type_named(core, "f64");

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

static void set_extension(struct hwc_machine *machine, const char *name, unsigned handle, struct hwc_finding *finding)
{
    bool known;

    hwc_finding_exists(finding, machine->core->code(machine, handle), strcmp(name, "fma") == 0);
    finding->documented = machine->core->documents(name, &known);
    finding->has_documented = known;
}

/* Its instruction is executed only where code for the extension has shown itself to run. */
static void set_vector_bits(const struct hwc_core *core, const struct hwc_finding *exists, struct hwc_finding *finding)
{
    struct hwc_vector_bits bits = {0};

    if (!exists->asked)
        return;
    if (!exists->known)
        hwc_finding_because(finding, hwc_depends("whether there are such vectors is unknown"));
    else if (exists->value == 0)
        hwc_finding_because(finding, hwc_nothing_there("the CPU has no such vectors"));
    else {
        bits = core->vector_bits();
        hwc_finding_by_system(finding, bits.executed);
    }
    finding->documented = bits.documented;
    finding->has_documented = bits.documented > 0;
}

static int set_hardware_float(struct hwc_machine *machine, unsigned handle, struct hwc_finding *finding,
                              struct hwc_error *error)
{
    double cycles = 0;
    int status = machine->core->time(machine, handle, &cycles, error);

    if (status == HWC_OK)
        hwc_finding_by_clock(finding, cycles < software_cycles);
    return hwc_findings_settle(status, &finding, 1, error);
}

/* Those that the architecture may have are compiled at once, with an addition of doubles. */
static int ask(struct hwc_machine *machine, struct hwc_record *record, struct hwc_error *error)
{
    struct hwc_nano nano[EXTENSIONS + 1];
    unsigned handle[EXTENSIONS + 1], asked[EXTENSIONS], count = 0;
    const struct hwc_core_type *type;

    TRY(hwc_need_core(machine, error));
    for (unsigned i = 0; i < EXTENSIONS; i++)
        if (nano_for(machine->core, extensions[i].name, &nano[count]))
            asked[count++] = i;
    type = hwc_core_type_named(machine->core, "f64");
    nano[count] = hwc_nano_of(hwc_find_operation("add", type), type, 1, 1);
    TRY(machine->core->prepare(machine, nano, count + 1, handle, error));
    for (unsigned i = 0; i < count; i++)
        set_extension(machine, extensions[asked[i]].name, handle[i], &record->finding[extensions[asked[i]].field]);
    set_vector_bits(machine->core, &record->finding[HWC_CORE_HAS_SVE], &record->finding[HWC_CORE_SVE_BITS]);
    return set_hardware_float(machine, handle[count], &record->finding[HWC_CORE_HARDWARE_FLOAT], error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_record *core = &profile->core;
    struct hwc_finding *const found[] = {&core->finding[HWC_CORE_HARDWARE_FLOAT], &core->finding[HWC_CORE_HAS_FMA]};

    return hwc_findings_settle(ask(lab->machine, core, error), found, 2, error);
}

const struct hwc_probe hwc_probe_extensions = {
    .name = "extensions",
    .summary = "extensions of the instruction set that the CPU executes",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.4",
    .provides = {HWC_CORE_HARDWARE_FLOAT, HWC_CORE_HAS_FMA, HWC_CORE_HAS_SSE2, HWC_CORE_HAS_AVX2, HWC_CORE_HAS_AVX512,
                 HWC_CORE_HAS_NEON, HWC_CORE_HAS_SVE, HWC_CORE_SVE_BITS},
    .on_request = true,
    .group = "core",
    .run = run,
};
