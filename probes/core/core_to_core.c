/* How long a line takes from one CPU to another.
 *
 * Claim: nanoseconds from the moment when a CPU has written a line until another one, which waits for that, has written
 * it in turn.
 *
 * Method: two CPUs add 1 to a number in turn by compare-and-swap, as core-to-core-latency does; half of a round trip is
 * one way. (Who waits by reading takes twice as long on some machines: he asks for the line again before he may write.)
 * A reading is the median of sixteen blocks of 32 round trips, so that what interrupts a block does not count. All
 * pairs are asked in random order, round after round, as time allows; a pair's latency is the median over rounds, and
 * the least of all blocks stands beside it. Of very many CPUs a first round may leave pairs out.
 *
 * Where rounds disagree there are bounds.
 *
 * What can fool it: where the line's home is (its memory controller, or its slice of the last level) adds to the way,
 * and there is one line for all pairs. A virtual machine's CPUs may be moved to other cores meanwhile. */
#include <math.h>
#include <stdlib.h>

#include "body_time.h"
#include "cpu_matrix.h"
#include "need_core.h"
#include "statistics.h"
#include "table.h"

enum { ROUNDS = 8 };

static const struct {
    double first, all;   /* seconds for the first round, in which each pair shall be asked once, and for all of them */
    double alike, apart; /* so large a share of the rounds agree, and differ by no more than this share */
} most = {.first = 5, .all = 2, .alike = 0.75, .apart = 0.25};

static const char what[] = "time of a line from one CPU to another, half of a round trip, median over rounds";

struct pairs {
    struct hwc_lab *lab;
    struct hwc_matrix *matrix;
    size_t count;
    uint64_t *order; /* row * CPUs + column, of pairs whose column is the larger */
    unsigned *asked; /* by row and column */
    double *ns;      /* and round */
    double begun;
};

static int open_pairs(struct pairs *pairs, struct hwc_error *error)
{
    size_t cpus = pairs->matrix->count;

    pairs->order = calloc(cpus * cpus, sizeof *pairs->order);
    pairs->asked = calloc(cpus * cpus, sizeof *pairs->asked);
    pairs->ns = calloc(cpus * cpus * ROUNDS, sizeof *pairs->ns);
    if (pairs->order == NULL || pairs->asked == NULL || pairs->ns == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for %zu CPUs", cpus);
    for (size_t row = 0; row < cpus; row++)
        for (size_t column = row + 1; column < cpus; column++)
            pairs->order[pairs->count++] = row * cpus + column;
    return HWC_OK;
}

static void close_pairs(struct pairs *pairs)
{
    free(pairs->order);
    free(pairs->asked);
    free(pairs->ns);
}

/* A pair that does not answer is left out of this round. */
static int ask(struct pairs *pairs, unsigned round, size_t pair, struct hwc_error *error)
{
    struct hwc_machine *machine = pairs->lab->machine;
    size_t cpus = pairs->matrix->count;
    unsigned low = (unsigned)(pair / cpus), high = (unsigned)(pair % cpus);
    double *least = &pairs->matrix->least[pair];
    struct hwc_bounce bounce;
    int status = machine->cpus->bounce(machine, round % 2 == 0 ? low : high, round % 2 == 0 ? high : low, &bounce,
                                       error);

    if (status == HWC_INCONCLUSIVE)
        return HWC_OK;
    TRY(status);
    pairs->ns[pair * ROUNDS + pairs->asked[pair]++] = bounce.median;
    *least = isnan(*least) ? bounce.least : fmin(*least, bounce.least);
    return HWC_OK;
}

static bool has_time(const struct pairs *pairs, unsigned round)
{
    double spent = hwc_lab_elapsed(pairs->lab) - pairs->begun;

    return spent < (round == 0 ? most.first : most.all) && !hwc_lab_overdrawn(pairs->lab);
}

static int ask_all(struct pairs *pairs, struct hwc_error *error)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        hwc_random_shuffle(&pairs->lab->random, pairs->order, pairs->count);
        for (size_t i = 0; i < pairs->count; i++) {
            if (!has_time(pairs, round))
                return HWC_OK;
            TRY(ask(pairs, round, pairs->order[i], error));
        }
    }
    return HWC_OK;
}

