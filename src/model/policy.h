/* Replacement policies: what simulated caches follow, and what the replacement
 * probe plays its candidates by.
 *
 * A policy is told of every touch of a line (hit, or just filled), and says
 * which way of a full set to evict. Empty ways are always filled first. */
#ifndef HWC_POLICY_H
#define HWC_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

/* Room for the names of all policies that are known. */
enum { HWC_POLICY_NAMES = 8192 };

enum hwc_policy_kind {
    HWC_LRU,
    HWC_FIFO,
    HWC_RANDOM,
    HWC_TREE_PLRU, /* a binary tree of bits; uneven halves where the ways are no power of two */
    HWC_LRU_OF_TREES, /* groups of ways in order of their last touch, a tree each (LRU3PLRU4: Ice Lake's first level) */
    HWC_NEXT_TREE, /* the same, but the victim's group follows the one touched last ((MRU+1)%3PLRU4: Skylake's second TLB) */
    HWC_BIT_PLRU,  /* one bit a line; the last to be set clears the others (MRU) */
    HWC_NRU,       /* one bit a line; cleared when a victim is needed and none is left */
    HWC_QLRU,      /* 2-bit ages, nanoBench's naming (uops.info/cache.html) */
};

/* Ways of which a word holds the tree. */
#define HWC_TREE_WAYS 64u

/* A policy, by value. The QLRU fields spell QLRU_Hxy_Mz_Ru_Uv[_UMO]. */
struct hwc_policy {
    enum hwc_policy_kind kind;
    uint8_t hit_from_3, hit_from_2;
    uint8_t insert_age;
    uint8_t insert_one_in; /* MRpx: insert with insert_age once in p times, else with age 3; 1 = always */
    uint8_t victim;        /* R0, R1, R2 */
    uint8_t update;        /* U0 .. U3 */
    bool update_on_miss_only;
    uint8_t groups, leaves; /* groups of ways, and how many ways one has; 0 = no groups */
    uint64_t tree_keep[HWC_TREE_WAYS], tree_set[HWC_TREE_WAYS]; /* by way: what a touch does to a tree's nodes (hwc_policy_prepare) */
};

/* "lru", "tree-plru", "srrip", "LRU3PLRU4", "QLRU_H11_M1_R1_U2", ...; false when the name means nothing. */
bool hwc_policy_parse(const char *name, struct hwc_policy *policy);

/* Can a set of so many ways follow it? */
bool hwc_policy_suits(const struct hwc_policy *policy, unsigned ways);

/* Is all of its state trees, and the order of groups? */
static inline bool hwc_policy_is_tree(const struct hwc_policy *policy)
{
    return policy->kind == HWC_TREE_PLRU || policy->leaves > 0;
}

/* Of lru and fifo the order of the lines is the whole state, and the cache
 * keeps it: the last line is the victim, a fill goes to the front, and so does
 * a hit under lru. */
static inline bool hwc_policy_is_order(const struct hwc_policy *policy)
{
    return policy->kind == HWC_LRU || policy->kind == HWC_FIFO;
}

/* Is anything left to chance? */
static inline bool hwc_policy_is_random(const struct hwc_policy *policy)
{
    return policy->kind == HWC_RANDOM || (policy->kind == HWC_QLRU && policy->insert_one_in > 1);
}

/* Words of state of one set of the other policies, zero at first. */
unsigned hwc_policy_state_words(unsigned ways);

/* Once before a policy is used on sets of so many ways. */
void hwc_policy_prepare(struct hwc_policy *policy, unsigned ways);

void hwc_policy_hit(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way);
void hwc_policy_filled(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way,
                       struct hwc_random *random);
/* The way's line was taken away: what was remembered of it alone is forgotten. */
void hwc_policy_emptied(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way);
unsigned hwc_policy_victim(const struct hwc_policy *policy, uint64_t *state, unsigned ways, struct hwc_random *random);

/* The order in which a tree would evict its ways if nothing were touched
 * between: two trees that name the same lines in the same order behave alike,
 * however their halves are turned. `turned` tells how the nodes with uneven
 * halves stand, which cannot be turned. */
void hwc_policy_tree_order(const struct hwc_policy *policy, const uint64_t *state, unsigned ways, uint16_t *order,
                           uint64_t *turned);

/* Which of the empty ways is filled first: the leftmost, or for R2 the rightmost. */
bool hwc_policy_fills_from_right(const struct hwc_policy *policy);

#endif
