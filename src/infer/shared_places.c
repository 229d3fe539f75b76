#include "shared_places.h"

#include <math.h>

static const struct {
    double likelier;
    double missed, least_mistaken, most_mistaken;
    unsigned several;
} policy = {
    .likelier = 1000,
    /* A place that shares sets seems not to in so many cases: the lines that were drawn may all lie in other sets. */
    .missed = 0.2,
    /* One that does not seems to, at least and at most: others put lines out, too. */
    .least_mistaken = 0.05,
    .most_mistaken = 0.5,
    .several = 3,
};

struct group {
    size_t members;
    bool has[HWC_MOST_PLACES];
};

void hwc_shared_places_begin(struct hwc_shared_places *count, size_t places)
{
    *count = (struct hwc_shared_places){.places = places};
}

void hwc_shared_places_leave_out(struct hwc_shared_places *count, size_t place)
{
    count->left_out[place] = true;
}

void hwc_shared_places_learn(struct hwc_shared_places *count, size_t place, bool shared)
{
    count->asked[place]++;
    count->shared[place] += shared;
}

/* Do most of several answers say yes? */
static bool seems_to_share(const struct hwc_shared_places *count, size_t place)
{
    return count->asked[place] >= policy.several && 2 * count->shared[place] > count->asked[place];
}

/* What share of the answers is mistaken? Of those that say yes, all about places that do not seem to share sets; as
 * the others are asked most, each answer counts as much as any other. */
static double mistaken(const struct hwc_shared_places *count)
{
    double asked = 0, shared = 0;

    for (size_t i = 1; i < count->places; i++)
        if (!seems_to_share(count, i)) {
            asked += count->asked[i];
            shared += count->shared[i];
        }
    return fmin(fmax(asked > 0 ? shared / asked : 0, policy.least_mistaken), policy.most_mistaken);
}

/* The logarithm of how much likelier its answers are if the place is a member. */
static double odds_of(const struct hwc_shared_places *count, size_t place, double mistake)
{
    double shared = count->shared[place], not_shared = count->asked[place] - shared;

    return shared * log((1 - policy.missed) / mistake) + not_shared * log(policy.missed / (1 - mistake));
}

/* What the group gains if this place joins it, and with it all that it shares sets with then. */
static double gain_of(const struct hwc_shared_places *count, const struct group *group, size_t place, double mistake)
{
    double gain = 0;

    for (size_t i = 0; i < count->places; i++)
        if (group->has[i])
            gain += odds_of(count, i ^ place, mistake);
    return gain;
}

/* Would any other place that is asked join with this one? */
static bool is_asked(const struct hwc_shared_places *count, const struct group *group, size_t place)
{
    for (size_t i = 0; i < count->places; i++)
        if (group->has[i] && !count->left_out[i ^ place])
            return true;
    return false;
}

/* Who may join a group. */
struct joiners {
    size_t best;
    double one;  /* the logarithm of the odds that the best one joins; any of those outside is as likely beforehand */
    double some; /* that some one joins, which before all answers is as likely as not */
};

static struct joiners find_joiners(const struct hwc_shared_places *count, const struct group *group)
{
    double outside = (double)(count->places - group->members), mistake = mistaken(count), sum = 0;
    struct joiners joiners = {.one = -INFINITY};

    for (size_t i = 1; i < count->places; i++) {
        bool may_join = !group->has[i] && is_asked(count, group, i);
        double gain = may_join ? gain_of(count, group, i, mistake) : -INFINITY;
        sum += exp(gain) / outside;
        if (gain > joiners.one) {
            joiners.one = gain;
            joiners.best = i;
        }
    }
    joiners.one -= log(outside / (double)group->members);
    joiners.some = log(sum);
    return joiners;
}

static void join(const struct hwc_shared_places *count, struct group *group, size_t place)
{
    bool had[HWC_MOST_PLACES];

    for (size_t i = 0; i < count->places; i++)
        had[i] = group->has[i];
    for (size_t i = 0; i < count->places; i++)
        if (had[i])
            group->has[i ^ place] = true;
    group->members *= 2;
}

/* The likeliest group. *doubtful: a place that joined it, or did not, by less than certain odds; 0 = none. */
static size_t find_group(const struct hwc_shared_places *count, struct group *group, size_t *doubtful)
{
    double certain = log(policy.likelier);

    *group = (struct group){.members = 1, .has = {true}};
    *doubtful = 0;
    while (group->members < count->places) {
        struct joiners joiners = find_joiners(count, group);
        bool joins = joiners.some > 0, decided = joins ? joiners.one >= certain : joiners.some <= -certain;
        if (*doubtful == 0 && !decided)
            *doubtful = joiners.best;
        if (!joins)
            break;
        join(count, group, joiners.best);
    }
    return group->members;
}

/* Of all that would join with this place, the one that was asked least often. */
static size_t least_asked(const struct hwc_shared_places *count, const struct group *group, size_t place)
{
    size_t least = 0;

    for (size_t i = 0; i < count->places; i++) {
        size_t other = i ^ place;
        bool may_ask = group->has[i] && other != 0 && !count->left_out[other];
        if (may_ask && (least == 0 || count->asked[other] < count->asked[least]))
            least = other;
    }
    return least;
}

size_t hwc_shared_places_next(const struct hwc_shared_places *count)
{
    struct group group;
    size_t doubtful;

    for (size_t i = 1; i < count->places; i++)
        if (count->asked[i] == 0 && !count->left_out[i])
            return i;
    find_group(count, &group, &doubtful);
    return doubtful == 0 ? 0 : least_asked(count, &group, doubtful);
}

size_t hwc_shared_places_likely(const struct hwc_shared_places *count, size_t *side_by_side)
{
    struct group group;
    size_t doubtful, members = find_group(count, &group, &doubtful), run = 1;

    while (run < members && group.has[run])
        run++;
    if (side_by_side != NULL)
        *side_by_side = run;
    return members;
}
