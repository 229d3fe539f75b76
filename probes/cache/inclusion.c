/* Inclusion of every data-cache level below the first: does it hold what the level
 * above holds, never, or by chance?
 *
 * Claim: "inclusive" - what the level evicts leaves the levels above, too;
 * "exclusive" - it holds victims of the level above, and not what that holds;
 * "nine" - neither (non-inclusive, non-exclusive).
 *
 * Method: a line stays in use in the level above while lines of its set of this
 * level pass by. It leaves the level above in an inclusive level only (Jaleel et
 * al., MICRO 2010, on what inclusion costs). If it does not, as many lines of a
 * set as both levels have ways are visited once each: they all stay in an
 * exclusive level only, which adds its ways to those above. If they do not, the
 * level above is emptied: a line that then comes from beyond this level was above
 * it and not in it. Each has a control that differs in nothing but the set of the
 * lines that pass by, or in their number.
 *
 * Where the line then comes from beyond the next level, too, that one may have put it out: fewer lines are asked.
 *
 * What can fool it: a level above that does not keep a line in use (random,
 * first-in first-out): the control loses it, too, and nothing is said. An
 * inclusive level that is told of hits above, or asks before it evicts (the same
 * paper): its victims are others, and no difference shows. A victim level that
 * keeps lines which hit counts as exclusive: it adds its ways to those above. */
#include <stdio.h>

#include "hot_line.h"
#include "statistics.h"
#include "table.h"

/* A ballot's plays: enough to tell a share of 0.15 from none; half of it where shares differ more. */
enum { PLAYS = 32, FEW_PLAYS = 12 };
/* Rounds over lines of the set until one that is not asked for has left it, whatever the policy. */
enum { ROUNDS = 4 };
/* So many lines, the line not being visited: a tree-PLRU level above keeps it, unless it has only as many ways; others
 * may keep it beside fewer. They must not have been visited before: between hits of others, even a line just used may
 * be the next to go. */
enum { MOST_LAST = 7 };

struct context {
    unsigned level;
};

static size_t unvisited(const struct hwc_hot_line *hot)
{
    size_t fresh = hwc_hot_line_others(hot) - (hot->ways - 1);

    return hwc_lesser(fresh, hwc_lesser(hot->ways_above - 1, MOST_LAST));
}

static int play_pair(struct hwc_hot_line *hot, const struct hwc_passing *with, const struct hwc_passing *without,
                     unsigned plays, struct hwc_late_pair *pair, struct hwc_error *error)
{
    TRY(hwc_hot_line_play(hot, with, plays, &pair->with, error));
    return hwc_hot_line_play(hot, without, plays, &pair->without, error);
}

/* Lines of the set, or of another, fill this level beside the line, which comes after so many of them; then a few more
 * evict one of these from this level. */
static struct hwc_passing filling(const struct hwc_hot_line *hot, bool of_its_set, size_t first, size_t last)
{
    return (struct hwc_passing){.of_its_set = of_its_set,
                                .first = first,
                                .beside = hot->ways - 1 - first,
                                .rounds = 1,
                                .last = last,
                                .leaves_above = true};
}

/* Beside how many last lines, at most, does the level above keep the line? One if it does not. */
static int find_most_last(struct hwc_hot_line *hot, size_t *last, struct hwc_error *error)
{
    for (*last = unvisited(hot); *last > 1; *last = (*last + 1) / 2) {
        const struct hwc_passing foreign = filling(hot, false, 0, *last);
        struct hwc_late lost = {0};
        TRY(hwc_hot_line_play(hot, &foreign, FEW_PLAYS, &lost, error));
        if (hwc_stays(&lost))
            return HWC_OK;
    }
    return HWC_OK;
}

/* Under LRU and its likes they evict those that came first. */
static int see_taken(struct hwc_hot_line *hot, size_t last, struct hwc_inclusion_evidence *evidence,
                     struct hwc_error *error)
{
    const struct hwc_passing own = filling(hot, true, 0, last);
    struct hwc_passing foreign = filling(hot, false, 0, last);

    TRY(play_pair(hot, &own, &foreign, PLAYS, &evidence->taken, error));
    foreign.empty_above = true;
    return hwc_hot_line_play(hot, &foreign, FEW_PLAYS, &evidence->emptied, error);
}

/* Under others, any of them. */
static int see_taken_of_each(struct hwc_hot_line *hot, size_t last, struct hwc_inclusion_evidence *evidence,
                             struct hwc_error *error)
{
    evidence->ways = hot->ways;
    for (size_t first = 0; first < hot->ways; first++) {
        const struct hwc_passing own = filling(hot, true, first, last), foreign = filling(hot, false, first, last);
        TRY(play_pair(hot, &own, &foreign, FEW_PLAYS, &evidence->taken_of_each, error));
    }
    return HWC_OK;
}

