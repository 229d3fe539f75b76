#include <stddef.h>
#include <string.h>

#include "tables.h"

/* Where a counter that is named for a TLB counts otherwise than the last level's misses: the definitions in PAPI's
 * papi_events.csv (7.0 to 7.2) and the kernel's armv8_pmuv3_perf_cache_map. Zen's presets add hits and misses of the
 * second level, that is misses of the first; Knights Landing's counts the micro TLB. */
static const struct {
    const char *family;
    const char *name;
    enum hwc_event counts;
} first_levels[] = {
    {"amd64_fam17h", "PAPI_TLB_DM", HWC_DTLB_MISS}, {"amd64_fam17h", "PAPI_TLB_IM", HWC_ITLB_MISS},
    {"amd64_fam19h", "PAPI_TLB_DM", HWC_DTLB_MISS}, {"amd64_fam19h", "PAPI_TLB_IM", HWC_ITLB_MISS},
    {"amd64_fam1ah", "PAPI_TLB_DM", HWC_DTLB_MISS}, {"amd64_fam1ah", "PAPI_TLB_IM", HWC_ITLB_MISS},
    {"knl", "PAPI_TLB_DM", HWC_DTLB_MISS},          {"knm", "PAPI_TLB_DM", HWC_DTLB_MISS},
    {"arm_v2", "PAPI_TLB_IM", HWC_ITLB_MISS},       {"arm_ac53", "PAPI_TLB_DM", HWC_DTLB_MISS},
    {"arm_ac53", "PAPI_TLB_IM", HWC_ITLB_MISS},     {"arm_ac76", "PAPI_TLB_DM", HWC_NO_EVENT},
    {"arm_ac76", "PAPI_TLB_IM", HWC_ITLB_MISS},     {"arm", "dTLB-load-misses", HWC_DTLB_MISS},
    {"arm", "iTLB-load-misses", HWC_ITLB_MISS},
};

enum hwc_event ctr_counts_on(const char *family, const char *name, enum hwc_event event)
{
    for (size_t i = 0; family != NULL && i < sizeof first_levels / sizeof first_levels[0]; i++)
        if (ctr_is_of(family, first_levels[i].family) &&
            strcmp(name, first_levels[i].name) == 0)
            return first_levels[i].counts;
    return event;
}
