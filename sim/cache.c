#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include "tags.h"

static bool duels(const struct sim_cache_shape *shape)
{
    return shape->duel_leaders > 0;
}

static bool needs_stamps(const struct sim_cache_shape *shape)
{
    return duels(shape) && (hwc_policy_is_order(&shape->policy) || hwc_policy_is_order(&shape->rival));
}

int sim_cache_init(struct sim_cache *cache, const struct sim_cache_shape *shape, struct hwc_error *error)
{
    uint64_t lines = shape->size_bytes / shape->line_bytes;

    *cache = (struct sim_cache){.shape = *shape, .duel_selector = 512};
    cache->sets = (uint32_t)(lines / shape->ways);
    cache->sets_per_slice = cache->sets / shape->slices;
    cache->power_of_two = (cache->sets_per_slice & (cache->sets_per_slice - 1)) == 0;
    cache->in_order = hwc_policy_is_order(&shape->policy) && !duels(shape);
    while ((UINT32_C(1) << cache->set_bits) < cache->sets)
        cache->set_bits++;
    cache->stride = (shape->ways + SIM_TAGS_AT_ONCE - 1) / SIM_TAGS_AT_ONCE * SIM_TAGS_AT_ONCE;
    cache->state_words = cache->in_order ? 0 : hwc_policy_state_words(shape->ways);
    while ((UINT64_C(1) << cache->line_shift) < shape->line_bytes)
        cache->line_shift++;
    cache->tags = calloc((size_t)cache->sets * cache->stride, sizeof *cache->tags);
    cache->state = calloc((size_t)cache->sets * cache->state_words + 1, sizeof *cache->state);
    cache->used = calloc(cache->sets, sizeof *cache->used);
    cache->looked = calloc(cache->sets, sizeof *cache->looked);
    hwc_policy_prepare(&cache->shape.policy, shape->ways);
    hwc_policy_prepare(&cache->shape.rival, shape->ways);
    if (needs_stamps(shape))
        cache->stamps = calloc(lines, sizeof *cache->stamps);
    if (cache->tags == NULL || cache->used == NULL || cache->looked == NULL || cache->state == NULL ||
        (needs_stamps(shape) && cache->stamps == NULL)) {
        sim_cache_free(cache);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to simulate a cache of %llu bytes",
                        (unsigned long long)shape->size_bytes);
    }
    return HWC_OK;
}

/* An entry is kept as a line of this many bytes; the value does not matter. */
#define ENTRY_BYTES 8

int sim_cache_init_table(struct sim_cache *cache, const struct sim_table *table, struct hwc_error *error)
{
    const struct sim_cache_shape shape = {.size_bytes = table->entries * ENTRY_BYTES,
                                          .line_bytes = ENTRY_BYTES,
                                          .ways = (unsigned)table->ways,
                                          .slices = 1,
                                          .policy = table->policy};

    return sim_cache_init(cache, &shape, error);
}

void sim_cache_free(struct sim_cache *cache)
{
    free(cache->tags);
    free(cache->used);
    free(cache->looked);
    free(cache->state);
    free(cache->stamps);
    *cache = (struct sim_cache){0};
}

/* The slice: for 2^k slices, up to 32, k parities of the line number, as in
 * Intel's known hash; otherwise a multiplicative hash modulo the slices. */
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

    set ^= (uint32_t)(line >> cache->set_bits) & ((UINT32_C(1) << cache->shape.hashed_bits) - 1);
    if (cache->shape.slices > 1)
        set += slice_of(cache, line) * cache->sets_per_slice;
    return set;
}

bool sim_cache_is_scattered(const struct sim_cache_shape *shape)
{
    return shape->slices > 1 || shape->hashed_bits > 0;
}

/* Set dueling (Qureshi, ISCA 2007): a few leader sets always follow one of the
 * two policies, and their misses move a selector; the other sets follow the
 * winner. */
static const struct hwc_policy *policy_of(const struct sim_cache *cache, uint32_t set)
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

static uint32_t *tags_of(const struct sim_cache *cache, uint32_t set)
{
    return cache->tags + (size_t)set * cache->stride;
}

static uint64_t *state_of(const struct sim_cache *cache, uint32_t set)
{
    return cache->state + (size_t)set * cache->state_words;
}

/* The way that holds the tag, or the number of ways if none does. */
static inline unsigned way_of(const struct sim_cache *cache, uint32_t set, uint32_t tag)
{
    return sim_way_of(tags_of(cache, set), cache->shape.ways, cache->stride, tag);
}

