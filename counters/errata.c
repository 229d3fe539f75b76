/* Native counters that are known not to count what their name says. A family is meant when its name begins with the
 * row's: "amd64_fam17h" means Zen 1 and Zen 2. A counter is meant by a part of its name or by its raw code. */
#include <stddef.h>
#include <string.h>

#include "tables.h"

#define ZEN_FETCHES "PMCx080/081 count wrongly on all Family 17h and later (icl-utk-edu/papi#386)"
#define ZEN_GENERIC "the kernel counts PMCx081 for it, which counts wrongly on Zen (icl-utk-edu/papi#386)"
#define HASWELL_L3 "may undercount (errata HSD25, HSM26, HSD74)"
#define BROADWELL_L3 "may undercount (errata BDM100, BDE70)"

static const struct {
    const char *family;
    const char *name_part;
    const char *raw; /* NULL: it is not in the tables */
    const char *why;
} errata[] = {
    {"amd64_fam17h", "32_BYTE_INSTRUCTION_CACHE", "r81", ZEN_FETCHES},
    {"amd64_fam19h", "32_BYTE_INSTRUCTION_CACHE", "r81", ZEN_FETCHES},
    {"amd64_fam1ah", "32_BYTE_INSTRUCTION_CACHE", "r81", ZEN_FETCHES},
    {"amd64_fam17h", "L1-icache-load-misses", NULL, ZEN_GENERIC},
    {"amd64_fam19h", "L1-icache-load-misses", NULL, ZEN_GENERIC},
    {"amd64_fam1ah", "L1-icache-load-misses", NULL, ZEN_GENERIC},
    {"amd64_fam17h_zen1", "PAPI_L1_ICM", NULL,
     "the preset maps to PMCx081, which counts wrongly (icl-utk-edu/papi#386)"},
    {"amd64_fam17h_zen2", "DATA_CACHE_ACCESSES", NULL, "counts 1.9 for each access (jimblandy/perf-event#50)"},
    {"snb_ep", "MEM_LOAD_UOPS_RETIRED:L3_MISS", "r20d1",
     "undercounts without the workaround of erratum BT241 (Intel 326512)"},
    {"hsw", "MEM_LOAD_UOPS_RETIRED:L3_MISS", "r20d1", HASWELL_L3},
    {"hsw", "PAPI_L3_LDM", NULL, HASWELL_L3},
    {"bdw", "MEM_LOAD_UOPS_RETIRED:L3_MISS", "r20d1", BROADWELL_L3},
    {"bdw", "PAPI_L3_LDM", NULL, BROADWELL_L3},
    {"arm_v3", "LL_CACHE_MISS_RD", "r37",
     "counts the second level there, not the system cache (facebookresearch/DCPerf#594)"},
};

const char *ctr_erratum(const char *family, const char *native)
{
    for (size_t i = 0; family != NULL && i < sizeof errata / sizeof errata[0]; i++)
        if (ctr_is_of(family, errata[i].family) &&
            (strstr(native, errata[i].name_part) != NULL ||
             (errata[i].raw != NULL && strcmp(native, errata[i].raw) == 0)))
            return errata[i].why;
    return NULL;
}
