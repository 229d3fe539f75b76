#include "table.h"

#include <stddef.h>

const struct hwc_probe *const hwc_probes[] = {
    &hwc_probe_page_size,
    &hwc_probe_data_cache,
    &hwc_probe_cache_latency,
    &hwc_probe_write_allocation,
    &hwc_probe_write_back,
    &hwc_probe_float_bypass,
    &hwc_probe_replacement,
    /* Last: a simulator of translated code is slower for all that it ever translated. */
    &hwc_probe_instruction_cache,
    &hwc_probe_tlb,
    &hwc_probe_tlb_replacement,
    &hwc_probe_page_sizes,
    &hwc_probe_sub_pages,
    &hwc_probe_unified,
    &hwc_probe_lower_instruction_cache,
    &hwc_probe_btb,
    NULL,
};
