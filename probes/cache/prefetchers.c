/* Prefetchers: which kinds are at work, and into which level do they bring lines?
 *
 * Claim: for the next line, for the other half of a pair of lines, for constant
 * strides and for streams of consecutive lines: the first level that has a line
 * which nothing asked for, after references that train such a prefetcher.
 *
 * Method: a page is flushed, the references are made, and after a wait one line
 * is read (prefetch_trial.h), each time at a new place; prefetchers have often been
 * mapped so (Rohan et al., Reverse engineering the stream prefetcher for profit,
 * EuroS&PW 2020). The line is there if it does not come from beyond the last
 * level. It must be missing without the references that train; and of a stride,
 * the line beside it must be missing. Lines come as long as a level's: levels with
 * longer ones are asked with those.
 *
 * What can fool it: prefetchers that hold back while memory is busy, or wait for
 * more references than a page has lines. A stride of one line is a stream to a
 * prefetcher that goes by the load instruction, so that different ones read
 * streams; one that goes by addresses hides a stream prefetcher. A level that a
 * miss fills by two lines has a line-pair prefetcher, in effect. What happens
 * beyond a page is not asked. */
#include <math.h>

#include "lone_line.h"
#include "prefetch_trial.h"
#include "seen_levels.h"
#include "sequential.h"
#include "table.h"

static const struct {
    double late, missing, hardly, most, coarse;
    unsigned trials;
} policy = {
    .late = 0.5, /* nearer to a miss than to a hit */
    /* Prefetchers do not always do what they can, and without the references that train, the line is hardly ever there: an
     * eighth of the trials is enough to show one. */
    .missing = 0.875,
    .hardly = 0.97, /* missing so often, it is no more often there than by chance; between the two nothing is told */
    .most = 0.5, /* of the lines that are there: where most of them are */
    .coarse = 0.5, /* where the clock's step is more than this share of a miss, readings are not sorted one by one */
    .trials = 128, /* at most; more where the clock's step hides what is asked for */
};

static const enum hwc_field_id fields[HWC_PREFETCHES] = {
    [HWC_NEXT_LINE] = HWC_CORE_PREFETCH_NEXT_LINE,
    [HWC_LINE_PAIR] = HWC_CORE_PREFETCH_LINE_PAIR,
    [HWC_STRIDE] = HWC_CORE_PREFETCH_STRIDE,
    [HWC_STREAM] = HWC_CORE_PREFETCH_STREAM,
};

/* Levels with lines of one length, as far as that is known. */
struct group {
    unsigned first, last;
    uint64_t line_bytes;
};

struct question {
    struct hwc_prefetch_trial *trial;
    enum hwc_probed probed;
    const struct hwc_witness *last, *here; /* of the group's last level, and of the one in question */
};

/* Misses at a witness's level, in one trial. */
static int weigh_once(const struct question *question, const struct hwc_witness *witness, double *misses,
                      bool *disturbed, struct hwc_error *error)
{
    struct hwc_sample sample;

    TRY(hwc_prefetch_trial_play(question->trial, question->probed, witness, &sample, error));
    *misses = hwc_weigh_lone_line(question->trial->lab, witness, &sample);
    *disturbed = sample.disturbed;
    return HWC_OK;
}

static int draw_missing(void *context, double *missing, bool *disturbed, struct hwc_error *error)
{
    const struct question *question = context;

    TRY(weigh_once(question, question->last, missing, disturbed, error));
    if (hwc_step_in_misses(question->last, question->trial->lab->machine->step_cycles) <= policy.coarse)
        *missing = *missing > policy.late;
    return HWC_OK;
}

/* In what share of the trials is the line beyond the group's levels: in more than `threshold`? */
static int ask_missing(struct question *question, double threshold, struct hwc_estimate *share, enum hwc_side *side,
                       struct hwc_error *error)
{
    double step = hwc_step_in_misses(question->last, question->trial->lab->machine->step_cycles);
    struct hwc_sequential_test test = {.threshold = threshold, .unit = threshold, .most = policy.trials};

    if (step > policy.coarse) {
        test.resolution = step;
        test.unit += step;
        test.most = (unsigned)(policy.trials * (1 + step) * (1 + step));
    }
    return hwc_test_sequentially(&test, draw_missing, question, share, side, error);
}

