#include "tables.h"

#include <stddef.h>
#include <string.h>

#define DEMAND "demand"
#define RETIRED "retired demand loads"
#define FILLS "all fills, prefetches too"
#define VICTIMS "victims"

#define INTEL_RETIRED(pmu)                                              \
    {HWC_L1D_LOAD_MISS, pmu "::MEM_LOAD_RETIRED:L1_MISS", RETIRED},     \
    {HWC_L1D_MISS, pmu "::L1D:REPLACEMENT", FILLS},                     \
    {HWC_L2_LOAD_MISS, pmu "::MEM_LOAD_RETIRED:L2_MISS", RETIRED},      \
    {HWC_L2_LOAD_MISS, pmu "::L2_RQSTS:DEMAND_DATA_RD_MISS", DEMAND},   \
    {HWC_L3_LOAD_MISS, pmu "::MEM_LOAD_RETIRED:L3_MISS", RETIRED},      \
    {HWC_L3_MISS, pmu "::LONGEST_LAT_CACHE:MISS", FILLS},               \
    {HWC_DTLB2_MISS, pmu "::DTLB_LOAD_MISSES:WALK_COMPLETED", DEMAND},  \
    {HWC_ITLB2_MISS, pmu "::ITLB_MISSES:WALK_COMPLETED", DEMAND}

/* Write-backs of the first level are counted as the requests that it sends to the second. */
#define INTEL_BOTH_WRITEBACKS(pmu)                     \
    {HWC_L1D_WRITEBACK, pmu "::L2_TRANS:L1D_WB", VICTIMS}, \
    {HWC_L2_WRITEBACK, pmu "::L2_TRANS:L2_WB", VICTIMS}
#define INTEL_L2_WRITEBACK(pmu) {HWC_L2_WRITEBACK, pmu "::L2_TRANS:L2_WB", VICTIMS}

#define INTEL_UOPS(pmu)                                                   \
    {HWC_L1D_LOAD_MISS, pmu "::MEM_LOAD_UOPS_RETIRED:L1_MISS", RETIRED},  \
    {HWC_L1D_MISS, pmu "::L1D:REPLACEMENT", FILLS},                       \
    {HWC_L2_LOAD_MISS, pmu "::MEM_LOAD_UOPS_RETIRED:L2_MISS", RETIRED},   \
    {HWC_L3_LOAD_MISS, pmu "::MEM_LOAD_UOPS_RETIRED:L3_MISS", RETIRED},   \
    {HWC_L1I_MISS, pmu "::ICACHE:MISSES", DEMAND}

#define END {HWC_NO_EVENT, NULL, NULL}

static const struct ctr_native snb[] = {
    {HWC_L1D_MISS, "snb::L1D:REPLACEMENT", FILLS},
    {HWC_L2_LOAD_MISS, "snb::MEM_LOAD_UOPS_RETIRED:L3_HIT", "substitute: L2 misses that hit L3"},
    {HWC_L3_LOAD_MISS, "snb::MEM_LOAD_UOPS_MISC_RETIRED:LLC_MISS", RETIRED},
    {HWC_DTLB2_MISS, "snb::DTLB_LOAD_MISSES:WALK_COMPLETED", DEMAND},
    {HWC_L1I_MISS, "snb::ICACHE:MISSES", DEMAND},
    INTEL_BOTH_WRITEBACKS("snb"),
    END,
};
static const struct ctr_native ivb[] = {INTEL_UOPS("ivb"), INTEL_BOTH_WRITEBACKS("ivb"), END};
static const struct ctr_native hsw[] = {
    INTEL_UOPS("hsw"), INTEL_BOTH_WRITEBACKS("hsw"), {HWC_DTLB2_MISS, "hsw::DTLB_LOAD_MISSES:WALK_COMPLETED", DEMAND}, END};
static const struct ctr_native bdw[] = {
    INTEL_UOPS("bdw"), INTEL_BOTH_WRITEBACKS("bdw"), {HWC_DTLB2_MISS, "bdw::DTLB_LOAD_MISSES:WALK_COMPLETED", DEMAND}, END};
