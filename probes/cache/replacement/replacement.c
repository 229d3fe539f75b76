/* Replacement policy of every data-cache level.
 *
 * Claim: the policy is the one candidate whose prediction of the misses of
 * every random sequence over one set holds.
 *
 * Method: AMP (ISPASS 2001, 3.5) told LRU from random by the misses of one
 * walk. Here random sequences over three lines more than a set holds are
 * played on the machine and on a model of each candidate (Abel and Reineke,
 * RTAS 2013 and ISPASS 2020): policy_inference.h. What no sequence tells apart
 * is named beside.
 *
 * What can fool it:
 * - the levels above: lines that they serve are not seen here, so lines that
 *   evict them there follow every visit;
 * - what was in the set before: it is emptied, or filled with other lines, and
 *   every line is visited once before anything is counted;
 * - an exclusive level, where a hit takes the line away and the line comes back
 *   as a victim: as many lines as fit here and in the level above together all
 *   stay, under every policy, after one visit each. Candidates are then played
 *   that way;
 * - chance: where no candidate's predictions hold, mean and variance of many
 *   plays are held against random replacement's;
 * - adaptive caches, whose sets follow what suits others: they are recognised
 *   before (set_dueling.h), and called that. */
#include <stdio.h>

#include "policy_vote.h"
#include "set_dueling.h"
#include "table.h"

struct context {
    unsigned level;
    struct hwc_policy_vote *vote;
    size_t evictors;         /* behind each visit: from the levels above */
    bool emptied;            /* sets, before each sequence */
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

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct hwc_set_sequence sequence;
    int status = hwc_set_sequence_open(&sequence, lab, context->level, context->evictors, context->emptied, error);

    if (status != HWC_OK)
        return status;
    status = infer(lab, context, &sequence, ballot, error);
    hwc_set_sequence_close(&sequence);
    return status;
}

static struct hwc_reason why_not(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *known = &lab->known->level[level];

    if (known->ways == 0 || known->look.stride == 0)
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

/* Ballots before the vote say how sets are to be played: with how many evictors, as some policies of the levels above
 * need more than others, and emptied or not. When a first level is emptied its lines come back from memory, which takes
 * long beside its hits: more may come between. */
static int rehearse(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    size_t ways = hwc_ways_above(lab, context->level);
    bool flushes = lab->machine->flushes, first = context->level == 1;
    const struct {
        size_t evictors;
        bool emptied;
    } tries[] = {{2 * ways, flushes}, {first ? 0 : 4 * ways, flushes && !first}, {ways + ways / 2 + 1, flushes},
                 {ways + 1, flushes}};
    int status = HWC_OK;

    for (size_t i = 0; i < (first ? 2 : sizeof tries / sizeof tries[0]); i++) {
        struct hwc_ballot ballot = {0};
        context->evictors = room_for(tries[i].evictors);
        context->emptied = tries[i].emptied;
        status = measure(lab, context, &ballot, error);
        if (status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
            break;
    }
    return status;
}

static int name_policy(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                       struct hwc_error *error)
{
    int status = rehearse(lab, context, error);

    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    if (status != HWC_OK)
        return status;
    return hwc_vote_on_policy(lab, context->vote, measure, context, &lab->witness[context->level], finding, error);
}

/* Note, for readers only, what the followers follow after each use. Only by counts: timing takes so many plays that the
 * use wears off. */
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

/* Groups of sets are looked at while any seems to follow others, or so many at least; and no more than this. */
enum { MOST_GROUPS = 4 };

static int look_at_groups(struct hwc_lab *lab, struct context *context, int at_least, struct hwc_finding *finding,
                          struct hwc_error *error)
{
    struct hwc_followers followers = {0};

    for (int group = 0; group < MOST_GROUPS && (group < at_least || followers.follow > 0); group++) {
        TRY(hwc_count_followers(context->usage, context->evictors, &followers, error));
        if (hwc_is_adaptive(&followers)) {
            report_adaptive(lab, context, &followers, finding);
            return describe_adaptive(lab, context, error);
        }
    }
    return HWC_OK;
}

/* Levels that decide by dueling sets are last levels (as far as that is known). Where sets cannot be emptied, what a
 * use leaves in them would pass for what they follow. */
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
    context->evictors = room_for(2 * hwc_ways_above(lab, context->level));
    if (status == HWC_OK)
        status = look_at_groups(lab, context, groups, finding, error);
    hwc_usage_close(&usage);
    context->usage = NULL;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* Where no policy is found although no set seemed to follow others, more sets are looked at. */
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
