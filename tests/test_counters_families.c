/* Which family a CPU is of, and what is known of a family's counters besides its table. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core_pmu.h"
#include "identity.h"
#include "papi_alike.h"
#include "tables.h"

enum { CPUS = 10 };

/* A counter is known by its code too: where libpfm4 does not know the core, the code is all there is. */
static void errata_hold_for_codes(void **state)
{
    (void)state;
    assert_non_null(strstr(ctr_erratum("bdw", "bdw::MEM_LOAD_UOPS_RETIRED:L3_MISS"), "BDM100"));
    assert_non_null(strstr(ctr_erratum("bdw_ep", "r20d1"), "BDE70"));
    assert_non_null(strstr(ctr_erratum("snb_ep", "snb_ep::MEM_LOAD_UOPS_RETIRED:L3_MISS"), "BT241"));
    assert_non_null(ctr_erratum("arm_v3", "r37"));
    assert_null(ctr_erratum("skx", "r20d1"));
}

static void errata_name_their_source(void **state)
{
    (void)state;
    assert_non_null(strstr(ctr_erratum("amd64_fam17h_zen1", "PAPI_L1_ICM"), "papi#386"));
    assert_null(ctr_erratum("amd64_fam17h_zen2", "PAPI_L1_ICM")); /* its preset is another, and right */
    assert_non_null(ctr_erratum("amd64_fam1ah_zen5", "L1-icache-load-misses"));
    assert_null(ctr_erratum("skx", "skx::MEM_LOAD_RETIRED:L1_MISS"));
}

/* PAPI, where its libpfm4 does not know the CPU, counts codes by the names of a family alike. */
static void families_alike_name_the_codes(void **state)
{
    int families = 0;

    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
        const char *alike = ctr_family_alike(family->name);
        int named = 0;
        if (alike == NULL)
            continue;
        families++;
        assert_null(ctr_family_alike(alike));
        for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++)
            named += ctr_name_of_code(alike, native->raw) != NULL;
        assert_true(named >= 8);
    }
    assert_true(families >= 7);
    assert_string_equal(ctr_name_of_code("spr", "r10d1"), "spr::MEM_LOAD_RETIRED:L2_MISS");
    assert_null(ctr_name_of_code("spr", "r0000"));
    assert_null(ctr_family_alike("skx"));
    assert_null(ctr_family_alike(NULL));
}

