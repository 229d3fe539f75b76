/* Trees of bits, and groups of ways that keep one each: the state of tree-plru
 * and of what is built of such trees.
 *
 * A tree's nodes are named by where they split their range of ways: node
 * `middle` parts [low, middle) from [middle, high), and its bit is bit `middle`
 * of `nodes`. A bit points to the half that was touched less recently. Trees
 * of ranges that do not overlap share the words. */
#ifndef HWC_POLICY_TREE_H
#define HWC_POLICY_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Bit i of several words. */
static inline bool hwc_is_set(const uint64_t *bits, unsigned i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

struct hwc_range {
    unsigned low, size; /* ways */
};

void hwc_tree_touch(uint64_t *nodes, struct hwc_range range, unsigned way);
unsigned hwc_tree_victim(const uint64_t *nodes, struct hwc_range range);

/* The ways in the order in which the tree would evict them if nothing were
 * touched between, into `order`; returns behind the last. `turned` takes up how
 * the nodes with uneven halves stand. */
uint16_t *hwc_tree_list(const uint64_t *nodes, struct hwc_range range, uint16_t *order, uint64_t *turned);

/* Groups of ways, the most recent first: places of four bits each, and no bit
 * set where they are in ascending order. */
#define HWC_MOST_GROUPS 16u

void hwc_groups_touch(uint64_t *groups, unsigned group);
unsigned hwc_groups_at(uint64_t groups, unsigned place);

#endif
