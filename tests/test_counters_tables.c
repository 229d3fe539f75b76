/* The event tables against what others say: libpfm4 encodes each name to the code beside it, each code is in its
 * family's event file (event_facts/), and each event of those files that counts what we ask for is in the tables, or
 * there is a reason why not. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "identity.h"
#include "papi_alike.h"
#include "tables.h"

#ifdef HWC_HAVE_PFM
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

static const struct fact {
    uint64_t code, config1;
    const char *name;
    enum hwc_event event; /* HWC_NO_EVENT: it is not used */
    const char *why_not;
    const char *documents; /* separated by blanks */
} facts[] = {
#define FACT(code, config1, name, event, documents) {code, config1, name, HWC_##event, NULL, documents},
#define UNUSED(code, config1, name, why_not, documents) {code, config1, name, HWC_NO_EVENT, why_not, documents},
#include "event_facts/amd.def"
#include "event_facts/arm.def"
#include "event_facts/intel.def"
#include "event_facts/other.def"
};

enum { FACTS = sizeof facts / sizeof facts[0] };

static bool is_in(const char *documents, const char *document)
{
    size_t length = strlen(document);

    for (const char *at = strstr(documents, document); at != NULL; at = strstr(at + 1, document))
        if ((at == documents || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* "r08d1", or "cpu/event=0xc6,umask=0x01,config1=0x12/". */
static void codes(const struct ctr_native *native, uint64_t *code, uint64_t *config1)
{
    unsigned event, umask, value;
    char *end;

    *config1 = 0;
    assert_non_null(native->raw);
    if (sscanf(native->raw, "%*[a-z_]/event=%x,umask=%x,config1=%x/", &event, &umask, &value) == 3) {
        *code = event | umask << 8;
        *config1 = value;
        return;
    }
    assert_int_equal(native->raw[0], 'r');
    *code = strtoull(native->raw + 1, &end, 16);
    assert_true(*end == '\0' && end != native->raw + 1);
}

/* Umasks of one event that count together what none counts alone: each must be in the document. */
static bool is_union(const char *document, uint64_t code)
{
    const uint64_t umasks = 0xff00;
    uint64_t found = 0;
    int parts = 0;

    for (int i = 0; i < FACTS; i++)
        if (facts[i].config1 == 0 && (facts[i].code & ~umasks) == (code & ~umasks) &&
            (facts[i].code & umasks & ~code) == 0 && is_in(facts[i].documents, document)) {
            found |= facts[i].code & umasks;
            parts++;
        }
    return parts > 1 && found == (code & umasks);
}

static bool is_documented(const struct ctr_family *family, const struct ctr_native *native)
{
    uint64_t code, config1;

    codes(native, &code, &config1);
    for (int i = 0; i < FACTS; i++)
        if (facts[i].event == native->event && facts[i].code == code && facts[i].config1 == config1 &&
            is_in(facts[i].documents, family->document))
            return true;
    return config1 == 0 && is_union(family->document, code);
}

static void every_code_is_in_its_document(void **state)
{
    int missing = 0;

    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
        for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++)
            if (!is_documented(family, native)) {
                print_error("%s: %s for %s is not in %s\n", family->name, native->raw, hwc_event_name(native->event),
                            family->document);
                missing++;
            }
    assert_int_equal(missing, 0);
}

static bool is_in_table(const struct ctr_family *family, const struct fact *fact)
{
    uint64_t code, config1;

    for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++) {
        codes(native, &code, &config1);
        if (native->event == fact->event && code == fact->code && config1 == fact->config1)
            return true;
    }
    return false;
}

static void every_event_of_a_document_is_in_the_tables(void **state)
{
    int missing = 0;

    (void)state;
    for (int i = 0; i < FACTS; i++) {
        int families = 0;
        for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
            if (!is_in(facts[i].documents, family->document))
                continue;
            families++;
            if (facts[i].event != HWC_NO_EVENT && !is_in_table(family, &facts[i])) {
                print_error("%s: %s (%s, %s) is not in the table\n", family->name, facts[i].name,
                            hwc_event_name(facts[i].event), family->document);
                missing++;
            }
        }
        assert_true(families > 0);
        assert_true(facts[i].event != HWC_NO_EVENT || facts[i].why_not[0] != '\0');
    }
    assert_int_equal(missing, 0);
}

static bool alike(const char *a, const char *b)
{
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        a++, b++;
    return *a == '\0' && *b == '\0';
}

/* Debian's libpfm4 has no Arm tables on other architectures; its names are those of the manuals. */
static void arm_names_are_the_manuals(void **state)
{
    int checked = 0;

    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
        for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++) {
            const char *name = native->listed != NULL ? native->listed : native->native;
            const char *colons = name != NULL ? strstr(name, "::") : NULL;
            uint64_t code, config1;
            bool found = false;
            if (strcmp(family->architecture, "aarch64") != 0 || name == NULL)
                continue;
            codes(native, &code, &config1);
            for (int i = 0; i < FACTS; i++)
                found |= facts[i].code == code && is_in(facts[i].documents, family->document) &&
                         alike(facts[i].name, colons != NULL ? colons + 2 : name);
            if (!found)
                fail_msg("%s: %s is not %s", family->name, name, native->raw);
            checked++;
        }
    assert_true(checked > 100);
}

