/* Native counters that are known not to count what their name says. */
#include <stddef.h>
#include <string.h>

#include "tables.h"

static const struct {
    const char *family_prefix;
    const char *native_part;
    const char *why;
} errata[] = {
    {"amd64_fam17h", "32_BYTE_INSTRUCTION_CACHE", "PMCx080/081 count wrongly on all Family 17h and later (icl-utk-edu/papi#386)"},
    {"amd64_fam19h", "32_BYTE_INSTRUCTION_CACHE", "PMCx080/081 count wrongly on all Family 17h and later (icl-utk-edu/papi#386)"},
    {"amd64_fam1ah", "32_BYTE_INSTRUCTION_CACHE", "PMCx080/081 count wrongly on all Family 17h and later (icl-utk-edu/papi#386)"},
    {"amd64_fam17h", "PAPI_L1_ICM", "the preset maps to PMCx081, which counts wrongly (icl-utk-edu/papi#386)"},
    {"amd64_fam17h_zen2", "DATA_CACHE_ACCESSES", "counts 1.9 for each access (jimblandy/perf-event#50)"},
    {"snb_ep", "MEM_LOAD_UOPS_RETIRED:L3_MISS", "undercounts without the workaround of erratum BT241 (Intel 326512)"},
    {"snb_ep", "MEM_LOAD_UOPS_MISC_RETIRED:LLC_MISS", "undercounts (erratum BT241, Intel 326512)"},
    {"hsw", "MEM_LOAD_UOPS_RETIRED:L3_MISS", "may undercount (errata HSD25, HSM26)"},
    {"power10", "PM_INST_FROM_L1", "overcounts (icl-utk-edu/papi#252)"},
    {"arm_v3", "LL_CACHE_MISS_RD", "counts the second level there, not the system cache (facebookresearch/DCPerf#594)"},
};

const char *ctr_erratum(const char *family, const char *native)
{
    for (size_t i = 0; family != NULL && i < sizeof errata / sizeof errata[0]; i++)
        if (strncmp(family, errata[i].family_prefix, strlen(errata[i].family_prefix)) == 0 &&
            strstr(native, errata[i].native_part) != NULL)
            return errata[i].why;
    return NULL;
}
