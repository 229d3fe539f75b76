#include "decoded.h"

#include <string.h>

/* The jump at the end of a cell's code takes no more. */
#define HOP_BYTES 8
/* An entry is identified by the address where its code is entered, and its number within that code. */
enum { MOST_ENTRIES = 64 };

static bool is_there(const struct sim_decoded *decoded)
{
    return decoded->description->decoded.table.entries > 0;
}

int sim_decoded_init(struct sim_decoded *decoded, const struct sim_description *description, struct hwc_error *error)
{
    memset(decoded, 0, sizeof *decoded);
    decoded->description = description;
    return is_there(decoded) ? sim_cache_init_table(&decoded->cache, &description->decoded.table, error) : HWC_OK;
}

void sim_decoded_free(struct sim_decoded *decoded)
{
    sim_cache_free(&decoded->cache);
}

static uint32_t set_of(const struct sim_decoded *decoded, uint64_t virtual_address)
{
    return (uint32_t)(virtual_address / decoded->description->decoded.line_bytes % decoded->cache.sets);
}

/* Entries that a cell's code takes. */
static unsigned entries_of(const struct sim_decoded *decoded, uint32_t code_bytes)
{
    unsigned instructions = code_bytes > HOP_BYTES ? code_bytes - HOP_BYTES + 1 : 1;
    unsigned each = decoded->description->decoded.instructions;

    return (instructions + each - 1) / each;
}

bool sim_decoded_serves(struct sim_decoded *decoded, uint64_t virtual_address, uint32_t code_bytes,
                        struct hwc_random *random)
{
    bool served = true;

    if (!is_there(decoded))
        return false;
    for (unsigned i = 0; i < entries_of(decoded, code_bytes); i++)
        served &= sim_cache_touch(&decoded->cache, set_of(decoded, virtual_address),
                                  virtual_address * MOST_ENTRIES + i, random);
    return served;
}

double sim_decoded_cycles(const struct sim_decoded *decoded, const struct sim_counts *counts)
{
    return (double)counts->decoded * decoded->description->decoded.table.miss_penalty_cycles;
}

uint64_t sim_decoded_state(struct sim_decoded *decoded, const struct sim_place *places, size_t count)
{
    uint64_t hash = 0;

    sim_cache_new_look(&decoded->cache);
    for (size_t i = 0; i < count && is_there(decoded); i++)
        hash = sim_cache_mix_state(&decoded->cache, set_of(decoded, places[i].virtual_address), hash);
    return hash;
}

bool sim_decoded_is_steady(const struct sim_decoded *decoded)
{
    return !is_there(decoded) || !hwc_policy_is_random(&decoded->cache.shape.policy);
}
