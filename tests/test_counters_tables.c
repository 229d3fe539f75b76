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

#include "parts.h"
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

/* Their umasks are ORed. */
static const struct sum {
    enum hwc_event event;
    const char *name, *parts, *documents;
} sums[] = {
#define SUM(event, name, parts, documents) {HWC_##event, name, parts, documents},
#define ADDED(event, first, second, documents)
#include "event_facts/sums.def"
#undef SUM
#undef ADDED
};

enum { SUMS = sizeof sums / sizeof sums[0] };

static const struct added {
    enum hwc_event event;
    uint64_t first, second;
    const char *documents;
} added[] = {
#define SUM(event, name, parts, documents)
#define ADDED(event, first, second, documents) {HWC_##event, first, second, documents},
#include "event_facts/sums.def"
};

enum { ADDEDS = sizeof added / sizeof added[0] };

static bool is_in(const char *documents, const char *document)
{
    size_t length = strlen(document);

    for (const char *at = strstr(documents, document); at != NULL; at = strstr(at + 1, document))
        if ((at == documents || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* "r08d1", or "cpu/event=0xc6,umask=0x01,config1=0x12/". */
static void codes_of(const char *raw, uint64_t *code, uint64_t *config1)
{
    unsigned event, umask, value;
    char *end;

    *config1 = 0;
    if (sscanf(raw, "%*[a-z_]/event=%x,umask=%x,config1=%x/", &event, &umask, &value) == 3) {
        *code = event | umask << 8;
        *config1 = value;
        return;
    }
    assert_int_equal(raw[0], 'r');
    *code = strtoull(raw + 1, &end, 16);
    assert_true(*end == '\0' && end != raw + 1);
}

/* Of a native counter that is no sum of two. */
static void codes(const struct ctr_native *native, uint64_t *code, uint64_t *config1)
{
    assert_non_null(native->raw);
    codes_of(native->raw, code, config1);
}

static bool is_of_two(const struct ctr_native *native, uint64_t code[2])
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME];
    uint64_t config1;

    if (ctr_parts(native->raw, part) != 2)
        return false;
    for (int i = 0; i < 2; i++) {
        codes_of(part[i], &code[i], &config1);
        assert_int_equal(config1, 0);
    }
    return true;
}

static bool adds_up(const struct ctr_native *native, const struct added *two)
{
    uint64_t code[2];

    return native->event == two->event && is_of_two(native, code) && code[0] == two->first && code[1] == two->second;
}

static uint64_t code_of(const char *document, const char *event, const char *part, size_t length)
{
    char name[128];

    snprintf(name, sizeof name, "%s.%.*s", event, (int)length, part);
    for (int i = 0; i < FACTS; i++)
        if (strcmp(facts[i].name, name) == 0 && is_in(facts[i].documents, document))
            return facts[i].code;
    fail_msg("%s has no %s", document, name);
    return 0;
}

static uint64_t code_of_sum(const struct sum *sum, const char *document)
{
    uint64_t code = 0;

    for (const char *part = sum->parts; *part != '\0'; part += strspn(part, " ")) {
        size_t length = strcspn(part, " ");
        code |= code_of(document, sum->name, part, length);
        part += length;
    }
    return code;
}

static bool is_sum(const char *document, enum hwc_event event, uint64_t code)
{
    for (int i = 0; i < SUMS; i++)
        if (sums[i].event == event && is_in(sums[i].documents, document) && code_of_sum(&sums[i], document) == code)
            return true;
    return false;
}

static bool has_code(const char *document, uint64_t code)
{
    for (int i = 0; i < FACTS; i++)
        if (facts[i].code == code && facts[i].config1 == 0 && is_in(facts[i].documents, document))
            return true;
    for (int i = 0; i < SUMS; i++)
        if (is_in(sums[i].documents, document) && code_of_sum(&sums[i], document) == code)
            return true;
    return false;
}

static bool is_added(const char *document, const struct ctr_native *native)
{
    for (int i = 0; i < ADDEDS; i++)
        if (is_in(added[i].documents, document) && adds_up(native, &added[i]))
            return has_code(document, added[i].first) && has_code(document, added[i].second);
    return false;
}

static bool is_documented(const struct ctr_family *family, const struct ctr_native *native)
{
    uint64_t code, config1, two[2];

    if (is_of_two(native, two))
        return is_added(family->document, native);
    codes(native, &code, &config1);
    for (int i = 0; i < FACTS; i++)
        if (facts[i].event == native->event && facts[i].code == code && facts[i].config1 == config1 &&
            is_in(facts[i].documents, family->document))
            return true;
    return config1 == 0 && is_sum(family->document, native->event, code);
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
    uint64_t code, config1, two[2];

    for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++) {
        if (is_of_two(native, two))
            continue;
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

static void every_sum_is_in_the_tables(void **state)
{
    (void)state;
    for (int i = 0; i < SUMS; i++)
        for (const struct ctr_family *family = ctr_families; family->name != NULL; family++) {
            struct fact fact = {.event = sums[i].event};
            if (!is_in(sums[i].documents, family->document))
                continue;
            fact.code = code_of_sum(&sums[i], family->document);
            if (!is_in_table(family, &fact))
                fail_msg("%s: the sum 0x%llx of %s is not in the table", family->name, (unsigned long long)fact.code,
                         sums[i].name);
        }
}

static bool has_added(const struct ctr_family *family, const struct added *two)
{
    for (const struct ctr_native *native = family->natives; native->event != HWC_NO_EVENT; native++)
        if (adds_up(native, two))
            return true;
    return false;
}

static void all_that_add_up_are_in_the_tables(void **state)
{
    (void)state;
    for (int i = 0; i < ADDEDS; i++)
        for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
            if (is_in(added[i].documents, family->document) && !has_added(family, &added[i]))
                fail_msg("%s: 0x%llx and 0x%llx, which add up, are not in the table", family->name,
                         (unsigned long long)added[i].first, (unsigned long long)added[i].second);
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

static int encode_name(const char *name, const char *raw)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    pfm_perf_encode_arg_t argument = {.attr = &attributes, .size = sizeof argument};
    int status = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    uint64_t code, config1;

    codes_of(raw, &code, &config1);
    if (status == PFM_SUCCESS && attributes.config == code && attributes.config1 == config1)
        return 0;
    print_error("%s: %s, but 0x%llx, 0x%llx (%s)\n", name, raw, (unsigned long long)attributes.config,
                (unsigned long long)attributes.config1, pfm_strerror(status));
    return 1;
}

static int encode_names(const struct ctr_native *native)
{
    char name[CTR_MOST_PARTS][HWC_NATIVE_NAME], raw[CTR_MOST_PARTS][HWC_NATIVE_NAME];
    unsigned parts = ctr_parts(native->native, name);
    int faults = parts == 0 || ctr_parts(native->raw, raw) != parts;

    for (unsigned i = 0; i < parts && faults == 0; i++)
        faults = encode_name(name[i], raw[i]);
    return faults;
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
        faults += native->native != NULL ? encode_names(native) : 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_in_its_document),
        cmocka_unit_test(every_event_of_a_document_is_in_the_tables),
        cmocka_unit_test(every_sum_is_in_the_tables),
        cmocka_unit_test(all_that_add_up_are_in_the_tables),
        cmocka_unit_test(arm_names_are_the_manuals),
        cmocka_unit_test(families_are_complete),
#if defined(HWC_HAVE_PFM) && defined(__x86_64__)
        cmocka_unit_test(libpfm4_encodes_every_name_to_its_code),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
