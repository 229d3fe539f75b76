/* Replacement policies, for simulated caches and for the replacement probe's
 * candidates.
 *
 * A policy is told of every touch of a line (a hit or a fill), and chooses the
 * way of a full set to evict. Empty ways are always filled first. */
#ifndef HWC_POLICY_H
#define HWC_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "random.h"

/* Enough for the names of all known policies. */
enum { HWC_POLICY_NAMES = 8192 };

enum hwc_policy_kind {
    HWC_LRU,
    HWC_FIFO,
    HWC_RANDOM,
    HWC_TREE_PLRU, /* a binary tree of bits; uneven halves if the ways are not a power of two */
    HWC_LRU_OF_TREES, /* LRU among groups of ways, a tree in each (LRU3PLRU4: Ice Lake's first level) */
    HWC_NEXT_TREE, /* groups, too; the victim's is next after the last touched ((MRU+1)%3PLRU4: Skylake's second TLB) */
    HWC_BIT_PLRU,  /* one bit a line; setting the last one clears the others (MRU) */
    HWC_NRU,       /* one bit a line; all cleared when a victim is needed and no bit is clear */
    HWC_QLRU,      /* 2-bit ages, nanoBench's naming (uops.info/cache.html) */
};

/* The most ways whose tree fits in one word. */
#define HWC_TREE_WAYS 64u
/* A tree of so many ways is looked up instead of walked down: its nodes, one less than ways, have 128 states. (Of any
 * other power of two, the victims are the same, and the table is larger or more steps are walked.) */
#define HWC_TREE_LEAF 8u

/* A policy. The QLRU fields spell QLRU_Hxy_Mz_Ru_Uv[_UMO]. */
struct hwc_policy {
    enum hwc_policy_kind kind;
    uint8_t hit_from_3, hit_from_2;
    uint8_t insert_age;
    uint8_t insert_one_in; /* MRpx: insert at insert_age once in p times, else at age 3; 1 = always */
    uint8_t victim;        /* R0, R1, R2 */
    uint8_t update;        /* U0 .. U3 */
    bool update_on_miss_only;
    uint8_t groups, leaves; /* number of groups, and ways in each; 0 = no groups */
    bool halves; /* one tree, halved evenly down to single ways, of at least HWC_TREE_LEAF (hwc_policy_prepare) */
    uint8_t leaf_victim[1 << (HWC_TREE_LEAF - 1)]; /* by the nodes of a tree of HWC_TREE_LEAF ways */
    uint64_t tree_keep[HWC_TREE_WAYS], tree_set[HWC_TREE_WAYS]; /* by way: masks for a touch (hwc_policy_prepare) */
};

/* "lru", "tree-plru", "srrip", "LRU3PLRU4", "QLRU_H11_M1_R1_U2", ...; false for an unknown name. */
bool hwc_policy_parse(const char *name, struct hwc_policy *policy);

/* Can a set of this many ways follow the policy? */
bool hwc_policy_suits(const struct hwc_policy *policy, unsigned ways);

/* Is its state only trees, and perhaps an order of groups? */
static inline bool hwc_policy_is_tree(const struct hwc_policy *policy)
{
    return policy->kind == HWC_TREE_PLRU || policy->leaves > 0;
}

/* Under lru and fifo the order of the lines is the whole state, and the cache
 * keeps it: the last line is the victim, a fill goes to the front, and so does
 * a hit under lru. */
static inline bool hwc_policy_is_order(const struct hwc_policy *policy)
{
    return policy->kind == HWC_LRU || policy->kind == HWC_FIFO;
}

/* Does the policy make random choices? */
static inline bool hwc_policy_is_random(const struct hwc_policy *policy)
{
    return policy->kind == HWC_RANDOM || (policy->kind == HWC_QLRU && policy->insert_one_in > 1);
}

/* Words of state of one set under the other policies; zero initially. */
unsigned hwc_policy_state_words(unsigned ways);

/* Call once before a policy is used on sets of this many ways. */
void hwc_policy_prepare(struct hwc_policy *policy, unsigned ways);

void hwc_policy_hit(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way);
void hwc_policy_filled(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way,
                       struct hwc_random *random);
/* The way's line was removed: forget what concerns this line alone. */
void hwc_policy_emptied(const struct hwc_policy *policy, uint64_t *state, unsigned ways, unsigned way);
unsigned hwc_policy_victim(const struct hwc_policy *policy, uint64_t *state, unsigned ways, struct hwc_random *random);

/* The order in which a tree would evict its ways if nothing were touched in
 * between. Two trees with the same lines in the same order behave alike even if
 * halves are swapped. Uneven halves cannot be swapped: `turned` hashes the bits
 * of their nodes. */
void hwc_policy_tree_order(const struct hwc_policy *policy, const uint64_t *state, unsigned ways, uint16_t *order,
                           uint64_t *turned);

/* Is the rightmost empty way filled first (R2), not the leftmost? */
bool hwc_policy_fills_from_right(const struct hwc_policy *policy);

#endif
