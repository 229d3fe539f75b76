/* Which operations begin in the same cycle.
 *
 * Claim: for each pair of operations, how much of the quicker one costs nothing while the other is done, too: all of it
 * where different units do them, nothing where one takes the other's turn.
 *
 * Method: X-Ray's tool paper (QEST 2005, 6) leaves bundles for later: which instructions can be issued together.
 * Throughputs tell, as they tell the number of units. Each operation is timed alone, on as many variables as bring most;
 * then both in turn, each on as many variables of its own as it needs to be done once while the slower one is. Alone
 * they take a and b cycles, together m for one of each; (a + b - m) / min(a, b) is hidden.
 *
 * What can fool it: what the compiler makes of two statements may have more moves than of one; a core that begins fewer
 * instructions in a cycle than its units could do. An operation next to one of five times its length tells nothing. */
#include <math.h>
#include <string.h>

#include "bundle.h"
#include "need_core.h"
#include "operation_time.h"
#include "table.h"

static const struct {
    const char *operation, *type;
} asked[] = {{"add", "i64"},      {"multiply", "i64"}, {"shift", "i64"}, {"add", "f64"},
             {"multiply", "f64"}, {"fma", "f64"},      {"add", "i32x4"}};

/* Variables more than an operation needs, as far as there are registers for them: so that it never waits. */
static const unsigned spare[HWC_MIXES] = {4, 2, 1, 0};

enum { ASKED = sizeof asked / sizeof asked[0] };
enum { PAIRS = ASKED * (ASKED - 1) / 2 };

static const char what[] = "how much of the quicker operation costs nothing beside the other: 1 if both begin in the same "
                           "cycle, 0 if they take turns";

struct plan {
    unsigned count;
    struct hwc_timed single[ASKED];
    unsigned pairs;
    struct pair {
        unsigned one, other; /* of the singles */
        unsigned handle[HWC_MIXES];
    } pair[PAIRS];
};

static int time_singles(struct hwc_machine *machine, struct plan *plan, struct hwc_error *error)
{
    for (unsigned i = 0; i < ASKED; i++) {
        const struct hwc_core_type *type = hwc_core_type_named(machine->core, asked[i].type);
        if (type != NULL)
            plan->single[plan->count++] =
                (struct hwc_timed){.operation = hwc_find_operation(asked[i].operation, type), .type = type};
    }
    return hwc_time_operations(machine, plan->single, plan->count, error);
}

static struct hwc_nano mix(const struct hwc_timed *one, const struct hwc_timed *other, unsigned more)
{
    double slower = fmax(one->throughput, other->throughput);
    struct hwc_nano nano = {.statement = {hwc_statement_of(one->operation, one->type),
                                          hwc_statement_of(other->operation, other->type)},
                            .statements = 2,
                            .per_label = 1};

    nano.statement[0].variables = hwc_variables_for(one->latency, slower) + more;
    nano.statement[1].variables = hwc_variables_for(other->latency, slower) + more;
    return nano;
}

static bool is_timed(const struct hwc_timed *single)
{
    return single->has_latency && single->has_throughput;
}

static int prepare_pairs(struct hwc_machine *machine, struct plan *plan, struct hwc_error *error)
{
    struct hwc_nano nanos[PAIRS * HWC_MIXES];
    unsigned handles[PAIRS * HWC_MIXES];

    for (unsigned one = 0; one < plan->count; one++)
        for (unsigned other = one + 1; other < plan->count; other++) {
            if (!is_timed(&plan->single[one]) || !is_timed(&plan->single[other]))
                continue;
            plan->pair[plan->pairs] = (struct pair){.one = one, .other = other};
            for (unsigned i = 0; i < HWC_MIXES; i++)
                nanos[plan->pairs * HWC_MIXES + i] = mix(&plan->single[one], &plan->single[other], spare[i]);
            plan->pairs++;
        }
    TRY(machine->core->prepare(machine, nanos, plan->pairs * HWC_MIXES, handles, error));
    for (unsigned i = 0; i < plan->pairs; i++)
        memcpy(plan->pair[i].handle, &handles[(size_t)i * HWC_MIXES], sizeof plan->pair[i].handle);
    return HWC_OK;
}

/* One of each, by code whose variables all have registers. */
static int time_pair(struct hwc_machine *machine, const struct pair *pair, struct hwc_bundle *bundle,
                     struct hwc_error *error)
{
    for (unsigned i = 0; i < HWC_MIXES; i++) {
        const struct hwc_nano_code *code = machine->core->code(machine, pair->handle[i]);
        double statement = 0;
        int status;
        if (!code->runs || code->spills > 0)
            continue;
        status = machine->core->time(machine, pair->handle[i], &statement, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        if (status == HWC_OK)
            bundle->both[bundle->mixes++] = 2 * statement;
    }
    return HWC_OK;
}

static int time_pairs(struct hwc_machine *machine, const struct plan *plan, struct hwc_matrix *matrix,
                      struct hwc_error *error)
{
    for (unsigned i = 0; i < plan->pairs; i++) {
        const struct pair *pair = &plan->pair[i];
        struct hwc_bundle bundle = {.one = plan->single[pair->one].throughput,
                                    .other = plan->single[pair->other].throughput};
        double share;
        TRY(time_pair(machine, pair, &bundle, error));
        share = hwc_in_hundredths(hwc_hidden_share(&bundle));
        *hwc_matrix_at(matrix, pair->one, pair->other) = *hwc_matrix_at(matrix, pair->other, pair->one) = share;
    }
    return HWC_OK;
}

static int add_matrix(const struct plan *plan, struct hwc_profile *profile, struct hwc_matrix **matrix,
                      struct hwc_error *error)
{
    TRY(hwc_matrix_add(&profile->matrices, "bundles", plan->count, matrix, error));
    hwc_write((*matrix)->what, sizeof(*matrix)->what, "%s", what);
    hwc_write((*matrix)->of, sizeof(*matrix)->of, "operation");
    for (unsigned i = 0; i < plan->count; i++)
        hwc_write((*matrix)->label[i], sizeof(*matrix)->label[i], "%s %s", plan->single[i].operation->name,
                  plan->single[i].type->name);
    return HWC_OK;
}

static int ask(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_machine *machine = lab->machine;
    struct plan plan = {.count = 0};
    struct hwc_matrix *matrix;

    TRY(hwc_need_core(machine, error));
    TRY(time_singles(machine, &plan, error));
    TRY(prepare_pairs(machine, &plan, error));
    if (plan.pairs == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s", plan.single[0].error.message);
    TRY(add_matrix(&plan, profile, &matrix, error));
    return time_pairs(machine, &plan, matrix, error);
}

/* It has no findings: what it came to nothing for is a note. */
static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = ask(lab, profile, error);

    if (!hwc_came_to_nothing(status))
        return status;
    hwc_note(&lab->notes, "bundles: %s", error->message);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_bundles = {
    .name = "bundles",
    .summary = "which operations of the core begin in the same cycle",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 6",
    .on_request = true,
    .group = "core",
    .run = run,
};
