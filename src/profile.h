/* Profiles: all findings of one machine. Reports, comparisons and baselines
 * read this and nothing else. */
#ifndef HWC_PROFILE_H
#define HWC_PROFILE_H

#include "event.h"
#include "finding.h"
#include "host_record.h"
#include "lab.h"
#include "policy.h"
#include "qualify.h"

struct hwc_cache_profile {
    unsigned level;
    char policies[HWC_POLICY_NAMES]; /* that nothing tells from `replacement`, parted by spaces */
    struct hwc_finding line_size, size, associativity, latency, miss_penalty, effective_size, inclusion, replacement, write_allocate,
        write_back, unified, bypassed_by_float;
};

struct hwc_tlb_profile {
    unsigned level;
    bool code;  /* looked at by fetches, not by loads */
    bool large; /* by pages that were asked for as large ones */
    char policies[HWC_POLICY_NAMES]; /* that nothing tells from `replacement`, parted by spaces */
    struct hwc_finding page_size, entries, associativity, replacement, miss_penalty, unified, shared_by_page_sizes,
        sub_page_size;
};

static inline enum hwc_structure hwc_structure_of(const struct hwc_tlb_profile *tlb)
{
    return tlb->code ? hwc_code_tlb(tlb->level) : hwc_data_tlb(tlb->level);
}

#define HWC_MAX_TLBS 8

/* A level of branch target buffers, of those that time shows. */
struct hwc_btb_profile {
    struct hwc_finding entries, miss_penalty;
};

#define HWC_MAX_BTBS 3

struct hwc_profile {
    struct hwc_host host;
    char backend[32];
    char backend_reason[512]; /* why there are no counters; empty = there are, or none were asked for */
    unsigned events;
    struct hwc_event_record event[HWC_EVENT_COUNT];
    unsigned caches;
    struct hwc_cache_profile cache[HWC_MAX_CACHE_LEVEL];
    unsigned code_caches; /* instruction caches that hold no data */
    struct hwc_cache_profile code_cache[HWC_MAX_CACHE_LEVEL];
    unsigned tlbs;
    struct hwc_tlb_profile tlb[HWC_MAX_TLBS];
    unsigned btbs;
    struct hwc_btb_profile btb[HWC_MAX_BTBS];
    struct hwc_finding page_size, huge_page_size, effective_page_size, memory_latency, frequency;
    struct hwc_notes notes;
    bool interrupted;
};

#endif
