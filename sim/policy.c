#include "policy.h"

#include <stdio.h>
#include <string.h>

static bool parse_qlru(const char *name, struct sim_policy *policy)
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
    *policy = (struct sim_policy){.kind = SIM_QLRU,
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

bool sim_policy_parse(const char *name, struct sim_policy *policy)
{
    static const struct {
        const char *name;
        enum sim_policy_kind kind;
    } plain[] = {
        {"lru", SIM_LRU},           {"fifo", SIM_FIFO},         {"random", SIM_RANDOM},
        {"tree-plru", SIM_TREE_PLRU}, {"bit-plru", SIM_BIT_PLRU}, {"nru", SIM_NRU},
    };

    for (unsigned i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(name, plain[i].name) == 0) {
            *policy = (struct sim_policy){.kind = plain[i].kind};
            return true;
        }
    if (strcmp(name, "srrip") == 0) /* SRRIP-HP with 2 bits (Jaleel, ISCA 2010) */
        return parse_qlru("QLRU_H00_M2_R0_U0_UMO", policy);
    return parse_qlru(name, policy);
}

bool sim_policy_fills_from_right(const struct sim_policy *policy)
{
    return policy->kind == SIM_QLRU && policy->victim == 2;
}

/* The tree's nodes are named by where they split their range: node `middle`
 * parts [low, middle) from [middle, high), and its bit lives in meta[middle].
 * A bit points to the half that was touched less recently. */
static void tree_touch(uint32_t *meta, unsigned ways, unsigned way)
{
    unsigned low = 0, high = ways;

    while (high - low > 1) {
        unsigned middle = low + (high - low + 1) / 2;
        if (way < middle) {
            meta[middle] = 1;
            high = middle;
        } else {
            meta[middle] = 0;
            low = middle;
        }
    }
}

static unsigned tree_victim(const uint32_t *meta, unsigned ways)
{
    unsigned low = 0, high = ways;

    while (high - low > 1) {
        unsigned middle = low + (high - low + 1) / 2;
        if (meta[middle] != 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void bit_touch(uint32_t *meta, unsigned ways, unsigned way)
{
    meta[way] = 1;
    for (unsigned w = 0; w < ways; w++)
        if (meta[w] == 0)
            return;
    for (unsigned w = 0; w < ways; w++)
        meta[w] = w == way;
}

static unsigned first_with(const uint32_t *meta, unsigned ways, uint32_t value)
{
    unsigned way = 0;

    while (way < ways && meta[way] != value)
        way++;
    return way;
}

static void qlru_update(const struct sim_policy *policy, uint32_t *meta, unsigned ways, unsigned accessed)
{
    bool spare_accessed = policy->update == 1 || policy->update == 3;
    uint32_t oldest = 0;
    uint32_t step;

    if (first_with(meta, ways, 3) < ways)
        return;
    for (unsigned w = 0; w < ways; w++)
        if (meta[w] > oldest && !(spare_accessed && w == accessed))
            oldest = meta[w];
    step = policy->update <= 1 ? 3 - oldest : 1;
    for (unsigned w = 0; w < ways; w++)
        if (!(spare_accessed && w == accessed) && meta[w] + step <= 3)
            meta[w] += step;
}

void sim_policy_hit(const struct sim_policy *policy, uint32_t *meta, unsigned ways, unsigned way, uint32_t clock)
{
    switch (policy->kind) {
    case SIM_LRU:
        meta[way] = clock;
        break;
    case SIM_FIFO:
    case SIM_RANDOM:
        break;
    case SIM_TREE_PLRU:
        tree_touch(meta, ways, way);
        break;
    case SIM_BIT_PLRU:
        bit_touch(meta, ways, way);
        break;
    case SIM_NRU:
        meta[way] = 1;
        break;
    case SIM_QLRU:
        meta[way] = meta[way] == 3 ? policy->hit_from_3 : meta[way] == 2 ? policy->hit_from_2 : 0;
        if (!policy->update_on_miss_only)
            qlru_update(policy, meta, ways, way);
        break;
    }
}

void sim_policy_filled(const struct sim_policy *policy, uint32_t *meta, unsigned ways, unsigned way, uint32_t clock,
                       struct hwc_random *random)
{
    switch (policy->kind) {
    case SIM_LRU:
    case SIM_FIFO:
        meta[way] = clock;
        break;
    case SIM_QLRU:
        meta[way] = policy->insert_age;
        if (policy->insert_one_in > 1 && hwc_random_below(random, policy->insert_one_in) != 0)
            meta[way] = 3;
        if (!policy->update_on_miss_only)
            qlru_update(policy, meta, ways, way);
        break;
    default:
        sim_policy_hit(policy, meta, ways, way, clock);
        break;
    }
}

static unsigned oldest_stamp(const uint32_t *meta, unsigned ways)
{
    unsigned oldest = 0;

    for (unsigned w = 1; w < ways; w++)
        if (meta[w] < meta[oldest])
            oldest = w;
    return oldest;
}

static unsigned nru_victim(uint32_t *meta, unsigned ways)
{
    unsigned way = first_with(meta, ways, 0);

    if (way < ways)
        return way;
    memset(meta, 0, ways * sizeof *meta);
    return 0;
}

static unsigned qlru_victim(const struct sim_policy *policy, uint32_t *meta, unsigned ways)
{
    unsigned way;

    if (policy->update_on_miss_only)
        qlru_update(policy, meta, ways, ways);
    way = first_with(meta, ways, 3);
    return way < ways ? way : 0; /* R1: the leftmost where none has age 3 */
}

unsigned sim_policy_victim(const struct sim_policy *policy, uint32_t *meta, unsigned ways, struct hwc_random *random)
{
    switch (policy->kind) {
    case SIM_LRU:
    case SIM_FIFO:
        return oldest_stamp(meta, ways);
    case SIM_RANDOM:
        return (unsigned)hwc_random_below(random, ways);
    case SIM_TREE_PLRU:
        return tree_victim(meta, ways);
    case SIM_BIT_PLRU:
        return first_with(meta, ways, 0) % ways;
    case SIM_NRU:
        return nru_victim(meta, ways);
    case SIM_QLRU:
        return qlru_victim(policy, meta, ways);
    }
    return 0;
}
