/* Events by meaning, not by native name.
 *
 * A counter backend resolves an event to a native counter; a simulated
 * machine counts events itself. Names are a contract: they are what
 * `--event EVENT=NATIVE`, machine files and profiles use. */
#ifndef HWC_EVENT_H
#define HWC_EVENT_H

#include <stdbool.h>

enum hwc_event {
    HWC_L1D_LOAD_MISS, /* loads that miss the first data cache */
    HWC_L1D_STORE_MISS,
    HWC_L1D_MISS, /* loads and stores */
    HWC_L1I_MISS,
    HWC_L2_LOAD_MISS,
    HWC_L2_MISS,
    HWC_L2I_MISS,
    HWC_L3_LOAD_MISS,
    HWC_L3_MISS,
    HWC_L4_MISS,
    HWC_DTLB_MISS,  /* misses of the first data TLB */
    HWC_DTLB2_MISS, /* misses of the last data TLB: page walks */
    HWC_ITLB_MISS,
    HWC_ITLB2_MISS,
    HWC_L1D_WRITEBACK, /* dirty lines that the first data cache writes back */
    HWC_L2_WRITEBACK,
    HWC_L3_WRITEBACK,
    HWC_PAGE_FAULT, /* pages that the kernel had to map; a real counter on any Linux */
    HWC_MAJOR_FAULT, /* pages that the kernel had to bring back: misses of the memory that it keeps them in */
    HWC_EVENT_COUNT
};

#define HWC_NO_EVENT HWC_EVENT_COUNT

/* The name of a native counter, with its end. A longer one is refused, never cut: cut, it would name another counter or
 * none. AMD's have up to 152 characters (amd64_fam19h_zen4 and the umasks of its fills). */
enum { HWC_NATIVE_NAME = 256 };

/* The event's name, such as "l1d_load_miss". */
const char *hwc_event_name(enum hwc_event event);

/* What the event counts, in words. */
const char *hwc_event_summary(enum hwc_event event);

/* HWC_NO_EVENT when no event has the name. */
enum hwc_event hwc_event_by_name(const char *name);

/* The events that count data misses of a cache level (1 is nearest to the
 * core), best first: demand loads, then loads and stores together, then stores
 * alone (AMP's fallback, 3.1). Ends with HWC_NO_EVENT. */
const enum hwc_event *hwc_data_miss_events(unsigned level);

/* The event that counts the dirty lines that a cache level writes back; HWC_NO_EVENT if there is none. */
enum hwc_event hwc_writeback_event(unsigned level);

static inline bool hwc_is_writeback(enum hwc_event event)
{
    return event == HWC_L1D_WRITEBACK || event == HWC_L2_WRITEBACK || event == HWC_L3_WRITEBACK;
}

enum { HWC_MAX_CACHE_LEVEL = 4 };

#endif
