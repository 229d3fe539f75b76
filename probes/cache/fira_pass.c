#include "fira_pass.h"

#include <math.h>

#include "footprint.h"
#include "sampler.h"
#include "statistics.h"

/* So that lines that fit are there under any policy but random ones. */
static const uint32_t fitting_passes = 4;

/* Of a phase's time. More runs serve better than more readings: arrays and pages differ. */
static const unsigned readings = 3;

/* What one run needs: an array on fresh pages, and the walks over it. Cells that lead forward and those that lead back
 * lie side by side in each line. */
struct pass {
    struct hwc_arena arena;
    struct hwc_walk forward, fitting, back[HWC_FIRA_PHASES];
    uint64_t bytes;
};

size_t hwc_fira_lines(const struct hwc_fira_plan *plan, unsigned phase)
{
    return (size_t)((plan->bytes[phase + 1] - plan->bytes[phase]) / plan->line_bytes);
}

static void close_pass(struct hwc_lab *lab, struct pass *pass)
{
    hwc_walk_free(&pass->forward);
    hwc_walk_free(&pass->fitting);
    for (unsigned i = 0; i < HWC_FIRA_PHASES; i++)
        hwc_walk_free(&pass->back[i]);
    hwc_close_arena(lab, &pass->arena);
}

/* The array of a run is two to three times what the last level holds, so that its end meets a policy in another state
 * each time. */
static int open_pass(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct pass *pass, struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes, last = plan->bytes[plan->levels];
    uint64_t least = plan->bytes[plan->phases] > 2 * last ? plan->bytes[plan->phases] : 2 * last;

    *pass = (struct pass){0};
    hwc_walk_init(&pass->forward);
    hwc_walk_init(&pass->fitting);
    for (unsigned i = 0; i < HWC_FIRA_PHASES; i++)
        hwc_walk_init(&pass->back[i]);
    pass->bytes = (least + hwc_random_below(&lab->random, last) + page - 1) / page * page;
    TRY(lab->machine->ops->arena_open(lab->machine, least + last + page, HWC_LARGE_PAGES, &pass->arena, error));
    return hwc_walk_sequence(&pass->forward, 0, plan->line_bytes, (size_t)(pass->bytes / plan->line_bytes), error);
}

/* The group of lines that come in random order: 1 = all come in order. */
static size_t lines_of_group(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned phase)
{
    uint64_t group = hwc_pages_per_group(lab) * lab->machine->page_bytes;

    if (plan->order == HWC_FIRA_ONE_LINE && phase < plan->levels)
        return 1;
    return group > plan->line_bytes ? (size_t)(group / plan->line_bytes) : 1;
}

/* Every `each`th line of a phase, backwards. */
static int lay_phase(struct hwc_lab *lab, const struct hwc_fira_plan *plan, const struct pass *pass, unsigned phase,
                     unsigned each, struct hwc_walk *walk, struct hwc_error *error)
{
    uint64_t begin = pass->bytes - plan->bytes[phase], line = plan->line_bytes;
    size_t lines = hwc_fira_lines(plan, phase), group = lines_of_group(lab, plan, phase) / each;

    hwc_walk_clear(walk);
    for (size_t i = 0; i < lines; i += each)
        TRY(hwc_walk_append(walk, begin - (i + 1) * line + HWC_CELL_BYTES, error));
    for (size_t i = 0; i < walk->count && group > 1; i += group)
        hwc_walk_reorder(walk, i, hwc_lesser(group, walk->count - i), &lab->random);
    return HWC_OK;
}

/* Go forward, then back over so many phases, which are laid out, and measure each of them. */
static int go_back(struct hwc_lab *lab, const struct hwc_witness *witness, struct pass *pass, struct hwc_step forward,
                   unsigned phases, struct hwc_sample *sample, struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = &pass->arena, .apart = true, .steps = 1 + phases, .step = {forward}};

    for (unsigned i = 0; i < phases; i++)
        experiment.step[1 + i] = (struct hwc_step){HWC_MEASURE, &pass->back[i], 1};
    hwc_ask_witness(witness, &experiment);
    return hwc_lab_sample(lab, &experiment, sample, error);
}

