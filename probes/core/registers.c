/* Registers that the compiler has for variables of a type.
 *
 * Claim: so many variables can be kept in registers at once; and so many, before the code becomes slower.
 *
 * Method: X-Ray (QEST 2005, 3.5; SIGMETRICS 2005, 7). Statements p[i] = p[i] + p[i - 1] on N variables are compiled; N
 * doubles until the compiler keeps a variable in memory, and then its interval is halved. That is read off the
 * compiler's assembly: X-Ray only takes the time, and one spilled variable may cost next to nothing (its 5.4 and 5.6).
 * The second question is answered by time alone, and by bounds where the code becomes slower little by little, or for
 * some numbers of variables and not for others (paced_code.h).
 *
 * What can fool it: the loop's own count, which compilers keep in memory before they spill a variable. It is counted
 * outside of the code that is read, and costs the time of one access in a round of 64 statements or more. */
#include <stdio.h>
#include <string.h>

#include "need_core.h"
#include "operations.h"
#include "paced_code.h"
#include "table.h"

enum question { SPILLED, SLOWED, QUESTIONS };

/* A type, and what is known of it. */
struct kind {
    const struct hwc_core_type *type;
    enum hwc_field_id field[QUESTIONS];
    unsigned no, yes; /* so many variables are not spilled, and so many are; 0 = not known yet */
    bool runs; /* code of some does */
    struct hwc_paces paces;
    struct hwc_error error[QUESTIONS]; /* why there is no answer; its status is HWC_OK if there is */
};

static const struct {
    const char *type;
    enum hwc_field_id field[QUESTIONS];
} sought[] = {
    {"i32", {HWC_CORE_REGISTERS_INT, HWC_CORE_FAST_INT}},
    {"f32", {HWC_CORE_REGISTERS_FLOAT, HWC_CORE_FAST_FLOAT}},
    {"f64", {HWC_CORE_REGISTERS_DOUBLE, HWC_CORE_FAST_DOUBLE}},
    {"f32x4", {HWC_CORE_REGISTERS_VECTOR128, HWC_CORE_FAST_VECTOR128}},
    {"f32x8", {HWC_CORE_REGISTERS_VECTOR256, HWC_CORE_FAST_VECTOR256}},
    {"f32x16", {HWC_CORE_REGISTERS_VECTOR512, HWC_CORE_FAST_VECTOR512}},
    {"f32xN", {HWC_CORE_REGISTERS_SVE, HWC_CORE_FAST_SVE}},
};

enum { KINDS = sizeof sought / sizeof sought[0] };

struct search {
    struct hwc_machine *machine;
    unsigned kinds;
    struct kind kind[KINDS];
};

static struct hwc_nano nano_of(const struct hwc_core_type *type, unsigned variables)
{
    return (struct hwc_nano){
        .statement = {hwc_sum_with_former(type)},
        .statements = 1,
        .variables = variables,
        .per_label = 1,
    };
}

/* At most one. 0 = there is nothing more to ask. */
static size_t next_spilled(const struct kind *kind, unsigned next[HWC_NEXT_VARIABLES])
{
    unsigned no = kind->no, yes = kind->yes;

    if (yes == 0)
        *next = no == 0 ? HWC_FEWEST_VARIABLES : 2 * no;
    else
        *next = (no + yes) / 2;
    return *next > no && *next <= HWC_MOST_VARIABLES ? 1 : 0;
}

/* What is compiled at once of a question on a kind. */
struct step {
    struct kind *kind;
    enum question question;
    size_t count;
    unsigned variables[HWC_NEXT_VARIABLES], handle[HWC_NEXT_VARIABLES];
};

static bool next_step(struct kind *kind, enum question question, struct step *step)
{
    *step = (struct step){.kind = kind, .question = question};
    if (kind->error[question].status == HWC_OK)
        step->count = question == SPILLED ? next_spilled(kind, step->variables)
                                          : hwc_next_variables(&kind->paces, step->variables);
    return step->count > 0;
}

