/* How many CPUs share each data-cache level.
 *
 * Claim: of the CPUs that this process may use, so many have this level in common
 * with the one that measures, itself included.
 *
 * Method: data that the level holds is read, and read again after a CPU went through
 * twice what the level holds: this one, which puts the data out, or another one, while
 * this one waits. If both put it out, both fill one cache. If the other CPU reads a few
 * lines for as long, the data must stay. What the level holds need not be known well,
 * nor any latency: what this CPU does to the level is the measure of what the other
 * does. (Servet, Gonzalez-Dominguez et al., J. Supercomputing 2010, has both CPUs read
 * at once; others that work meanwhile then look the same.)
 *
 * What can fool it: an inclusive lower level that another CPU fills takes lines from
 * the levels above, private or not, so that "shared" is not said where the next level
 * is too small for what is read. A virtual machine's CPUs move unless they are pinned,
 * and two that shared a level do not any more: a note says so where ballots differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sampler.h"
#include "share.h"
#include "statistics.h"
#include "table.h"

static const struct {
    double filled;     /* of the level, by data and what empties the levels above: sets are filled by chance */
    double least_data; /* of the level */
    double more;       /* foreign lines, as a multiple of what the level holds */
    double empty;      /* lines that empty the levels above, likewise */
    double room;       /* of the next level, for foreign lines */
    size_t lines;      /* of data: more are thinned */
    size_t few;
    uint32_t passes, most_passes; /* over foreign lines: a scan-resistant policy keeps data at first */
    double slower;                /* a farther level takes at least half as long again (X-Ray 4.1.1) */
    unsigned apart;               /* ballots that say that a CPU shares the level, and as many that it does not */
} policy = {.filled = 0.6,
            .least_data = 0.2,
            .more = 2,
            .empty = 1.25,
            .room = 0.75,
            .lines = 4096,
            .few = 8,
            .passes = 2,
            .most_passes = 128,
            .slower = 0.5,
            .apart = 2};

struct context {
    unsigned level;
    enum hwc_event event; /* counted, or HWC_NO_EVENT: time is taken */
    uint64_t spacing;
    size_t data, above, foreign; /* lines; `above` empty the levels above */
    bool crowds_next;            /* foreign lines may put lines out of the next level */
    uint32_t passes;
    unsigned ballots; /* cast */
    unsigned *shared; /* by the other CPUs, from 1: how many of them say that it shares the level */
};

/* Arenas and walks of a ballot. */
struct parts {
    struct hwc_arena arena, foreign_arena;
    struct hwc_walk data, above, first;
    struct hwc_walk foreign, little; /* `little` puts nothing out */
};

static void close_parts(struct hwc_lab *lab, struct parts *parts)
{
    hwc_walk_free(&parts->data);
    hwc_walk_free(&parts->above);
    hwc_walk_free(&parts->first);
    hwc_walk_free(&parts->foreign);
    hwc_walk_free(&parts->little);
    hwc_close_arena(lab, &parts->arena);
    hwc_close_arena(lab, &parts->foreign_arena);
}

/* Lay out `lines` lines from the i-th on. */
static int lay(struct hwc_lab *lab, const struct context *context, struct hwc_walk *walk, size_t i, size_t lines,
               struct hwc_error *error)
{
    if (lines > 0)
        TRY(hwc_walk_sequence(walk, i * context->spacing, context->spacing, lines, error));
    hwc_walk_shuffle(walk, &lab->random);
    return HWC_OK;
}

static int open_parts(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    const struct hwc_machine_ops *ops = lab->machine->ops;
    size_t own = context->data + context->above + policy.few;

    TRY(ops->arena_open(lab->machine, own * context->spacing, HWC_LARGE_PAGES, &parts->arena, error));
    TRY(ops->arena_open(lab->machine, (context->foreign + policy.few) * context->spacing, HWC_LARGE_PAGES,
                        &parts->foreign_arena, error));
    TRY(lay(lab, context, &parts->data, 0, context->data, error));
    TRY(lay(lab, context, &parts->above, context->data, context->above, error));
    TRY(lay(lab, context, &parts->first, context->data + context->above, policy.few, error));
    parts->foreign.arena = parts->little.arena = &parts->foreign_arena;
    parts->foreign.independent = parts->little.independent = true; /* they are not timed */
    TRY(lay(lab, context, &parts->foreign, 0, context->foreign, error));
    return lay(lab, context, &parts->little, context->foreign, policy.few, error);
}

