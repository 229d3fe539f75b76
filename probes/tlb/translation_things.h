/* Where the things of a walk lie whose misses translation.h asks for. */
#ifndef HWC_TRANSLATION_THINGS_H
#define HWC_TRANSLATION_THINGS_H

#include "translation.h"

/* `count` things alone, in a random order, in place of what translation->walk was. */
int hwc_append_things(struct hwc_translation *translation, uint64_t stride, size_t count, struct hwc_error *error);

/* The same, and what makes them miss the levels above; and translation->others, which leaves them no entry. */
int hwc_lay_out_things(struct hwc_translation *translation, uint64_t stride, size_t count, struct hwc_error *error);

/* Of visits, pages from here on belong to no thing. */
enum { HWC_FIRST_ASIDE = UINT8_MAX + 1 };

/* Append the n-th visit to a page. */
int hwc_append_visit(struct hwc_translation *translation, uint64_t at, size_t page, size_t n, struct hwc_error *error);

/* Append the n-th round of pages that evict all things from their set of the first level, in other sets of this. */
int hwc_append_round_of_evictors(struct hwc_translation *translation, size_t n, struct hwc_error *error);

#endif
