/* Reading a counter without the kernel, from the page that it maps for it: the protocol of linux/perf_event.h.
 *
 * All that stands between start and stop is measured, too. So nothing is here that can be settled when the counter is
 * attached, and two readings are only subtracted when both are there. */
#ifndef HWC_COUNTERS_USER_PAGE_H
#define HWC_COUNTERS_USER_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "processor.h"

struct ctr_user_page {
    const struct perf_event_mmap_page *page; /* NULL: this counter cannot be read so */
    unsigned unused_bits;                    /* of 64, above those of the counter */
};

/* As it was read: what the kernel had counted until it last set the counter, and the counter itself. */
struct ctr_user_reading {
    int64_t offset;
    uint64_t counter;
};

/* By an instruction, a constant that the compiler puts in line. False if the counter is not on the PMU now: then
 * nothing was read. */
static inline __attribute__((always_inline)) bool ctr_read_page_by(uint64_t (*instruction)(uint32_t),
                                                                   const struct perf_event_mmap_page *page,
                                                                   struct ctr_user_reading *reading)
{
    const volatile uint32_t *lock = &page->lock;
    uint32_t sequence, index;

    do {
        sequence = *lock;
        __asm__ volatile("" ::: "memory");
        index = page->index;
        if (index == 0)
            return false;
        reading->offset = page->offset;
        reading->counter = instruction(index - 1);
        __asm__ volatile("" ::: "memory");
    } while (*lock != sequence);
    return true;
}

static inline int64_t ctr_signed(const struct ctr_user_page *user, uint64_t counter)
{
    return (int64_t)(counter << user->unused_bits) >> user->unused_bits;
}

static inline double ctr_counted_between(const struct ctr_user_page *user, const struct ctr_user_reading *begin,
                                         const struct ctr_user_reading *end)
{
    int64_t by_kernel = end->offset - begin->offset;

    return (double)(by_kernel + ctr_signed(user, end->counter) - ctr_signed(user, begin->counter));
}

#endif