bool sim_cache_holds(const struct sim_cache *cache, uint32_t set, uint64_t line)
{
    return way_of(cache, set, (uint32_t)line + 1) < cache->shape.ways;
}

static void move_to_front(uint32_t *tags, unsigned way, uint32_t tag)
{
    for (unsigned w = way; w > 0; w--)
        tags[w] = tags[w - 1];
    tags[0] = tag;
}

/* If policies duel and one is LRU or FIFO, stamps keep the order of the lines. */
static void stamp(struct sim_cache *cache, uint32_t set, unsigned way)
{
    if (cache->stamps != NULL)
        cache->stamps[(size_t)set * cache->shape.ways + way] = ++cache->clock;
}

static unsigned oldest_stamp(const struct sim_cache *cache, uint32_t set)
{
    const uint64_t *stamps = cache->stamps + (size_t)set * cache->shape.ways;
    unsigned oldest = 0;

    for (unsigned w = 1; w < cache->shape.ways; w++)
        if (stamps[w] < stamps[oldest])
            oldest = w;
    return oldest;
}

bool sim_cache_access(struct sim_cache *cache, uint32_t set, uint64_t line)
{
    uint32_t tag = (uint32_t)line + 1;
    unsigned way = way_of(cache, set, tag);
    const struct hwc_policy *policy;

    if (way == cache->shape.ways) {
        if (duels(&cache->shape))
            duel_miss(cache, set);
        return false;
    }
    if (cache->in_order) {
        if (cache->shape.policy.kind == HWC_LRU)
            move_to_front(tags_of(cache, set), way, tag);
        return true;
    }
    policy = policy_of(cache, set);
    hwc_policy_hit(policy, state_of(cache, set), cache->shape.ways, way);
    if (policy->kind != HWC_FIFO)
        stamp(cache, set, way);
    return true;
}

static unsigned empty_way(const struct sim_cache *cache, uint32_t set, bool from_right)
{
    const uint32_t *tags = tags_of(cache, set);
    unsigned ways = cache->shape.ways;

    if (!from_right)
        return way_of(cache, set, 0);
    for (unsigned w = ways; w > 0; w--)
        if (tags[w - 1] == 0)
            return w - 1;
    return ways;
}

static unsigned victim_of(const struct sim_cache *cache, const struct hwc_policy *policy, uint32_t set,
                          struct hwc_random *random)
{
    if (hwc_policy_is_order(policy))
        return oldest_stamp(cache, set);
    return hwc_policy_victim(policy, state_of(cache, set), cache->shape.ways, random);
}

bool sim_cache_fill(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random, uint64_t *evicted)
{
    const struct hwc_policy *policy = policy_of(cache, set);
    unsigned ways = cache->shape.ways;
    uint32_t *tags = tags_of(cache, set);
    unsigned way;
    bool full;

    if (cache->in_order) {
        full = tags[ways - 1] != 0;
        *evicted = tags[ways - 1] - 1;
        move_to_front(tags, ways - 1, (uint32_t)line + 1);
        return full;
    }
    full = cache->used[set] == ways;
    if (full) {
        way = victim_of(cache, policy, set, random);
        *evicted = tags[way] - 1;
    } else {
        way = empty_way(cache, set, hwc_policy_fills_from_right(policy));
        cache->used[set]++;
    }
    tags[way] = (uint32_t)line + 1;
    hwc_policy_filled(policy, state_of(cache, set), ways, way, random);
    stamp(cache, set, way);
    return full;
}

/* Search and shift in one sweep. */
static bool touch_in_order(struct sim_cache *cache, uint32_t set, uint64_t line)
{
    uint32_t *tags = tags_of(cache, set);
    uint32_t tag = (uint32_t)line + 1;
    uint32_t before = tags[0];

    tags[0] = tag;
    for (unsigned w = 1; before != tag && w < cache->shape.ways; w++) {
        uint32_t here = tags[w];
        tags[w] = before;
        before = here;
    }
    return before == tag;
}

bool sim_cache_touch(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random)
{
    uint64_t evicted;

    if (cache->in_order && cache->shape.policy.kind == HWC_LRU)
        return touch_in_order(cache, set, line);
    if (sim_cache_access(cache, set, line))
        return true;
    sim_cache_fill(cache, set, line, random, &evicted);
    return false;
}

