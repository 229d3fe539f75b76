#include "policy.h"

#include <stdio.h>
#include <string.h>

static bool parse_qlru(const char *name, struct hwc_policy *policy)
{
    unsigned hit3, hit2, age, one_in = 1, victim, update;
    int used = 0;

    if (sscanf(name, "QLRU_H%1u%1u_%n", &hit3, &hit2, &used) != 2 || used == 0)
        return false;
    name += used;
    used = 0;
    if (sscanf(name, "MR%2u%1u_R%1u_U%1u%n", &one_in, &age, &victim, &update, &used) != 4 || used == 0) {
        one_in = 1;
        used = 0;
        if (sscanf(name, "M%1u_R%1u_U%1u%n", &age, &victim, &update, &used) != 3 || used == 0)
            return false;
    }
    name += used;
    *policy = (struct hwc_policy){.kind = HWC_QLRU,
                                  .hit_from_3 = (uint8_t)hit3,
                                  .hit_from_2 = (uint8_t)hit2,
                                  .insert_age = (uint8_t)age,
                                  .insert_one_in = (uint8_t)one_in,
                                  .victim = (uint8_t)victim,
                                  .update = (uint8_t)update,
                                  .update_on_miss_only = strcmp(name, "_UMO") == 0};
    if (*name != '\0' && !policy->update_on_miss_only)
        return false;
    /* R0 and R2 need a line of age 3 to evict; U2 and U3 do not see to one. */
    return hit3 <= 2 && hit2 <= 1 && age <= 3 && one_in >= 1 && victim <= 2 && update <= 3 &&
           (victim == 1 || update <= 1);
}

bool hwc_policy_parse(const char *name, struct hwc_policy *policy)
{
    static const struct {
        const char *name;
        enum hwc_policy_kind kind;
    } plain[] = {
        {"lru", HWC_LRU},           {"fifo", HWC_FIFO},         {"random", HWC_RANDOM},
        {"tree-plru", HWC_TREE_PLRU}, {"bit-plru", HWC_BIT_PLRU}, {"nru", HWC_NRU},
    };

    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(name, plain[i].name) == 0) {
            *policy = (struct hwc_policy){.kind = plain[i].kind};
            return true;
        }
    if (strcmp(name, "srrip") == 0) /* SRRIP-HP with 2 bits (Jaleel, ISCA 2010) */
        return parse_qlru("QLRU_H00_M2_R0_U0_UMO", policy);
    return parse_qlru(name, policy);
}

bool hwc_policy_fills_from_right(const struct hwc_policy *policy)
{
    return policy->kind == HWC_QLRU && policy->victim == 2;
}

/* A set's state is two bit masks over its ways, `low` and `high`, each of
 * `words` words: the two bits of an age, or one bit a line (or a tree's node)
 * in `low`. */
struct masks {
    uint64_t *low, *high;
    unsigned words;
    unsigned ways;
};

static struct masks masks_of(uint64_t *state, unsigned ways)
{
    unsigned words = (ways + 63) / 64;

    return (struct masks){.low = state, .high = state + words, .words = words, .ways = ways};
}

unsigned hwc_policy_state_words(unsigned ways)
{
    return 2 * ((ways + 63) / 64);
}

/* The bits of the last word that stand for a way. */
static uint64_t valid(const struct masks *masks, unsigned word)
{
    unsigned rest = masks->ways - 64 * word;

    return rest >= 64 ? UINT64_MAX : (UINT64_C(1) << rest) - 1;
}

static bool is_set(const uint64_t *mask, unsigned way)
{
    return (mask[way / 64] >> way % 64 & 1) != 0;
}

static void assign(uint64_t *mask, unsigned way, bool value)
{
    uint64_t bit = UINT64_C(1) << way % 64;

    mask[way / 64] = value ? mask[way / 64] | bit : mask[way / 64] & ~bit;
}

/* The tree's nodes are named by where they split their range: node `middle`
 * parts [low, middle) from [middle, high), and its bit is that of way `middle`.
 * A bit points to the half that was touched less recently. */
