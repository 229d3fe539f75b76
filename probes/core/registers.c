/* Registers that the compiler has for variables of a type.
 *
 * Claim: so many variables can be kept in registers at once; and so many, before the code becomes slower.
 *
 * Method: X-Ray (QEST 2005, 3.5; SIGMETRICS 2005, 7). Statements p[i] = p[i] + p[i - 1] on N variables are compiled; N
 * doubles until the compiler keeps a variable in memory, and then its interval is halved. That is read off the
 * compiler's assembly: X-Ray only takes the time, and one spilled variable may cost next to nothing (its 5.4 and 5.6).
 * The same search by time answers the second question.
 *
 * What can fool it: the loop itself needs a register for its count, which is one of those for integers. */
#include <string.h>

#include "finding_by_clock.h"
#include "operations.h"
#include "table.h"

enum { LEAST = 2, MOST = 128 };

/* Longer by so much is slower: times vary by less than a percent. */
static const double slower = 0.05;

enum question { SPILLED, SLOWED, QUESTIONS };

/* A type, and between which numbers of variables each answer changes: `no` of them are all right, `yes` are too
 * many, and 0 is not known yet. */
struct kind {
    const struct hwc_core_type *type;
    enum hwc_field_id field[QUESTIONS];
    unsigned no[QUESTIONS], yes[QUESTIONS];
    double fewest_cycles; /* of LEAST variables */
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
        .statement = {{"{i} = {i} + {p}", type, "1", "1", false}},
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
    if (!code->assembled)
        hwc_error_set(&kind->error[SPILLED], HWC_UNAVAILABLE, "%s",
                      code->reason[0] != '\0' ? code->reason : "the compiler's assembly cannot be read");
    else
        answer(kind, SPILLED, variables, code->spills > 0);
}

static int answer_slowed(struct hwc_machine *machine, struct kind *kind, unsigned handle, unsigned variables)
{
    double cycles = 0;
    int status = machine->core->time(machine, handle, &cycles, &kind->error[SLOWED]);

    if (hwc_came_to_nothing(status))
        return HWC_OK; /* the error stands */
    kind->error[SLOWED].status = HWC_OK;
    TRY(status);
    if (variables == LEAST)
        kind->fewest_cycles = cycles;
    answer(kind, SLOWED, variables, cycles > kind->fewest_cycles * (1 + slower));
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
    for (unsigned i = 0; i < search->kinds * QUESTIONS; i++) {
        struct kind *kind = &search->kind[i / QUESTIONS];
        if (variables[i] == 0)
            continue;
        if (i % QUESTIONS == SPILLED)
            answer_spilled(kind, search->machine->core->code(search->machine, handle[used]), variables[i]);
        else if (answer_slowed(search->machine, kind, handle[used], variables[i]) != HWC_OK)
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        used++;
    }
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

/* The widest vectors that run: the last of the kinds with an answer. */
static void set_all(const struct search *search, struct hwc_profile *profile)
{
    struct hwc_finding *findings = profile->core.finding;

    for (unsigned k = 0; k < search->kinds; k++) {
        const struct kind *kind = &search->kind[k];
        for (unsigned q = 0; q < QUESTIONS; q++)
            set(kind, q, &findings[kind->field[q]]);
        if (kind->type->lanes > 0 && kind->error[SLOWED].status == HWC_OK) {
            findings[HWC_CORE_REGISTERS_VECTOR] = findings[kind->field[SPILLED]];
            findings[HWC_CORE_FAST_VECTOR] = findings[kind->field[SLOWED]];
        }
    }
}

static void begin(struct search *search)
{
    const struct hwc_core *core = search->machine->core;

    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned t = 0; t < *core->type_count; t++) {
            struct kind *kind = &search->kind[search->kinds];
            if (strcmp(core->types[t].name, sought[i].type) != 0)
                continue;
            *kind = (struct kind){.type = &core->types[t]};
            memcpy(kind->field, sought[i].field, sizeof kind->field);
            search->kinds++;
        }
}

static void say_why(struct hwc_profile *profile, const char *reason)
{
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned q = 0; q < QUESTIONS; q++)
            if (strchr(sought[i].type, 'x') == NULL)
                hwc_finding_unknown(&profile->core.finding[sought[i].field[q]], HWC_WHY_UNAVAILABLE, "%s", reason);
    hwc_finding_unknown(&profile->core.finding[HWC_CORE_REGISTERS_VECTOR], HWC_WHY_UNAVAILABLE, "%s", reason);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct search search = {.machine = lab->machine};
    bool more = true;
    int status = HWC_OK;

    if (lab->machine->core == NULL) {
        say_why(profile, lab->machine->core_reason);
        return HWC_OK;
    }
    begin(&search);
    while (status == HWC_OK && more)
        status = take_steps(&search, &more, error);
    if (hwc_came_to_nothing(status)) {
        say_why(profile, error->message);
        return HWC_OK;
    }
    if (status == HWC_OK)
        set_all(&search, profile);
    return status;
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
