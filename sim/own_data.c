#include "own_data.h"

/* Beyond all arenas (pages.c). */
static const struct {
    uint64_t virtual_start, physical_start, bytes;
} where = {UINT64_C(1) << 39, UINT64_C(1) << 34, 64 << 10};

void sim_own_data_init(struct sim_own_data *own, const struct sim_hierarchy *hierarchy, unsigned lines, uint64_t seed)
{
    struct hwc_random random;

    hwc_random_seed(&random, seed ^ UINT64_C(0x0b0da7a));
    own->lines = lines;
    for (unsigned i = 0; i < lines; i++) {
        uint64_t offset = hwc_random_below(&random, where.bytes);
        sim_hierarchy_locate(hierarchy, SIM_DATA_SIDE, where.virtual_start + offset, where.physical_start + offset,
                             &own->place[i]);
    }
}

void sim_own_data_touch(const struct sim_own_data *own, struct sim_hierarchy *hierarchy)
{
    for (unsigned i = 0; i < own->lines; i++)
        sim_hierarchy_access(hierarchy, &own->place[i], HWC_LOAD, HWC_INTEGER);
}