static void tree_touch(uint64_t *nodes, unsigned ways, unsigned way)
{
    unsigned low = 0, size = ways;

    while (size > 1) {
        unsigned left = (size + 1) / 2;
        bool in_left = way < low + left;
        assign(nodes, low + left, in_left);
        low = in_left ? low : low + left;
        size = in_left ? left : size - left;
    }
}

static unsigned tree_victim(const uint64_t *nodes, unsigned ways)
{
    unsigned low = 0, size = ways;

    while (size > 1) {
        unsigned left = (size + 1) / 2;
        unsigned to_right = 0U - (unsigned)is_set(nodes, low + left); /* all ones or none: a branch would be a guess */
        low += left & to_right;
        size = (left & ~to_right) | ((size - left) & to_right);
    }
    return low;
}

static uint16_t *list_tree(const uint64_t *nodes, unsigned low, unsigned size, uint16_t *order, uint64_t *turned)
{
    unsigned left = (size + 1) / 2;
    bool to_right;

    if (size == 1) {
        *order = (uint16_t)low;
        return order + 1;
    }
    to_right = is_set(nodes, low + left);
    if (left != size - left)
        *turned = (*turned << 1 | *turned >> 63) ^ to_right;
    order = list_tree(nodes, to_right ? low + left : low, to_right ? size - left : left, order, turned);
    return list_tree(nodes, to_right ? low : low + left, to_right ? left : size - left, order, turned);
}

void hwc_policy_tree_order(const uint64_t *state, unsigned ways, uint16_t *order, uint64_t *turned)
{
    *turned = 0;
    list_tree(state, 0, ways, order, turned);
}

void hwc_policy_prepare(struct hwc_policy *policy, unsigned ways)
{
    for (unsigned way = 0; policy->kind == HWC_TREE_PLRU && ways <= 64 && way < ways; way++) {
        uint64_t cleared = UINT64_MAX;
        policy->tree_set[way] = 0;
        tree_touch(&policy->tree_set[way], ways, way);
        tree_touch(&cleared, ways, way);
        policy->tree_keep[way] = cleared;
    }
}

static unsigned first_clear(const struct masks *masks)
{
    for (unsigned i = 0; i < masks->words; i++) {
        uint64_t clear = ~masks->low[i] & valid(masks, i);
        if (clear != 0)
            return 64 * i + (unsigned)__builtin_ctzll(clear);
    }
    return masks->ways;
}

static void bit_touch(const struct masks *masks, unsigned way)
{
    assign(masks->low, way, true);
    if (first_clear(masks) < masks->ways)
        return;
    memset(masks->low, 0, masks->words * sizeof *masks->low);
    assign(masks->low, way, true);
}

static unsigned first_of_age_3(const struct masks *masks)
{
    for (unsigned i = 0; i < masks->words; i++) {
        uint64_t found = masks->low[i] & masks->high[i];
        if (found != 0)
            return 64 * i + (unsigned)__builtin_ctzll(found);
    }
    return masks->ways;
}

static void set_age(const struct masks *masks, unsigned way, unsigned age)
{
    assign(masks->low, way, (age & 1) != 0);
    assign(masks->high, way, (age & 2) != 0);
}

static unsigned age_of(const struct masks *masks, unsigned way)
{
    return (unsigned)is_set(masks->low, way) + 2 * (unsigned)is_set(masks->high, way);
}

/* Add `step` to all ages, of lines that stay at or below 3; spare one way. */
static void grow_older(const struct masks *masks, unsigned step, unsigned spared)
{
    for (unsigned i = 0; i < masks->words; i++) {
        uint64_t who = valid(masks, i);
        uint64_t low = masks->low[i], high = masks->high[i];
        if (spared / 64 == i)
            who &= ~(UINT64_C(1) << spared % 64);
        if (step == 3) {
            who &= ~low & ~high;
            masks->low[i] = low | who;
            masks->high[i] = high | who;
        } else if (step == 2) {
            masks->high[i] = high | (who & ~high);
        } else if (step == 1) {
            who &= ~(low & high);
            masks->low[i] = low ^ who;
            masks->high[i] = high ^ (low & who);
        }
    }
}

