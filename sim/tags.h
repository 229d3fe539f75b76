/* Finding a tag among those of a set. No branch depends on the way, which the host cannot predict. */
#ifndef HWC_SIM_TAGS_H
#define HWC_SIM_TAGS_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Sets are padded with empty tags to whole groups. */
enum { SIM_TAGS_AT_ONCE = 4 };
typedef uint32_t sim_tag_group __attribute__((vector_size(SIM_TAGS_AT_ONCE * sizeof(uint32_t))));

/* Which of a group's tags equal the wanted one, as a bit mask. */
static inline unsigned sim_group_matches(const uint32_t *tags, sim_tag_group wanted)
{
    sim_tag_group group;

    memcpy(&group, tags, sizeof group);
    group = (sim_tag_group)(group == wanted);
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((__m128)group);
#else
    uint64_t half[2];
    group &= (sim_tag_group){1, 2, 4, 8};
    memcpy(half, &group, sizeof half);
    half[0] |= half[1];
    return (unsigned)((half[0] | half[0] >> 32) & 15);
#endif
}

/* Which of up to 64 ways hold the tag, as a bit mask. */
static inline uint64_t sim_tag_matches(const uint32_t *tags, unsigned count, uint32_t tag)
{
    const sim_tag_group wanted = {tag, tag, tag, tag};
    uint64_t found = 0;

    for (unsigned first = 0; first < count; first += SIM_TAGS_AT_ONCE)
        found |= (uint64_t)sim_group_matches(tags + first, wanted) << first;
    return found;
}

/* The first of the ways that hold the tag, or their number if none does. `stride`: their number, padding included. */
static inline unsigned sim_way_of(const uint32_t *tags, unsigned ways, unsigned stride, uint32_t tag)
{
    uint64_t found = 0;
    unsigned first = 0, way;

    /* The usual numbers are told apart for the compiler, which leaves no loop of them. */
    if (stride == 8)
        found = sim_tag_matches(tags, 8, tag);
    else if (stride == 4)
        found = sim_tag_matches(tags, 4, tag);
    else if (stride == 16)
        found = sim_tag_matches(tags, 16, tag);
    else
        for (; first < ways; first += 64) {
            found = sim_tag_matches(tags + first, stride - first < 64 ? stride - first : 64, tag);
            if (found != 0)
                break;
        }
    if (found == 0)
        return ways;
    way = first + (unsigned)__builtin_ctzll(found);
    return way < ways ? way : ways;
}

#endif