static void answer_spilled(struct kind *kind, const struct hwc_nano_code *code, unsigned variables)
{
    if (!code->assembled || !code->runs) /* of what the CPU does not know, it has no registers */
        hwc_error_set(&kind->error[SPILLED], HWC_UNAVAILABLE, "%s",
                      code->reason[0] != '\0' ? code->reason : "the compiler's assembly cannot be read");
    else if (code->spills > 0)
        kind->yes = variables;
    else
        kind->no = variables;
}

/* That it comes to nothing is the answer of this kind alone. */
static int answer_slowed(struct hwc_machine *machine, const struct step *step, unsigned fewest, struct hwc_error *error)
{
    struct kind *kind = step->kind;
    struct hwc_paced_code code[HWC_NEXT_VARIABLES];
    int status;

    for (size_t i = 0; i < step->count; i++)
        code[i] = (struct hwc_paced_code){.handle = step->handle[i], .variables = step->variables[i]};
    status = hwc_time_paces(machine, fewest, code, step->count, &kind->paces, error);
    if (!hwc_came_to_nothing(status))
        return status;
    kind->error[SLOWED] = *error;
    kind->error[SLOWED].status = status;
    return HWC_OK;
}

static int take_answer(struct hwc_machine *machine, const struct step *step, struct hwc_error *error)
{
    struct hwc_nano nano = nano_of(step->kind->type, HWC_FEWEST_VARIABLES);
    unsigned fewest;

    if (step->question == SPILLED) {
        const struct hwc_nano_code *code = machine->core->code(machine, step->handle[0]);
        step->kind->runs = step->kind->runs || code->runs;
        answer_spilled(step->kind, code, step->variables[0]);
        return HWC_OK;
    }
    TRY(machine->core->prepare(machine, &nano, 1, &fewest, error));
    return answer_slowed(machine, step, fewest, error);
}

static int compile(struct hwc_machine *machine, struct step *steps, unsigned count, struct hwc_error *error)
{
    struct hwc_nano nano[KINDS * QUESTIONS * HWC_NEXT_VARIABLES];
    unsigned handle[KINDS * QUESTIONS * HWC_NEXT_VARIABLES], nanos = 0;

    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < steps[i].count; k++)
            nano[nanos++] = nano_of(steps[i].kind->type, steps[i].variables[k]);
    TRY(machine->core->prepare(machine, nano, nanos, handle, error));
    nanos = 0;
    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < steps[i].count; k++)
            steps[i].handle[k] = handle[nanos++];
    return HWC_OK;
}

/* All kinds' next steps are compiled at once. false in *more: none has one. */
static int take_steps(struct search *search, bool *more, struct hwc_error *error)
{
    struct step steps[KINDS * QUESTIONS];
    unsigned count = 0;

    for (unsigned k = 0; k < search->kinds; k++)
        for (unsigned q = 0; q < QUESTIONS; q++)
            count += next_step(&search->kind[k], q, &steps[count]);
    *more = count > 0;
    if (count > 0)
        TRY(compile(search->machine, steps, count, error));
    for (unsigned i = 0; i < count; i++)
        TRY(take_answer(search->machine, &steps[i], error));
    return HWC_OK;
}

static void set_spilled(const struct kind *kind, struct hwc_finding *finding)
{
    if (kind->yes == 0) {
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%u variables still have registers", kind->no);
        return;
    }
    hwc_finding_by_system(finding, kind->no);
}

static void set_slowed(const struct kind *kind, struct hwc_finding *finding)
{
    struct hwc_fast_variables fast = hwc_fast_variables(&kind->paces);
    char reason[HWC_MESSAGE];

    if (fast.low == 0)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "times of the same code vary too much");
    else if (fast.low == HWC_MOST_VARIABLES)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%u variables are as fast as %d", fast.low,
                            HWC_FEWEST_VARIABLES);
    else if (fast.high == 0)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%u variables are as fast as %d, and no more are surely slower",
                            fast.low, HWC_FEWEST_VARIABLES);
    else if (fast.low == fast.high)
        hwc_finding_by_clock(finding, fast.low);
    else {
        snprintf(reason, sizeof reason, "%u variables are neither surely as fast as %d nor surely slower; %u are slower",
                 fast.low + 1, HWC_FEWEST_VARIABLES, fast.high + 1);
        hwc_finding_between(finding, fast.low, fast.high, reason);
    }
}

