/* Replacement policy of every data-cache level.
 *
 * Claim: the policy is the one candidate that predicts the misses of every
 * random sequence over one set.
 *
 * Method: AMP (ISPASS 2001, 3.5) told LRU from random by the misses of one
 * walk. Here random sequences over three lines more than a set holds are
 * played on the machine and on a model of each candidate (Abel and Reineke,
 * RTAS 2013 and ISPASS 2020): policy_inference.h. Candidates that no sequence
 * tells apart are reported as alternatives.
 *
 * What can fool it:
 * - the levels above: visits that they serve are not seen here, so evictors of
 *   those levels follow every visit;
 * - our own data, or a sibling thread's, in the set: as many lines as fit do not
 *   all stay then, and another set is drawn;
 * - a visit right after a miss, which may reach the set before the missing line
 *   is filled: at the first level, hits of another set come between;
 * - what was in the set before: it is emptied, or filled with other lines, and
 *   every line is visited once before the sequence;
 * - an exclusive level, where a hit removes the line, which comes back as a
 *   victim: as many lines as fit here and in the level above together all stay,
 *   under every policy, after one visit each. Candidates are then played that
 *   way;
 * - chance: if no candidate predicts the misses, mean and variance of many plays
 *   are compared with those of random replacement;
 * - adaptive caches, whose sets follow the policy that does well in others: they
 *   are recognised first (set_dueling.h), and reported as adaptive. */
#include <stdio.h>
#include <string.h>

#include "policy_vote.h"
#include "set_dueling.h"
#include "table.h"

/* Hits after each visit at the first level: together they take longer than filling a line. */
enum { SPACERS = 3 };

/* How a set is played: with so many evictors behind each visit, and emptied before each sequence or not. */
struct way {
    size_t evictors;
    bool emptied;
};

enum { MOST_WAYS = 4 };

struct context {
    unsigned level;
    struct hwc_policy_vote *vote;
    unsigned way;            /* to play, modulo their number */
    bool works;              /* that way gave a result */
    struct hwc_usage *usage; /* each ballot begins with this use of all sets; NULL = with none */
    enum hwc_use use;
};

/* A ballot on one set. */
static int infer(struct hwc_lab *lab, struct context *context, struct hwc_set_sequence *sequence,
                 struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct hwc_set_instrument set = hwc_set_sequence_instrument(sequence);

    if (context->usage != NULL)
        TRY(hwc_use(context->usage, context->use, error));
    TRY(hwc_set_sequence_find_victims(sequence, &set.holds_victims, error));
    return hwc_cast_for_policy(lab, context->vote, &set, ballot, error);
}

static struct hwc_reason why_not(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *known = &lab->known->level[level];

    if (known->ways == 0 || known->at_least || known->look.stride == 0)
        return hwc_depends("the level's geometry is not known");
    if (known->ways < 2)
        return hwc_nothing_there("a direct-mapped level has none");
    if (known->ways + HWC_MORE_LINES > HWC_SET_LINES)
        return hwc_unavailable("sets of so many ways are not looked at");
    return HWC_NO_REASON;
}

static size_t room_for(size_t evictors)
{
    return evictors < HWC_SET_EVICTORS ? evictors : HWC_SET_EVICTORS;
}

/* The ways to play sets: policies of the levels above differ in how many evictors they need. A first level is also
 * played without emptying it: refills from memory take long compared to its hits, and leave time for disturbances. */
static unsigned ways_to_play(const struct hwc_lab *lab, unsigned level, struct way ways[MOST_WAYS])
{
    const size_t above = hwc_ways_above(lab, level);
    const bool flushes = lab->machine->flushes;
    const struct way first[] = {{SPACERS, flushes}, {SPACERS, false}};
    const struct way lower[] = {{2 * above, flushes}, {4 * above, flushes}, {above + above / 2 + 1, flushes},
                                {above + 1, flushes}};

    if (level == 1) {
        memcpy(ways, first, sizeof first);
        return sizeof first / sizeof first[0];
    }
    memcpy(ways, lower, sizeof lower);
    return sizeof lower / sizeof lower[0];
}

static int play_set(struct hwc_lab *lab, struct context *context, const struct way *way, struct hwc_ballot *ballot,
                    struct hwc_error *error)
{
    struct hwc_set_sequence sequence;
    int status =
        hwc_set_sequence_open(&sequence, lab, context->level, room_for(way->evictors), way->emptied, error);

    if (status != HWC_OK)
        return status;
    status = infer(lab, context, &sequence, ballot, error);
    hwc_set_sequence_close(&sequence);
    return status;
}

/* Until a ballot gives a result, each plays in another way; all later ones play as that one did. Refutations by the
 * ballots before it speak against their way to play, not against the policies, and are dropped. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct way ways[MOST_WAYS];
    unsigned count = ways_to_play(lab, context->level, ways);
    int status = play_set(lab, context, &ways[context->way % count], ballot, error);

    if (status == HWC_OK && !context->works)
        context->vote->approvals.of_none = 0;
    context->works = context->works || status == HWC_OK;
    context->way += !context->works;
    return status;
}

static int name_policy(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                       struct hwc_error *error)
{
    context->way = 0;
    context->works = false;
    return hwc_vote_on_policy(lab, context->vote, measure, context, &lab->witness[context->level], finding, error);
}

/* Note, for readers only, which policy the followers follow after each use. Only by counts: timing takes so many plays
 * that the effect of the use wears off. */
