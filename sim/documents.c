#include "documents.h"

#include <stdio.h>

static void document_level(const struct sim_level *level, bool sharing, struct hwc_documented *documented)
{
    documented->cache[documented->caches++] = (struct hwc_documented_cache){
        .level = level->level,
        .data = level->kind != SIM_INSTRUCTION,
        .instruction = level->kind != SIM_DATA,
        .line_bytes = level->shape.line_bytes,
        .size_bytes = level->shape.size_bytes,
        .ways = level->shape.ways,
        .shared_by = sharing ? level->shared_by : 0,
        .latency_cycles = level->latency_cycles,
    };
}

/* The documented cache of this level and kind: a new one if there is none yet. NULL = there is no room for it. */
static struct hwc_documented_cache *find(struct hwc_documented *documented, const struct sim_documented_cache *claim)
{
    bool data = claim->kind != SIM_INSTRUCTION, instruction = claim->kind != SIM_DATA;

    for (unsigned i = 0; i < documented->caches; i++) {
        struct hwc_documented_cache *cache = &documented->cache[i];
        if (cache->level == claim->level && cache->data == data && cache->instruction == instruction)
            return cache;
    }
    if (documented->caches == HWC_MAX_DOCUMENTED)
        return NULL;
    documented->cache[documented->caches] =
        (struct hwc_documented_cache){.level = claim->level, .data = data, .instruction = instruction};
    return &documented->cache[documented->caches++];
}

static void claim_otherwise(struct hwc_documented *documented, const struct sim_documented_cache *claim)
{
    struct hwc_documented_cache *cache = find(documented, claim);

    if (cache == NULL)
        return;
    cache->size_bytes = claim->size_bytes > 0 ? claim->size_bytes : cache->size_bytes;
    cache->line_bytes = claim->line_bytes > 0 ? claim->line_bytes : cache->line_bytes;
    cache->ways = claim->ways > 0 ? claim->ways : cache->ways;
}

void sim_document(const struct sim_description *description, struct hwc_documented *documented)
{
    snprintf(documented->source, sizeof documented->source, "machine file");
    documented->page_bytes = description->page_bytes;
    documented->memory_latency_cycles = description->memory_latency_cycles;
    documented->frequency_mhz = description->frequency_mhz;
    for (unsigned i = 0; i < description->levels; i++)
        document_level(&description->level[i], description->cpus > 1, documented);
    for (unsigned i = 0; i < description->documented.caches; i++)
        claim_otherwise(documented, &description->documented.cache[i]);
}
