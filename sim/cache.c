#include "cache.h"

#include <stdlib.h>
#include <string.h>

int sim_cache_init(struct sim_cache *cache, const struct sim_cache_shape *shape, struct hwc_error *error)
{
    uint64_t lines = shape->size_bytes / shape->line_bytes;

    *cache = (struct sim_cache){.shape = *shape, .duel_selector = 512};
    cache->sets = (uint32_t)(lines / shape->ways);
    cache->sets_per_slice = cache->sets / shape->slices;
    cache->power_of_two = (cache->sets_per_slice & (cache->sets_per_slice - 1)) == 0;
    while ((UINT64_C(1) << cache->line_shift) < shape->line_bytes)
        cache->line_shift++;
    cache->tags = calloc(lines, sizeof *cache->tags);
    cache->meta = calloc(lines, sizeof *cache->meta);
    if (cache->tags == NULL || cache->meta == NULL) {
        sim_cache_free(cache);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to simulate a cache of %llu bytes",
                        (unsigned long long)shape->size_bytes);
    }
    return HWC_OK;
}

void sim_cache_free(struct sim_cache *cache)
{
    free(cache->tags);
    free(cache->meta);
    *cache = (struct sim_cache){0};
}

/* Which slice: for 2^k slices k parities over the line number, as Intel's
 * hash is known to be; otherwise a multiplicative hash, reduced. */
static uint32_t slice_of(const struct sim_cache *cache, uint64_t line)
{
    static const uint64_t masks[] = {0x1b5f575440, 0x2eb5faa880, 0x3cccc93100, 0x31aeeb1000, 0x1d3a97c200};
    unsigned slices = cache->shape.slices;
    uint32_t slice = 0;

    if ((slices & (slices - 1)) == 0 && slices <= 32) {
        for (unsigned bit = 0; (1u << bit) < slices; bit++)
            slice |= (uint32_t)__builtin_parityll((line << 6) & masks[bit]) << bit;
        return slice;
    }
    line *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((line >> 33) % slices);
}

uint32_t sim_cache_set_of(const struct sim_cache *cache, uint64_t line)
{
    uint32_t set =
        cache->power_of_two ? (uint32_t)line & (cache->sets_per_slice - 1) : (uint32_t)(line % cache->sets_per_slice);

    if (cache->shape.slices > 1)
        set += slice_of(cache, line) * cache->sets_per_slice;
    return set;
}

/* Set dueling (Qureshi, ISCA 2007): a few leader sets always follow one of
 * two policies, their misses move a selector, the others follow the winner. */
static const struct sim_policy *policy_of(const struct sim_cache *cache, uint32_t set)
{
    unsigned leaders = cache->shape.duel_leaders;
    uint32_t region;

    if (leaders == 0)
        return &cache->shape.policy;
    region = cache->sets / leaders;
    if (set % region == 0)
        return &cache->shape.policy;
    if (set % region == 1)
        return &cache->shape.rival;
    return cache->duel_selector >= 512 ? &cache->shape.rival : &cache->shape.policy;
}

static void duel_miss(struct sim_cache *cache, uint32_t set)
{
    uint32_t region = cache->sets / cache->shape.duel_leaders;

    if (set % region == 0 && cache->duel_selector < 1023)
        cache->duel_selector++;
    else if (set % region == 1 && cache->duel_selector > 0)
        cache->duel_selector--;
}

static unsigned way_of(const struct sim_cache *cache, uint32_t set, uint32_t tag)
{
    const uint32_t *tags = cache->tags + (size_t)set * cache->shape.ways;
    unsigned way = 0;

    while (way < cache->shape.ways && tags[way] != tag)
        way++;
    return way;
}

bool sim_cache_holds(const struct sim_cache *cache, uint32_t set, uint64_t line)
{
    return way_of(cache, set, (uint32_t)line + 1) < cache->shape.ways;
}

