/* Forward initialisation, reverse access (FIRA): misses that are known beforehand, held against those that are counted.
 *
 * Claim: of an array that is read once forward and then once backward, how many lines does each level miss in each
 * phase of the way back, and what does a reference of the phase take?
 *
 * Method: under LRU, the last lines of the array lie in the first level, those before them in the second, and so on.
 * Each phase of the way back is as long as its level is larger than the one above, so that its lines miss all levels
 * above and hit this one. Lines are so far apart that each is a miss of its own at every level. Every run has fresh
 * pages and an array of another length. The paper goes back by one line at a time, and at random beyond the last
 * level; prefetchers of today learn in every phase, so that a second curve has random order in all of them.
 *
 * A level that misses lines of its own phase does not keep those that LRU keeps: its phase's time is then a mixture,
 * and the latency probe's stands. FIFO and trees keep the same lines of such an array as LRU does: FIRA cannot tell
 * them.
 *
 * What can fool it: pages in random places fill sets by chance, as does a hashed index; what is expected allows for
 * that, and nothing is said of the policy where both would explain what was counted. Others that use the level evict
 * lines. An array with more pages than a TLB has entries: every page is translated once in a phase, whether all of its
 * lines are read or every other one, and the time of a reference is the difference of the two. */

#include "fira.h"
#include "fira_report.h"
#include "table.h"

static const struct {
    unsigned count_runs, time_runs, quick;
    double seconds;
    uint64_t lines_beyond;
} policy = {
    .count_runs = 8,
    .time_runs = 16,
    .quick = 4, /* times fewer runs in a quick run */
    .seconds = 6,
    .lines_beyond = 16384, /* of the phase beyond the last level, at most */
};

static uint64_t held_by(const struct hwc_level *level)
{
    return level->effective_bytes > 0 ? level->effective_bytes : level->size_bytes;
}

/* Levels from the first on whose sizes are known. */
static unsigned known_levels(const struct hwc_lab *lab)
{
    unsigned level = 0;

    while (level < lab->known->levels && level < HWC_FIRA_PHASES && held_by(&lab->known->level[level + 1]) >
           (level > 0 ? held_by(&lab->known->level[level]) : 0))
        level++;
    return level;
}

/* What a counter of the level counts too much. */
static double overhead_of(const struct hwc_lab *lab, const struct hwc_profile *profile, unsigned level)
{
    for (unsigned i = 0; i < profile->events && hwc_counts_events(&lab->witness[level]); i++)
        if (profile->event[i].event == lab->witness[level].event)
            return profile->event[i].overhead;
    return 0;
}

/* False if there is nothing to plan for. */
static bool make_plan(const struct hwc_lab *lab, const struct hwc_profile *profile, struct hwc_fira_plan *plan)
{
    unsigned fewer = lab->settings.quick ? policy.quick : 1;

    *plan = (struct hwc_fira_plan){.levels = known_levels(lab), .seconds = policy.seconds};
    while (plan->levels > 0 && held_by(&lab->known->level[plan->levels]) > lab->machine->max_arena_bytes / 4)
        plan->levels--;
    plan->line_bytes = hwc_longest_line(lab, plan->levels);
    if (plan->levels == 0 || plan->line_bytes < (uint64_t)2 * HWC_CELL_BYTES)
        return false;
    plan->count_runs = policy.count_runs / fewer;
    plan->time_runs = policy.time_runs / fewer;
    for (unsigned level = 1; level <= plan->levels; level++) {
        plan->bytes[level] = held_by(&lab->known->level[level]) / plan->line_bytes * plan->line_bytes;
        plan->overhead[level] = overhead_of(lab, profile, level);
    }
    plan->phases = plan->levels;
    if (plan->levels < HWC_FIRA_PHASES) {
        uint64_t last = plan->bytes[plan->levels], beyond = policy.lines_beyond * plan->line_bytes;
        plan->bytes[++plan->phases] = last + (beyond < last ? beyond : last);
    }
    return true;
}

static void say_nothing_to_plan(struct hwc_lab *lab)
{
    hwc_note(&lab->notes, "fira: nothing was played: the first level's size or line size is not known");
}

static void say_what_is_left_out(struct hwc_lab *lab, const struct hwc_fira_plan *plan)
{
    if (plan->levels < lab->known->levels)
        hwc_note(&lab->notes, "fira: ends with L%u: the size of L%u is not known, or too large for an array of its own",
                 plan->levels, plan->levels + 1);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_fira_result result[HWC_FIRA_ORDERS];
    struct hwc_fira_plan plan;

    if (!make_plan(lab, profile, &plan)) {
        say_nothing_to_plan(lab);
        return HWC_OK;
    }
    say_what_is_left_out(lab, &plan);
    for (unsigned order = 0; order < HWC_FIRA_ORDERS; order++) {
        int status;
        plan.order = (enum hwc_fira_order)order;
        status = hwc_fira_play(lab, &plan, &result[order], error);
        if (hwc_came_to_nothing(status)) {
            hwc_note(&lab->notes, "fira: %s", error->message);
            return HWC_OK;
        }
        TRY(status);
    }
    return hwc_fira_report(lab, &plan, result, profile, error);
}

const struct hwc_probe hwc_probe_fira = {
    .name = "fira",
    .summary = "forward initialisation, reverse access: expected misses of every level, held against those counted",
    .source = "Forward initialisation, reverse access (2010), 2 and 3",
    .needs = {HWC_CACHE_SIZE, HWC_CACHE_LATENCY, HWC_CACHE_REPLACEMENT},
    .on_request = true,
    .run = run,
};