static const struct ctr_native skl[] = {
    INTEL_RETIRED("skl"), INTEL_L2_WRITEBACK("skl"), {HWC_L1I_MISS, "skl::ICACHE_64B:IFTAG_MISS", DEMAND}, END};
static const struct ctr_native skx[] = {
    INTEL_RETIRED("skx"), INTEL_L2_WRITEBACK("skx"), {HWC_L1I_MISS, "skx::ICACHE_64B:IFTAG_MISS", DEMAND}, END};
static const struct ctr_native clx[] = {
    INTEL_RETIRED("clx"), INTEL_L2_WRITEBACK("clx"), {HWC_L1I_MISS, "clx::ICACHE_64B:IFTAG_MISS", DEMAND}, END};
static const struct ctr_native icl[] = {
    INTEL_RETIRED("icl"), INTEL_L2_WRITEBACK("icl"), {HWC_L1I_MISS, "icl::ICACHE_64B:IFTAG_MISS", DEMAND}, END};
static const struct ctr_native icx[] = {
    INTEL_RETIRED("icx"), INTEL_L2_WRITEBACK("icx"), {HWC_L1I_MISS, "icx::ICACHE_64B:IFTAG_MISS", DEMAND}, END};
static const struct ctr_native spr[] = {
    INTEL_RETIRED("spr"), {HWC_L1I_MISS, "spr::FRONTEND_RETIRED:L1I_MISS", DEMAND}, END};

/* Emerald and Granite Rapids are Golden Cove and its successor: the retired
 * load events keep Sapphire Rapids' codes (Intel perfmon, EMR and GNR core). */
static const struct ctr_native golden_cove_raw[] = {
    {HWC_L1D_LOAD_MISS, "r08d1", RETIRED}, {HWC_L2_LOAD_MISS, "r10d1", RETIRED},
    {HWC_L2_LOAD_MISS, "r2124", DEMAND},   {HWC_L3_LOAD_MISS, "r20d1", RETIRED},
    {HWC_DTLB2_MISS, "r0e12", DEMAND},     END,
};

#define ZEN2_FILLS "amd64_fam17h_zen2::DATA_CACHE_REFILLS_FROM_SYSTEM"
static const struct ctr_native zen1[] = {
    {HWC_L2_MISS, "amd64_fam17h_zen1::CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", FILLS},
    END,
};
static const struct ctr_native zen2[] = {
    {HWC_L1D_MISS,
     ZEN2_FILLS ":MABRESP_LCL_L2:LS_MABRESP_LCL_CACHE:LS_MABRESP_LCL_DRAM:LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM",
     DEMAND},
    {HWC_L2_MISS, ZEN2_FILLS ":LS_MABRESP_LCL_CACHE:LS_MABRESP_LCL_DRAM:LS_MABRESP_RMT_CACHE:LS_MABRESP_RMT_DRAM",
     DEMAND},
    {HWC_L2_MISS, "amd64_fam17h_zen2::CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", FILLS},
    {HWC_L3_MISS, ZEN2_FILLS ":LS_MABRESP_LCL_DRAM:LS_MABRESP_RMT_DRAM", DEMAND},
    END,
};

#define ZEN3_FILLS "amd64_fam19h_zen3::DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM"
static const struct ctr_native zen3[] = {
    {HWC_L1D_MISS, ZEN3_FILLS ":LCL_L2:INT_CACHE:EXT_CACHE_LCL:MEM_IO_LCL:EXT_CACHE_RMT:MEM_IO_RMT", DEMAND},
    {HWC_L2_MISS, ZEN3_FILLS ":INT_CACHE:EXT_CACHE_LCL:MEM_IO_LCL:EXT_CACHE_RMT:MEM_IO_RMT", DEMAND},
    {HWC_L3_MISS, ZEN3_FILLS ":EXT_CACHE_LCL:MEM_IO_LCL:EXT_CACHE_RMT:MEM_IO_RMT", DEMAND},
    {HWC_L1I_MISS, "amd64_fam19h_zen3::IC_TAG_HIT_MISS:IC_MISS", DEMAND},
    END,
};

