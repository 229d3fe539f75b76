#include "column_share.h"

#include <math.h>

#include "access_quantile.h"
#include "estimate.h"
#include "statistics.h"

enum { LOOKS = 9 };

static const struct {
    double resolution;
    double hits_above, misses_above;
    double apart, steps_apart;
    double errors;
    size_t middle;
} policy = {
    .resolution = 0.02, /* of what references take */
    /* Hits are those of lines that surely fit, of which a few meet a disturbance; most of the flushed lines are read from
     * memory, but a prefetcher may bring some in. */
    .hits_above = 0.05,
    .misses_above = 0.5,
    .apart = 1.5, /* times as long, and so many steps of the clock */
    .steps_apart = 4,
    .errors = 2,
    .middle = 1, /* of nine, the second and the last but one: between them the median is, with a chance of 0.96 */
};

/* Of which lines, hit or flushed: of one column alone, so that no prefetcher brings in a neighbour. */
struct population {
    struct hwc_column *column;
    size_t lines;
    bool flushed;
};

static int share_of_slow(const void *context, double slow_cycles, double *share, struct hwc_error *error)
{
    const struct population *population = context;
    const struct hwc_column_places alone = {.count = 1};

    return (population->flushed ? hwc_count_flushed_column : hwc_count_column)(population->column, population->lines,
                                                                              &alone, slow_cycles, share, error);
}

static bool is_told(const struct hwc_lab *lab, double hit, double miss)
{
    return miss > policy.apart * hit && miss - hit > policy.steps_apart * lab->machine->step_cycles;
}

/* The level keeps half as many lines again as the set above, as it is larger. */
static size_t few_lines(const struct hwc_column *column)
{
    return column->ways + column->ways / 2;
}

int hwc_column_share_open(struct hwc_column_share *share, struct hwc_column *column, struct hwc_error *error)
{
    const struct population hits = {column, few_lines(column), false}, misses = {column, column->lines, true};
    double hit, miss;

    *share = (struct hwc_column_share){.column = column};
    if (!column->lab->machine->flushes || column->lines < few_lines(column))
        return HWC_OK;
    TRY(hwc_least_quantile(share_of_slow, &hits, policy.hits_above, policy.resolution, &hit, error));
    TRY(hwc_least_quantile(share_of_slow, &misses, policy.misses_above, policy.resolution, &miss, error));
    if (is_told(column->lab, hit, miss))
        share->slow_cycles = sqrt(hit * miss);
    return HWC_OK;
}

/* How often hits are slow, and misses. */
struct both {
    struct hwc_estimate hits, misses;
};

/* What share of misses makes so many slow? `errors`: the misses are so many standard errors more often slow than seen. */
static double missing(const struct both *both, double slow, double errors)
{
    double most = fmin(both->misses.value + errors * both->misses.error, 1) - both->hits.value;
    double more = fmax(slow - both->hits.value, 0);

    return more < most ? more / most : 1;
}

static int add_share(const struct population *population, double slow_cycles, struct hwc_tally *tally,
                     struct hwc_error *error)
{
    double slow = 0;

    TRY(share_of_slow(population, slow_cycles, &slow, error));
    hwc_tally_add(tally, slow);
    return HWC_OK;
}

/* How often hits and misses are slow changes with what others do: both are looked at in turn with what is asked. */
int hwc_column_missing(const struct hwc_column_share *share, size_t lines, const struct hwc_column_places *places,
                       struct hwc_share_bounds *bounds, struct hwc_error *error)
{
    struct hwc_column *column = share->column;
    const struct population hits = {column, few_lines(column), false}, misses = {column, lines, true};
    struct hwc_tally of_hits = {0}, of_misses = {0};
    double slow[LOOKS];
    struct both both;

    for (int i = 0; i < LOOKS; i++) {
        TRY(add_share(&hits, share->slow_cycles, &of_hits, error));
        TRY(hwc_count_column(column, lines, places, share->slow_cycles, &slow[i], error));
        TRY(add_share(&misses, share->slow_cycles, &of_misses, error));
    }
    both = (struct both){hwc_tally_mean(&of_hits, 0), hwc_tally_mean(&of_misses, 0)};
    hwc_sort(slow, LOOKS);
    *bounds = (struct hwc_share_bounds){.low = missing(&both, slow[policy.middle], policy.errors),
                                        .likely = missing(&both, slow[LOOKS / 2], 0),
                                        .high = missing(&both, slow[LOOKS - 1 - policy.middle], -policy.errors)};
    return HWC_OK;
}
