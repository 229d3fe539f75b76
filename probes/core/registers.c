/* Registers that the compiler has for variables of a type.
 *
 * Claim: so many variables can be kept in registers at once; and so many, before the code becomes slower.
 *
 * Method: X-Ray (QEST 2005, 3.5; SIGMETRICS 2005, 7). Statements p[i] = p[i] + p[i - 1] on N variables are compiled; N
 * doubles until the compiler keeps a variable in memory, and then its interval is halved. That is read off the
 * compiler's assembly: X-Ray only takes the time, and one spilled variable may cost next to nothing (its 5.4 and 5.6).
 * The same search by time answers the second question.
 *
 * What can fool it: the loop's own count, which compilers keep in memory before they spill a variable. It is counted
 * outside of the code that is read, and costs the time of one access in a round of 64 statements or more. */
#include <math.h>
#include <string.h>

#include "need_core.h"
#include "operations.h"
#include "table.h"

enum { LEAST = 2, MOST = 128 };

/* Longer by so much is slower: times vary by less than a percent. Some code is as fast as with registers in one timing
 * and not in the next, by what the core foresees of its loads and stores: if it is slower twice in some timings, it has
 * too many variables; once may be what somebody else did. */
static const double slower = 0.05;

enum { TIMINGS = 5, SLOWER_TIMINGS = 2 };

enum question { SPILLED, SLOWED, QUESTIONS };

/* A type, and between which numbers of variables each answer changes: `no` of them are all right, `yes` are too
 * many, and 0 is not known yet. */
struct kind {
    const struct hwc_core_type *type;
    enum hwc_field_id field[QUESTIONS];
    unsigned no[QUESTIONS], yes[QUESTIONS];
    bool runs;            /* the code of LEAST variables does */
    double fewest_cycles; /* and takes so long */
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
        .statement = {{.text = "{i} = {i} + {p}", .type = type, .first = "1", .other = "1"}},
        .statements = 1,
        .variables = variables,
        .per_label = 1,
    };
}

/* 0 = there is nothing more to ask. */
static unsigned next_of(const struct kind *kind, enum question question)
{
    unsigned no = kind->no[question], yes = kind->yes[question];

    if (kind->error[question].status != HWC_OK)
        return 0;
    if (yes == 0)
        return no == 0 ? LEAST : 2 * no <= MOST ? 2 * no : 0;
    return yes - no > 1 ? (no + yes) / 2 : 0;
}

static void answer(struct kind *kind, enum question question, unsigned variables, bool yes)
{
    if (yes)
        kind->yes[question] = variables;
    else
        kind->no[question] = variables;
}

static void answer_spilled(struct kind *kind, const struct hwc_nano_code *code, unsigned variables)
{
    if (!code->assembled || !code->runs) /* of what the CPU does not know, it has no registers */
        hwc_error_set(&kind->error[SPILLED], HWC_UNAVAILABLE, "%s",
                      code->reason[0] != '\0' ? code->reason : "the compiler's assembly cannot be read");
    else
        answer(kind, SPILLED, variables, code->spills > 0);
}

/* *cycles: the least; *slow: is it slower than that of the fewest variables, if that is known? What comes to nothing, as
 * others work on this core, is left out. */
static int time_variables(struct hwc_machine *machine, const struct kind *kind, unsigned handle, double *cycles,
                          bool *slow, struct hwc_error *error)
{
    unsigned slower_ones = 0;
    int status = HWC_OK;

    *cycles = INFINITY;
    for (unsigned left = TIMINGS; slower_ones < SLOWER_TIMINGS && slower_ones + left >= SLOWER_TIMINGS; left--) {
        double timed = 0;
        status = machine->core->time(machine, handle, &timed, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        if (status != HWC_OK)
            continue;
        *cycles = fmin(*cycles, timed);
        slower_ones += kind->fewest_cycles > 0 && timed > kind->fewest_cycles * (1 + slower);
    }
    *slow = slower_ones == SLOWER_TIMINGS;
    return isfinite(*cycles) ? HWC_OK : status;
}

/* That it comes to nothing is the answer of this kind alone. */
static int answer_slowed(struct hwc_machine *machine, struct kind *kind, unsigned handle, unsigned variables,
                         struct hwc_error *error)
{
    double cycles = 0;
    bool slow = false;
    int status = time_variables(machine, kind, handle, &cycles, &slow, error);

    if (hwc_came_to_nothing(status)) {
        kind->error[SLOWED] = *error;
        kind->error[SLOWED].status = status;
        return HWC_OK;
    }
    TRY(status);
    if (variables == LEAST)
        kind->fewest_cycles = cycles;
    answer(kind, SLOWED, variables, slow);
    return HWC_OK;
}

static int take_answer(struct hwc_machine *machine, struct kind *kind, enum question question, unsigned handle,
                       unsigned variables, struct hwc_error *error)
{
    const struct hwc_nano_code *code = machine->core->code(machine, handle);

    kind->runs = kind->runs || (variables == LEAST && code->runs);
    if (question == SLOWED)
        return answer_slowed(machine, kind, handle, variables, error);
    answer_spilled(kind, code, variables);
    return HWC_OK;
}

/* All kinds' next steps are compiled at once. false in *more: none has one. */
static int take_steps(struct search *search, bool *more, struct hwc_error *error)
{
    struct hwc_nano nano[KINDS * QUESTIONS];
    unsigned handle[KINDS * QUESTIONS], variables[KINDS * QUESTIONS] = {0}, count = 0, used = 0;

    for (unsigned k = 0; k < search->kinds; k++)
        for (unsigned q = 0; q < QUESTIONS; q++) {
            variables[k * QUESTIONS + q] = next_of(&search->kind[k], q);
            if (variables[k * QUESTIONS + q] > 0)
                nano[count++] = nano_of(search->kind[k].type, variables[k * QUESTIONS + q]);
        }
    *more = count > 0;
    if (count > 0)
        TRY(search->machine->core->prepare(search->machine, nano, count, handle, error));
    for (unsigned i = 0; i < search->kinds * QUESTIONS; i++)
        if (variables[i] > 0)
            TRY(take_answer(search->machine, &search->kind[i / QUESTIONS], i % QUESTIONS, handle[used++], variables[i],
                            error));
    return HWC_OK;
}

static void set(const struct kind *kind, enum question question, struct hwc_finding *finding)
{
    *finding = (struct hwc_finding){.asked = true};
    if (kind->error[question].status != HWC_OK)
        hwc_finding_failed(finding, &kind->error[question]);
    else if (kind->yes[question] == 0)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                            question == SPILLED ? "%u variables still have registers"
                                                : "%u variables are as fast as two",
                            kind->no[question]);
    else
        hwc_finding_by_clock(finding, kind->no[question]);
    if (question == SPILLED && finding->known)
        finding->witness = HWC_SYSTEM_WITNESS; /* it was read, not measured */
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
        if (kind->type->lanes == 0)
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
                 HWC_CORE_FAST_VECTOR128, HWC_CORE_FAST_VECTOR256, HWC_CORE_FAST_VECTOR512},
    .on_request = true,
    .group = "core",
    .run = run,
};
