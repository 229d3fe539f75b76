#include "dirty.h"

#include <stdlib.h>
#include <string.h>

int sim_dirty_init(struct sim_dirty *dirty, uint64_t lines, struct hwc_error *error)
{
    uint64_t slots = 2;

    while (slots < 2 * lines)
        slots *= 2;
    *dirty = (struct sim_dirty){.slot = calloc(slots, sizeof *dirty->slot), .mask = (uint32_t)(slots - 1)};
    if (dirty->slot == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for what %llu simulated lines hold",
                        (unsigned long long)lines);
    return HWC_OK;
}

void sim_dirty_free(struct sim_dirty *dirty)
{
    free(dirty->slot);
    *dirty = (struct sim_dirty){0};
}

static uint32_t home_of(const struct sim_dirty *dirty, uint32_t tag)
{
    return (tag * UINT32_C(0x9e3779b1) >> 7) & dirty->mask;
}

/* Where it is, or the free slot where it would be. */
static uint32_t find(const struct sim_dirty *dirty, uint32_t tag)
{
    uint32_t at = home_of(dirty, tag);

    while (dirty->slot[at] != 0 && dirty->slot[at] != tag)
        at = (at + 1) & dirty->mask;
    return at;
}

void sim_dirty_add(struct sim_dirty *dirty, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;
    uint32_t at = find(dirty, tag);

    if (dirty->slot[at] == tag)
        return;
    if (dirty->count > dirty->mask / 2) {
        memset(dirty->slot, 0, ((size_t)dirty->mask + 1) * sizeof *dirty->slot);
        dirty->count = 0;
        at = home_of(dirty, tag);
    }
    dirty->slot[at] = tag;
    dirty->count++;
}

/* Move back into the gap what would otherwise no longer be found. */
static void close_gap(struct sim_dirty *dirty, uint32_t gap)
{
    for (uint32_t at = (gap + 1) & dirty->mask; dirty->slot[at] != 0; at = (at + 1) & dirty->mask) {
        uint32_t home = home_of(dirty, dirty->slot[at]);
        if (((at - home) & dirty->mask) < ((at - gap) & dirty->mask))
            continue;
        dirty->slot[gap] = dirty->slot[at];
        gap = at;
    }
    dirty->slot[gap] = 0;
}

bool sim_dirty_remove(struct sim_dirty *dirty, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;
    uint32_t at;

    if (dirty->count == 0)
        return false;
    at = find(dirty, tag);
    if (dirty->slot[at] != tag)
        return false;
    close_gap(dirty, at);
    dirty->count--;
    return true;
}