static void families_are_complete(void **state)
{
    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
        bool first_level = false;
        assert_ptr_equal(ctr_family_by_name(family->name), family);
        for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++) {
            first_level |= native->event == HWC_L1D_LOAD_MISS || native->event == HWC_L1D_MISS;
            assert_in_range(strlen(native->quality), 1, 40);
            if (native->native != NULL) /* of this family's PMU, whole */
                assert_true(strncmp(native->native, family->name, strlen(family->name)) == 0 &&
                            strncmp(native->native + strlen(family->name), "::", 2) == 0);
        }
        assert_true(first_level);
    }
}

#if defined(HWC_HAVE_PFM) && defined(__x86_64__)
static bool knows(const char *pmu)
{
    pfm_pmu_info_t info;

    for (int i = 0; i < PFM_PMU_MAX; i++) {
        memset(&info, 0, sizeof info);
        info.size = sizeof info;
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && strcmp(info.name, pmu) == 0)
            return true;
    }
    return false;
}

static int encode_name(const struct ctr_native *native)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    pfm_perf_encode_arg_t argument = {.attr = &attributes, .size = sizeof argument};
    int status = pfm_get_os_event_encoding(native->native, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    uint64_t code, config1;

    codes(native, &code, &config1);
    if (status == PFM_SUCCESS && attributes.config == code && attributes.config1 == config1)
        return 0;
    print_error("%s: %s, but 0x%llx, 0x%llx (%s)\n", native->native, native->raw,
                (unsigned long long)attributes.config, (unsigned long long)attributes.config1, pfm_strerror(status));
    return 1;
}

/* libpfm4 reads LIBPFM_FORCE_PMU once, so each family is checked in a process of its own. */
static int check_family(const struct ctr_family *family)
{
    const int unknown = 100;
    int faults = 0;

    setenv("LIBPFM_FORCE_PMU", family->name, 1);
    if (pfm_initialize() != PFM_SUCCESS)
        return 99;
    if (!knows(family->name))
        return unknown;
    for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++)
        faults += native->native != NULL ? encode_name(native) : 0;
    return faults;
}

static void libpfm4_encodes_every_name_to_its_code(void **state)
{
    int checked = 0;

    (void)state;
    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
        int status = 0;
        pid_t child;
        if (strcmp(family->architecture, "x86_64") != 0)
            continue; /* Debian's library has the tables of its own architecture only */
        child = fork();
        if (child == 0)
            _exit(check_family(family));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == 100) {
            print_message("%s: this libpfm4 has no table for it; its codes alone are used\n", family->name);
            continue;
        }
        if (WEXITSTATUS(status) != 0)
            fail_msg("%s: names that libpfm4 does not encode to their codes", family->name);
        checked++;
    }
    assert_true(checked >= 19); /* as many as 4.13 knows */
}
#endif

static void errata_name_their_source(void **state)
{
    (void)state;
    assert_non_null(strstr(ctr_erratum("amd64_fam17h_zen1", "PAPI_L1_ICM"), "papi#386"));
    assert_null(ctr_erratum("amd64_fam17h_zen2", "PAPI_L1_ICM")); /* its preset is another, and right */
    assert_non_null(ctr_erratum("amd64_fam1ah_zen5", "L1-icache-load-misses"));
    assert_null(ctr_erratum("skx", "skx::MEM_LOAD_RETIRED:L1_MISS"));
}

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

static const char *family_of(const char *text, int cpu, const char *pmu)
{
    struct ctr_identity identity;
    char copy[1024];
    FILE *cpuinfo;
    const char *name;

    snprintf(copy, sizeof copy, "%s", text);
    cpuinfo = fmemopen(copy, strlen(copy), "r");
    assert_non_null(cpuinfo);
    ctr_read_identity(cpuinfo, cpu, &identity);
    fclose(cpuinfo);
    name = ctr_identified(&identity, pmu);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_in_its_document),
        cmocka_unit_test(every_event_of_a_document_is_in_the_tables),
        cmocka_unit_test(arm_names_are_the_manuals),
        cmocka_unit_test(families_are_complete),
#if defined(HWC_HAVE_PFM) && defined(__x86_64__)
        cmocka_unit_test(libpfm4_encodes_every_name_to_its_code),
#endif
        cmocka_unit_test(families_alike_name_the_codes),
        cmocka_unit_test(errata_name_their_source),
        cmocka_unit_test(errata_hold_for_codes),
        cmocka_unit_test(presets_count_the_level_they_count),
        cmocka_unit_test(a_cpu_is_known_by_what_the_kernel_says),
        cmocka_unit_test(each_core_has_its_own_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