static int draw_count(void *context, double *misses, bool *disturbed, struct hwc_error *error)
{
    const struct question *question = context;

    return weigh_once(question, question->here, misses, disturbed, error);
}

/* Cycles beyond a hit of the level. Lines that are missing are left out. */
static int draw_time(void *context, double *cycles, bool *disturbed, struct hwc_error *error)
{
    const struct question *question = context;
    const struct hwc_lab *lab = question->trial->lab;
    struct hwc_witness last = *question->last;
    struct hwc_sample sample;

    last.slow_cycles = 0; /* the time is needed */
    TRY(hwc_prefetch_trial_play(question->trial, question->probed, &last, &sample, error));
    *cycles = sample.reading[0].cycles - sample.reading[1].cycles + lab->witness[1].hit_cycles -
              question->here->hit_cycles;
    *disturbed = sample.disturbed || hwc_weigh_lone_line(lab, &last, &sample) > policy.late;
    return HWC_OK;
}

/* By time: are the lines that are there as near as the level? A level that is not known may lie between this one and
 * the next, at more than twice the distance. */
static int ask_time(struct question *question, enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_witness *here = question->here;
    double step = question->trial->lab->machine->step_cycles;
    double far = fmin(policy.most * hwc_least_added_by_miss(here), here->hit_cycles);
    const struct hwc_sequential_test test = {.threshold = far,
                                             .unit = far + step,
                                             .resolution = step,
                                             .most = (unsigned)(policy.trials * (1 + step / far) * (1 + step / far))};
    struct hwc_estimate cycles;

    if (far <= 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "what the next level takes is not known well enough");
    return hwc_test_sequentially(&test, draw_time, question, &cycles, side, error);
}

/* By counts: does the level lack less than half of the lines that are there? */
static int ask_count(struct question *question, double missing, enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_sequential_test test = {
        .threshold = missing + policy.most * (1 - missing), .unit = 1, .most = 2 * policy.trials};
    struct hwc_estimate share;

    return hwc_test_sequentially(&test, draw_count, question, &share, side, error);
}