static int play(struct hwc_lab *lab, const struct hwc_fira_plan *plan, const struct hwc_witness *witness, unsigned each,
                struct pass *pass, struct hwc_sample *sample, struct hwc_error *error)
{
    for (unsigned i = 0; i < plan->phases; i++)
        TRY(lay_phase(lab, plan, pass, i, each, &pass->back[i], error));
    return go_back(lab, witness, pass, (struct hwc_step){HWC_RUN, &pass->forward, 1}, plan->phases, sample, error);
}

/* The way back, as it is laid out, over what the level holds, after passes over that alone. */
static int play_control(struct hwc_lab *lab, const struct hwc_fira_plan *plan, const struct hwc_witness *witness,
                        unsigned level, struct pass *pass, struct hwc_sample *sample, struct hwc_error *error)
{
    uint64_t bytes = plan->bytes[level], line = plan->line_bytes;
    const struct hwc_step forward = {HWC_RUN, &pass->fitting, fitting_passes};

    hwc_walk_clear(&pass->fitting);
    TRY(hwc_walk_sequence(&pass->fitting, pass->bytes - bytes, line, (size_t)(bytes / line), error));
    return go_back(lab, witness, pass, forward, level, sample, error);
}

/* Where pages are contiguous for as long as the addresses of a set lie apart, a level's sets are filled evenly. */
static void look_at_pages(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, const struct pass *pass,
                          struct hwc_fira_result *result)
{
    for (unsigned level = 1; level <= plan->levels; level++) {
        const struct hwc_level *known = &lab->known->level[level];
        uint64_t period = known->period_bytes > 0 ? known->period_bytes : known->size_bytes;
        if (!known->hashed && known->ways > 0)
            period = hwc_way_bytes(known);
        result->contiguous[level] = result->contiguous[level] && !known->hashed &&
                                    pass->arena.contiguous_bytes >= period;
    }
}

/* By level and phase, what each run counted. */
struct counts {
    double misses[HWC_MAX_CACHE_LEVEL + 1][HWC_FIRA_PHASES][HWC_FIRA_RUNS];
    double control[HWC_MAX_CACHE_LEVEL + 1][HWC_FIRA_RUNS];
    unsigned runs;
};

static double misses_of(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned level,
                        const struct hwc_reading *reading)
{
    double misses = hwc_count_reading(&lab->witness[level], reading) - plan->overhead[level];

    return misses > 0 ? misses : 0;
}

static int count_once(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct pass *pass, struct counts *counts,
                      struct hwc_error *error)
{
    for (unsigned level = 1; level <= plan->levels; level++) {
        const struct hwc_witness *witness = &lab->witness[level];
        struct hwc_sample sample = {0};
        if (!hwc_counts(witness))
            continue;
        TRY(play(lab, plan, witness, 1, pass, &sample, error));
        for (unsigned i = 0; i < plan->phases; i++)
            counts->misses[level][i][counts->runs] = misses_of(lab, plan, level, &sample.reading[i]);
        TRY(play_control(lab, plan, witness, level, pass, &sample, error));
        counts->control[level][counts->runs] = misses_of(lab, plan, level, &sample.reading[level - 1]);
    }
    counts->runs++;
    return HWC_OK;
}

/* The least that each phase takes, of a few readings over the same array: others only add to it. */
static int time_phases(struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned each, struct pass *pass,
                       double least[HWC_FIRA_PHASES], struct hwc_error *error)
{
    for (unsigned taken = 0; taken < readings; taken++) {
        struct hwc_sample sample;
        TRY(play(lab, plan, &hwc_by_clock, each, pass, &sample, error));
        for (unsigned i = 0; i < plan->phases; i++)
            least[i] = taken > 0 ? fmin(least[i], sample.reading[i].cycles) : sample.reading[i].cycles;
    }
    return HWC_OK;
}

/* Where no counter counts the control. The order of lines matters to it, so that one order is enough. */
static bool is_control_timed(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned level)
{
    return plan->order == HWC_FIRA_RANDOM && !hwc_counts(&lab->witness[level]);
}

