#include "policy_tree.h"

void hwc_tree_touch(uint64_t *nodes, struct hwc_range range, unsigned way)
{
    while (range.size > 1) {
        unsigned left = (range.size + 1) / 2, middle = range.low + left;
        uint64_t bit = UINT64_C(1) << middle % 64;
        bool in_left = way < middle;
        nodes[middle / 64] = in_left ? nodes[middle / 64] | bit : nodes[middle / 64] & ~bit;
        range.low = in_left ? range.low : middle;
        range.size = in_left ? left : range.size - left;
    }
}

unsigned hwc_tree_victim(const uint64_t *nodes, struct hwc_range range)
{
    while (range.size > 1) {
        unsigned left = (range.size + 1) / 2;
        unsigned to_right = 0U - (unsigned)hwc_is_set(nodes, range.low + left); /* a mask: branches would mispredict */
        range.low += left & to_right;
        range.size = (left & ~to_right) | ((range.size - left) & to_right);
    }
    return range.low;
}

uint16_t *hwc_tree_list(const uint64_t *nodes, struct hwc_range range, uint16_t *order, uint64_t *turned)
{
    struct hwc_range left = {range.low, (range.size + 1) / 2};
    struct hwc_range right = {range.low + left.size, range.size - left.size};
    bool to_right;

    if (range.size == 1) {
        *order = (uint16_t)range.low;
        return order + 1;
    }
    to_right = hwc_is_set(nodes, right.low);
    if (left.size != right.size)
        *turned = (*turned << 1 | *turned >> 63) ^ to_right;
    order = hwc_tree_list(nodes, to_right ? right : left, order, turned);
    return hwc_tree_list(nodes, to_right ? left : right, order, turned);
}

#define PLACE_BITS 4u
#define ASCENDING UINT64_C(0xfedcba9876543210)

static uint64_t bits_below(unsigned place)
{
    return (UINT64_C(1) << PLACE_BITS * place) - 1;
}

unsigned hwc_groups_at(uint64_t groups, unsigned place)
{
    return (unsigned)((groups ^ ASCENDING) >> PLACE_BITS * place & 15);
}

void hwc_groups_touch(uint64_t *groups, unsigned group)
{
    uint64_t order = *groups ^ ASCENDING, before;
    unsigned place = 0;

    while (place + 1 < HWC_MOST_GROUPS && hwc_groups_at(*groups, place) != group)
        place++;
    before = order & bits_below(place);
    order ^= before | (uint64_t)group << PLACE_BITS * place;
    *groups = (order | before << PLACE_BITS | group) ^ ASCENDING;
}