/* Stamps are 32 bits wide. Before they wrap, replace them by their ranks. */
static void renumber_stamps(struct sim_cache *cache)
{
    unsigned ways = cache->shape.ways;
    uint32_t *ranks = malloc(ways * sizeof *ranks);

    cache->clock = ways;
    for (uint32_t set = 0; ranks != NULL && set < cache->sets; set++) {
        uint32_t *meta = cache->meta + (size_t)set * ways;
        for (unsigned w = 0; w < ways; w++) {
            ranks[w] = 0;
            for (unsigned v = 0; v < ways; v++)
                ranks[w] += meta[v] < meta[w];
        }
        memcpy(meta, ranks, ways * sizeof *ranks);
    }
    free(ranks);
}

static uint32_t tick(struct sim_cache *cache)
{
    const struct sim_policy *policy = &cache->shape.policy;

    if (++cache->clock == UINT32_MAX && (policy->kind == SIM_LRU || policy->kind == SIM_FIFO))
        renumber_stamps(cache);
    return cache->clock;
}

/* Sets under plain LRU keep their tags in order of recency, empty ways last:
 * the order is the policy's whole state. */
static bool is_ordered(const struct sim_cache *cache)
{
    return cache->shape.policy.kind == SIM_LRU && cache->shape.duel_leaders == 0;
}

static void move_to_front(uint32_t *tags, unsigned way, uint32_t tag)
{
    memmove(tags + 1, tags, way * sizeof *tags);
    tags[0] = tag;
}

bool sim_cache_access(struct sim_cache *cache, uint32_t set, uint64_t line)
{
    unsigned way = way_of(cache, set, (uint32_t)line + 1);
    unsigned ways = cache->shape.ways;
    size_t first = (size_t)set * ways;

    if (way == ways) {
        if (cache->shape.duel_leaders > 0)
            duel_miss(cache, set);
        return false;
    }
    if (is_ordered(cache))
        move_to_front(cache->tags + first, way, (uint32_t)line + 1);
    else
        sim_policy_hit(policy_of(cache, set), cache->meta + first, ways, way, tick(cache));
    return true;
}

static unsigned empty_way(const struct sim_cache *cache, uint32_t set, bool from_right)
{
    const uint32_t *tags = cache->tags + (size_t)set * cache->shape.ways;
    unsigned ways = cache->shape.ways;

    if (!from_right)
        return way_of(cache, set, 0);
    for (unsigned w = ways; w > 0; w--)
        if (tags[w - 1] == 0)
            return w - 1;
    return ways;
}

bool sim_cache_fill(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random, uint64_t *evicted)
{
    const struct sim_policy *policy = policy_of(cache, set);
    unsigned ways = cache->shape.ways;
    uint32_t *tags = cache->tags + (size_t)set * ways;
    uint32_t *meta = cache->meta + (size_t)set * ways;
    unsigned way;
    bool full;

    if (is_ordered(cache)) {
        full = tags[ways - 1] != 0;
        *evicted = tags[ways - 1] - 1;
        move_to_front(tags, ways - 1, (uint32_t)line + 1);
        return full;
    }
    way = empty_way(cache, set, sim_policy_fills_from_right(policy));
    full = way == ways;
    if (full) {
        way = sim_policy_victim(policy, meta, ways, random);
        *evicted = tags[way] - 1;
    }
    tags[way] = (uint32_t)line + 1;
    sim_policy_filled(policy, meta, ways, way, tick(cache), random);
    return full;
}

static void empty(struct sim_cache *cache, uint32_t set, unsigned way)
{
    unsigned ways = cache->shape.ways;
    uint32_t *tags = cache->tags + (size_t)set * ways;

    if (is_ordered(cache))
        memmove(tags + way, tags + way + 1, (ways - way - 1) * sizeof *tags);
    tags[is_ordered(cache) ? ways - 1 : way] = 0;
}

bool sim_cache_remove(struct sim_cache *cache, uint32_t set, uint64_t line)
{
    unsigned way = way_of(cache, set, (uint32_t)line + 1);

    if (way == cache->shape.ways)
        return false;
    empty(cache, set, way);
    return true;
}

void sim_cache_lose(struct sim_cache *cache, unsigned count, struct hwc_random *random)
{
    while (count-- > 0)
        empty(cache, (uint32_t)hwc_random_below(random, cache->sets),
              (unsigned)hwc_random_below(random, cache->shape.ways));
}