/* The least that the way back takes over lines that the level holds. */
static int time_control(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct pass *pass, double *least,
                        struct hwc_error *error)
{
    for (unsigned level = 1; level <= plan->levels; level++)
        for (unsigned taken = 0; is_control_timed(lab, plan, level) && taken < readings; taken++) {
            struct hwc_sample sample;
            TRY(play_control(lab, plan, &hwc_by_clock, level, pass, &sample, error));
            least[level] = taken > 0 ? fmin(least[level], sample.reading[level - 1].cycles)
                                     : sample.reading[level - 1].cycles;
        }
    return HWC_OK;
}

/* A reference, by the time of all lines of a phase and of every other one. */
static double each_of(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned phase, double all,
                      double other)
{
    size_t half = hwc_fira_lines(plan, phase) / 2;

    return (all - other) / (half > 0 ? (double)half : 1) - lab->machine->decode_cycles;
}

/* All lines of a phase, and every other one: both need the same pages, so that what translation takes, and starting and
 * reading the clock, is not in the difference. */
static int time_once(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct pass *pass,
                     struct hwc_fira_result *result, struct hwc_error *error)
{
    double all[HWC_FIRA_PHASES], other[HWC_FIRA_PHASES];
    double control[HWC_MAX_CACHE_LEVEL + 1] = {0}, control_of_other[HWC_MAX_CACHE_LEVEL + 1] = {0};

    TRY(time_phases(lab, plan, 1, pass, all, error));
    TRY(time_control(lab, plan, pass, control, error));
    TRY(time_phases(lab, plan, 2, pass, other, error));
    TRY(time_control(lab, plan, pass, control_of_other, error));
    for (unsigned i = 0; i < plan->phases; i++)
        result->cycles[i][result->runs] = each_of(lab, plan, i, all[i], other[i]);
    for (unsigned level = 1; level <= plan->levels; level++) {
        result->control_timed[level] = is_control_timed(lab, plan, level);
        result->control_cycles[level][result->runs] =
            each_of(lab, plan, level - 1, control[level], control_of_other[level]);
    }
    result->runs++;
    return HWC_OK;
}

static bool any_counts(const struct hwc_lab *lab, const struct hwc_fira_plan *plan)
{
    for (unsigned level = 1; level <= plan->levels; level++)
        if (hwc_counts(&lab->witness[level]))
            return true;
    return false;
}

static int run_once(struct hwc_lab *lab, const struct hwc_fira_plan *plan, unsigned run, struct counts *counts,
                    struct hwc_fira_result *result, struct hwc_error *error)
{
    struct pass pass;
    int status = open_pass(lab, plan, &pass, error);

    if (status == HWC_OK)
        look_at_pages(lab, plan, &pass, result);
    if (status == HWC_OK && run < plan->count_runs && any_counts(lab, plan))
        status = count_once(lab, plan, &pass, counts, error);
    if (status == HWC_OK && run < plan->time_runs && lab->machine->has_clock)
        status = time_once(lab, plan, &pass, result, error);
    close_pass(lab, &pass);
    return status;
}

static double mean_of(const double *values, unsigned count)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static void sum_up(const struct hwc_lab *lab, const struct hwc_fira_plan *plan, const struct counts *counts,
                   struct hwc_fira_result *result)
{
    for (unsigned level = 1; level <= plan->levels; level++) {
        result->counted[level] = counts->runs > 0 && hwc_counts(&lab->witness[level]);
        if (!result->counted[level])
            continue;
        for (unsigned i = 0; i < plan->phases; i++)
            result->misses[level][i] = mean_of(counts->misses[level][i], counts->runs);
        result->control[level] = mean_of(counts->control[level], counts->runs);
    }
}

int hwc_fira_play(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct hwc_fira_result *result,
                  struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    struct counts counts = {.runs = 0};
    int status = HWC_OK;

    *result = (struct hwc_fira_result){.runs = 0};
    for (unsigned level = 1; level <= plan->levels; level++)
        result->contiguous[level] = true;
    for (unsigned i = 0; status == HWC_OK && (i < plan->count_runs || i < plan->time_runs); i++) {
        if (i > 0 && lab->machine->live && hwc_lab_elapsed(lab) - started > plan->seconds)
            break;
        status = run_once(lab, plan, i, &counts, result, error);
    }
    sum_up(lab, plan, &counts, result);
    return status;
}
