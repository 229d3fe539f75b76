#include "inclusion_evidence.h"

#include "likelihood.h"
#include "statistics.h"

/* What chance does less often than once in ten thousand times is not chance: sets, levels and ballots are many. */
static const double by_chance = 1e-4;
/* A line that stays is late when something else disturbs the reading. */
static const double seldom = 0.25;

const char *hwc_inclusion_name(enum hwc_inclusion inclusion)
{
    static const char *const names[] = {"", "inclusive", "exclusive", "nine"};

    return names[inclusion];
}

static double share_of(const struct hwc_late *late)
{
    return late->plays > 0 ? (double)late->late / late->plays : 0;
}

static bool both_played(const struct hwc_late_pair *pair)
{
    return pair->with.plays > 0 && pair->without.plays > 0;
}

bool hwc_is_later(const struct hwc_late_pair *pair, double by)
{
    double without = hwc_chance_of(pair->without.late, pair->without.plays);

    return both_played(pair) && share_of(&pair->with) - share_of(&pair->without) >= by &&
           hwc_chance_of_at_least(pair->with.late, pair->with.plays, without) < by_chance;
}

bool hwc_stays(const struct hwc_late *late)
{
    return late->plays > 0 && share_of(late) < seldom;
}

bool hwc_goes(const struct hwc_late *late)
{
    return late->plays > 0 && share_of(late) > 0.5;
}

static bool is_taken(const struct hwc_inclusion_evidence *evidence)
{
    return hwc_is_later(&evidence->taken, HWC_TAKEN_BY) && hwc_goes(&evidence->emptied);
}

static bool is_absent(const struct hwc_inclusion_evidence *evidence)
{
    return hwc_is_later(&evidence->absent, HWC_ABSENT_BY) && hwc_stays(&evidence->held);
}

static bool is_stack(const struct hwc_inclusion_evidence *evidence)
{
    return hwc_is_later(&evidence->crowded, HWC_ABSENT_BY) && hwc_stays(&evidence->crowded.without);
}

enum hwc_inclusion hwc_judge_inclusion(const struct hwc_inclusion_evidence *evidence)
{
    bool taken = is_taken(evidence), absent = is_absent(evidence),
         stack = is_stack(evidence);

    if (taken + absent + stack != 1)
        return HWC_INCLUSION_OPEN;
    return taken ? HWC_INCLUSIVE : absent ? HWC_NINE : HWC_EXCLUSIVE;
}