static int describe_adaptive(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    static const char *const uses[] = {"scans", "working sets that fit"};

    hwc_note(&lab->notes, "level %u is adaptive: which policy a set follows depends on how well it does in others",
             context->level);
    for (int use = HWC_SCANNED; use <= HWC_USED_WELL; use++) {
        struct hwc_finding follows = {0};
        context->use = (enum hwc_use)use;
        if (hwc_counts(&lab->witness[context->level]))
            TRY(name_policy(lab, context, &follows, error));
        if (follows.known)
            hwc_note(&lab->notes, "level %u: after %s its sets follow %s", context->level, uses[use], follows.text);
    }
    return HWC_OK;
}

static void report_adaptive(const struct hwc_lab *lab, const struct context *context,
                            const struct hwc_followers *followers, struct hwc_finding *finding)
{
    const struct hwc_result result = {.decided = true, .alike = followers->follow, .votes = followers->looked_at};

    hwc_finding_from_result(finding, &result, &lab->witness[context->level], 0);
    snprintf(finding->text, sizeof finding->text, "adaptive");
}

/* Groups of sets are looked at while any set seems to follow others: at least as many as asked for, at most these. */
enum { MOST_GROUPS = 4 };

static int look_at_groups(struct hwc_lab *lab, struct context *context, int at_least, struct hwc_finding *finding,
                          struct hwc_error *error)
{
    size_t evictors = room_for(2 * hwc_ways_above(lab, context->level));
    struct hwc_followers followers = {0};

    for (int group = 0; group < MOST_GROUPS && (group < at_least || followers.follow > 0); group++) {
        TRY(hwc_count_followers(context->usage, evictors, &followers, error));
        if (hwc_is_adaptive(&followers)) {
            report_adaptive(lab, context, &followers, finding);
            return describe_adaptive(lab, context, error);
        }
    }
    return HWC_OK;
}

/* As far as is known, only last levels use set dueling. Where sets cannot be emptied, what a use leaves in them would
 * pass for a change of policy. */
static bool may_be_adaptive(const struct hwc_lab *lab, unsigned level)
{
    return level > 1 && level == lab->known->levels && lab->machine->flushes;
}

static int find_adaptive(struct hwc_lab *lab, struct context *context, int groups, struct hwc_finding *finding,
                         struct hwc_error *error)
{
    struct hwc_usage usage;
    int status;

    if (!may_be_adaptive(lab, context->level))
        return HWC_OK;
    status = hwc_usage_open(&usage, lab, context->level, error);
    context->usage = &usage;
    if (status == HWC_OK)
        status = look_at_groups(lab, context, groups, finding, error);
    hwc_usage_close(&usage);
    context->usage = NULL;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* If no policy is found although no set seemed to follow others, more sets are looked at. */
static int find_policy(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                       struct hwc_error *error)
{
    TRY(find_adaptive(lab, context, 1, finding, error));
    if (!finding->known)
        TRY(name_policy(lab, context, finding, error));
    if (!finding->known)
        TRY(find_adaptive(lab, context, MOST_GROUPS, finding, error));
    return HWC_OK;
}

/* By time, what is read is so many misses of a level that is not the last. What one takes is known by the latencies better
 * than by the footprints that it was read off at first: a tenth less makes seven of eight. Not of memory, where lines of
 * one set may wait for each other. */
static void know_what_misses_take(struct hwc_lab *lab, const struct hwc_profile *profile, unsigned level)
{
    const struct hwc_record *cache = &profile->cache[level - 1];
    const struct hwc_finding *hit = &cache[0].finding[HWC_CACHE_LATENCY], *miss = &cache[1].finding[HWC_CACHE_LATENCY];
    struct hwc_witness *witness = &lab->witness[level];

    if (hwc_counts(witness) || !hit->known || !miss->known || miss->value <= hit->value)
        return;
    witness->hit_cycles = hit->value;
    witness->miss_cycles = miss->value;
}

static int run_level(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                     struct hwc_error *error)
{
    struct hwc_reason reason = why_not(lab, context->level);
    double started = hwc_lab_elapsed(lab);
    int status;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    hwc_list_candidates(&context->vote->candidates, (unsigned)lab->known->level[context->level].ways,
                        context->level > 1);
    status = find_policy(lab, context, finding, error);
    finding->seconds = hwc_lab_elapsed(lab) - started;
    return status;
}

static int run_levels(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_policy_vote *vote,
                      struct hwc_error *error)
{
    struct context context = {.vote = vote};

    for (unsigned level = 1; level <= profile->caches; level++) {
        context.level = level;
        if (level < profile->caches)
            know_what_misses_take(lab, profile, level);
        context.vote->alternatives = profile->cache[level - 1].policies;
        TRY(run_level(lab, &context, &profile->cache[level - 1].finding[HWC_CACHE_REPLACEMENT], error));
    }
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_with_policy_vote(lab, profile, run_levels, error);
}

const struct hwc_probe hwc_probe_replacement = {
    .name = "replacement",
    .summary = "replacement policy of every data-cache level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.5; Abel and Reineke, RTAS 2013 and ISPASS 2020",
    .needs = {HWC_CACHE_SIZE, HWC_CACHE_ASSOCIATIVITY},
    .provides = {HWC_CACHE_REPLACEMENT},
    .run = run,
};
