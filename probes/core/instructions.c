/* Latency and throughput of the core's operations, and how many units do them.
 *
 * Claim: the result of an operation can be used after so many cycles, and another one that does not wait for it
 * can begin after so many.
 *
 * Method: X-Ray (QEST 2005, 3.2 to 3.4). A statement is compiled and timed: on one variable, where each waits for
 * the one before; then on more and more variables, and on more behind each case label, as long as no variable is
 * spilled. The least time of those is the throughput. An operation exists if the compiler makes one instruction of
 * the statement, and the CPU executes it. Where n operations begin in a cycle, n units do them.
 *
 * What can fool it: what the compiler makes of a statement is what is timed, moves and all; a core that begins
 * fewer operations in a cycle than it has units for. */
#include <stdlib.h>
#include <string.h>

#include "core_times.h"
#include "existence.h"
#include "need_core.h"
#include "operation_time.h"
#include "table.h"

struct plan {
    unsigned count;
    struct hwc_timed asked[HWC_MAX_INSTRUCTIONS];
};

static void lay_out(const struct hwc_core *core, struct plan *plan)
{
    for (unsigned t = 0; t < *core->type_count; t++)
        for (const struct hwc_operation *operation = hwc_operations; operation->name != NULL; operation++)
            if (hwc_operation_takes(operation, &core->types[t]) && plan->count < HWC_MAX_INSTRUCTIONS)
                plan->asked[plan->count++] = (struct hwc_timed){.operation = operation, .type = &core->types[t]};
}

static const struct hwc_timed *find(const struct plan *plan, const char *name, const char *type)
{
    for (unsigned i = 0; i < plan->count; i++)
        if (strcmp(plan->asked[i].operation->name, name) == 0 && strcmp(plan->asked[i].type->name, type) == 0)
            return &plan->asked[i];
    return NULL;
}

static void set_latency(const struct plan *plan, const struct hwc_timed *asked, double cycles_per_ns,
                        struct hwc_finding *finding)
{
    const char *also = asked->operation->also;
    const struct hwc_timed *other = also != NULL ? find(plan, also, asked->type->name) : NULL;

    if (!asked->has_latency)
        hwc_finding_failed(finding, &asked->error);
    else if (other != NULL && !other->has_latency)
        hwc_finding_because(finding, hwc_depends("it stands in one statement with an addition, of unknown latency"));
    else {
        hwc_finding_cycles(finding, asked->latency - (other != NULL ? other->latency : 0));
        hwc_finding_nanoseconds(finding, finding->value, cycles_per_ns);
    }
}

static void set_throughput(const struct hwc_timed *asked, struct hwc_finding *finding)
{
    if (!asked->has_latency)
        hwc_finding_failed(finding, &asked->error);
    else if (!asked->has_throughput)
        hwc_finding_because(finding, hwc_inconclusive("no reading of independent operations"));
    else
        hwc_finding_cycles(finding, asked->throughput);
}

static void report(struct hwc_lab *lab, const struct plan *plan, const struct hwc_timed *asked, double seconds,
                   struct hwc_profile *profile)
{
    struct hwc_machine *machine = lab->machine;
    struct hwc_record *record = hwc_profile_add_instruction(profile, asked->operation->name, asked->type->name);

    if (record == NULL)
        return;
    set_latency(plan, asked, machine->cycles_per_ns, &record->finding[HWC_INSTRUCTION_LATENCY]);
    set_throughput(asked, &record->finding[HWC_INSTRUCTION_THROUGHPUT]);
    hwc_finding_exists(&record->finding[HWC_INSTRUCTION_EXISTS], machine->core->code(machine, asked->handle[0]),
                       strcmp(asked->operation->name, "fma") == 0);
    record->finding[HWC_INSTRUCTION_LATENCY].seconds = seconds;
}

/* Of units that begin an operation in every cycle there are as many as begin in one. */
static const struct {
    const char *operation, *type;
    enum hwc_field_id field;
} units[] = {{"add", "i64", HWC_CORE_ADD_UNITS},
             {"multiply", "i64", HWC_CORE_MULTIPLY_UNITS},
             {"shift", "i64", HWC_CORE_SHIFT_UNITS},
             {"add", "f64", HWC_CORE_FLOAT_ADD_UNITS},
             {"multiply", "f64", HWC_CORE_FLOAT_MULTIPLY_UNITS}};

enum { UNITS = sizeof units / sizeof units[0] };

static void set_units(const struct hwc_timed *asked, struct hwc_finding *finding)
{
    double rate = asked != NULL && asked->has_throughput ? 1 / asked->throughput : 0;
    double count;

    if (asked == NULL || !asked->has_throughput)
        hwc_finding_because(finding, hwc_depends("the throughput is unknown"));
    else if (hwc_whole_rate(rate, &count))
        hwc_finding_by_clock(finding, count);
    else
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                            "%.2f operations begin in a cycle: there are %.0f units or more", rate, count);
}

static int run_plan(struct hwc_lab *lab, struct plan *plan, struct hwc_profile *profile, struct hwc_error *error)
{
    lay_out(lab->machine->core, plan);
    TRY(hwc_time_operations(lab->machine, plan->asked, plan->count, error));
    for (unsigned i = 0; i < plan->count; i++)
        report(lab, plan, &plan->asked[i], (hwc_lab_elapsed(lab) - lab->probe_started) / plan->count, profile);
    for (unsigned i = 0; i < UNITS; i++)
        set_units(find(plan, units[i].operation, units[i].type), &profile->core.finding[units[i].field]);
    return HWC_OK;
}

static int ask(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct plan *plan;
    int status;

    TRY(hwc_need_core(lab->machine, error));
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for operations");
    status = run_plan(lab, plan, profile, error);
    free(plan);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *found[UNITS];

    for (unsigned i = 0; i < UNITS; i++)
        found[i] = &profile->core.finding[units[i].field];
    return hwc_findings_settle(ask(lab, profile, error), found, UNITS, error);
}

const struct hwc_probe hwc_probe_instructions = {
    .name = "instructions",
    .summary = "latency, throughput and existence of the core's operations, and how many units do them",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.2 to 3.4",
    .provides = {HWC_CORE_ADD_UNITS, HWC_CORE_MULTIPLY_UNITS, HWC_CORE_SHIFT_UNITS, HWC_CORE_FLOAT_ADD_UNITS,
                 HWC_CORE_FLOAT_MULTIPLY_UNITS, HWC_INSTRUCTION_LATENCY, HWC_INSTRUCTION_THROUGHPUT,
                 HWC_INSTRUCTION_EXISTS},
    .on_request = true,
    .group = "core",
    .run = run,
};
