/* What a compiler makes for another architecture, executed under an emulator. `COMPILER code TYPE...` prints of these
 * types: whether their code runs, whether a fused multiply-add exists, why times are unknown, and registers by spills;
 * and what the system documents. `COMPILER runs TYPE...` is the same without registers. `COMPILER text` prints the C of
 * all operations, `COMPILER bits` how long vectors are of which only the CPU knows that. test_cross.py reads it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_types.h"
#include "generate.h"
#include "native_machine.h"
#include "operations.h"

static void fail(const struct hwc_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void print_runs(struct native_machine *machine, const struct hwc_core_type *type)
{
    const struct hwc_nano nano = hwc_nano_of(hwc_find_operation("add", type), type, 1, 1);
    const struct hwc_nano_code *code;
    struct hwc_error error = {0};
    unsigned handle;

    if (native_core.prepare(&machine->base, &nano, 1, &handle, &error) != HWC_OK)
        fail(&error);
    code = native_core.code(&machine->base, handle);
    printf("%s runs %d refused %d %s\n", type->name, code->runs, code->refused, code->reason);
}

/* The most variables of which none is spilled. */
static void print_registers(struct native_machine *machine, const struct hwc_core_type *type)
{
    enum { MOST = 40 };
    struct hwc_nano nanos[MOST];
    unsigned handles[MOST], registers = 0;
    struct hwc_error error = {0};

    for (unsigned i = 0; i < MOST; i++)
        nanos[i] = (struct hwc_nano){
            .statement = {hwc_sum_with_former(type)}, .statements = 1, .variables = i + 2, .per_label = 1};
    if (native_core.prepare(&machine->base, nanos, MOST, handles, &error) != HWC_OK)
        fail(&error);
    for (unsigned i = 0; i < MOST && registers == i; i++)
        registers += native_core.code(&machine->base, handles[i])->assembled &&
                     native_core.code(&machine->base, handles[i])->spills == 0;
    printf("%s registers %u\n", type->name, registers + 1);
}

/* The table has none for vectors of integers, which some architectures have, too. */
static struct hwc_nano fused_of(const struct hwc_core_type *type)
{
    const struct hwc_operation *fma = hwc_find_operation("fma", type);

    if (fma == NULL)
        fma = hwc_find_operation("fma", hwc_core_type_named(&native_core, "i32"));
    return hwc_nano_of(fma, type, 1, 1);
}

/* Prepared twice, as several probes may do: that it is executed again says nothing of how it is executed first. */
static void print_fused(struct native_machine *machine, const struct hwc_core_type *type)
{
    const struct hwc_nano nano = fused_of(type);
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

static int print_code(const char *compiler, bool with_registers, char **names)
{
    const struct hwc_core_type *type;
    struct native_machine *machine = calloc(1, sizeof *machine);
    struct hwc_error error = {0};

    if (machine == NULL || native_pin(&machine->placement, -1, false, &error) != HWC_OK) {
        free(machine);
        return 1;
    }
    native_clock_calibrate(&machine->clock);
    machine->first_ns = INFINITY;
    machine->workshop = nano_workshop_open(compiler, "-O2", NULL);
    for (; *names != NULL && (type = hwc_core_type_named(&native_core, *names)) != NULL; names++) {
        print_runs(machine, type);
        print_fused(machine, type);
        if (with_registers)
            print_registers(machine, type);
    }
    print_documented("fma");
    print_documented("neon");
    print_documented("sve");
    nano_workshop_close(machine->workshop);
    free(machine);
    return 0;
}

/* Each behind a line with its name, type and flag. */
static int print_text(void)
{
    char symbol[64];

    for (unsigned i = 0; i < native_core_type_count; i++) {
        const struct hwc_core_type *type = &native_core_types[i];
        for (const struct hwc_operation *operation = hwc_operations; operation->name != NULL; operation++) {
            const struct hwc_nano nano = hwc_nano_of(operation, type, 3, 1);
            if (!hwc_operation_takes(operation, type))
                continue;
            printf("== %s %s %s\n", operation->name, type->name, type->flag != NULL ? type->flag : "");
            snprintf(symbol, sizeof symbol, "code_%s", operation->name);
            nano_write(stdout, &nano, symbol);
        }
    }
    return 0;
}

static int print_vector_bits(void)
{
    const struct hwc_vector_bits bits = native_core.vector_bits();

    printf("%.0f documented %.0f\n", bits.executed, bits.documented);
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[2], "text") == 0)
        return print_text();
    if (count == 3 && strcmp(words[2], "bits") == 0)
        return print_vector_bits();
    return count >= 3 ? print_code(words[1], strcmp(words[2], "code") == 0, words + 3) : 2;
}
