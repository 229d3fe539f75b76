/* Trees of bits, and groups of ways with one tree each: the state of tree-plru
 * and of the policies built from such trees.
 *
 * A tree's node is named by where it splits its range of ways: node `middle`
 * separates [low, middle) from [middle, high), and its bit is bit `middle` of
 * `nodes`. A bit points to the half that was touched less recently. Trees of
 * disjoint ranges can share the same words. */
#ifndef HWC_POLICY_TREE_H
#define HWC_POLICY_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Bit i of an array of words. */
static inline bool hwc_is_set(const uint64_t *bits, unsigned i)
{
    return (bits[i / 64] >> i % 64 & 1) != 0;
}

struct hwc_range {
    unsigned low, size; /* ways */
};

void hwc_tree_touch(uint64_t *nodes, struct hwc_range range, unsigned way);
unsigned hwc_tree_victim(const uint64_t *nodes, struct hwc_range range);

/* Write the ways into `order` as the tree would evict them if nothing were
 * touched in between; returns the end of the list. The bits of nodes with uneven
 * halves are hashed into `turned`. */
uint16_t *hwc_tree_list(const uint64_t *nodes, struct hwc_range range, uint16_t *order, uint64_t *turned);

/* The order of the groups of ways, most recent first, four bits a place, encoded
 * so that zero is the ascending order. */
#define HWC_MOST_GROUPS 16u

void hwc_groups_touch(uint64_t *groups, unsigned group);
unsigned hwc_groups_at(uint64_t groups, unsigned place);

#endif
