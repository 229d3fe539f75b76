/* Where sampled loads came from, decoded from bytes as the kernel's and the vendors' documents lay them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <linux/perf_event.h>

#include "load_source.h"
#include "served_bounds.h"

static uint64_t source(unsigned level, unsigned number, bool remote)
{
    union perf_mem_data_src value = {.val = 0};

    value.mem_op = PERF_MEM_OP_LOAD;
    value.mem_lvl = level & 0x3fff;
    value.mem_lvl_num = number & 0xf;
    value.mem_remote = remote;
    return value.val;
}

static void the_kernels_source_names_the_level(void **state)
{
    static const struct {
        unsigned level, number;
        bool remote;
        enum hwc_server server;
    } rows[] = {
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1, PERF_MEM_LVLNUM_L1, false, HWC_SERVED_L1},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_LFB, PERF_MEM_LVLNUM_LFB, false, HWC_SERVED_FILLING},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2, PERF_MEM_LVLNUM_L2, false, HWC_SERVED_L2},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3, false, HWC_SERVED_L3},
        {PERF_MEM_LVL_MISS | PERF_MEM_LVL_L3, PERF_MEM_LVLNUM_L3, false, HWC_SERVED_UNKNOWN},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM, PERF_MEM_LVLNUM_RAM, false, HWC_SERVED_MEMORY},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_RAM1, PERF_MEM_LVLNUM_RAM, true, HWC_SERVED_MEMORY},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1, PERF_MEM_LVLNUM_L3, true, HWC_SERVED_ELSEWHERE},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1, PERF_MEM_LVLNUM_ANY_CACHE, true, HWC_SERVED_ELSEWHERE},
        {0, PERF_MEM_LVLNUM_PMEM, false, HWC_SERVED_MEMORY},
        /* before Linux 4.14, without numbers */
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1, 0, false, HWC_SERVED_L1},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3, 0, false, HWC_SERVED_L3},
        {PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM, 0, false, HWC_SERVED_MEMORY},
        {PERF_MEM_LVL_NA, PERF_MEM_LVLNUM_NA, false, HWC_SERVED_UNKNOWN},
    };
    enum hwc_server server;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(ctr_server_of_data_source(source(rows[i].level, rows[i].number, rows[i].remote), &server));
        assert_int_equal(server, rows[i].server);
    }
    assert_false(ctr_server_of_data_source(PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1), &server));
}

enum { IBS_BYTES = 4 + 8 * 8 };

/* Capabilities, then the registers from IBS_OP_CTL on. */
static void make_ibs(unsigned char raw[IBS_BYTES], uint32_t capabilities, uint64_t data2, uint64_t data3)
{
    const uint64_t registers[8] = {0, 0x401000, 0, data2, data3, 0x7f0000001040, 0x1040, 0};

    memcpy(raw, &capabilities, sizeof capabilities);
    memcpy(raw + 4, registers, sizeof registers);
}

static void ibs_names_the_level(void **state)
{
    const uint64_t load = 1 << 0 | 1 << 17, l1 = 1 << 7, filling = 1 << 16, l2 = 1 << 20;
    const uint32_t zen4 = 1 << 11;
    static const struct {
        bool extended;
        uint64_t data2;
        enum hwc_server server;
    } beyond[] = {
        {false, 2, HWC_SERVED_L3}, {false, 3, HWC_SERVED_MEMORY}, {false, 4, HWC_SERVED_ELSEWHERE},
        {false, 7, HWC_SERVED_UNKNOWN}, {true, 1, HWC_SERVED_L3}, {true, 2, HWC_SERVED_ELSEWHERE},
        {true, 3, HWC_SERVED_MEMORY}, {true, 5, HWC_SERVED_ELSEWHERE}, {true, 0x40, HWC_SERVED_MEMORY} /* 8 */,
        {true, 7, HWC_SERVED_UNKNOWN},
    };
    unsigned char raw[IBS_BYTES];
    struct ctr_load got;

    (void)state;
    make_ibs(raw, zen4, 0, load);
    assert_true(ctr_load_of_ibs(raw, sizeof raw, &got));
    assert_int_equal(got.server, HWC_SERVED_L1);
    assert_int_equal(got.address, 0x7f0000001040);
    make_ibs(raw, zen4, 0, load | l1);
    assert_true(ctr_load_of_ibs(raw, sizeof raw, &got) && got.server == HWC_SERVED_L2);
    make_ibs(raw, zen4, 0, load | l1 | filling);
    assert_true(ctr_load_of_ibs(raw, sizeof raw, &got) && got.server == HWC_SERVED_FILLING);
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        make_ibs(raw, beyond[i].extended ? zen4 : 0, beyond[i].data2, load | l1 | l2);
        assert_true(ctr_load_of_ibs(raw, sizeof raw, &got));
        assert_int_equal(got.server, beyond[i].server);
    }
    make_ibs(raw, zen4, 0, 1 << 1 | 1 << 17); /* a store */
    assert_false(ctr_load_of_ibs(raw, sizeof raw, &got));
    make_ibs(raw, zen4, 0, 1); /* no address */
    assert_false(ctr_load_of_ibs(raw, sizeof raw, &got));
    make_ibs(raw, zen4, 0, load);
    assert_false(ctr_load_of_ibs(raw, 40, &got));
}