/* Whom the data is read again after, and what that CPU read. */
struct visit {
    unsigned cpu; /* 0 = this one */
    const struct hwc_walk *walk;
    uint32_t passes;
};

static struct hwc_experiment read_again(const struct context *context, const struct parts *parts,
                                        const struct visit *visit)
{
    enum hwc_step_kind kind = visit->cpu == 0 ? HWC_RUN : HWC_RUN_ELSEWHERE;

    return (struct hwc_experiment){.arena = &parts->arena,
                                   .event = context->event,
                                   .apart = true,
                                   .other_cpu = visit->cpu,
                                   .steps = 5,
                                   .step = {{HWC_RUN, &parts->data, context->passes},
                                            {HWC_RUN, &parts->above, 1},
                                            {kind, visit->walk, visit->passes},
                                            {HWC_RUN, &parts->first, 1},
                                            {HWC_MEASURE, &parts->data, 1}}};
}

/* A typical reading: misses, or cycles. */
static int read_often(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                      const struct visit *visit, double *usual, struct hwc_error *error)
{
    const struct hwc_experiment experiment = read_again(context, parts, visit);
    double readings[HWC_MAX_VOTES];
    unsigned count = lab->settings.samples < HWC_MAX_VOTES ? lab->settings.samples : HWC_MAX_VOTES;

    for (unsigned i = 0; i < count; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        readings[i] = context->event == HWC_NO_EVENT ? sample.reading[0].cycles : sample.reading[0].count;
    }
    *usual = hwc_median(readings, count);
    return HWC_OK;
}

static int after_much(struct hwc_lab *lab, const struct context *context, const struct parts *parts, unsigned cpu,
                      double *usual, struct hwc_error *error)
{
    return read_often(lab, context, parts, &(struct visit){cpu, &parts->foreign, context->passes}, usual, error);
}

/* As many references to few lines. */
static int after_little(struct hwc_lab *lab, const struct context *context, const struct parts *parts, unsigned cpu,
                        double *usual, struct hwc_error *error)
{
    uint32_t passes = (uint32_t)(context->passes * (context->foreign / policy.few));

    return read_often(lab, context, parts, &(struct visit){cpu, &parts->little, passes}, usual, error);
}

/* What a reading shows with the data in the level, and with the data put out of it by this CPU. */
struct bounds {
    double in, out;
};

static bool is_put_out(const struct context *context, const struct bounds *bounds)
{
    double unit = context->event == HWC_NO_EVENT ? bounds->in : (double)context->data;

    return unit > 0 && bounds->out - bounds->in >= policy.slower * unit;
}

static int read_bounds(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                       struct bounds *bounds, struct hwc_error *error)
{
    TRY(after_little(lab, context, parts, 0, &bounds->in, error));
    TRY(after_much(lab, context, parts, 0, &bounds->out, error));
    if (!is_put_out(context, bounds))
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "this CPU itself puts too little of its data out to tell what others do");
    return HWC_OK;
}

/* What share of what this CPU puts out does the other one put out? */
static int share_put_out(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                         const struct bounds *bounds, unsigned cpu, double *share, struct hwc_error *error)
{
    double little = 0, much = 0, all = bounds->out - bounds->in;

    TRY(after_little(lab, context, parts, cpu, &little, error));
    TRY(after_much(lab, context, parts, cpu, &much, error));
    if (hwc_judge_share((little - bounds->in) / all) != HWC_SHARE_NONE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put data out while CPU %d reads a few lines",
                        lab->machine->ops->other_cpu(lab->machine, cpu));
    *share = (much - fmin(little, bounds->in)) / all;
    return HWC_OK;
}

