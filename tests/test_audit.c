/* Audits of counters: what names claim, where counts rise, and the verdict; and the doctor's paragraph. */
#include "audit.h"
#include "doctor.h"
#include "spelling.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void names_say_what_they_count(void **state)
{
    struct hwc_claim claim = hwc_claim_of_name("PAPI_L2_DCM");

    (void)state;
    assert_true(claim.of == HWC_CLAIMS_MISSES && claim.level == 2 && claim.loads && claim.stores && !claim.fetches);
    claim = hwc_claim_of_name("PAPI_L2_DCA"); /* who comes to the second level has missed the first */
    assert_true(claim.of == HWC_CLAIMS_MISSES && claim.level == 1 && claim.loads && claim.stores);
    claim = hwc_claim_of_name("PAPI_L1_ICM");
    assert_true(claim.of == HWC_CLAIMS_MISSES && claim.level == 1 && claim.fetches && !claim.loads);
    claim = hwc_claim_of_name("simulated:dtlb2_miss");
    assert_true(claim.of == HWC_CLAIMS_TRANSLATIONS && claim.level == 2 && claim.loads);
    claim = hwc_claim_of_name("LLC-load-misses");
    assert_true(claim.of == HWC_CLAIMS_MISSES && claim.last && claim.loads && !claim.stores);
    assert_true(hwc_claim_of_name("PAPI_TOT_CYC").of == HWC_CLAIMS_NOTHING);
    assert_true(hwc_claim_of_name("skx::MEM_LOAD_RETIRED:L1_MISS").of == HWC_CLAIMS_NOTHING);
    assert_true(hwc_claim_of_name("PAPI_L").of == HWC_CLAIMS_NOTHING);
}

/* Counts of a reference by levels that end at these sizes, of an LRU cache. */
static void ask_all(struct hwc_rise_points *points, const double *ends, unsigned count)
{
    double size = 1024;

    *points = (struct hwc_rise_points){0};
    for (bool first = true;; first = false) {
        double value = 0;
        for (unsigned i = 0; i < count; i++)
            value += size > ends[i];
        hwc_rise_add(points, size, value);
        if (first)
            size = 64 << 20;
        else if (!hwc_rise_gap(points, &size))
            return;
    }
}

static void rises_are_found(void **state)
{
    static const double ends[] = {49152, 1500000};
    struct hwc_rise_points points;
    struct hwc_rise rises[HWC_MOST_RISES];

    (void)state;
    for (unsigned levels = 0; levels <= 2; levels++) {
        ask_all(&points, ends, levels);
        assert_int_equal(hwc_find_rises(&points, rises), levels);
        for (unsigned i = 0; i < levels; i++)
            assert_true(rises[i].low <= ends[i] && rises[i].high > ends[i] && rises[i].high < 1.5 * rises[i].low);
        assert_true(points.count < 24);
    }
}

/* A level that keeps a part of what it cannot hold rises little by little, and is one. */
static void a_slow_rise_is_one(void **state)
{
    struct hwc_rise_points points = {0};
    struct hwc_rise rises[HWC_MOST_RISES];
    double size = 1024;

    (void)state;
    hwc_rise_add(&points, size, 0);
    hwc_rise_add(&points, 64 << 20, 1 - 32768.0 / (64 << 20));
    while (hwc_rise_gap(&points, &size))
        hwc_rise_add(&points, size, size > 32768 ? 1 - 32768 / size : 0);
    assert_int_equal(hwc_find_rises(&points, rises), 1);
    assert_true(rises[0].low <= 32768 && rises[0].half > 40000 && rises[0].half < 90000);
}

static const struct hwc_audit_levels levels = {.by_clock = true, .caches = {2, {49152, 2 << 20}}};

/* Counts `each` for whatever misses the level that ends there. */
static struct hwc_audit_counts counts_of(double end, double each, double stores)
{
    struct hwc_audit_counts counts = {.outgrown = HWC_OUTGREW_DATA, .largest = 64 << 20, .rises = 1};

    for (int i = HWC_PATTERN_HITS; i <= HWC_PATTERN_FETCHES; i++)
        counts.has[i] = true;
    for (int i = HWC_PATTERN_RANDOM; i <= HWC_PATTERN_SEQUENTIAL; i++)
        counts.of[i] = each;
    counts.of[HWC_PATTERN_WALKS] = each;
    counts.of[HWC_PATTERN_STORES] = stores;
    counts.rise[0] = (struct hwc_rise){end, 1.4 * end, 1.2 * end, 0, each};
    return counts;
}

