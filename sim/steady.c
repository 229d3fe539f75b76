#include "steady.h"

#include <string.h>

#define MOST_FUTILE 48

void sim_steady_init(struct sim_steady *steady, const struct sim_hierarchy *hierarchy)
{
    const struct sim_description *description = hierarchy->description;

    *steady = (struct sim_steady){.possible = !description->prefetches};
    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_level *level = &description->level[i];
        if (hwc_policy_is_random(&level->shape.policy) || level->shape.duel_leaders > 0 || level->sector_lines > 1)
            steady->possible = false;
    }
}

void sim_steady_forget(struct sim_steady *steady)
{
    steady->known = 0;
    steady->period = 0;
    steady->futile = 0;
}

static uint64_t state_of(const struct sim_path *path, const struct sim_translation *translation,
                         const struct sim_place *places, size_t count)
{
    uint64_t hash = sim_translation_state(translation, places, count);

    for (unsigned level = 0; level < path->levels; level++) {
        hash = sim_mix(hash, path->dirty[level]->count);
        sim_cache_new_look(path->cache[level]);
        for (size_t i = 0; i < count; i++)
            hash = sim_cache_mix_state(path->cache[level], places[i].set[level], hash);
    }
    return hash;
}

/* How many looks ago the same state last occurred; 0 = never. */
static unsigned repeated(const struct sim_steady *steady)
{
    uint64_t now = steady->past[steady->known - 1].state;

    for (unsigned distance = 1; distance < steady->known; distance++)
        if (steady->past[steady->known - 1 - distance].state == now)
            return distance;
    return 0;
}

void sim_steady_look(struct sim_steady *steady, const struct sim_hierarchy *hierarchy,
                     const struct sim_translation *translation, const struct sim_place *places, size_t count,
                     uint64_t further, const struct sim_counts *counts)
{
    if (!steady->possible || steady->futile > MOST_FUTILE || !sim_translation_is_steady(translation))
        return;
    if (steady->known == SIM_LONGEST_PERIOD + 1)
        memmove(&steady->past[0], &steady->past[1], --steady->known * sizeof steady->past[0]);
    steady->past[steady->known].state =
        sim_mix(state_of(&hierarchy->path[translation->side], translation, places, count), further);
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
