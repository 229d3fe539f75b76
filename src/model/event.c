#include "event.h"

#include <string.h>

static const struct {
    const char *name;
    const char *summary;
} events[HWC_EVENT_COUNT] = {
    [HWC_L1D_LOAD_MISS] = {"l1d_load_miss", "loads that miss the first-level data cache"},
    [HWC_L1D_STORE_MISS] = {"l1d_store_miss", "stores that miss the first-level data cache"},
    [HWC_L1D_MISS] = {"l1d_miss", "loads and stores that miss the first-level data cache"},
    [HWC_L1I_MISS] = {"l1i_miss", "instruction fetches that miss the first-level instruction cache"},
    [HWC_L2_LOAD_MISS] = {"l2_load_miss", "loads that miss the second-level cache"},
    [HWC_L2_MISS] = {"l2_miss", "references that miss the second-level cache"},
    [HWC_L2I_MISS] = {"l2i_miss", "instruction fetches that miss the second-level cache"},
    [HWC_L3_LOAD_MISS] = {"l3_load_miss", "loads that miss the third-level cache"},
    [HWC_L3_MISS] = {"l3_miss", "references that miss the third-level cache"},
    [HWC_L4_MISS] = {"l4_miss", "references that miss the fourth-level cache"},
    [HWC_DTLB_MISS] = {"dtlb_miss", "data references that miss the first-level TLB"},
    [HWC_DTLB2_MISS] = {"dtlb2_miss", "data references that miss the last-level TLB and walk the page table"},
    [HWC_ITLB_MISS] = {"itlb_miss", "instruction fetches that miss the first-level TLB"},
    [HWC_ITLB2_MISS] = {"itlb2_miss", "instruction fetches that miss the last-level TLB"},
    [HWC_L1D_WRITEBACK] = {"l1d_writeback", "dirty lines that the first-level data cache writes back"},
    [HWC_L2_WRITEBACK] = {"l2_writeback", "dirty lines that the second-level cache writes back"},
    [HWC_L3_WRITEBACK] = {"l3_writeback", "dirty lines that the third-level cache writes back"},
    [HWC_PAGE_FAULT] = {"page_fault", "pages that the kernel had to map at first touch"},
    [HWC_MAJOR_FAULT] = {"major_fault", "pages that the kernel had to bring back from swap"},
};

const char *hwc_event_name(enum hwc_event event)
{
    return event < HWC_EVENT_COUNT ? events[event].name : "none";
}

const char *hwc_event_summary(enum hwc_event event)
{
    return event < HWC_EVENT_COUNT ? events[event].summary : "";
}

enum hwc_event hwc_event_by_name(const char *name)
{
    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        if (strcmp(name, events[i].name) == 0)
            return (enum hwc_event)i;
    return HWC_NO_EVENT;
}

const enum hwc_event *hwc_data_miss_events(unsigned level)
{
    static const enum hwc_event none[] = {HWC_NO_EVENT};
    static const enum hwc_event first[] = {HWC_L1D_LOAD_MISS, HWC_L1D_MISS, HWC_L1D_STORE_MISS, HWC_NO_EVENT};
    static const enum hwc_event second[] = {HWC_L2_LOAD_MISS, HWC_L2_MISS, HWC_NO_EVENT};
    static const enum hwc_event third[] = {HWC_L3_LOAD_MISS, HWC_L3_MISS, HWC_NO_EVENT};
    static const enum hwc_event fourth[] = {HWC_L4_MISS, HWC_NO_EVENT};
    static const enum hwc_event *const by_level[] = {none, first, second, third, fourth};

    return level < sizeof by_level / sizeof by_level[0] ? by_level[level] : none;
}

enum hwc_event hwc_writeback_event(unsigned level)
{
    static const enum hwc_event by_level[] = {HWC_NO_EVENT, HWC_L1D_WRITEBACK, HWC_L2_WRITEBACK, HWC_L3_WRITEBACK};

    return level < sizeof by_level / sizeof by_level[0] ? by_level[level] : HWC_NO_EVENT;
}
