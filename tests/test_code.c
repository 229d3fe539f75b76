/* Emitted code: every kind of transfer gets through a walk and back. Bytes
 * outside the cells trap, so a transfer that leads elsewhere ends the test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "code.h"
#include "kernels.h"
#include "random.h"

#define BYTES ((size_t)1 << 24)
#define SPACING ((size_t)4096 + 72) /* so that cells lie at different offsets in their pages */
#define NEAR_CELLS (BYTES / SPACING)
#define FAR_BYTES ((size_t)1 << 29)
#define FAR_SPACING (((size_t)1 << 22) + 200)
#define FAR_CELLS (FAR_BYTES / FAR_SPACING)
#define AROUND 4096
#define SEED 20261122

static const enum native_transfer kinds[] = {NATIVE_JUMP, NATIVE_RETURN, NATIVE_CALLED_RETURN};
#define KINDS (sizeof kinds / sizeof kinds[0])

static char *map(size_t bytes)
{
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_true(base != MAP_FAILED);
    return base;
}

/* A walk of cells in random order, each with `code_bytes` of code. */
static void make_walk(struct hwc_walk *walk, uint32_t code_bytes, uint64_t spacing, size_t cells,
                      struct hwc_random *random)
{
    struct hwc_error error;

    hwc_walk_init(walk);
    walk->access = HWC_FETCH;
    walk->code_bytes = code_bytes;
    assert_int_equal(hwc_walk_sequence(walk, 64, spacing, cells, &error), HWC_OK);
    hwc_walk_shuffle(walk, random);
}

static size_t trapped(const char *base, const struct hwc_walk *walk, uint32_t beyond)
{
    size_t traps = 0;

    for (size_t i = 0; i < walk->count; i++)
        traps += (unsigned char)base[walk->offsets[i] + beyond] == native_trap_byte;
    return traps;
}

/* Lay out the walk, which must write nothing beyond the cells, but for a call after one of them, and run it. */
static void go_through(char *base, size_t bytes, const struct hwc_walk *walk, enum native_transfer transfer)
{
    uint32_t cell_bytes = walk->code_bytes > 16 ? walk->code_bytes : 16;
    struct hwc_error error;
    struct native_entry entry = {0};

    assert_int_equal(native_code_lay_out(base, bytes, walk, transfer, &entry, &error), HWC_OK);
    assert_true(trapped(base, walk, cell_bytes) >= walk->count - 1);
    assert_int_equal(trapped(base, walk, cell_bytes + 8), walk->count);
    native_code_run(base, entry, 1);
    native_code_run(base, entry, 7);
}

static void every_transfer_comes_back(void **state)
{
    static const uint32_t code_bytes[] = {0, 32, 64};
    struct hwc_random random;
    struct hwc_walk walk;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t k = 0; k < KINDS; k++)
        for (size_t b = 0; b < sizeof code_bytes / sizeof code_bytes[0]; b++)
            for (size_t cells = 1; cells <= NEAR_CELLS; cells = 3 * cells + 1) {
                char *base = map(BYTES);
                memset(base, native_trap_byte, BYTES);
                make_walk(&walk, code_bytes[b], SPACING, cells, &random);
                go_through(base, BYTES, &walk, kinds[k]);
                hwc_walk_free(&walk);
                munmap(base, BYTES);
            }
}

/* Cells lie farther apart than one branch instruction reaches on some architectures. */
static void transfers_reach_across_large_arenas(void **state)
{
    struct hwc_random random;
    struct hwc_walk walk;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t k = 0; k < KINDS; k++) {
        char *base = map(FAR_BYTES);
        make_walk(&walk, 0, FAR_SPACING, FAR_CELLS, &random);
        for (size_t i = 0; i < walk.count; i++)
            memset(base + walk.offsets[i] - 64, native_trap_byte, AROUND);
        go_through(base, FAR_BYTES, &walk, kinds[k]);
        hwc_walk_free(&walk);
        munmap(base, FAR_BYTES);
    }
}

static uint64_t ticks_of(const char *base, struct native_entry entry, uint32_t passes)
{
    uint64_t begin = native_ticks();

    native_code_run(base, entry, passes);
    return native_ticks() - begin;
}

/* A thousand passes take far longer than one. */
static void passes_are_counted(void **state)
{
    struct hwc_random random;
    struct hwc_error error;
    struct hwc_walk walk;
    char *base = map(BYTES);

    (void)state;
    hwc_random_seed(&random, SEED);
    make_walk(&walk, 0, SPACING, 400, &random);
    for (size_t k = 0; k < KINDS; k++) {
        struct native_entry entry = {0};
        uint64_t once = UINT64_MAX;
        assert_int_equal(native_code_lay_out(base, BYTES, &walk, kinds[k], &entry, &error), HWC_OK);
        for (int i = 0; i < 9; i++) {
            uint64_t ticks = ticks_of(base, entry, 1);
            once = ticks < once ? ticks : once;
        }
        assert_true(ticks_of(base, entry, 1000) > 20 * once);
    }
    hwc_walk_free(&walk);
    munmap(base, BYTES);
}

static void what_does_not_reach_or_end_is_refused(void **state)
{
    struct hwc_error error;
    struct hwc_walk walk;
    struct native_entry entry = {0};
    char *base = map(BYTES);

    (void)state;
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 0, HWC_CELL_BYTES, AROUND / HWC_CELL_BYTES, &error), HWC_OK);
    assert_int_equal(native_code_lay_out(base, AROUND, &walk, NATIVE_JUMP, &entry, &error), HWC_UNAVAILABLE);
    assert_int_equal(native_code_lay_out(base, UINT64_C(1) << 32, &walk, NATIVE_JUMP, &entry, &error), HWC_UNAVAILABLE);
    hwc_walk_free(&walk);
    munmap(base, BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transfer_comes_back),
        cmocka_unit_test(transfers_reach_across_large_arenas),
        cmocka_unit_test(passes_are_counted),
        cmocka_unit_test(what_does_not_reach_or_end_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