static void empty(struct sim_cache *cache, uint32_t set, unsigned way)
{
    unsigned ways = cache->shape.ways;
    uint32_t *tags = tags_of(cache, set);

    if (!cache->in_order && tags[way] != 0)
        cache->used[set]--;
    if (cache->in_order)
        memmove(tags + way, tags + way + 1, (ways - way - 1) * sizeof *tags);
    else
        hwc_policy_emptied(&cache->shape.policy, state_of(cache, set), ways, way);
    tags[cache->in_order ? ways - 1 : way] = 0;
}

bool sim_cache_remove(struct sim_cache *cache, uint32_t set, uint64_t line)
{
    unsigned way = way_of(cache, set, (uint32_t)line + 1);

    if (way == cache->shape.ways)
        return false;
    empty(cache, set, way);
    return true;
}

/* The hash of a whole tree over a power of two of ways: that of a node is of its two halves, the next victim's first.
 * Node `middle` has its bit at `middle` (policy_tree.h). */
static uint64_t even_tree_state(const uint32_t *tags, uint64_t nodes, unsigned ways)
{
    uint64_t hash[HWC_TREE_WAYS];

    hash[0] = tags[0];
    for (unsigned way = 1; way < ways; way++)
        hash[way] = tags[way];
    for (unsigned half = 1; half < ways; half *= 2)
        for (unsigned low = 0; low < ways; low += 2 * half) {
            unsigned swapped = nodes >> (low + half) & 1 ? half : 0;
            hash[low] = sim_mix(hash[low + swapped] * UINT64_C(0xd6e8feb86659fd93), hash[low + half - swapped]);
        }
    return hash[0];
}

static uint64_t tree_state(const struct sim_cache *cache, uint32_t set)
{
    const uint32_t *tags = tags_of(cache, set);
    uint16_t order[HWC_TREE_WAYS];
    unsigned ways = cache->shape.ways;
    uint64_t hash;

    if (cache->shape.policy.kind == HWC_TREE_PLRU && (ways & (ways - 1)) == 0)
        return even_tree_state(tags, *state_of(cache, set), ways);
    hwc_policy_tree_order(&cache->shape.policy, state_of(cache, set), cache->shape.ways, order, &hash);
    for (unsigned i = 0; i < ways; i++)
        hash = sim_mix(hash, tags[order[i]]);
    return hash;
}

static uint64_t factor(unsigned i)
{
    return (2 * (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0xd6e8feb86659fd92);
}

static uint64_t set_state(const struct sim_cache *cache, uint32_t set)
{
    const uint32_t *tags = tags_of(cache, set);
    const uint64_t *state = state_of(cache, set);
    uint64_t hash = cache->shape.ways;

    /* Trees that mirror each other behave alike in full sets only, as empty ways are filled from the left. */
    if (hwc_policy_is_tree(&cache->shape.policy) && cache->shape.ways <= HWC_TREE_WAYS && !cache->loses_lines &&
        cache->used[set] == cache->shape.ways)
        return tree_state(cache, set);

    /* A sum of independent products, which the host computes in parallel. */
    for (unsigned i = 0; i < cache->stride; i += 2)
        hash += ((uint64_t)tags[i] << 32 | tags[i + 1]) * factor(i);
    for (unsigned i = 0; i < cache->state_words; i++)
        hash += state[i] * factor(cache->stride + i);
    return hash;
}

uint64_t sim_cache_mix_state(struct sim_cache *cache, uint32_t set, uint64_t hash)
{
    if (cache->looked[set] == cache->look)
        return hash;
    cache->looked[set] = cache->look;
    return sim_mix(hash, set_state(cache, set));
}

void sim_cache_lose(struct sim_cache *cache, unsigned count, struct hwc_random *random)
{
    while (count-- > 0)
        empty(cache, (uint32_t)hwc_random_below(random, cache->sets),
              (unsigned)hwc_random_below(random, cache->shape.ways));
}

bool sim_cache_lose_one(struct sim_cache *cache, struct hwc_random *random, uint64_t *line)
{
    uint32_t set = (uint32_t)hwc_random_below(random, cache->sets);
    unsigned way = (unsigned)hwc_random_below(random, cache->shape.ways);
    uint32_t tag = tags_of(cache, set)[way];

    if (tag == 0)
        return false;
    *line = tag - 1;
    empty(cache, set, way);
    return true;
}

void sim_cache_clear(struct sim_cache *cache)
{
    for (uint32_t set = 0; set < cache->sets; set++)
        for (unsigned way = cache->shape.ways; way > 0; way--)
            empty(cache, set, way - 1);
}