/* A record each: what a load has, and a store; the data's address is the third kind of address. */
static const unsigned char spe[] = {
    /* PC, load, events, latency, VA with a tag, system cache, time */
    0xb0, 0, 0x10, 0x40, 0, 0, 0, 0, 0x80, 0x49, 0x00, 0x52, 0x0a, 0x01, 0x98, 0x20, 0x00,
    0xb2, 0x40, 0x10, 0, 0, 0, 0x7f, 0, 0xf0, 0x43, 0x0b, 0x71, 1, 2, 3, 4, 5, 6, 7, 8,
    /* a store, which is none */
    0x49, 0x01, 0xb2, 0x80, 0x10, 0, 0, 0, 0x7f, 0, 0, 0x43, 0x0e, 0x01,
    /* padding up to a multiple of 64, then events alone: refilled, last level accessed and missed */
    0x00, 0x00, 0x00, 0x25, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
    0x49, 0x00, 0x52, 0x08, 0x03, 0x20, 0xb2, 0xc0, 0x10, 0, 0, 0, 0x7f, 0, 0, 0x01,
    /* a branch, without an address of data, and a record that is cut */
    0x4a, 0x00, 0x01, 0x49, 0x00, 0xb2, 0xc0, 0x10,
};

static void spe_records_are_taken_apart(void **state)
{
    struct ctr_load load;
    size_t at = 0;

    (void)state;
    assert_true(ctr_next_load_of_spe(spe, sizeof spe, &at, &load));
    assert_int_equal(load.address, 0x7f0000001040);
    assert_int_equal(load.server, HWC_SERVED_L3);
    assert_true(ctr_next_load_of_spe(spe, sizeof spe, &at, &load));
    assert_int_equal(load.address, 0x7f00000010c0);
    assert_int_equal(load.server, HWC_SERVED_MEMORY);
    assert_false(ctr_next_load_of_spe(spe, sizeof spe, &at, &load));
}

static void spe_sources_are_neoverses(void **state)
{
    static const struct {
        unsigned char source;
        enum hwc_server server;
    } rows[] = {{0x0, HWC_SERVED_L1},        {0x8, HWC_SERVED_L2},        {0x9, HWC_SERVED_ELSEWHERE},
                {0xa, HWC_SERVED_L3},        {0xb, HWC_SERVED_L3},        {0xc, HWC_SERVED_ELSEWHERE},
                {0xd, HWC_SERVED_ELSEWHERE}, {0xe, HWC_SERVED_MEMORY},    {0x1, HWC_SERVED_UNKNOWN}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned char bytes[] = {0x49, 0, 0xb2, 0, 0, 1, 0, 0, 0, 0, 0, 0x43, rows[i].source, 0x01};
        struct ctr_load load;
        size_t at = 0;
        assert_true(ctr_next_load_of_spe(bytes, sizeof bytes, &at, &load));
        assert_int_equal(load.server, rows[i].server);
        assert_int_equal(load.address, 0x10000);
    }
}

static void records_of_the_ring_are_taken_apart(void **state)
{
    struct {
        struct perf_event_header header;
        uint64_t address, source;
    } sample = {{PERF_RECORD_SAMPLE, 0, sizeof sample}, 0x1000, source(PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2, 2, false)};
    unsigned char ibs[sizeof(struct perf_event_header) + 4 + IBS_BYTES];
    const uint32_t size = IBS_BYTES, too_large = IBS_BYTES + 8;
    struct ctr_load load;

    (void)state;
    assert_true(ctr_load_of_sample((const unsigned char *)&sample, sizeof sample, false, &load));
    assert_true(load.address == 0x1000 && load.server == HWC_SERVED_L2);
    assert_false(ctr_load_of_sample((const unsigned char *)&sample, sizeof sample - 8, false, &load));
    memset(ibs, 0, sizeof ibs);
    memcpy(ibs + sizeof(struct perf_event_header), &size, sizeof size);
    make_ibs(ibs + sizeof(struct perf_event_header) + 4, 0, 3, 1 << 0 | 1 << 17 | 1 << 7 | 1 << 20);
    assert_true(ctr_load_of_sample(ibs, sizeof ibs, true, &load) && load.server == HWC_SERVED_MEMORY);
    memcpy(ibs + sizeof(struct perf_event_header), &too_large, sizeof too_large);
    assert_false(ctr_load_of_sample(ibs, sizeof ibs, true, &load));
}

static void a_level_holds_what_it_serves(void **state)
{
    const struct hwc_served_point points[] = {{4096, 1}, {8192, 0.99}, {16384, 0.93}, {32768, 0.6}, {65536, 0.95}};
    double low, high;

    (void)state;
    hwc_bound_by_served(points, 5, &low, &high);
    assert_true(low == 16384 && high == 32768);
    hwc_bound_by_served(points, 3, &low, &high);
    assert_true(low == 16384 && high == 0);
    hwc_bound_by_served(points + 3, 1, &low, &high);
    assert_true(low == 0 && high == 32768);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kernels_source_names_the_level),
        cmocka_unit_test(ibs_names_the_level),
        cmocka_unit_test(spe_records_are_taken_apart),
        cmocka_unit_test(spe_sources_are_neoverses),
        cmocka_unit_test(records_of_the_ring_are_taken_apart),
        cmocka_unit_test(a_level_holds_what_it_serves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
