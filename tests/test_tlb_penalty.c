/* What a miss of a TLB takes is told as exactly as the curve's times allow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tlb_penalty.h"

static struct hwc_machine machine = {.cycles_off = 0.03};

/* A first level of 96 entries, whose curve shows such a plateau where lines take so many cycles without translation. */
static struct hwc_finding penalty_of(double plateau, double control)
{
    static struct hwc_knowledge known;
    struct hwc_lab lab = {.machine = &machine, .known = &known};
    const struct hwc_tlb_side side = {
        .levels = 1, .below = {90}, .above = {128}, .plateau = {plateau}, .control = {control}};
    const struct hwc_result entries = {.decided = true, .value = 96};
    const struct hwc_tlb tlb = {.entries = 96, .ways = 6};
    struct hwc_finding finding = {0};
    struct hwc_error error;

    assert_int_equal(hwc_report_tlb_penalty(&lab, &side, 1, &entries, &tlb, &finding, &error), HWC_OK);
    return finding;
}

static void it_is_a_value_where_lines_hit(void **state)
{
    const struct hwc_finding finding = penalty_of(6.1, 2);

    (void)state;
    assert_true(finding.known && fabs(finding.value - 6.1) < 1e-9);
}

/* A difference of two times that are ten times as long. */
static void it_is_bounds_where_lines_miss(void **state)
{
    const struct hwc_finding finding = penalty_of(7.26, 58);

    (void)state;
    assert_true(!finding.known && finding.has_interval && finding.low < 6 && finding.high > 8.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_value_where_lines_hit),
        cmocka_unit_test(it_is_bounds_where_lines_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