/* Does the other CPU put the data out as this one does? */
static int ask(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
               const struct bounds *bounds, unsigned cpu, bool *shares, struct hwc_error *error)
{
    int number = lab->machine->ops->other_cpu(lab->machine, cpu);
    enum hwc_share verdict;
    double share = 0;

    TRY(share_put_out(lab, context, parts, bounds, cpu, &share, error));
    verdict = hwc_judge_share(share);
    *shares = verdict == HWC_SHARE_MOST;
    if (verdict == HWC_SHARE_BETWEEN)
        return hwc_fail(error, HWC_INCONCLUSIVE, "CPU %d puts out %.0f %% of what this one does", number, 100 * share);
    if (*shares && context->crowds_next)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "CPU %d puts lines out, but the next level is too small to tell from which level", number);
    return HWC_OK;
}

static int ask_all(struct hwc_lab *lab, const struct context *context, const struct parts *parts, int64_t *sharers,
                   struct hwc_error *error)
{
    struct bounds bounds = {0};

    TRY(read_bounds(lab, context, parts, &bounds, error));
    for (unsigned cpu = 1; cpu <= lab->machine->other_cpus; cpu++) {
        bool shares = false;
        TRY(ask(lab, context, parts, &bounds, cpu, &shares, error));
        *sharers += shares;
        context->shared[cpu] += shares;
    }
    return HWC_OK;
}

typedef int (*parts_use)(struct hwc_lab *lab, struct context *context, const struct parts *parts, int64_t *value,
                         struct hwc_error *error);

static int with_parts(struct hwc_lab *lab, struct context *context, parts_use use, int64_t *value,
                      struct hwc_error *error)
{
    struct parts parts = {0};
    int status;

    hwc_walk_init(&parts.data);
    hwc_walk_init(&parts.above);
    hwc_walk_init(&parts.first);
    hwc_walk_init(&parts.foreign);
    hwc_walk_init(&parts.little);
    status = open_parts(lab, context, &parts, error);
    if (status == HWC_OK)
        status = use(lab, context, &parts, value, error);
    close_parts(lab, &parts);
    return status;
}

static int count_sharers(struct hwc_lab *lab, struct context *context, const struct parts *parts, int64_t *sharers,
                         struct hwc_error *error)
{
    *sharers = 1;
    return ask_all(lab, context, parts, sharers, error);
}

/* A ballot, on fresh pages. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;

    TRY(with_parts(lab, context, count_sharers, &ballot->value[0], error));
    ballot->cast[0] = true;
    context->ballots++;
    return HWC_OK;
}

/* The fewest passes that put the data out. */
static int find_passes(struct hwc_lab *lab, struct context *context, const struct parts *parts, int64_t *passes,
                       struct hwc_error *error)
{
    int status = HWC_INCONCLUSIVE;

    for (context->passes = policy.passes; context->passes <= policy.most_passes; context->passes *= 4) {
        struct bounds bounds = {0};
        status = read_bounds(lab, context, parts, &bounds, error);
        if (status != HWC_INCONCLUSIVE)
            break;
    }
    *passes = context->passes;
    return status;
}

/* How much surely fits the level and those above, and how much surely does not? 0 = not known. */
struct holds {
    double least, most;
};

static struct holds held_by(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->known->level[level];
    struct holds holds;

    hwc_held_bounds(lab, level, &holds.least, &holds.most);
    if (this->size_bytes > 0 && this->effective_bytes > 0)
        holds.most = (double)this->effective_bytes;
    return holds;
}

/* Where more lines would only take longer they are thinned; by time, four at least share the translation of a page. */
static void choose_spacing(const struct hwc_lab *lab, struct context *context, double bytes)
{
    const struct hwc_level *this = &lab->known->level[context->level];
    uint64_t longest = lab->machine->page_bytes / (context->event == HWC_NO_EVENT ? 4 : 1);

    context->spacing = this->fill_bytes > 0 ? this->fill_bytes : lab->known->level[1].fill_bytes;
    while (bytes / (double)context->spacing > (double)policy.lines && context->spacing < longest)
        context->spacing *= 2;
}

/* Returns why the level cannot be asked. */
static struct hwc_reason plan(const struct hwc_lab *lab, struct context *context)
{
    struct holds here = held_by(lab, context->level), above = {0}, next = {0};
    double data, empty, foreign, filled;

