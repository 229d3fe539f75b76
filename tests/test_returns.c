/* Native: is what a core fetches in error, for a return that has no call, within the walk? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "code.h"
#include "kernels.h"
#include "random.h"
#include "statistics.h"

/* Two pages fewer than many a first TLB of code has entries. */
enum { CALLERS = 40, PAGES = 62, APART = 4096 + 64, BYTES = PAGES * (APART + 1), PASSES = 200, REPEATS = 40 };

/* Functions in pages of their own, each of which calls the one `depth` away from the last. */
#define CALLER(n) \
    __attribute__((noinline, aligned(4096))) static int caller_##n(int depth) \
    { \
        return depth > 0 ? callers[depth - 1](depth - 1) + 1 : (n); \
    }
static int (*const callers[CALLERS])(int);
#define FOUR(n) CALLER(n##0) CALLER(n##1) CALLER(n##2) CALLER(n##3)
FOUR(1) FOUR(2) FOUR(3) FOUR(4) FOUR(5) FOUR(6) FOUR(7) FOUR(8) FOUR(9) FOUR(10)
#define FOUR_OF(n) caller_##n##0, caller_##n##1, caller_##n##2, caller_##n##3
static int (*const callers[CALLERS])(int) = {FOUR_OF(1), FOUR_OF(2), FOUR_OF(3), FOUR_OF(4), FOUR_OF(5),
                                             FOUR_OF(6), FOUR_OF(7), FOUR_OF(8), FOUR_OF(9), FOUR_OF(10)};

/* The median ticks of passes after so many calls, each from another page. */
static double ticks_after(const char *base, struct native_entry entry, int calls)
{
    double ticks[REPEATS];
    volatile int depth = calls;

    for (int i = 0; i < REPEATS; i++) {
        uint64_t begin;
        (void)callers[depth - 1](depth - 1);
        begin = native_ticks();
        native_code_run(base, entry, PASSES);
        ticks[i] = (double)(native_ticks() - begin);
    }
    return hwc_median(ticks, REPEATS);
}

static void what_called_before_does_not_matter(void **state)
{
    char *base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct native_entry entry = {0}, unfilled;
    struct hwc_random random;
    struct hwc_error error;
    struct hwc_walk walk;
    double one, many, without;

    (void)state;
    assert_ptr_not_equal(base, MAP_FAILED);
    hwc_random_seed(&random, 1);
    hwc_walk_init(&walk);
    walk.access = HWC_FETCH;
    assert_int_equal(hwc_walk_sequence(&walk, 0, APART, PAGES, &error), HWC_OK);
    hwc_walk_shuffle(&walk, &random);
    assert_int_equal(native_code_lay_out(base, BYTES, &walk, NATIVE_RETURN, &entry, &error), HWC_OK);
    unfilled = (struct native_entry){.cell = entry.cell};
    one = ticks_after(base, entry, 1);
    many = ticks_after(base, entry, CALLERS);
    without = ticks_after(base, unfilled, CALLERS);
    print_message("%d pages: %.1f ticks each after one call, %.1f after %d, %.1f if nothing is done about those\n",
                  PAGES, one / PASSES / PAGES, many / PASSES / PAGES, CALLERS, without / PASSES / PAGES);
    assert_true(many < 1.1 * one);
    hwc_walk_free(&walk);
    munmap(base, BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_called_before_does_not_matter)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
