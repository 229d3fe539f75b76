#include "btb.h"

#include <string.h>

/* Jumps are numbered by address / 4. No walk has them closer together: each lies in a cell of 8 bytes. */
#define JUMP_SHIFT 2

int sim_btb_init(struct sim_btb *btb, const struct sim_description *description, struct hwc_error *error)
{
    memset(btb, 0, sizeof *btb);
    btb->description = description;
    for (unsigned i = 0; i < description->btbs; i++) {
        int status = sim_cache_init_table(&btb->cache[i], &description->btb[i], error);
        if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}

void sim_btb_free(struct sim_btb *btb)
{
    for (unsigned i = 0; i < SIM_MAX_BTBS; i++)
        sim_cache_free(&btb->cache[i]);
}

static uint32_t set_of(const struct sim_cache *cache, uint64_t jump)
{
    uint64_t folded = 0;

    for (; jump != 0; jump /= cache->sets) {
        folded ^= jump;
        if (cache->sets == 1)
            break;
    }
    return (uint32_t)(folded % cache->sets);
}

void sim_btb_jump(struct sim_btb *btb, uint64_t virtual_address, struct sim_counts *counts, struct hwc_random *random)
{
    uint64_t jump = virtual_address >> JUMP_SHIFT;

    for (unsigned i = 0; i < btb->description->btbs; i++) {
        struct sim_cache *cache = &btb->cache[i];
        if (sim_cache_touch(cache, set_of(cache, jump), jump, random))
            return;
        counts->unforeseen[i]++;
    }
}

double sim_btb_cycles(const struct sim_btb *btb, const struct sim_counts *counts)
{
    double cycles = 0;

    for (unsigned i = 0; i < btb->description->btbs; i++)
        cycles += (double)counts->unforeseen[i] * btb->description->btb[i].miss_penalty_cycles;
    return cycles;
}

uint64_t sim_btb_state(struct sim_btb *btb, const struct sim_place *places, size_t count)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < btb->description->btbs; i++) {
        struct sim_cache *cache = &btb->cache[i];
        sim_cache_new_look(cache);
        for (size_t k = 0; k < count; k++)
            hash = sim_cache_mix_state(cache, set_of(cache, places[k].virtual_address >> JUMP_SHIFT), hash);
    }
    return hash;
}

bool sim_btb_is_steady(const struct sim_btb *btb)
{
    for (unsigned i = 0; i < btb->description->btbs; i++)
        if (hwc_policy_is_random(&btb->cache[i].shape.policy))
            return false;
    return true;
}