#define ZEN4_FILLS "amd64_fam19h_zen4::DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM"
#define ZEN4_FAR "NEAR_CACHE_NEAR_FAR:DRAM_IO_NEAR:FAR_CACHE_NEAR_FAR:DRAM_IO_FAR:ALT_MEM_NEAR_FAR"
static const struct ctr_native zen4[] = {
    {HWC_L1D_MISS, ZEN4_FILLS ":LCL_L2:LOCAL_CCX:" ZEN4_FAR, DEMAND},
    {HWC_L2_MISS, ZEN4_FILLS ":LOCAL_CCX:" ZEN4_FAR, DEMAND},
    {HWC_L3_MISS, ZEN4_FILLS ":" ZEN4_FAR, DEMAND},
    {HWC_L1I_MISS, "amd64_fam19h_zen4::IC_TAG_HIT_MISS:IC_MISS", DEMAND},
    END,
};

/* Zen 5: PMCx043, as in Zen 4 (AMD PPR for Family 1Ah, LsDmndFillsFromSys). */
static const struct ctr_native zen5_raw[] = {
    {HWC_L1D_MISS, "rdf43", DEMAND},
    {HWC_L2_MISS, "rde43", DEMAND},
    {HWC_L3_MISS, "rdc43", DEMAND},
    END,
};

#define NEOVERSE(pmu)                                              \
    {HWC_L1D_LOAD_MISS, pmu "::L1D_CACHE_REFILL_RD", FILLS},       \
    {HWC_L1D_MISS, pmu "::L1D_CACHE_REFILL", FILLS},               \
    {HWC_L2_LOAD_MISS, pmu "::L2D_CACHE_REFILL_RD", FILLS},        \
    {HWC_L2_MISS, pmu "::L2D_CACHE_REFILL", FILLS},                \
    {HWC_L3_LOAD_MISS, pmu "::LL_CACHE_MISS_RD", FILLS},           \
    {HWC_L1I_MISS, pmu "::L1I_CACHE_REFILL", FILLS},               \
    {HWC_DTLB_MISS, pmu "::L1D_TLB_REFILL_RD", DEMAND},            \
    {HWC_DTLB2_MISS, pmu "::DTLB_WALK", DEMAND},                   \
    {HWC_ITLB_MISS, pmu "::L1I_TLB_REFILL", DEMAND},               \
    {HWC_ITLB2_MISS, pmu "::ITLB_WALK", DEMAND},                   \
    {HWC_L1D_WRITEBACK, pmu "::L1D_CACHE_WB_VICTIM", VICTIMS},     \
    {HWC_L1D_WRITEBACK, pmu "::L1D_CACHE_WB", VICTIMS},            \
    {HWC_L2_WRITEBACK, pmu "::L2D_CACHE_WB_VICTIM", VICTIMS},      \
    {HWC_L2_WRITEBACK, pmu "::L2D_CACHE_WB", VICTIMS}

static const struct ctr_native arm_n1[] = {NEOVERSE("arm_n1"), END};
static const struct ctr_native arm_n2[] = {NEOVERSE("arm_n2"), END};
static const struct ctr_native arm_v1[] = {NEOVERSE("arm_v1"), END};
static const struct ctr_native arm_v2[] = {NEOVERSE("arm_v2"), END};
static const struct ctr_native arm_a64fx[] = {
    {HWC_L1D_MISS, "arm_a64fx::L1D_CACHE_REFILL_DM", DEMAND},
    {HWC_L2_MISS, "arm_a64fx::L2D_CACHE_REFILL_DM", DEMAND},
    {HWC_L1I_MISS, "arm_a64fx::L1I_CACHE_REFILL", FILLS},
    {HWC_DTLB_MISS, "arm_a64fx::L1D_TLB_REFILL", DEMAND},
    {HWC_DTLB2_MISS, "arm_a64fx::L2D_TLB_REFILL", DEMAND},
    {HWC_L1D_WRITEBACK, "arm_a64fx::L1D_CACHE_WB", VICTIMS},
    {HWC_L2_WRITEBACK, "arm_a64fx::L2D_CACHE_WB", VICTIMS},
    END,
};