static double in_tenths(double ns)
{
    return round(ns * 10) / 10;
}

/* Both ways alike. */
static void set_cell(struct pairs *pairs, size_t pair)
{
    struct hwc_matrix *matrix = pairs->matrix;
    size_t row = pair / matrix->count, column = pair % matrix->count;

    matrix->value[pair] = in_tenths(hwc_median(&pairs->ns[pair * ROUNDS], pairs->asked[pair]));
    matrix->least[pair] = in_tenths(matrix->least[pair]);
    *hwc_matrix_at(matrix, column, row) = matrix->value[pair];
    matrix->least[column * matrix->count + row] = matrix->least[pair];
}

/* What most rounds agree on, or the bounds of all. */
static void set_finding(const struct pairs *pairs, size_t pair, struct hwc_finding *finding)
{
    double *ns = &pairs->ns[pair * ROUNDS], cycles_per_ns = pairs->lab->machine->cycles_per_ns, value;
    unsigned asked = pairs->asked[pair];

    if (hwc_most_agree(ns, asked, most.apart * pairs->matrix->value[pair], most.alike, &value)) {
        hwc_finding_cycles(finding, value * cycles_per_ns);
        hwc_finding_nanoseconds(finding, finding->value, cycles_per_ns);
    } else {
        hwc_finding_between(finding, ns[0] * cycles_per_ns, ns[asked - 1] * cycles_per_ns,
                            "rounds disagree: others disturb the two CPUs, or they are moved");
    }
}

static int report(struct pairs *pairs, struct hwc_record *core, struct hwc_error *error)
{
    const double *value = pairs->matrix->value;
    size_t known = 0, nearest = 0, farthest = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        size_t pair = pairs->order[i];
        if (pairs->asked[pair] == 0)
            continue;
        set_cell(pairs, pair);
        nearest = known == 0 || value[pair] < value[nearest] ? pair : nearest;
        farthest = known == 0 || value[pair] > value[farthest] ? pair : farthest;
        known++;
    }
    if (known == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no other CPU answered in time");
    if (known < pairs->count)
        hwc_note(&pairs->lab->notes, "core_to_core: %zu of %zu pairs were not asked, or did not answer, in the time",
                 pairs->count - known, pairs->count);
    set_finding(pairs, nearest, &core->finding[HWC_CORE_NEAREST_CPU]);
    if (pairs->count > 1)
        set_finding(pairs, farthest, &core->finding[HWC_CORE_FARTHEST_CPU]);
    return HWC_OK;
}

static int measure(struct pairs *pairs, struct hwc_record *core, struct hwc_error *error)
{
    TRY(hwc_matrix_keep_least(pairs->matrix, error));
    TRY(open_pairs(pairs, error));
    TRY(ask_all(pairs, error));
    return report(pairs, core, error);
}

static int measure_all(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct pairs pairs = {.lab = lab, .begun = hwc_lab_elapsed(lab)};
    int status;

    TRY(hwc_need_cpus(lab->machine, error));
    TRY(hwc_need_own_code(lab, error));
    TRY(hwc_cpu_matrix_add(lab->machine, profile, "core_to_core", what, &pairs.matrix, error));
    hwc_write(pairs.matrix->unit, sizeof pairs.matrix->unit, "ns");
    status = measure(&pairs, &profile->core, error);
    lab->machine->cpus->leave(lab->machine);
    close_pairs(&pairs);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *nearest = &profile->core.finding[HWC_CORE_NEAREST_CPU];

    return hwc_findings_settle(measure_all(lab, profile, error), &nearest, 1, error);
}

const struct hwc_probe hwc_probe_core_to_core = {
    .name = "core_to_core",
    .summary = "how long a line takes from one CPU to another",
    .source = "beside Yotov et al., QEST 2005; Viennot, core-to-core-latency, 2022",
    .provides = {HWC_CORE_NEAREST_CPU, HWC_CORE_FARTHEST_CPU},
    .on_request = true,
    .group = "core",
    .run = run,
};