static enum hwc_audit_verdict verdict_on(const char *name, const struct hwc_audit_counts *counts)
{
    const struct hwc_claim claim = hwc_claim_of_name(name);
    struct hwc_audit_finding finding;

    hwc_audit_judge(counts, &claim, &levels, &finding);
    return finding.verdict;
}

static void each_lie_has_its_verdict(void **state)
{
    struct hwc_audit_counts good = counts_of(49152, 1, 1), loads = counts_of(49152, 1, 0), lie;

    (void)state;
    assert_int_equal(verdict_on("PAPI_L1_DCM", &good), HWC_AUDIT_AS_NAMED);
    assert_int_equal(verdict_on("PAPI_L2_DCA", &good), HWC_AUDIT_AS_NAMED);
    assert_int_equal(verdict_on("PAPI_L2_DCM", &good), HWC_AUDIT_OTHER_LEVEL);
    assert_int_equal(verdict_on("PAPI_L1_LDM", &loads), HWC_AUDIT_AS_NAMED);
    assert_int_equal(verdict_on("PAPI_L1_DCM", &loads), HWC_AUDIT_OTHER_REFERENCES);
    assert_int_equal(verdict_on("LLC-load-misses", &loads), HWC_AUDIT_OTHER_LEVEL);
    assert_int_equal(verdict_on("skx::X", &good), HWC_AUDIT_UNNAMED);
    lie = counts_of(49152, 1.4, 1.4);
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_OVER);
    lie.has[HWC_PATTERN_PAGE_ENDS] = true;
    lie.of[HWC_PATTERN_PAGE_ENDS] = 1;
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_PREFETCHES);
    lie = counts_of(49152, 0.6, 0.6);
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_UNDER);
    lie = counts_of(49152, 2, 2);
    lie.rise[lie.rises++] = (struct hwc_rise){2 << 20, 3 << 20, 2.4 * (1 << 20), 1, 2};
    assert_int_equal(verdict_on("PAPI_L2_DCM", &lie), HWC_AUDIT_SUMS_LEVELS);
    lie = good;
    lie.of[HWC_PATTERN_WALKS] = 1.6;
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_WALKS);
    lie = good;
    lie.of[HWC_PATTERN_HITS] = 1;
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_HITS);
    lie = counts_of(0, 0, 0);
    lie.rises = 0;
    assert_int_equal(verdict_on("PAPI_L1_DCM", &lie), HWC_AUDIT_DEAD);
}

/* A third level that is larger than all walks rises nowhere; a second one would have. */
static void what_rises_nowhere_may_be_larger(void **state)
{
    struct hwc_audit_counts counts = counts_of(0, 1, 1);

    (void)state;
    counts.rises = 0;
    assert_int_equal(verdict_on("PAPI_L3_DCM", &counts), HWC_AUDIT_AS_NAMED);
    assert_int_equal(verdict_on("PAPI_L2_DCM", &counts), HWC_AUDIT_OTHER_LEVEL);
}

static void prefetched_lines_show_beside_another_counter(void **state)
{
    struct hwc_audit_counts fills = counts_of(49152, 1, 1), demand = counts_of(49152, 1, 1);
    const struct hwc_claim claim = hwc_claim_of_name("PAPI_L1_DCM");
    struct hwc_audit_finding finding;

    (void)state;
    demand.of[HWC_PATTERN_SEQUENTIAL] = 0.1;
    hwc_audit_judge(&demand, &claim, &levels, &finding);
    assert_true(finding.verdict == HWC_AUDIT_AS_NAMED && finding.prefetched == HWC_PREFETCHED_OUT);
    hwc_audit_judge(&fills, &claim, &levels, &finding);
    assert_true(finding.verdict == HWC_AUDIT_AS_NAMED && finding.prefetched == HWC_PREFETCHED_NOT_TOLD);
    hwc_audit_compare(&fills, 0.1, &finding);
    assert_true(finding.verdict == HWC_AUDIT_PREFETCHES && finding.prefetched == HWC_PREFETCHED_IN);
}

/* Each sentence of the paragraph comes once. */
static void assert_sentences_differ(const char *text)
{
    for (const char *a = strstr(text, ". "); a != NULL; a = strstr(a + 1, ". ")) {
        const char *end = strstr(a + 1, ". ");
        char sentence[1024];
        snprintf(sentence, sizeof sentence, "%.*s", (int)(end != NULL ? end - a : (long)strlen(a)), a);
        assert_null(strstr(a + 1, sentence));
    }
}