static unsigned oldest_age(const struct masks *masks, unsigned spared)
{
    unsigned oldest = 0;

    for (unsigned i = 0; i < masks->words; i++) {
        uint64_t who = valid(masks, i);
        unsigned age;
        if (spared / 64 == i)
            who &= ~(UINT64_C(1) << spared % 64);
        age = (masks->high[i] & who) != 0 ? ((masks->high[i] & masks->low[i] & who) != 0 ? 3 : 2)
                                          : (masks->low[i] & who) != 0;
        if (age > oldest)
            oldest = age;
    }
    return oldest;
}

static void qlru_update(const struct hwc_policy *policy, const struct masks *masks, unsigned accessed)
{
    unsigned spared = policy->update == 1 || policy->update == 3 ? accessed : UINT32_MAX;

    if (first_of_age_3(masks) < masks->ways)
        return;
    grow_older(masks, policy->update <= 1 ? 3 - oldest_age(masks, spared) : 1, spared);
}

static void qlru_hit(const struct hwc_policy *policy, const struct masks *masks, unsigned way)
{
    unsigned age = age_of(masks, way);

    set_age(masks, way, age == 3 ? policy->hit_from_3 : age == 2 ? policy->hit_from_2 : 0);
    if (!policy->update_on_miss_only)
        qlru_update(policy, masks, way);
}

static void qlru_filled(const struct hwc_policy *policy, const struct masks *masks, unsigned way,
                        struct hwc_random *random)
{
    bool kept = policy->insert_one_in <= 1 || hwc_random_below(random, policy->insert_one_in) == 0;

    set_age(masks, way, kept ? policy->insert_age : 3);
    if (!policy->update_on_miss_only)
        qlru_update(policy, masks, way);
}

static unsigned qlru_victim(const struct hwc_policy *policy, const struct masks *masks)
{
    unsigned way;

    if (policy->update_on_miss_only)
        qlru_update(policy, masks, masks->ways);
    way = first_of_age_3(masks);
    return way < masks->ways ? way : 0; /* R1: the leftmost where none has age 3 */
}

static unsigned nru_victim(const struct masks *masks)
{
    unsigned way = first_clear(masks);

    if (way < masks->ways)
        return way;
    memset(masks->low, 0, masks->words * sizeof *masks->low);
    return 0;
}

void hwc_policy_hit(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way)
{
    struct masks masks = masks_of(state, ways);

    switch (policy->kind) {
    case HWC_LRU:
    case HWC_FIFO:
    case HWC_RANDOM:
        break;
    case HWC_TREE_PLRU:
        if (ways <= 64)
            *state = (*state & policy->tree_keep[way]) | policy->tree_set[way];
        else
            tree_touch(state, ways, way);
        break;
    case HWC_BIT_PLRU:
        bit_touch(&masks, way);
        break;
    case HWC_NRU:
        assign(state, way, true);
        break;
    case HWC_QLRU:
        qlru_hit(policy, &masks, way);
        break;
    }
}

void hwc_policy_filled(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way,
                       struct hwc_random *random)
{
    struct masks masks = masks_of(state, ways);

    if (policy->kind == HWC_QLRU)
        qlru_filled(policy, &masks, way, random);
    else
        hwc_policy_hit(policy, state, ways, way);
}

void hwc_policy_emptied(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way)
{
    struct masks masks = masks_of(state, ways);

    if (policy->kind == HWC_BIT_PLRU || policy->kind == HWC_NRU || policy->kind == HWC_QLRU)
        set_age(&masks, way, 0);
}

unsigned hwc_policy_victim(const struct hwc_policy *policy, uint64_t *state, unsigned ways, struct hwc_random *random)
{
    struct masks masks = masks_of(state, ways);

    switch (policy->kind) {
    case HWC_LRU:
    case HWC_FIFO:
        break; /* the order of the set's lines tells, not its state */
    case HWC_RANDOM:
        return (unsigned)hwc_random_below(random, ways);
    case HWC_TREE_PLRU:
        return tree_victim(state, ways);
    case HWC_BIT_PLRU:
        return first_clear(&masks) % ways;
    case HWC_NRU:
        return nru_victim(&masks);
    case HWC_QLRU:
        return qlru_victim(policy, &masks);
    }
    return ways - 1;
}
