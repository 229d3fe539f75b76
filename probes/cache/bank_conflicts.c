/* Banks of a data cache: pairs of loads that could go together.
 *
 * Claim: do two loads of a cycle conflict when they are to one bank, how many banks there are and how wide, and what a
 * conflict costs.
 *
 * Method: Dongarra et al. (ICCS 2004, 4) name the question and leave it open. Two loads, of which neither waits for
 * another, go round and round over two cells that are in the first level; how long a pair takes is a matter of how many
 * loads go together. Where both are to one bank, but to different lines, they go one after the other, however far out
 * of order a core works, as it has nothing else to do. The second cell lies at each of 256 places, four bytes apart,
 * behind a multiple of 1 KiB from the first, which is a whole number of periods. Which lines they are is drawn anew for
 * each reading: where each way has banks of its own, only lines of one way conflict.
 *
 * What can fool it: cores that do not load twice a cycle; a sibling that loads as well; banks that are chosen by a hash
 * of the address, or of more than 512 bytes a round. Loads are aligned, and nothing is stored, so that neither a split
 * line nor 4 KiB aliasing takes part. Way predictors confuse lines of one set only, which no pair has. */
#include <math.h>
#include <stdlib.h>

#include "banks.h"
#include "sampler.h"
#include "read_off.h"
#include "table.h"

enum { PAIRS_AT_ONCE = 4, DISTANCE = HWC_PAIR_PLACES * HWC_PAIR_GRAIN };

static const struct {
    uint64_t blocks;      /* that the cells lie in, of so many bytes as the places take */
    uint64_t apart[4];    /* blocks between them: never a multiple of 4 KiB, even with a place added, so that they are
                             of different sets */
    uint32_t pairs, warm; /* a reading; and before it, to have the lines in the first level */
    double steps;         /* of a coarse clock that a reading takes at least */
    unsigned at_once;     /* readings of each place on the same pages */
    unsigned none;        /* readings of each place after which none is seen */
} policy = {.blocks = 128, .apart = {1, 2, 5, 6}, .pairs = 8192, .warm = 32, .steps = 100, .at_once = 16, .none = 64};

struct look {
    struct hwc_lab *lab;
    enum hwc_type type;
    uint32_t pairs;
    struct hwc_arena arena;
    struct hwc_walk walk[PAIRS_AT_ONCE];
    struct hwc_pair_times times;
};

static int lay_pair(struct look *look, struct hwc_walk *walk, uint64_t place, struct hwc_error *error)
{
    struct hwc_random *random = &look->lab->random;
    uint64_t apart = policy.apart[hwc_random_below(random, sizeof policy.apart / sizeof policy.apart[0])];
    uint64_t first = hwc_random_below(random, policy.blocks - apart);

    walk->type = look->type;
    return hwc_walk_pairs(walk, first * DISTANCE, (first + apart) * DISTANCE + place * HWC_PAIR_GRAIN, error);
}

/* One reading of each of these places. */
static int time_pairs(struct look *look, const uint64_t places[PAIRS_AT_ONCE], struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = &look->arena, .event = HWC_NO_EVENT, .steps = 2 * PAIRS_AT_ONCE};
    struct hwc_sample sample;

    for (size_t i = 0; i < PAIRS_AT_ONCE; i++) {
        TRY(lay_pair(look, &look->walk[i], places[i], error));
        experiment.step[2 * i] = (struct hwc_step){HWC_RUN, &look->walk[i], policy.warm};
        experiment.step[2 * i + 1] = (struct hwc_step){HWC_MEASURE, &look->walk[i], look->pairs};
    }
    TRY(hwc_lab_sample(look->lab, &experiment, &sample, error));
    for (unsigned i = 0; i < PAIRS_AT_ONCE; i++)
        look->times.cycles[places[i]][look->times.readings] = sample.reading[i].cycles / look->pairs;
    return HWC_OK;
}

/* One of each place, in random order. */
static int time_places(struct look *look, struct hwc_error *error)
{
    uint64_t places[HWC_PAIR_PLACES];

    for (uint64_t i = 0; i < HWC_PAIR_PLACES; i++)
        places[i] = i;
    hwc_random_shuffle(&look->lab->random, places, HWC_PAIR_PLACES);
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i += PAIRS_AT_ONCE)
        TRY(time_pairs(look, places + i, error));
    look->times.readings++;
    return HWC_OK;
}

/* On fresh pages. */
static int time_more(struct look *look, struct hwc_error *error)
{
    const struct hwc_machine_ops *ops = look->lab->machine->ops;
    int status = HWC_OK;

    TRY(ops->arena_open(look->lab->machine, (policy.blocks + 1) * DISTANCE, HWC_BASE_PAGES, &look->arena, error));
    for (unsigned i = 0; i < policy.at_once && status == HWC_OK; i++)
        status = time_places(look, error);
    ops->arena_close(look->lab->machine, &look->arena);
    return status;
}

static bool is_settled(const struct look *look, const struct hwc_banks *banks)
{
    return banks->seen == HWC_BANKS_SEEN || look->times.readings == HWC_PAIR_READINGS ||
           (look->times.readings >= policy.none &&
            (banks->seen == HWC_BANKS_NONE || banks->seen == HWC_BANKS_ONE_LOAD));
}

static int measure(struct look *look, struct hwc_banks *banks, struct hwc_error *error)
{
    do {
        TRY(time_more(look, error));
        hwc_banks_read(&look->times, banks);
    } while (!is_settled(look, banks));
    return HWC_OK;
}

