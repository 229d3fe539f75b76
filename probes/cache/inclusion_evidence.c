#include "inclusion_evidence.h"

#include <math.h>

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

double hwc_late_share(const struct hwc_late *late)
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

    return both_played(pair) && hwc_late_share(&pair->with) - hwc_late_share(&pair->without) >= by &&
           hwc_chance_of_at_least(pair->with.late, pair->with.plays, without) < by_chance;
}

bool hwc_stays(const struct hwc_late *late)
{
    return late->plays > 0 && hwc_late_share(late) < seldom;
}

bool hwc_goes(const struct hwc_late *late)
{
    return late->plays > 0 && hwc_late_share(late) > 0.5;
}

static const double half_a_line = 0.5;

/* Where each of some lines is asked for in turn: how many are late at a time, beyond what is late anyway? */
static double late_at_a_time(const struct hwc_late_pair *pair, unsigned lines)
{
    return (hwc_late_share(&pair->with) - hwc_late_share(&pair->without)) * lines;
}

/* Where one must go, whichever that is. */
static bool one_goes(const struct hwc_late_pair *pair, unsigned lines)
{
    return late_at_a_time(pair, lines) >= half_a_line && hwc_is_later(pair, 0);
}

bool hwc_is_taken(const struct hwc_inclusion_evidence *evidence)
{
    return (hwc_is_later(&evidence->taken, HWC_TAKEN_BY) || one_goes(&evidence->taken_of_each, evidence->ways)) &&
           hwc_goes(&evidence->emptied) && !hwc_goes(&evidence->turned);
}

bool hwc_all_stay(const struct hwc_inclusion_evidence *evidence)
{
    return both_played(&evidence->crowded) && evidence->full && hwc_goes(&evidence->overfull) &&
           late_at_a_time(&evidence->crowded, evidence->lines) < half_a_line;
}

bool hwc_some_go(const struct hwc_inclusion_evidence *evidence)
{
    return one_goes(&evidence->crowded, evidence->lines);
}

/* An exclusive level takes what leaves the level above, and may lose the line again to others that follow it: so either
 * none do, or it is known that it has no room for all of them, as an exclusive one has. */
static bool is_absent(const struct hwc_inclusion_evidence *evidence)
{
    return hwc_is_later(&evidence->absent, HWC_ABSENT_BY) && hwc_stays(&evidence->held) &&
           (evidence->alone || hwc_some_go(evidence));
}

bool hwc_may_be_next(const struct hwc_inclusion_evidence *evidence)
{
    double taken = fmax(hwc_late_share(&evidence->taken.with), hwc_late_share(&evidence->taken_of_each.with));

    return hwc_is_taken(evidence) && 2 * hwc_late_share(&evidence->beyond_next) > taken;
}

enum hwc_inclusion hwc_judge_inclusion(const struct hwc_inclusion_evidence *evidence)
{
    bool taken = hwc_is_taken(evidence), absent = is_absent(evidence), exclusive = hwc_all_stay(evidence);

    if (taken + absent + exclusive != 1 || hwc_may_be_next(evidence))
        return HWC_INCLUSION_OPEN;
    return taken ? HWC_INCLUSIVE : absent ? HWC_NINE : HWC_EXCLUSIVE;
}
