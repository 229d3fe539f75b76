/* Emitted code: every kind of transfer gets through a walk and back. What is no
 * cell traps, so a transfer that leads elsewhere ends the test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "code.h"
#include "random.h"

#define BYTES ((size_t)1 << 24)
#define SPACING 4096
#define SEED 20261122

static char *trapped(void)
{
    char *base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(base != MAP_FAILED);
    memset(base, native_trap_byte, BYTES);
    return base;
}

/* The walk's cells, each with so much code. */
static void go_through(uint32_t code_bytes, enum native_transfer transfer, size_t cells, struct hwc_random *random)
{
    struct hwc_error error;
    struct hwc_walk walk;
    uint64_t entry = 0;
    char *base = trapped();

    hwc_walk_init(&walk);
    walk.access = HWC_FETCH;
    walk.code_bytes = code_bytes;
    assert_int_equal(hwc_walk_sequence(&walk, 64, SPACING, cells, &error), HWC_OK);
    hwc_walk_shuffle(&walk, random);
    assert_int_equal(native_code_lay_out(base, BYTES, &walk, transfer, &entry, &error), HWC_OK);
    for (size_t i = 0; i < cells; i++) /* nothing beyond the cell is written */
        assert_int_equal(base[walk.offsets[i] + (code_bytes > 16 ? code_bytes : 16)], base[BYTES - 1]);
    native_code_run(base, entry, 1);
    native_code_run(base, entry, 7);
    hwc_walk_free(&walk);
    munmap(base, BYTES);
}

static void every_transfer_comes_back(void **state)
{
    static const enum native_transfer kinds[] = {NATIVE_JUMP, NATIVE_RETURN, NATIVE_CALLED_RETURN};
    static const uint32_t code_bytes[] = {0, 32, 64};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t b = 0; b < sizeof code_bytes / sizeof code_bytes[0]; b++)
            for (size_t cells = 1; cells <= BYTES / SPACING; cells = 3 * cells + 1)
                go_through(code_bytes[b], kinds[k], cells, &random);
}

static void what_does_not_reach_or_end_is_refused(void **state)
{
    struct hwc_error error;
    struct hwc_walk walk;
    uint64_t entry = 0;
    char *base = trapped();

    (void)state;
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 0, HWC_CELL_BYTES, SPACING / HWC_CELL_BYTES, &error), HWC_OK);
    assert_int_equal(native_code_lay_out(base, SPACING, &walk, NATIVE_JUMP, &entry, &error), HWC_UNAVAILABLE);
    assert_int_equal(native_code_lay_out(base, UINT64_C(1) << 32, &walk, NATIVE_JUMP, &entry, &error), HWC_UNAVAILABLE);
    hwc_walk_free(&walk);
    munmap(base, BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transfer_comes_back),
        cmocka_unit_test(what_does_not_reach_or_end_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