/* Each line less of another set is a turn in a level above that goes by turns. (More of them would be visited again, and
 * then the line in use may go under other policies, too.) */
static int see_turns(struct hwc_hot_line *hot, size_t last, struct hwc_inclusion_evidence *evidence,
                     struct hwc_error *error)
{
    struct hwc_passing foreign = filling(hot, false, 0, last);

    for (unsigned turn = 0; turn < 2 * hot->ways_above && foreign.beside > 1 && hwc_is_taken(evidence); turn++) {
        struct hwc_late late = {0};
        foreign.beside--;
        TRY(hwc_hot_line_play(hot, &foreign, FEW_PLAYS, &late, error));
        if (hwc_late_share(&late) >= hwc_late_share(&evidence->turned))
            evidence->turned = late;
    }
    return HWC_OK;
}

/* After some last lines, a level above that keeps a line in use for a while only (bit-PLRU) may go by turns, too; after
 * one it does not. */
static int see_taken_at_any_turn(struct hwc_hot_line *hot, size_t *last, struct hwc_inclusion_evidence *evidence,
                                 struct hwc_error *error)
{
    for (;; *last = 1) {
        *evidence = (struct hwc_inclusion_evidence){0};
        TRY(see_taken(hot, *last, evidence, error));
        TRY(see_turns(hot, *last, evidence, error));
        if (!hwc_goes(&evidence->turned) || *last == 1)
            return HWC_OK;
    }
}

/* `alone`: costs more, and a level above that does not keep a line in use may bring it in again. */
static int see_absent(struct hwc_hot_line *hot, bool alone, struct hwc_inclusion_evidence *evidence,
                      struct hwc_error *error)
{
    const struct hwc_passing still_above = {.of_its_set = true,
                                            .beside = hwc_hot_line_others(hot),
                                            .rounds = ROUNDS,
                                            .alone = alone,
                                            .leaves_above = true};
    struct hwc_passing emptied = still_above, foreign;

    evidence->alone = alone;
    emptied.leaves_above = false;
    emptied.empty_above = true;
    foreign = emptied;
    foreign.of_its_set = false;
    TRY(play_pair(hot, &emptied, &still_above, FEW_PLAYS, &evidence->absent, error));
    return hwc_hot_line_play(hot, &foreign, FEW_PLAYS, &evidence->held, error);
}

/* Of so many lines, ask for each in turn. */
static int ask_each(struct hwc_hot_line *hot, size_t lines, unsigned plays, struct hwc_late *found,
                    struct hwc_error *error)
{
    for (size_t first = 0; first < lines; first++) {
        const struct hwc_passing passing = {.of_its_set = true, .first = first, .last = lines - 1 - first, .rounds = 1};
        TRY(hwc_hot_line_play(hot, &passing, plays, found, error));
    }
    return HWC_OK;
}

static int see_crowded(struct hwc_hot_line *hot, struct hwc_inclusion_evidence *evidence, struct hwc_error *error)
{
    const size_t all = hwc_hot_line_others(hot), room = hot->ways + hot->ways_above;
    const struct hwc_passing overfull = {.of_its_set = true, .last = all, .rounds = ROUNDS};

    evidence->lines = (unsigned)hwc_lesser(room, all);
    evidence->full = room < all;
    TRY(ask_each(hot, evidence->lines, FEW_PLAYS, &evidence->crowded.with, error));
    TRY(ask_each(hot, 2, FEW_PLAYS * evidence->lines / 2, &evidence->crowded.without, error));
    return hwc_hot_line_play(hot, &overfull, FEW_PLAYS, &evidence->overfull, error);
}

/* What this level evicts the next one still holds, unless the lines that pass by are too many for it. */
static int see_beyond_next(struct hwc_hot_line *hot, size_t last, struct hwc_inclusion_evidence *evidence,
                           struct hwc_error *error)
{
    size_t firsts = evidence->ways > 0 ? hot->ways : 1;

    if (!hwc_is_taken(evidence) || hot->level >= hot->lab->known->levels ||
        !hwc_tells(&hot->lab->witness[hot->level + 1]))
        return HWC_OK;
    for (size_t first = 0; first < firsts; first++) {
        struct hwc_passing own = filling(hot, true, first, last);
        own.leaves_above = false;
        own.leaves_below = true;
        TRY(hwc_hot_line_play(hot, &own, FEW_PLAYS, &evidence->beyond_next, error));
    }
    return HWC_OK;
}

/* Fewer lines may not be too many for the next level. */
static int see_taken_by_this(struct hwc_hot_line *hot, size_t *last, struct hwc_inclusion_evidence *evidence,
                             struct hwc_error *error)
{
    for (;; *last = 1) {
        TRY(see_taken_at_any_turn(hot, last, evidence, error));
        TRY(see_beyond_next(hot, *last, evidence, error));
        if (!hwc_may_be_next(evidence) || *last == 1)
            return HWC_OK;
    }
}

