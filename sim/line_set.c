#include "line_set.h"

#include <stdlib.h>
#include <string.h>

int sim_line_set_init(struct sim_line_set *set, uint64_t lines, struct hwc_error *error)
{
    uint64_t slots = 2;

    while (slots < 2 * lines)
        slots *= 2;
    *set = (struct sim_line_set){.slot = calloc(slots, sizeof *set->slot), .mask = (uint32_t)(slots - 1)};
    if (set->slot == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for what %llu simulated lines hold",
                        (unsigned long long)lines);
    return HWC_OK;
}

void sim_line_set_free(struct sim_line_set *set)
{
    free(set->slot);
    *set = (struct sim_line_set){0};
}

static uint32_t home_of(const struct sim_line_set *set, uint32_t tag)
{
    return (tag * UINT32_C(0x9e3779b1) >> 7) & set->mask;
}

/* The tag's slot, or the free slot where it would go. */
static uint32_t find(const struct sim_line_set *set, uint32_t tag)
{
    uint32_t at = home_of(set, tag);

    while (set->slot[at] != 0 && set->slot[at] != tag)
        at = (at + 1) & set->mask;
    return at;
}

static uint32_t *group_of(struct sim_line_set *set, uint32_t tag)
{
    return &set->group[home_of(set, tag) % SIM_LINE_GROUPS];
}

void sim_line_set_add(struct sim_line_set *set, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;
    uint32_t at = find(set, tag);

    if (set->slot[at] == tag)
        return;
    if (set->count > set->mask / 2) {
        memset(set->slot, 0, ((size_t)set->mask + 1) * sizeof *set->slot);
        memset(set->group, 0, sizeof set->group);
        set->count = 0;
        at = home_of(set, tag);
    }
    set->slot[at] = tag;
    set->count++;
    ++*group_of(set, tag);
}

/* Move entries back into the gap if it would keep them from being found. */
static void close_gap(struct sim_line_set *set, uint32_t gap)
{
    for (uint32_t at = (gap + 1) & set->mask; set->slot[at] != 0; at = (at + 1) & set->mask) {
        uint32_t home = home_of(set, set->slot[at]);
        if (((at - home) & set->mask) < ((at - gap) & set->mask))
            continue;
        set->slot[gap] = set->slot[at];
        gap = at;
    }
    set->slot[gap] = 0;
}

bool sim_line_set_remove(struct sim_line_set *set, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;
    uint32_t at;

    if (set->count == 0 || *group_of(set, tag) == 0)
        return false;
    at = find(set, tag);
    if (set->slot[at] != tag)
        return false;
    close_gap(set, at);
    set->count--;
    --*group_of(set, tag);
    return true;
}

bool sim_line_set_has(const struct sim_line_set *set, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;

    return set->count > 0 && set->slot[find(set, tag)] == tag;
}