/* The line is there: must it be so for this reason? */
static int check(struct question question, struct hwc_error *error)
{
    struct hwc_estimate share;
    enum hwc_side side = HWC_ABOVE;

    question.probed = HWC_UNTRAINED;
    TRY(ask_missing(&question, policy.missing, &share, &side, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines that were flushed are there");
    if (question.trial->kind != HWC_STRIDE)
        return HWC_OK;
    question.probed = HWC_BESIDE_TARGET;
    TRY(ask_missing(&question, policy.missing, &share, &side, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "the lines between are brought, too");
    return HWC_OK;
}

/* The first level of the group that has most of the lines that are there. */
static int find_level(struct question *question, const struct group *group, double missing, unsigned *level,
                      struct hwc_error *error)
{
    const struct hwc_lab *lab = question->trial->lab;

    for (unsigned i = group->first; i <= group->last; i++) {
        enum hwc_side side = HWC_BELOW;
        question->here = &lab->witness[i];
        if (!hwc_tells(question->here))
            return hwc_fail(error, HWC_INCONCLUSIVE, "whether level %u has it cannot be told", i);
        if (!hwc_counts(question->here))
            TRY(ask_time(question, &side, error));
        else if (i < group->last)
            TRY(ask_count(question, missing, &side, error));
        if (side == HWC_STRADDLES)
            return hwc_fail(error, HWC_INCONCLUSIVE, "some of the lines are brought into level %u, some are not", i);
        *level = i;
        if (side == HWC_BELOW)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "the line comes from nearer than memory, but from no level that is known");
}

/* The line is there: for this reason, and in which level? */
static int ask_where(struct question *question, const struct group *group, double missing, unsigned *level,
                     struct hwc_error *error)
{
    const struct hwc_prefetch_trial *trial = question->trial;

    TRY(check(*question, error));
    TRY(find_level(question, group, missing, level, error));
    if (trial->kind == HWC_LINE_PAIR && trial->lab->known->level[*level].line_bytes == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "level %u has both lines, or its lines are twice as long", *level);
    return HWC_OK;
}

static int ask(struct hwc_prefetch_trial *trial, const struct group *group, unsigned *level, struct hwc_error *error)
{
    struct question question = {.trial = trial, .probed = HWC_TARGET, .last = &trial->lab->witness[group->last]};
    struct hwc_estimate missing;
    enum hwc_side side;

    TRY(ask_missing(&question, policy.missing, &missing, &side, error));
    if (side == HWC_ABOVE)
        TRY(ask_missing(&question, policy.hardly, &missing, &side, error));
    else if (side == HWC_BELOW)
        return ask_where(&question, group, missing.value, level, error);
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "the line is there in too few of the trials, or in too many");
    return HWC_OK;
}

/* Into which of the group's levels is the line brought? 0 = none. */
static int ask_group(struct hwc_lab *lab, enum hwc_prefetch kind, const struct group *group, unsigned *level,
                     struct hwc_error *error)
{
    struct hwc_prefetch_trial trial;
    int status;

    if (!hwc_tells(&lab->witness[group->last]))
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether level %u has it cannot be told", group->last);
    TRY(hwc_prefetch_trial_open(&trial, lab, kind, group->line_bytes, error));
    status = ask(&trial, group, level, error);
    hwc_prefetch_trial_close(&trial);
    return status;
}

/* The levels from `first` on that have lines as long as it has. */
static struct group group_from(const struct hwc_lab *lab, unsigned first, uint64_t line_bytes)
{
    struct group group = {first, first, line_bytes};

    while (group.last < lab->known->levels) {
        uint64_t next = lab->known->level[group.last + 1].line_bytes;
        if (next != 0 && next != line_bytes)
            break;
        group.last++;
    }
    return group;
}

/* By time, what is not in the last level that is known comes from memory only if that was seen behind it. */
static int check_beyond(const struct hwc_lab *lab, struct hwc_error *error)
{
    unsigned last = lab->known->levels;

    if (hwc_goes_by_time(&lab->witness[last]) && !hwc_memory_shows(lab))
        return hwc_fail(error, HWC_INCONCLUSIVE, "level %u does not have it, and another may lie beyond", last);
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    enum hwc_prefetch kind = *(const enum hwc_prefetch *)data;
    unsigned level = 0, first = 1;

    while (level == 0 && first <= lab->known->levels) {
        struct group group = group_from(lab, first, lab->known->level[first].line_bytes);
        TRY(ask_group(lab, kind, &group, &level, error));
        first = group.last + 1;
    }
    if (level == 0)
        TRY(check_beyond(lab, error));
    ballot->cast[0] = true;
    ballot->value[0] = level;
    return HWC_OK;
}

static struct hwc_reason why_not(const struct hwc_lab *lab, enum hwc_prefetch kind)
{
    if (lab->known->levels == 0 || lab->known->level[1].line_bytes == 0)
        return hwc_depends("the first level's line size is not known");
    if (!lab->machine->flushes)
        return hwc_unavailable("no instruction flushes lines here");
    for (unsigned level = 1; level <= lab->known->levels; level++) {
        uint64_t line = lab->known->level[level].line_bytes;
        if (line != 0 && !hwc_prefetch_can_be_tried(lab, kind, line))
            return hwc_unavailable("a page has too few lines to train a prefetcher in");
    }
    return HWC_NO_REASON;
}

static int run_kind(struct hwc_lab *lab, enum hwc_prefetch kind, struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_reason reason = why_not(lab, kind);
    struct hwc_result result;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    TRY(hwc_finding_by_vote(lab, measure, &kind, &lab->witness[1], finding, &result, error));
    if (finding->known && result.value == 0)
        hwc_write(finding->text, sizeof finding->text, "none");
    else if (finding->known)
        hwc_write(finding->text, sizeof finding->text, "L%u", (unsigned)result.value);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned kind = 0; kind < HWC_PREFETCHES; kind++)
        TRY(run_kind(lab, (enum hwc_prefetch)kind, &profile->core.finding[fields[kind]], error));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_prefetchers = {
    .name = "prefetchers",
    .summary = "which prefetchers are at work (next line, pair of lines, stride, stream), and into which level",
    .source = "beside Dongarra et al., ICCS 2004; Rohan et al., EuroS&PW 2020",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CORE_PREFETCH_NEXT_LINE, HWC_CORE_PREFETCH_LINE_PAIR, HWC_CORE_PREFETCH_STRIDE,
                 HWC_CORE_PREFETCH_STREAM},
    .run = run,
};