static void presets_count_the_level_they_count(void **state)
{
    (void)state;
    assert_int_equal(ctr_counts_on("amd64_fam19h_zen4", "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_DTLB_MISS);
    assert_int_equal(ctr_counts_on("amd64_fam17h_zen1", "PAPI_TLB_IM", HWC_ITLB2_MISS), HWC_ITLB_MISS);
    assert_int_equal(ctr_counts_on("skx", "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_DTLB2_MISS);
    assert_int_equal(ctr_counts_on("arm_v2", "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_DTLB2_MISS);
    assert_int_equal(ctr_counts_on("arm_v2", "PAPI_TLB_IM", HWC_ITLB2_MISS), HWC_ITLB_MISS);
    assert_int_equal(ctr_counts_on("arm_a64fx", "PAPI_TLB_IM", HWC_ITLB2_MISS), HWC_ITLB2_MISS);
    assert_int_equal(ctr_counts_on("knl", "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_DTLB_MISS);
    assert_int_equal(ctr_counts_on("arm_ac76", "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_NO_EVENT);
    assert_int_equal(ctr_counts_on("arm_n1", "dTLB-load-misses", HWC_DTLB2_MISS), HWC_DTLB_MISS);
    assert_int_equal(ctr_counts_on("armv8", "iTLB-load-misses", HWC_ITLB2_MISS), HWC_ITLB_MISS);
    assert_int_equal(ctr_counts_on("icx", "dTLB-load-misses", HWC_DTLB2_MISS), HWC_DTLB2_MISS);
    assert_int_equal(ctr_counts_on("amd64_fam19h_zen4", "dTLB-load-misses", HWC_DTLB2_MISS), HWC_DTLB2_MISS);
    assert_int_equal(ctr_counts_on("amd64_fam19h_zen4", "PAPI_L1_DCM", HWC_L1D_MISS), HWC_L1D_MISS);
    assert_int_equal(ctr_counts_on(NULL, "PAPI_TLB_DM", HWC_DTLB2_MISS), HWC_DTLB2_MISS);
}

#define X86(vendor, family, model, stepping) \
    "processor\t: 0\nvendor_id\t: " vendor "\ncpu family\t: " family "\nmodel\t\t: " model \
    "\nmodel name\t: a name\nstepping\t: " stepping "\n\n"
#define ARM(implementer, part) \
    "processor\t: 0\nBogoMIPS\t: 100.00\nCPU implementer\t: " implementer \
    "\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: " part "\nCPU revision\t: 1\n\n"

static void identify(const char *text, struct ctr_identity *identities, int cpus)
{
    char copy[1024];
    FILE *cpuinfo;

    snprintf(copy, sizeof copy, "%s", text);
    cpuinfo = fmemopen(copy, strlen(copy), "r");
    assert_non_null(cpuinfo);
    ctr_read_identities(cpuinfo, identities, cpus);
    fclose(cpuinfo);
}

static const char *family_of(const char *text, int cpu, const char *pmu)
{
    struct ctr_identity identities[CPUS];
    const char *name;

    identify(text, identities, CPUS);
    name = ctr_identified(&identities[cpu], pmu);
    if (name != NULL)
        assert_non_null(ctr_family_by_name(name));
    return name;
}

static void a_cpu_is_known_by_what_the_kernel_says(void **state)
{
    static const struct {
        const char *text, *pmu, *family;
    } cases[] = {
        {X86("GenuineIntel", "6", "45", "7"), "cpu", "snb_ep"},
        {X86("GenuineIntel", "6", "62", "4"), "cpu", "ivb_ep"},
        {X86("GenuineIntel", "6", "63", "2"), "cpu", "hsw_ep"},
        {X86("GenuineIntel", "6", "79", "1"), "cpu", "bdw_ep"},
        {X86("GenuineIntel", "6", "85", "4"), "cpu", "skx"},
        {X86("GenuineIntel", "6", "85", "7"), "cpu", "clx"},
        {X86("GenuineIntel", "6", "87", "1"), "cpu", "knl"},
        {X86("GenuineIntel", "6", "143", "8"), "cpu", "spr"},
        {X86("GenuineIntel", "6", "207", "2"), "cpu", "emr"},
        {X86("GenuineIntel", "6", "173", "1"), "cpu", "gnr"},
        {X86("GenuineIntel", "6", "175", "3"), "cpu", "srf"},
        {X86("GenuineIntel", "6", "151", "2"), "cpu_core", "adl_glc"},
        {X86("GenuineIntel", "6", "151", "2"), "cpu_atom", "adl_grt"},
        {X86("GenuineIntel", "6", "183", "1"), "cpu_atom", "adl_grt"},
        {X86("GenuineIntel", "6", "170", "4"), "cpu_atom", "mtl_cmt"},
        {X86("GenuineIntel", "6", "189", "1"), "cpu_core", "lnl_lnc"},
        {X86("GenuineIntel", "6", "197", "1"), "cpu_lowpower", "mtl_cmt"},
        {X86("GenuineIntel", "6", "1", "1"), "cpu", NULL},
        {X86("GenuineIntel", "15", "45", "1"), "cpu", NULL},
        {X86("AuthenticAMD", "23", "1", "2"), "cpu", "amd64_fam17h_zen1"},
        {X86("HygonGenuine", "24", "1", "1"), "cpu", "amd64_fam17h_zen1"},
        {X86("AuthenticAMD", "23", "49", "0"), "cpu", "amd64_fam17h_zen2"},
        {X86("AuthenticAMD", "25", "1", "1"), "cpu", "amd64_fam19h_zen3"},
        {X86("AuthenticAMD", "25", "17", "1"), "cpu", "amd64_fam19h_zen4"},
        {X86("AuthenticAMD", "26", "2", "1"), "cpu", "amd64_fam1ah_zen5"},
        {X86("AuthenticAMD", "26", "80", "0"), "cpu", NULL}, /* Zen 6 */
        {ARM("0x41", "0xd0c"), "armv8_pmuv3_0", "arm_n1"},
        {ARM("0x41", "0xd40"), "armv8_pmuv3_0", "arm_v1"},
        {ARM("0x41", "0xd84"), "armv8_pmuv3_0", "arm_v3"},
        {ARM("0x6d", "0xd49"), "armv8_pmuv3_0", "arm_n2"},
        {ARM("0x46", "0x001"), "armv8_pmuv3_0", "arm_a64fx"},
        {ARM("0xc0", "0xac3"), "armv8_pmuv3_0", "armv8"}, /* AmpereOne */
        {ARM("0x61", "0x022"), "apple_icestorm_pmu", "apple"},
        {"processor\t: 0\nhart\t: 1\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n", "cpu", "sifive_u74"},
        {"", "cpu", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *family = family_of(cases[i].text, 0, cases[i].pmu);
        if (cases[i].family == NULL ? family != NULL : family == NULL || strcmp(family, cases[i].family) != 0)
            fail_msg("%s should be %s, not %s", cases[i].text, cases[i].family, family);
    }
}

static void each_core_has_its_own_family(void **state)
{
    static const char big_little[] = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n"
                                     "processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n";

    (void)state;
    assert_string_equal(family_of(big_little, 0, "armv8_cortex_a53"), "arm_ac53");
    assert_string_equal(family_of(big_little, 4, "armv8_cortex_a72"), "arm_ac72");
    assert_string_equal(family_of(big_little, 9, "armv8_cortex_a53"), "arm_ac53");
}

/* Nothing is written behind the last that is asked for, and no CPU keeps what was there. */
static void cpus_that_are_not_told_are_as_the_first(void **state)
{
    static const char third_of_four[] = "Hardware\t: a board\n\nprocessor\t: 2\nCPU part\t: 0xd08\n"
                                        "CPU implementer\t: 0x41\n\nprocessor\t: 3\nCPU implementer\t: 0x48\n";
    struct ctr_identity identities[4];

    (void)state;
    memset(identities, -1, sizeof identities);
    identify(third_of_four, identities, 3);
    for (int cpu = 0; cpu < 3; cpu++) {
        assert_int_equal(identities[cpu].implementer, 0x41);
        assert_int_equal(identities[cpu].part, 0xd08);
    }
    assert_int_equal(identities[3].implementer, UINT_MAX);
    ctr_read_identities(NULL, identities, 1);
    assert_int_equal(identities[0].implementer, 0);
}

/* The kernel asks each CPU for what it says of it. */
static void what_is_said_of_further_cpus_is_not_read(void **state)
{
    char three[] = "processor\t: 0\nCPU part\t: 0xd03\nCPU implementer\t: 0x41\n\n"
                   "processor\t: 1\nCPU part\t: 0xd08\n\nprocessor\t: 2\nCPU part\t: 0xd08\n";
    FILE *cpuinfo = fmemopen(three, sizeof three - 1, "r");
    struct ctr_identity identity;

    (void)state;
    assert_non_null(cpuinfo);
    ctr_read_identities(cpuinfo, &identity, 1);
    assert_int_equal(identity.part, 0xd03);
    assert_int_equal(fgetc(cpuinfo), 'C');
    fclose(cpuinfo);
}

static void a_cpu_is_found_in_a_list(void **state)
{
    (void)state;
    assert_true(ctr_holds_cpu("0-3,8\n", 3));
    assert_true(ctr_holds_cpu("0-3,8", 8));
    assert_false(ctr_holds_cpu("0-3,8", 4));
    assert_false(ctr_holds_cpu("", 0));
    assert_false(ctr_holds_cpu("none", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_is_found_in_a_list),
        cmocka_unit_test(families_alike_name_the_codes),
        cmocka_unit_test(errata_name_their_source),
        cmocka_unit_test(errata_hold_for_codes),
        cmocka_unit_test(presets_count_the_level_they_count),
        cmocka_unit_test(a_cpu_is_known_by_what_the_kernel_says),
        cmocka_unit_test(each_core_has_its_own_family),
        cmocka_unit_test(cpus_that_are_not_told_are_as_the_first),
        cmocka_unit_test(what_is_said_of_further_cpus_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
