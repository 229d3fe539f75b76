#include "fira.h"

#include <math.h>

#include "set_model.h"
#include "statistics.h"

static const struct {
    double usual_ways;
    double lost_of_set, lost_of_all, errors, of_that_by_chance;
    unsigned trials, fills, names;
} policy = {
    .usual_ways = 16,
    /* A policy that is not LRU keeps, in nearly every set, another line than LRU would: half a line a set, or where
     * sets are large the share that the paper lost on an LRU machine (Table 3, Conroe), is more than what others put
     * out. */
    .lost_of_set = 0.5,
    .lost_of_all = 0.02,
    .errors = 2,
    .of_that_by_chance = 0.25, /* half of the sets are not full, and those lose less often */
    .trials = 200,
    .fills = 3,
    .names = 255,
};

static double ways_of(const struct hwc_fira_level *level)
{
    return level->ways > 0 ? level->ways : policy.usual_ways;
}

static double chance_of_miss(const struct hwc_fira_level *level, double back)
{
    if (level->by_chance)
        return hwc_poisson_at_least((unsigned)ways_of(level), back / level->bytes * ways_of(level));
    return back >= level->bytes ? 1 : 0;
}

double hwc_fira_misses(const struct hwc_fira_level *level, const struct hwc_fira_phase *phase)
{
    unsigned long lines = (unsigned long)round((phase->to - phase->from) / phase->line);
    double misses = 0;

    for (unsigned long i = 0; i < lines; i++)
        misses += chance_of_miss(level, phase->from + (double)i * phase->line);
    return misses;
}

/* Go forward over so many lines, then back from the `above`th last; the misses on the way back. */
static unsigned play_array(struct hwc_set_model *set, unsigned first, unsigned lines, unsigned above,
                           struct hwc_random *random)
{
    unsigned ways = set->ways, missed = 0;
    uint8_t name;

    for (unsigned i = 0; i < lines; i++) {
        name = (uint8_t)(first + i);
        hwc_set_model_play(set, &name, 1, random);
    }
    for (unsigned back = above; back < ways; back++) {
        name = (uint8_t)(first + lines - 1 - back);
        missed += hwc_set_model_play(set, &name, 1, random);
    }
    return missed;
}

/* What was in the set before: its lines in any order. */
static void play_others(struct hwc_set_model *set, unsigned others, struct hwc_random *random)
{
    for (unsigned i = 0; i < 2 * others; i++) {
        uint8_t name = (uint8_t)hwc_random_below(random, others);
        hwc_set_model_play(set, &name, 1, random);
    }
}

double hwc_fira_kept(const struct hwc_policy *of, unsigned ways, double above, struct hwc_random *random)
{
    unsigned served_above = (unsigned)floor(above * ways), own = ways - served_above, missed = 0;
    struct hwc_policy prepared = *of;
    struct hwc_set_model set;

    if (ways == 0 || ways > HWC_MODEL_WAYS || (policy.fills + 1) * ways > policy.names || own == 0)
        return -1;
    hwc_policy_prepare(&prepared, ways);
    for (unsigned i = 0; i < policy.trials; i++) {
        unsigned lines = (policy.fills - 1) * ways + (unsigned)hwc_random_below(random, ways + 1);
        hwc_set_model_init(&set, &prepared, ways, false);
        play_others(&set, ways, random);
        missed += play_array(&set, ways, lines, served_above, random);
    }
    return 1 - missed / ((double)policy.trials * own);
}

/* Lines that a policy loses at least that is not LRU. */
static double least_lost(const struct hwc_fira_level *level, const struct hwc_fira_phase *own)
{
    double lines = level->bytes / own->line;

    return fmax(policy.lost_of_set * lines / ways_of(level), policy.lost_of_all * lines);
}

/* By how much misses of this many may differ, by where pages lie: those of a page come together. */
static double chance_error(const struct hwc_fira_level *level, double misses)
{
    return level->by_chance ? policy.errors * sqrt(misses * level->lines_of_page) : 0;
}

enum hwc_fira_verdict hwc_fira_judge(const struct hwc_fira_level *level, const struct hwc_fira_phase *own,
                                     double missed)
{
    struct hwc_fira_level even = *level;
    double lost = least_lost(level, own), most = hwc_fira_misses(level, own);

    even.by_chance = false;
    if (missed <= hwc_fira_misses(&even, own) + lost)
        return HWC_FIRA_AS_LRU;
    return missed > most + chance_error(level, most) + lost ? HWC_FIRA_NOT_LRU : HWC_FIRA_OPEN;
}

enum hwc_fira_verdict hwc_fira_judge_beside(const struct hwc_fira_level *level, const struct hwc_fira_phase *own,
                                            double lost, double error)
{
    double most = least_lost(level, own), least = level->by_chance ? policy.of_that_by_chance * most : most;

    if (lost + error <= least)
        return HWC_FIRA_AS_LRU;
    return lost - error > most ? HWC_FIRA_NOT_LRU : HWC_FIRA_OPEN;
}

double hwc_fira_accuracy(double expected, double counted)
{
    double most = fmax(expected, counted);

    return most > 0 ? fmax(0, fmin(expected, counted)) / most : 1;
}