static void put_reason(const struct hwc_banks *banks, struct hwc_read_off *off)
{
    switch (banks->seen) {
    case HWC_BANKS_ONE_LOAD:
        hwc_write(off->reason, sizeof off->reason, "a pair of loads takes %.1f cycles: no two go together",
                  banks->free_cycles);
        break;
    case HWC_BANKS_SCATTER:
        hwc_write(off->reason, sizeof off->reason, "too many pairs take longer than others, at all distances alike");
        break;
    case HWC_BANKS_OTHERWISE:
        hwc_write(off->reason, sizeof off->reason,
                  "pairs take longer at some distances, but not as banks of one width would have it");
        break;
    default:
        hwc_write(off->reason, sizeof off->reason, "no conflicts are seen: no distance takes longer than others");
    }
}

static int add_reading(struct hwc_curve *curve, const struct hwc_banks *banks, const char *name, const char *unit,
                       bool known, double value, struct hwc_error *error)
{
    struct hwc_read_off off = hwc_read_off_of(name, unit, "");

    if (known)
        hwc_read_off_know(&off, value);
    else
        put_reason(banks, &off);
    return hwc_read_off_add(curve, &off, error);
}

static int add_readings(struct hwc_curve *curve, const struct hwc_banks *banks, struct hwc_error *error)
{
    bool seen = banks->seen == HWC_BANKS_SEEN;
    bool none = banks->seen == HWC_BANKS_NONE || banks->seen == HWC_BANKS_UNDECIDED;
    uint64_t number = seen ? banks->period / banks->width : 0;

    TRY(add_reading(curve, banks, "loads a cycle", "", banks->free_cycles > 0,
                    hwc_in_hundredths(2 / banks->free_cycles), error));
    TRY(add_reading(curve, banks, "pairs of a bank in conflict", "%", seen || none, round(100 * banks->share), error));
    TRY(add_reading(curve, banks, "banks", "", seen, (double)number, error));
    TRY(add_reading(curve, banks, "bank width", "bytes", seen, banks->width * HWC_PAIR_GRAIN, error));
    return add_reading(curve, banks, "conflict penalty", "cycles", seen, hwc_in_hundredths(banks->penalty), error);
}

static int add_series(struct hwc_curve *curve, const struct look *look, const struct hwc_banks *banks,
                      struct hwc_error *error)
{
    struct hwc_series *time, *slow;

    TRY(hwc_series_add(curve, "time of a pair", "cycles", &time, error));
    TRY(hwc_series_add(curve, "slow pairs", "%", &slow, error));
    time->witness = slow->witness = hwc_by_clock.kind;
    hwc_write(slow->how, sizeof slow->how, "pairs that take more than %.2f cycles", banks->slow_cycles);
    for (unsigned i = 0; i < hwc_pair_span(banks); i++) {
        struct hwc_pair_mean mean = hwc_pair_mean(&look->times, banks, i);
        TRY(hwc_point_add(time, i * HWC_PAIR_GRAIN, hwc_in_hundredths(mean.cycles), error));
        TRY(hwc_point_add(slow, i * HWC_PAIR_GRAIN, hwc_in_hundredths(100 * mean.slow), error));
    }
    return HWC_OK;
}

static int look_at(struct look *look, struct hwc_profile *profile, enum hwc_type type, struct hwc_error *error)
{
    struct hwc_banks banks;
    struct hwc_curve *curve;
    char x[48];

    look->type = type;
    look->times.readings = 0;
    TRY(measure(look, &banks, error));
    hwc_write(x, sizeof x, "distance modulo %u", hwc_pair_span(&banks) * HWC_PAIR_GRAIN);
    TRY(hwc_curve_add(&profile->curves, "bank_conflicts", type == HWC_FLOAT ? "float" : "int", x, "bytes", &curve,
                      error));
    TRY(add_series(curve, look, &banks, error));
    return add_readings(curve, &banks, error);
}

static int look_at_both(struct hwc_lab *lab, struct hwc_profile *profile, struct look *look, struct hwc_error *error)
{
    double pairs = fmax(policy.pairs, policy.steps * lab->machine->step_cycles);
    int status;

    look->lab = lab;
    look->pairs = (uint32_t)pairs;
    for (unsigned i = 0; i < PAIRS_AT_ONCE; i++)
        hwc_walk_init(&look->walk[i]);
    status = look_at(look, profile, HWC_INTEGER, error);
    if (status == HWC_OK)
        status = look_at(look, profile, HWC_FLOAT, error);
    for (unsigned i = 0; i < PAIRS_AT_ONCE; i++)
        hwc_walk_free(&look->walk[i]);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct look *look;
    int status;

    if (!lab->machine->has_clock) {
        hwc_note(&lab->notes, "bank_conflicts: nothing was timed: this machine has no clock of its own");
        return HWC_OK;
    }
    look = calloc(1, sizeof *look);
    if (look == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for the times of pairs");
    status = look_at_both(lab, profile, look, error);
    free(look);
    if (!hwc_came_to_nothing(status))
        return status;
    hwc_note(&lab->notes, "bank_conflicts: %s", error->message);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_bank_conflicts = {
    .name = "bank_conflicts",
    .summary = "time of pairs of loads over their distance: number and width of a cache's banks, what a conflict costs",
    .source = "the future work of Dongarra et al., ICCS 2004, 4",
    .on_request = true,
    .run = run,
};
