/* Bounds of a TLB's entries by pages side by side (side_by_side.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "quiet_core.h"
#include "side_by_side.h"

enum { PAGE = 4096, ENTRIES = 64, HELD = 12, HIT = 2, PENALTY = 6 };

/* A TLB for code: LRU, every page anywhere. */
static struct {
    uint64_t page[ENTRIES]; /* the last used first; 0 = none */
    size_t entries; /* that nobody else has */
} tlb;

static double reference(uint64_t offset)
{
    return fake_use(tlb.page, tlb.entries, offset / PAGE + 1) ? HIT : HIT + PENALTY;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n;
    fake_references(reference, experiment, sample);
}

/* Where the curve's step lies, with `below` pages as the last point below it. */
static int bound(bool busy, size_t below, struct hwc_finding *entries)
{
    const struct hwc_tlb_side side = {
        .code = true, .levels = 1, .below = {below}, .above = {72}, .plateau = {PENALTY}, .hit_cycles = 0};
    struct fake_machine fake;
    struct hwc_error error;
    int status;

    memset(&tlb, 0, sizeof tlb);
    fake_machine_open(&fake, play, NULL);
    fake_machine_shares_core(&fake, busy);
    hwc_know_level(&fake.lab, 1, &(struct hwc_level){.line_bytes = 64, .fill_bytes = 64, .ways = 8, .size_bytes = 32768,
                                                      .period_bytes = PAGE});
    tlb.entries = busy ? ENTRIES - HELD : ENTRIES;
    *entries = (struct hwc_finding){.asked = true};
    status = hwc_bound_entries(&fake.lab, &side, 1, entries, &error);
    assert_int_equal(hwc_in_company(&fake.lab), busy);
    fake_machine_close(&fake);
    return status;
}

static void alone_both_ends_are_told(void **state)
{
    struct hwc_finding entries;

    (void)state;
    assert_int_equal(bound(false, 48, &entries), HWC_OK);
    print_message("%.0f to %.0f entries\n", entries.low, entries.high);
    assert_true(entries.has_interval);
    assert_true(entries.low <= ENTRIES && entries.low > ENTRIES / 2.0);
    assert_true(entries.high >= ENTRIES && entries.high < 2 * ENTRIES);
}

static void beside_others_there_are_so_many_at_least(void **state)
{
    struct hwc_finding entries;
    double least;

    (void)state;
    assert_int_equal(bound(true, 40, &entries), HWC_OK);
    print_message("%s\n", entries.reason);
    assert_false(entries.known || entries.has_interval);
    assert_int_equal(sscanf(entries.reason, "at least %lf: another thread", &least), 1);
    assert_true(least > ENTRIES / 2.0 && least <= ENTRIES - HELD);
}

static void nothing_is_told_where_no_pages_were_seen_to_fit(void **state)
{
    struct hwc_finding entries;

    (void)state;
    assert_int_equal(bound(false, 0, &entries), HWC_INCONCLUSIVE);
    assert_false(entries.known || entries.has_interval);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_both_ends_are_told),
        cmocka_unit_test(beside_others_there_are_so_many_at_least),
        cmocka_unit_test(nothing_is_told_where_no_pages_were_seen_to_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