    if (here.least <= 0 || lab->known->level[1].fill_bytes == 0)
        return hwc_depends("what the level holds is not known");
    if (context->level > 1)
        above = held_by(lab, context->level - 1);
    if (context->level < lab->known->levels)
        next = held_by(lab, context->level + 1);
    empty = policy.empty * above.most;
    filled = lab->known->level[context->level].size_bytes > 0 ? policy.filled : 1; /* bounds are of what chance fills */
    data = filled * here.least - empty;
    foreign = policy.more * (here.most + above.most);
    if (data < policy.least_data * here.least)
        return hwc_inconclusive("the level holds too little more than the one above");
    if (foreign > (double)lab->machine->max_arena_bytes / 2)
        return hwc_unavailable("more memory than may be used would be needed");
    context->crowds_next = context->level < lab->known->levels && foreign > policy.room * next.least;
    choose_spacing(lab, context, data);
    context->data = (size_t)(data / (double)context->spacing);
    context->above = (size_t)(empty / (double)context->spacing);
    context->foreign = (size_t)(foreign / (double)context->spacing);
    return context->data < 2 * policy.few ? hwc_unavailable("the level is too small") : HWC_NO_REASON;
}

static bool shares_mostly(const struct context *context, unsigned cpu)
{
    return context->shared[cpu] * 2 > context->ballots;
}

static bool shares_at_times(const struct context *context, unsigned cpu)
{
    return context->shared[cpu] >= policy.apart && context->ballots - context->shared[cpu] >= policy.apart;
}

enum { LISTED = 160 };

/* "1, 5"; empty if there is none. */
static void list_cpus(const struct hwc_lab *lab, const struct context *context,
                      bool (*is_listed)(const struct context *, unsigned), char list[LISTED])
{
    size_t length = 0;

    list[0] = '\0';
    for (unsigned cpu = 1; cpu <= lab->machine->other_cpus && length + 8 < LISTED; cpu++)
        if (is_listed(context, cpu))
            length += (size_t)snprintf(list + length, LISTED - length, "%s%d", length > 0 ? ", " : "",
                                       lab->machine->ops->other_cpu(lab->machine, cpu));
}

/* Note which CPUs share the level, by most ballots, and on which they differ. */
static void note_sharers(struct hwc_lab *lab, const struct context *context, const struct hwc_finding *finding)
{
    char list[LISTED];

    list_cpus(lab, context, shares_mostly, list);
    if (finding->known && list[0] != '\0')
        hwc_note(&lab->notes, "L%u is shared with CPU %s", context->level, list);
    list_cpus(lab, context, shares_at_times, list);
    if (list[0] != '\0')
        hwc_note(&lab->notes, "L%u is shared with CPU %s at times only: a hypervisor that moves a virtual machine's CPUs "
                 "does that", context->level, list);
}

static int vote(struct hwc_lab *lab, struct context *context, const struct hwc_witness *witness,
                struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_result result = {0};
    int64_t passes;
    int status = with_parts(lab, context, find_passes, &passes, error);

    if (status != HWC_OK)
        return hwc_findings_settle(status, &finding, 1, error);
    TRY(hwc_finding_by_vote(lab, measure, context, witness, finding, &result, error));
    note_sharers(lab, context, finding);
    return HWC_OK;
}

static struct hwc_reason why_none(const struct hwc_lab *lab, bool counted)
{
    if (lab->machine->other_cpus == 0)
        return hwc_unavailable(lab->machine->alone_reason);
    if (!counted && !lab->machine->has_clock)
        return hwc_unavailable("there is neither a counter nor a clock");
    return HWC_NO_REASON;
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_witness *counter = &lab->witness[level];
    bool counted = hwc_counts_events(counter);
    struct context context = {.level = level, .event = counted ? counter->event : HWC_NO_EVENT};
    struct hwc_reason reason = why_none(lab, counted);
    int status;

    if (reason.text == NULL)
        reason = plan(lab, &context);
    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    context.shared = calloc(lab->machine->other_cpus + 1, sizeof *context.shared);
    if (context.shared == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = vote(lab, &context, counted ? counter : &hwc_by_clock, finding, error);
    free(context.shared);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    lab->stays = true;
    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_level(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_SHARED_BY], error);
    lab->stays = false;
    return status;
}

const struct hwc_probe hwc_probe_sharing = {
    .name = "sharing",
    .summary = "how many CPUs share each data-cache level",
    .source = "Gonzalez-Dominguez et al., Journal of Supercomputing 2010 (Servet)",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_SHARED_BY},
    .run = run,
};
