/* What memory keeps of arrays that outgrow it, by pages that come back and by time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "papi_curves.h"

enum { PAGE = 4096 };

/* It keeps so many pages of a cyclic walk, and gives up those that were not used for longest; or, as other kernels
 * might, it keeps that many of any walk. */
struct memory {
    size_t pages;
    bool keeps_some, slow;
};

static double missed(const struct memory *memory, size_t visited)
{
    if (visited <= memory->pages)
        return 0;
    return (double)(memory->keeps_some ? visited - memory->pages : visited);
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct memory *memory = context;

    (void)n;
    for (unsigned i = 0, k = 0; i < experiment->steps; i++) {
        const struct hwc_step *step = &experiment->step[i];
        if (step->kind != HWC_MEASURE)
            continue;
        if (experiment->event == HWC_PAGE_FAULT) {
            sample->reading[k++].cycles = 2000 * (double)step->walk->count;
            continue;
        }
        double misses = missed(memory, step->walk->count) * step->passes;
        double caches = step->walk->count > 8192 ? 120 : 20;
        sample->reading[k++] = (struct hwc_reading){.counted = experiment->event == HWC_MAJOR_FAULT,
                                                    .count = experiment->event == HWC_MAJOR_FAULT ? misses : 0,
                                                    .cycles = caches * (double)step->walk->count * step->passes +
                                                              (memory->slow ? 13000 : 0) * misses};
    }
}

struct bench {
    struct fake_machine fake;
    struct hwc_curves curves;
};

static void begin(struct bench *bench, struct memory *memory)
{
    fake_machine_open(&bench->fake, play, memory);
    bench->curves = (struct hwc_curves){0};
    bench->fake.counts = HWC_MAJOR_FAULT;
    bench->fake.base.max_paged_bytes = UINT64_C(80) << 20;
}

static void end(struct bench *bench)
{
    hwc_curves_free(&bench->curves);
    fake_machine_close(&bench->fake);
}

static const struct hwc_read_off *says(struct bench *bench, const char *name)
{
    struct hwc_error error;
    const struct hwc_curve *curve;

    assert_int_equal(hwc_papi_measure_memory(&bench->fake.lab, &bench->curves, &error), HWC_OK);
    curve = hwc_curve_find(&bench->curves, HWC_PAPI_SIZE, "memory");
    assert_non_null(curve);
    for (size_t i = 0; i < curve->read; i++)
        if (strcmp(curve->read_off[i].axis.name, name) == 0)
            return &curve->read_off[i];
    return NULL;
}

static void expect(struct memory memory, const char *name, size_t least, size_t most)
{
    struct bench bench;
    const struct hwc_read_off *found;

    begin(&bench, &memory);
    found = says(&bench, name);
    assert_non_null(found);
    assert_true(found->known);
    assert_true(found->value >= (double)least * PAGE);
    assert_true(found->value <= (double)most * PAGE);
    end(&bench);
}

static void is_exact_to_a_page(void **state)
{
    static const size_t sizes[] = {16384, 16383, 16385, 12345, 8193, 700};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        expect((struct memory){.pages = sizes[i], .slow = true}, "memory size", sizes[i], sizes[i]);
        expect((struct memory){.pages = sizes[i], .slow = true}, "memory size by time", sizes[i], sizes[i]);
    }
}

/* Then it is outgrown by the few pages that show, in either way. */
static void a_kernel_that_keeps_some_is_read_alike(void **state)
{
    (void)state;
    expect((struct memory){.pages = 12000, .slow = true, .keeps_some = true}, "memory size", 12000, 12500);
    expect((struct memory){.pages = 12000, .slow = true, .keeps_some = true}, "memory size by time", 12000, 13000);
}

static void caches_are_not_memory(void **state)
{
    struct memory memory = {.pages = 16384};
    struct bench bench;
    const struct hwc_read_off *timed;

    (void)state;
    begin(&bench, &memory);
    timed = says(&bench, "memory size by time"); /* of pages that come back in no time */
    assert_non_null(timed);
    assert_false(timed->known);
    assert_true(timed->reason[0] != '\0');
    end(&bench);
}

static void what_is_not_outgrown_is_unknown(void **state)
{
    struct memory memory = {.pages = 1 << 20, .slow = true};
    struct bench bench;
    const struct hwc_read_off *counted;

    (void)state;
    begin(&bench, &memory);
    counted = says(&bench, "memory size");
    assert_non_null(counted);
    assert_false(counted->known);
    end(&bench);
}

static void without_a_counter_the_clock_answers(void **state)
{
    struct memory memory = {.pages = 16384, .slow = true};
    struct bench bench;
    const struct hwc_read_off *counted;
    const struct hwc_curve *curve;

    (void)state;
    begin(&bench, &memory);
    bench.fake.counts = HWC_NO_EVENT;
    counted = says(&bench, "memory size");
    assert_non_null(counted);
    assert_false(counted->known);
    curve = hwc_curve_find(&bench.curves, HWC_PAPI_SIZE, "memory");
    assert_int_equal((int)hwc_curve_says(curve, "memory size by time")->value, 16384 * PAGE);
    end(&bench);
}

static void nobody_asked_or_it_may_not(void **state)
{
    struct memory memory = {.pages = 16384, .slow = true};
    struct bench bench;
    const struct hwc_read_off *reason;
    struct hwc_error error;

    (void)state;
    begin(&bench, &memory);
    bench.fake.base.max_paged_bytes = 0;
    assert_int_equal(hwc_papi_measure_memory(&bench.fake.lab, &bench.curves, &error), HWC_OK);
    assert_int_equal((int)bench.curves.count, 0);
    bench.fake.base.paging_reason = "no swap";
    reason = says(&bench, "memory size");
    assert_non_null(reason);
    assert_string_equal(reason->reason, "no swap");
    assert_int_equal((int)bench.fake.plays, 0);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_exact_to_a_page),
        cmocka_unit_test(a_kernel_that_keeps_some_is_read_alike),
        cmocka_unit_test(caches_are_not_memory),
        cmocka_unit_test(what_is_not_outgrown_is_unknown),
        cmocka_unit_test(without_a_counter_the_clock_answers),
        cmocka_unit_test(nobody_asked_or_it_may_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
