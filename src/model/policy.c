#include "policy.h"

#include <stdio.h>
#include <string.h>

#include "policy_tree.h"

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
    /* R0 and R2 need a line of age 3 to evict; U2 and U3 do not guarantee one. */
    return hit3 <= 2 && hit2 <= 1 && age <= 3 && one_in >= 1 && victim <= 2 && update <= 3 &&
           (victim == 1 || update <= 1);
}

/* The names of nanoBench and of "TLB;DR" (Tatar et al., USENIX Security 2022). */
static bool parse_groups(const char *name, struct hwc_policy *policy)
{
    static const struct {
        const char *form;
        enum hwc_policy_kind kind;
    } forms[] = {{"LRU%2uPLRU%2u%n", HWC_LRU_OF_TREES}, {"(MRU+1)%%%2uPLRU%2u%n", HWC_NEXT_TREE}};

    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        unsigned groups, leaves;
        int used = 0;
        if (sscanf(name, forms[i].form, &groups, &leaves, &used) != 2 || used == 0 || name[used] != '\0')
            continue;
        *policy = (struct hwc_policy){.kind = forms[i].kind, .groups = (uint8_t)groups, .leaves = (uint8_t)leaves};
        return groups >= 2 && leaves >= 2 && (leaves & (leaves - 1)) == 0 && groups * leaves <= HWC_TREE_WAYS &&
               groups <= HWC_MOST_GROUPS;
    }
    return false;
}

bool hwc_policy_suits(const struct hwc_policy *policy, unsigned ways)
{
    return policy->leaves == 0 || ways == (unsigned)policy->groups * policy->leaves;
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
    return parse_groups(name, policy) || parse_qlru(name, policy);
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

/* The bits of a word that stand for a way. */
static uint64_t valid(const struct masks *masks, unsigned word)
{
    unsigned rest = masks->ways - 64 * word;

    return rest >= 64 ? UINT64_MAX : (UINT64_C(1) << rest) - 1;
}

static void assign(uint64_t *mask, unsigned way, bool value)
{
    uint64_t bit = UINT64_C(1) << way % 64;

    mask[way / 64] = value ? mask[way / 64] | bit : mask[way / 64] & ~bit;
}

/* The range of ways whose tree holds this way. */
static struct hwc_range tree_of(const struct hwc_policy *policy, unsigned ways, unsigned way)
{
    unsigned leaves = policy->leaves;

    return leaves == 0 ? (struct hwc_range){0, ways} : (struct hwc_range){way / leaves * leaves, leaves};
}

/* Group number `next` in order of eviction: the least recent first, or those after the most recent in turn. */
static unsigned victims_group(const struct hwc_policy *policy, uint64_t order, unsigned groups, unsigned next)
{
    if (policy->kind == HWC_NEXT_TREE)
        return (hwc_groups_at(order, 0) + 1 + next) % groups;
    return policy->kind == HWC_LRU_OF_TREES ? hwc_groups_at(order, groups - 1 - next) : 0;
}

/* Node `middle` has its bit at `middle`: those of a subtree lie beside each other. */
static unsigned halved_victim(const struct hwc_policy *policy, uint64_t nodes, unsigned ways)
{
    unsigned low = 0;

    for (unsigned half = ways / 2; half >= HWC_TREE_LEAF; half /= 2)
        low += half & (0U - (unsigned)(nodes >> (low + half) & 1));
    return low + policy->leaf_victim[nodes >> (low + 1) & (sizeof policy->leaf_victim - 1)];
}

static unsigned trees_victim(const struct hwc_policy *policy, const uint64_t *state, unsigned ways)
{
    unsigned group;

    if (policy->halves)
        return halved_victim(policy, *state, ways);
    group = policy->leaves == 0 ? 0 : victims_group(policy, state[1], policy->groups, 0);
    return hwc_tree_victim(state, tree_of(policy, ways, group * policy->leaves));
}

static void trees_touch(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way)
{
    if (ways > HWC_TREE_WAYS) {
        hwc_tree_touch(state, tree_of(policy, ways, way), way);
        return;
    }
    *state = (*state & policy->tree_keep[way]) | policy->tree_set[way];
    if (policy->leaves > 0)
        hwc_groups_touch(&state[1], way / policy->leaves);
}

void hwc_policy_tree_order(const struct hwc_policy *policy, const uint64_t *state, unsigned ways, uint16_t *order,
                           uint64_t *turned)
{
    unsigned groups = policy->leaves == 0 ? 1 : ways / policy->leaves;

    *turned = 0;
    for (unsigned i = 0; i < groups; i++)
        order = hwc_tree_list(state, tree_of(policy, ways, victims_group(policy, state[1], groups, i) * policy->leaves),
                              order, turned);
}

void hwc_policy_prepare(struct hwc_policy *policy, unsigned ways)
{
    policy->halves = policy->kind == HWC_TREE_PLRU && ways >= HWC_TREE_LEAF && ways <= HWC_TREE_WAYS &&
                     (ways & (ways - 1)) == 0;
    for (uint64_t nodes = 0; policy->halves && nodes < sizeof policy->leaf_victim; nodes++) {
        uint64_t leaf = nodes << 1;
        policy->leaf_victim[nodes] = (uint8_t)hwc_tree_victim(&leaf, (struct hwc_range){0, HWC_TREE_LEAF});
    }
    for (unsigned way = 0; hwc_policy_is_tree(policy) && ways <= HWC_TREE_WAYS && way < ways; way++) {
        uint64_t cleared = UINT64_MAX;
        policy->tree_set[way] = 0;
        hwc_tree_touch(&policy->tree_set[way], tree_of(policy, ways, way), way);
        hwc_tree_touch(&cleared, tree_of(policy, ways, way), way);
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
    return (unsigned)hwc_is_set(masks->low, way) + 2 * (unsigned)hwc_is_set(masks->high, way);
}

/* Add `step` to every age that does not exceed 3 by it, except that of the spared way. */
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
    return way < masks->ways ? way : 0; /* R1: the leftmost if none has age 3 */
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
    case HWC_LRU_OF_TREES:
    case HWC_NEXT_TREE:
        trees_touch(policy, state, ways, way);
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
        break; /* the victim is the last in the order of lines */
    case HWC_RANDOM:
        return (unsigned)hwc_random_below(random, ways);
    case HWC_TREE_PLRU:
    case HWC_LRU_OF_TREES:
    case HWC_NEXT_TREE:
        return trees_victim(policy, state, ways);
    case HWC_BIT_PLRU:
        return first_clear(&masks) % ways;
    case HWC_NRU:
        return nru_victim(&masks);
    case HWC_QLRU:
        return qlru_victim(policy, &masks);
    }
    return ways - 1;
}
