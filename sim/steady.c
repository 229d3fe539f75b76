#include "steady.h"

#include <string.h>

#define MOST_FUTILE 48

static bool is_random(const struct hwc_policy *policy)
{
    return policy->kind == HWC_RANDOM || (policy->kind == HWC_QLRU && policy->insert_one_in > 1);
}

void sim_steady_init(struct sim_steady *steady, const struct sim_hierarchy *hierarchy)
{
    *steady = (struct sim_steady){.possible = hierarchy->description->prefetch == SIM_NO_PREFETCH};
    for (unsigned i = 0; i < hierarchy->levels; i++)
        if (is_random(&hierarchy->cache[i].shape.policy) || hierarchy->cache[i].shape.duel_leaders > 0 ||
            hierarchy->level[i]->sector_lines > 1)
            steady->possible = false;
}

void sim_steady_forget(struct sim_steady *steady)
{
    steady->known = 0;
    steady->period = 0;
    steady->futile = 0;
}

static uint64_t state_of(const struct sim_hierarchy *hierarchy, const struct sim_place *places, size_t count)
{
    uint64_t hash = 0;

    for (unsigned level = 0; level < hierarchy->levels; level++) {
        uint32_t before = UINT32_MAX;
        for (size_t i = 0; i < count; i++) {
            if (places[i].set[level] != before)
                hash = sim_mix(hash, sim_cache_state(&hierarchy->cache[level], places[i].set[level]));
            before = places[i].set[level];
        }
    }
    return hash;
}

/* The last state that was the same, as its distance; 0 = none. */
static unsigned repeated(const struct sim_steady *steady)
{
    uint64_t now = steady->past[steady->known - 1].state;

    for (unsigned distance = 1; distance < steady->known; distance++)
        if (steady->past[steady->known - 1 - distance].state == now)
            return distance;
    return 0;
}

void sim_steady_look(struct sim_steady *steady, const struct sim_hierarchy *hierarchy, const struct sim_place *places,
                     size_t count, const struct sim_counts *counts)
{
    if (!steady->possible || steady->futile > MOST_FUTILE)
        return;
    if (steady->known == SIM_LONGEST_PERIOD + 1)
        memmove(&steady->past[0], &steady->past[1], --steady->known * sizeof steady->past[0]);
    steady->past[steady->known].state = state_of(hierarchy, places, count);
    steady->past[steady->known++].counts = *counts;
    steady->period = repeated(steady);
    steady->futile += steady->period == 0;
}

bool sim_steady_period(const struct sim_steady *steady, struct sim_counts *adds)
{
    if (steady->period == 0)
        return false;
    sim_counts_between(&steady->past[steady->known - 1 - steady->period].counts, &steady->past[steady->known - 1].counts,
                       adds);
    return true;
}

void sim_steady_skipped(struct sim_steady *steady, const struct sim_counts *adds, uint64_t periods)
{
    for (unsigned i = 0; i < steady->known; i++)
        sim_counts_add(&steady->past[i].counts, adds, periods);
}