static const struct ctr_native power9[] = {
    {HWC_L1D_LOAD_MISS, "power9::PM_LD_MISS_L1_FIN", DEMAND},
    {HWC_L1D_LOAD_MISS, "power9::PM_LD_MISS_L1", DEMAND},
    {HWC_L2_LOAD_MISS, "power9::PM_DATA_FROM_L2MISS", DEMAND},
    {HWC_L3_LOAD_MISS, "power9::PM_DATA_FROM_L3MISS", DEMAND},
    {HWC_L1I_MISS, "power9::PM_L1_ICACHE_MISS", DEMAND},
    {HWC_DTLB_MISS, "power9::PM_LSU_DERAT_MISS", DEMAND},
    {HWC_DTLB2_MISS, "power9::PM_DTLB_MISS", DEMAND},
    END,
};
static const struct ctr_native power10[] = {
    {HWC_L1D_LOAD_MISS, "power10::PM_LD_DEMAND_MISS_L1_FIN", DEMAND},
    {HWC_L1D_LOAD_MISS, "power10::PM_LD_MISS_L1", DEMAND},
    {HWC_L2_LOAD_MISS, "power10::PM_DATA_FROM_L2MISS", DEMAND},
    {HWC_L3_LOAD_MISS, "power10::PM_DATA_FROM_L3MISS", DEMAND},
    {HWC_L1I_MISS, "power10::PM_L1_ICACHE_MISS", DEMAND},
    {HWC_DTLB_MISS, "power10::PM_DERAT_MISS", DEMAND},
    {HWC_DTLB2_MISS, "power10::PM_DTLB_MISS", DEMAND},
    END,
};

/* Apple's cores under Linux (drivers/perf/apple_m1_cpu_pmu.c). */
static const struct ctr_native apple_raw[] = {
    {HWC_L1D_LOAD_MISS, "r00bf", RETIRED}, {HWC_L1D_LOAD_MISS, "r00a3", "speculative loads"},
    {HWC_L1I_MISS, "r00db", DEMAND},       {HWC_DTLB_MISS, "r00c1", RETIRED},
    {HWC_DTLB2_MISS, "r000b", DEMAND},     END,
};
/* SiFive's mhpmevent selectors (U74 manual, chapter on performance monitors). */
static const struct ctr_native sifive_raw[] = {
    {HWC_L1D_MISS, "r0202", DEMAND}, {HWC_L1I_MISS, "r0102", DEMAND}, {HWC_DTLB_MISS, "r1002", DEMAND}, END};

const struct ctr_family ctr_families[] = {
    {"snb", "x86", snb},
    {"ivb", "x86", ivb},
    {"hsw", "x86", hsw},
    {"bdw", "x86", bdw},
    {"skl", "x86", skl},
    {"skx", "x86", skx},
    {"clx", "x86", clx},
    {"icl", "x86", icl},
    {"icx", "x86", icx},
    {"spr", "x86", spr},
    {"emr", "raw", golden_cove_raw},
    {"gnr", "raw", golden_cove_raw},
    {"amd64_fam17h_zen1", "x86", zen1},
    {"amd64_fam17h_zen2", "x86", zen2},
    {"amd64_fam19h_zen3", "x86", zen3},
    {"amd64_fam19h_zen4", "x86", zen4},
    {"amd64_fam1ah_zen5", "raw", zen5_raw},
    {"arm_n1", "arm64", arm_n1},
    {"arm_n2", "arm64", arm_n2},
    {"arm_v1", "arm64", arm_v1},
    {"arm_v2", "arm64", arm_v2},
    {"arm_a64fx", "arm64", arm_a64fx},
    {"power9", "power", power9},
    {"power10", "power", power10},
    {"apple", "raw", apple_raw},
    {"sifive", "raw", sifive_raw},
    {NULL, NULL, NULL},
};

const struct ctr_family *ctr_family_by_name(const char *name)
{
    for (const struct ctr_family *family = ctr_families; name != NULL && family->name != NULL; family++)
        if (strcmp(family->name, name) == 0)
            return family;
    return NULL;
}
