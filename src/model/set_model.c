#include "set_model.h"

#include <string.h>

static unsigned find(const struct hwc_set_model *set, uint8_t name)
{
    const uint8_t *at = memchr(set->name, name, set->ways);

    return at != NULL ? (unsigned)(at - set->name) : set->ways;
}

static unsigned way_of(const struct hwc_set_model *set, uint8_t name)
{
    return hwc_policy_is_order(set->policy) ? find(set, name) : set->way[name];
}

static void to_front(struct hwc_set_model *set, unsigned way, uint8_t name)
{
    memmove(set->name + 1, set->name, way);
    set->name[0] = name;
}

static unsigned empty_way(const struct hwc_set_model *set)
{
    if (set->filled == set->ways)
        return set->ways;
    if (!hwc_policy_fills_from_right(set->policy))
        return find(set, HWC_NO_LINE);
    for (unsigned way = set->ways; way > 0; way--)
        if (set->name[way - 1] == HWC_NO_LINE)
            return way - 1;
    return set->ways;
}

/* Put the line in a way; the line that was there is evicted. */
static void place(struct hwc_set_model *set, unsigned way, uint8_t name)
{
    if (set->name[way] == HWC_NO_LINE)
        set->filled++;
    else
        set->way[set->name[way]] = (uint8_t)set->ways;
    set->name[way] = name;
    set->way[name] = (uint8_t)way;
}

static void fill(struct hwc_set_model *set, uint8_t name, struct hwc_random *random)
{
    unsigned way;

    if (hwc_policy_is_order(set->policy)) {
        to_front(set, set->ways - 1, name);
        return;
    }
    way = empty_way(set);
    if (way == set->ways)
        way = hwc_policy_victim(set->policy, set->state, set->ways, random);
    place(set, way, name);
    hwc_policy_filled(set->policy, set->state, set->ways, way, random);
}

static void take_away(struct hwc_set_model *set, unsigned way)
{
    if (hwc_policy_is_order(set->policy)) {
        memmove(set->name + way, set->name + way + 1, set->ways - way - 1);
        way = set->ways - 1;
    } else {
        hwc_policy_emptied(set->policy, set->state, set->ways, way);
        set->way[set->name[way]] = (uint8_t)set->ways;
        set->filled--;
    }
    set->name[way] = HWC_NO_LINE;
}

static void hit(struct hwc_set_model *set, unsigned way)
{
    if (set->policy->kind == HWC_LRU)
        to_front(set, way, set->name[way]);
    else if (set->policy->kind != HWC_FIFO)
        hwc_policy_hit(set->policy, set->state, set->ways, way);
}

static void empty(struct hwc_set_model *set)
{
    memset(set->name, HWC_NO_LINE, sizeof set->name);
    memset(set->way, (int)set->ways, sizeof set->way);
    set->filled = 0;
}

void hwc_set_model_init(struct hwc_set_model *set, const struct hwc_policy *policy, unsigned ways, bool victims)
{
    *set = (struct hwc_set_model){.policy = policy, .ways = ways, .victims = victims};
    empty(set);
}

unsigned hwc_set_model_play(struct hwc_set_model *set, const uint8_t *names, size_t count, struct hwc_random *random)
{
    unsigned misses = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned way = way_of(set, names[i]);
        misses += way == set->ways;
        if (way < set->ways && !set->victims) {
            hit(set, way);
            continue;
        }
        if (way < set->ways)
            take_away(set, way);
        fill(set, names[i], random);
    }
    return misses;
}

void hwc_set_model_flush(struct hwc_set_model *set, bool forget)
{
    empty(set);
    if (forget)
        memset(set->state, 0, sizeof set->state);
}