static void the_doctor_knows_each_obstacle(void **state)
{
    static const struct {
        struct ctr_facts facts;
        const char *needles[3];
    } cases[] = {
        {{.refusal = ENOENT, .hypervisor = "kvm", .others = "msr, software"}, {"virtual machine (kvm)", "msr, software", "pmu=on"}},
        {{.refusal = ENOENT}, {"this host", "no PMU", "CONFIG_PERF_EVENTS"}},
        {{.refusal = EACCES, .paranoid = 3, .has_pmu = true, .pmu = "cpu"}, {"paranoid is 3", "as root", "paranoid=2"}},
        {{.refusal = EACCES, .paranoid = 4, .container = "docker"}, {"container (docker)", "container's host", "CAP_PERFMON"}},
        {{.refusal = EINVAL, .paranoid = 2, .has_pmu = true, .pmu = "cpu"}, {"cannot leave out", "paranoid is 2", "paranoid=1"}},
        {{.refusal = EPERM, .container = "podman", .hypervisor = "kvm"}, {"podman", "seccomp", "--security-opt"}},
        {{.has_pmu = true, .pmu = "cpu", .watchdog = true}, {"cpu", "NMI watchdog", "nmi_watchdog=0"}},
        {{.has_pmu = true, .pmu = "cpu"}, {"PMU is cpu", "another profiler", "end it"}},
        {{.has_pmu = true, .pmu = "cpu", .free = 4}, {"cycles", "no table", "--event"}},
        {{.refusal = ENOSYS}, {"perf_event_open", "qemu-user", "callgrind"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2048];
        ctr_diagnose(&cases[i].facts, text, sizeof text);
        for (int k = 0; k < 3; k++)
            if (strstr(text, cases[i].needles[k]) == NULL)
                fail_msg("no \"%s\" in: %s", cases[i].needles[k], text);
        assert_sentences_differ(text);
        assert_true(strlen(text) < sizeof text - 1 && strstr(text, "...") == NULL);
    }
}

static void what_is_free_is_told(void **state)
{
    struct ctr_facts facts = {.has_pmu = true, .pmu = "cpu", .free = 3, .watchdog = true};
    char text[512];

    (void)state;
    ctr_diagnose_well(&facts, text, sizeof text);
    assert_non_null(strstr(text, "cpu counts 3 events at once; the NMI watchdog holds another"));
    facts.free = 0;
    ctr_diagnose_well(&facts, text, sizeof text);
    assert_string_equal(text, "");
}

static void natives_are_spelled_as_others_do(void **state)
{
    static const struct ctr_core_pmu core = {.name = "cpu_atom", .type = 10};
    char text[300];

    (void)state;
    assert_true(ctr_perf_spelling(&core, "r08d1", "l1d_load_miss", text, sizeof text));
    assert_string_equal(text, "cpu_atom/config=0x8d1,name=l1d_load_miss/u");
    assert_true(ctr_perf_spelling(&core, "L1-dcache-load-misses", "l1d_load_miss", text, sizeof text));
    assert_string_equal(text, "L1-dcache-load-misses:u");
    assert_false(ctr_perf_spelling(&core, "PAPI_L1_DCM", "l1d_miss", text, sizeof text));
    assert_true(ctr_papi_spelling("L1-dcache-load-misses", text, sizeof text));
    assert_string_equal(text, "perf::L1-DCACHE-LOAD-MISSES");
    assert_true(ctr_papi_spelling("r08d1", text, sizeof text));
    assert_string_equal(text, "perf_raw::r08d1");
    assert_false(ctr_papi_spelling("D1mr+D1mw", text, sizeof text));
    assert_false(ctr_papi_spelling("cpu/event=0xd1/", text, sizeof text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_they_count),
        cmocka_unit_test(rises_are_found),
        cmocka_unit_test(a_slow_rise_is_one),
        cmocka_unit_test(each_lie_has_its_verdict),
        cmocka_unit_test(what_rises_nowhere_may_be_larger),
        cmocka_unit_test(prefetched_lines_show_beside_another_counter),
        cmocka_unit_test(the_doctor_knows_each_obstacle),
        cmocka_unit_test(what_is_free_is_told),
        cmocka_unit_test(natives_are_spelled_as_others_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
