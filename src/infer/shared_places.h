/* Which places (line offsets) of a page share sets, where each answer may be wrong?
 *
 * A set index is made of exclusive ors of address bits, hashed or not, so that the
 * places that share sets with the first one are a group under exclusive or, and
 * their number a power of two. Each answer makes such groups more likely or less;
 * what to ask next is what leaves most open, so that a wrong answer costs a few
 * more, and no place needs to be certain by itself. Pure. */
#ifndef HWC_SHARED_PLACES_H
#define HWC_SHARED_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum { HWC_MOST_PLACES = 1024 };

struct hwc_shared_places {
    size_t places; /* of a page; a power of two */
    unsigned asked[HWC_MOST_PLACES], shared[HWC_MOST_PLACES];
    bool left_out[HWC_MOST_PLACES];
};

/* Nothing is known yet but that place 0 shares sets with itself. `places` is a power of two, at most HWC_MOST_PLACES. */
void hwc_shared_places_begin(struct hwc_shared_places *count, size_t places);

/* Never ask this place: what it would say is not of sets alone. */
void hwc_shared_places_leave_out(struct hwc_shared_places *count, size_t place);

/* The place to ask next, from 1 on; 0 = the number is decided. */
size_t hwc_shared_places_next(const struct hwc_shared_places *count);

/* Lines at this place seemed to share sets with those at place 0, or not. */
void hwc_shared_places_learn(struct hwc_shared_places *count, size_t place, bool shared);

/* How many places share sets, by what was learnt so far; at least 1. *side_by_side, may be NULL: so many of them from the
 * first one on. */
size_t hwc_shared_places_likely(const struct hwc_shared_places *count, size_t *side_by_side);

#endif
