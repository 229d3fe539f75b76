/* Every probe, declared for the table and for those that need another. */
#ifndef HWC_PROBES_TABLE_H
#define HWC_PROBES_TABLE_H

#include "probe.h"

extern const struct hwc_probe hwc_probe_page_size;
extern const struct hwc_probe hwc_probe_data_cache;
extern const struct hwc_probe hwc_probe_cache_latency;
extern const struct hwc_probe hwc_probe_write_allocation;
extern const struct hwc_probe hwc_probe_write_back;
extern const struct hwc_probe hwc_probe_float_bypass;
extern const struct hwc_probe hwc_probe_replacement;
extern const struct hwc_probe hwc_probe_instruction_cache;
extern const struct hwc_probe hwc_probe_lower_instruction_cache;
extern const struct hwc_probe hwc_probe_btb;
extern const struct hwc_probe hwc_probe_sub_pages;
extern const struct hwc_probe hwc_probe_tlb;
extern const struct hwc_probe hwc_probe_tlb_replacement;
extern const struct hwc_probe hwc_probe_page_sizes;
extern const struct hwc_probe hwc_probe_unified;

#endif