static void set(const struct kind *kind, enum question question, struct hwc_finding *finding)
{
    *finding = (struct hwc_finding){.asked = true};
    if (kind->error[question].status != HWC_OK)
        hwc_finding_failed(finding, &kind->error[question]);
    else if (question == SPILLED)
        set_spilled(kind, finding);
    else
        set_slowed(kind, finding);
}

/* `widest`: of those that run; NULL = none does. `any`: one of vectors; NULL = there is none. */
static void set_vector(const struct kind *widest, const struct kind *any, struct hwc_finding *findings)
{
    static const enum hwc_field_id fields[QUESTIONS] = {HWC_CORE_REGISTERS_VECTOR, HWC_CORE_FAST_VECTOR};

    for (unsigned q = 0; q < QUESTIONS; q++)
        if (widest != NULL)
            findings[fields[q]] = findings[widest->field[q]];
        else if (any != NULL)
            hwc_finding_failed(&findings[fields[q]], &any->error[SLOWED]);
        else
            hwc_finding_because(&findings[fields[q]], hwc_unavailable("no vector types are known here"));
}

/* Kinds stand in ascending order: the widest vectors that run are the last ones. */
static void set_all(const struct search *search, struct hwc_profile *profile)
{
    struct hwc_finding *findings = profile->core.finding;
    const struct kind *widest = NULL, *any = NULL;

    for (unsigned k = 0; k < search->kinds; k++) {
        const struct kind *kind = &search->kind[k];
        for (unsigned q = 0; q < QUESTIONS; q++)
            set(kind, q, &findings[kind->field[q]]);
        if (kind->type->lanes == 0 && kind->type->scalable == NULL)
            continue;
        any = any == NULL ? kind : any;
        widest = kind->runs ? kind : widest;
    }
    set_vector(widest, any, findings);
}

static void begin(struct search *search)
{
    const struct hwc_core *core = search->machine->core;

    for (unsigned i = 0; i < KINDS; i++) {
        const struct hwc_core_type *type = hwc_core_type_named(core, sought[i].type);
        struct kind *kind = &search->kind[search->kinds];
        if (type == NULL)
            continue;
        *kind = (struct kind){.type = type};
        memcpy(kind->field, sought[i].field, sizeof kind->field);
        search->kinds++;
    }
}

static int ask(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct search search = {.machine = lab->machine};

    TRY(hwc_need_core(lab->machine, error));
    begin(&search);
    for (bool more = true; more;)
        TRY(take_steps(&search, &more, error));
    set_all(&search, profile);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *core = profile->core.finding, *found[KINDS * QUESTIONS];
    unsigned count = 0;

    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned q = 0; q < QUESTIONS; q++)
            if (strchr(sought[i].type, 'x') == NULL) /* of vectors the widest only, whichever that would be */
                found[count++] = &core[sought[i].field[q]];
    found[count++] = &core[HWC_CORE_REGISTERS_VECTOR];
    found[count++] = &core[HWC_CORE_FAST_VECTOR];
    return hwc_findings_settle(ask(lab, profile, error), found, count, error);
}

const struct hwc_probe hwc_probe_registers = {
    .name = "registers",
    .summary = "registers that the compiler has for variables of each type",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.5",
    .provides = {HWC_CORE_REGISTERS_INT, HWC_CORE_REGISTERS_FLOAT, HWC_CORE_REGISTERS_DOUBLE, HWC_CORE_REGISTERS_VECTOR,
                 HWC_CORE_REGISTERS_VECTOR128, HWC_CORE_REGISTERS_VECTOR256, HWC_CORE_REGISTERS_VECTOR512,
                 HWC_CORE_FAST_INT, HWC_CORE_FAST_FLOAT, HWC_CORE_FAST_DOUBLE, HWC_CORE_FAST_VECTOR,
                 HWC_CORE_FAST_VECTOR128, HWC_CORE_FAST_VECTOR256, HWC_CORE_FAST_VECTOR512, HWC_CORE_REGISTERS_SVE,
                 HWC_CORE_FAST_SVE},
    .on_request = true,
    .group = "core",
    .run = run,
};