/* The questions that tell most levels come first. */
static int see(struct hwc_hot_line *hot, struct hwc_inclusion_evidence *evidence, struct hwc_error *error)
{
    size_t last;

    TRY(find_most_last(hot, &last, error));
    TRY(see_taken_by_this(hot, &last, evidence, error));
    if (hwc_is_taken(evidence) || !hwc_goes(&evidence->emptied))
        return HWC_OK;
    TRY(see_crowded(hot, evidence, error));
    if (hwc_all_stay(evidence))
        return HWC_OK;
    TRY(see_absent(hot, !hwc_some_go(evidence), evidence, error));
    if (hwc_is_later(&evidence->absent, HWC_ABSENT_BY))
        return HWC_OK;
    TRY(see_taken_of_each(hot, last, evidence, error));
    TRY(see_turns(hot, last, evidence, error));
    return see_beyond_next(hot, last, evidence, error);
}

static int refuse(const struct hwc_inclusion_evidence *evidence, struct hwc_error *error)
{
    const struct hwc_late *taken = &evidence->taken.with, *control = &evidence->taken.without;

    if (!hwc_goes(&evidence->emptied))
        return hwc_fail(error, HWC_INCONCLUSIVE, "no lines of other sets are known to compete in the level above");
    if (hwc_may_be_next(evidence))
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines that put one out of the level above put it out of the next "
                        "level, too");
    if (hwc_goes(&evidence->turned))
        return hwc_fail(error, HWC_INCONCLUSIVE, "the level above does not keep a line in use");
    return hwc_fail(error, HWC_INCONCLUSIVE,
                    "a line in use leaves the level above in %u of %u plays beside lines of its set, and in %u of %u "
                    "beside others",
                    taken->late, taken->plays, control->late, control->plays);
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct hwc_inclusion_evidence evidence = {0};
    struct hwc_hot_line hot;
    enum hwc_inclusion inclusion;
    int status;

    TRY(hwc_hot_line_open(&hot, lab, context->level, error));
    status = see(&hot, &evidence, error);
    hwc_hot_line_close(&hot);
    if (status != HWC_OK)
        return status;
    inclusion = hwc_judge_inclusion(&evidence);
    if (inclusion == HWC_INCLUSION_OPEN)
        return refuse(&evidence, error);
    ballot->cast[0] = true;
    ballot->value[0] = (int64_t)inclusion;
    return HWC_OK;
}

/* A level above whose number of sets is no divisor of this one's holds more lines of a set of this one than it has ways, and
 * those that pass by pass by others than the line in use. */
static struct hwc_reason why_not(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *here = &lab->known->level[level];

    if (level == 1)
        return hwc_nothing_there("there is no level above the first");
    if (hwc_way_bytes(here) == 0 || here->look.stride == 0 || hwc_way_bytes(&here[-1]) == 0 || here[-1].at_least)
        return hwc_depends("the geometry of the level, or of the one above, is not known");
    if (here[-1].ways == 1)
        return hwc_unavailable("a direct-mapped level above keeps no line beside another of its set");
    if (!hwc_is_one_set(&here[-1], hwc_way_bytes(here)))
        return hwc_unavailable("lines of one of its sets lie in several of the level above");
    if (here->ways + 2 > HWC_SET_LINES)
        return hwc_unavailable("sets of so many ways are not looked at");
    if (!hwc_tells(&lab->witness[level]) || !hwc_tells(&lab->witness[level - 1]))
        return hwc_inconclusive("the clock does not tell its hits from its misses");
    return HWC_NO_REASON;
}

static void know(struct hwc_lab *lab, unsigned level, enum hwc_inclusion inclusion)
{
    struct hwc_level known = lab->known->level[level];

    known.inclusion = inclusion;
    hwc_know_level(lab, level, &known);
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    struct context context = {level};
    struct hwc_reason reason = why_not(lab, level);
    struct hwc_result result;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    TRY(hwc_finding_by_vote(lab, measure, &context, &lab->witness[level], finding, &result, error));
    if (!finding->known)
        return HWC_OK;
    know(lab, level, (enum hwc_inclusion)result.value);
    snprintf(finding->text, sizeof finding->text, "%s", hwc_inclusion_name((enum hwc_inclusion)result.value));
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned level = 1; level <= profile->caches; level++)
        TRY(run_level(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_INCLUSION], error));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_inclusion = {
    .name = "inclusion",
    .summary = "whether a cache level holds what the level above holds: inclusive, exclusive, or neither (nine)",
    .source = "beside Yotov et al., SIGMETRICS 2005, 8.2; Jaleel et al., MICRO 2010",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_INCLUSION},
    .run = run,
};
