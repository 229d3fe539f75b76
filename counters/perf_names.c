#include "perf_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_terms.h"
#include "tables.h"

#ifdef HWC_HAVE_PFM
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

static bool is_present(const char *family)
{
    pfm_pmu_info_t info = {.size = sizeof info};

    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
        info.size = sizeof info;
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && info.is_present && strcmp(info.name, family) == 0)
            return true;
    }
    return false;
}

const char *ctr_pfm_family(void)
{
    if (pfm_initialize() != PFM_SUCCESS)
        return NULL;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
        if (is_present(family->name))
            return family->name;
    return NULL;
}

static int encode_by_pfm(const char *native, struct perf_event_attr *attributes, struct hwc_error *error)
{
    pfm_perf_encode_arg_t argument = {.attr = attributes, .size = sizeof argument};
    int status = pfm_initialize();

    if (status == PFM_SUCCESS)
        status = pfm_get_os_event_encoding(native, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (status != PFM_SUCCESS)
        return hwc_fail(error, HWC_UNAVAILABLE, "libpfm4: %s", pfm_strerror(status));
    return HWC_OK;
}
#else
const char *ctr_pfm_family(void)
{
    return NULL;
}

static int encode_by_pfm(const char *native, struct perf_event_attr *attributes, struct hwc_error *error)
{
    (void)native;
    (void)attributes;
    return hwc_fail(error, HWC_UNAVAILABLE, "this hwchar was built without libpfm4 and knows no names");
}
#endif

#define CACHE(id, op, result) ((id) | (PERF_COUNT_HW_CACHE_OP_##op << 8) | (PERF_COUNT_HW_CACHE_RESULT_##result << 16))

/* As `perf list` spells them. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    enum hwc_event event;
} generic[] = {
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1D, READ, MISS), HWC_L1D_LOAD_MISS},
    {"L1-dcache-store-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1D, WRITE, MISS), HWC_L1D_STORE_MISS},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1I, READ, MISS), HWC_L1I_MISS},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_LL, READ, MISS), HWC_L3_LOAD_MISS},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_DTLB, READ, MISS), HWC_DTLB2_MISS},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_ITLB, READ, MISS), HWC_ITLB2_MISS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, HWC_PAGE_FAULT},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, HWC_PAGE_FAULT},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, HWC_NO_EVENT},
};

#define GENERIC (sizeof generic / sizeof generic[0])

const char *ctr_kernel_name(const char *family, enum hwc_event event, unsigned i)
{
    for (size_t k = 0; k < GENERIC; k++)
        if (ctr_counts_on(family, generic[k].name, generic[k].event) == event && i-- == 0)
            return generic[k].name;
    return NULL;
}

const char *ctr_generic_name(unsigned i)
{
    return i < GENERIC && generic[i].type == PERF_TYPE_HW_CACHE ? generic[i].name : NULL;
}

/* Where each kind of core has a PMU, the kernel takes a generic event for one of the first kind unless the upper half
 * of the code names the PMU's type (PERF_PMU_CAP_EXTENDED_HW_TYPE, since Linux 5.13). */
static bool encode_generic(const struct ctr_core_pmu *core, const char *native, struct perf_event_attr *attributes)
{
    for (size_t i = 0; i < GENERIC; i++)
        if (strcmp(native, generic[i].name) == 0) {
            attributes->type = generic[i].type;
            attributes->config = generic[i].config;
            if (attributes->type == PERF_TYPE_HW_CACHE)
                attributes->config |= ctr_extended_type(core);
            return true;
        }
    return false;
}

static bool encode_raw(const char *native, struct perf_event_attr *attributes)
{
    char *end = NULL;

    if (native[0] == 'r')
        attributes->config = strtoull(native + 1, &end, 16);
    return end != NULL && end != native + 1 && *end == '\0';
}

int ctr_encode(const struct ctr_core_pmu *core, const char *native, struct perf_event_attr *attributes,
               struct hwc_error *error)
{
    if (encode_generic(core, native, attributes))
        return HWC_OK;
    if (ctr_is_of_terms(native))
        return ctr_encode_terms(core, native, attributes, error);
    attributes->type = core->type;
    if (encode_raw(native, attributes))
        return HWC_OK;
    TRY(encode_by_pfm(native, attributes, error));
    if (attributes->type == PERF_TYPE_RAW)
        attributes->type = core->type;
    return HWC_OK;
}

int ctr_write_terms(const char *pmu, const struct perf_event_attr *attributes, char *text, size_t size)
{
    const struct {
        const char *name;
        unsigned long long bits;
    } terms[] = {{"config1", attributes->config1}, {"config2", attributes->config2}};
    size_t used = (size_t)snprintf(text, size, "%s/config=0x%llx", pmu, (unsigned long long)attributes->config);

    for (size_t i = 0; i < sizeof terms / sizeof terms[0] && used < size; i++)
        if (terms[i].bits != 0)
            used += (size_t)snprintf(text + used, size - used, ",%s=0x%llx", terms[i].name, terms[i].bits);
    return (int)used;
}
