/* What a compiler makes for another architecture, executed under an emulator: registers by spills, which extensions and
 * whether a fused multiply-add exist, and why times are unknown. The compiler is the argument; test_cross.py reads what
 * is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_types.h"
#include "native_machine.h"

static struct hwc_nano nano_of(const char *text, const struct hwc_core_type *type, unsigned variables, bool fused)
{
    return (struct hwc_nano){
        .statement = {{.text = text, .type = type, .first = "1", .other = "1", .fused = fused}},
        .statements = 1,
        .variables = variables,
        .per_label = 1};
}

static void fail(const struct hwc_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

/* The most variables of which none is spilled. */
static void print_registers(struct native_machine *machine, const struct hwc_core_type *type)
{
    enum { MOST = 40 };
    struct hwc_nano nanos[MOST];
    unsigned handles[MOST], registers = 0;
    struct hwc_error error = {0};

    for (unsigned i = 0; i < MOST; i++)
        nanos[i] = nano_of("{i} = {i} + {p}", type, i + 2, false);
    if (native_core.prepare(&machine->base, nanos, MOST, handles, &error) != HWC_OK)
        fail(&error);
    for (unsigned i = 0; i < MOST && registers == i; i++)
        registers += native_core.code(&machine->base, handles[i])->assembled &&
                     native_core.code(&machine->base, handles[i])->spills == 0;
    printf("%s registers %u runs %d\n", type->name, registers + 1, native_core.code(&machine->base, handles[0])->runs);
}

/* Prepared twice, as several probes may do: that it is executed again says nothing of how it is executed first. */
static void print_fused(struct native_machine *machine, const struct hwc_core_type *type)
{
    const struct hwc_nano nano = nano_of("{i} = {i} * {c} + {c}", type, 1, true);
    const struct hwc_nano_code *code;
    struct hwc_error error = {0};
    unsigned handle;
    double cycles;
    int status;

    for (unsigned i = 0; i < 2; i++)
        if (native_core.prepare(&machine->base, &nano, 1, &handle, &error) != HWC_OK)
            fail(&error);
    code = native_core.code(&machine->base, handle);
    status = native_core.time(&machine->base, handle, &cycles, &error);
    printf("%s fused %d\n", type->name, code->runs && code->fused >= code->statements);
    printf("%s time %s\n", type->name,
           status == HWC_OK ? "known" : error.message);
}

static void print_documented(const char *extension)
{
    bool known, documented = native_documents(extension, &known);

    if (known)
        printf("%s documented %d\n", extension, documented);
}

int main(int count, char **words)
{
    struct native_machine *machine = calloc(1, sizeof *machine);
    struct hwc_error error = {0};

    if (machine == NULL || count < 2 || native_pin(&machine->placement, -1, false, &error) != HWC_OK) {
        free(machine);
        return 1;
    }
    native_clock_calibrate(&machine->clock);
    machine->first_ns = INFINITY;
    machine->workshop = nano_workshop_open(words[1], "-O2", NULL);
    for (unsigned i = 0; i < native_core_type_count; i++) {
        print_registers(machine, &native_core_types[i]);
        print_fused(machine, &native_core_types[i]);
    }
    print_documented("fma");
    print_documented("neon");
    nano_workshop_close(machine->workshop);
    free(machine);
    return 0;
}
