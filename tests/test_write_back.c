/* Dirty lines of simulated caches, against naive models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "line_set.h"
#include "hierarchy.h"

#define SEED 20261122

static void a_set_of_lines_is_a_set(void **state)
{
    enum { LINES = 500, STEPS = 200000 };
    bool naive[LINES] = {false};
    uint32_t count = 0;
    struct sim_line_set dirty;
    struct hwc_random random;
    struct hwc_error error;

    (void)state;
    printf("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    assert_int_equal(sim_line_set_init(&dirty, LINES, &error), HWC_OK);
    for (int i = 0; i < STEPS; i++) {
        uint64_t line = hwc_random_below(&random, LINES);
        if (hwc_random_below(&random, 2) == 0) {
            sim_line_set_add(&dirty, line * 64);
            count += !naive[line];
            naive[line] = true;
        } else {
            assert_int_equal(sim_line_set_remove(&dirty, line * 64), naive[line]);
            count -= naive[line];
            naive[line] = false;
        }
        assert_int_equal(dirty.count, count);
    }
    sim_line_set_free(&dirty);
}

#define WAYS 4

/* One set, least recently used last. */
struct naive_set {
    unsigned used;
    struct {
        uint64_t line;
        bool dirty;
    } way[WAYS];
};

static bool naive_access(struct naive_set *set, uint64_t line, bool store)
{
    unsigned at = 0;
    bool written_back = false, dirty = store;

    while (at < set->used && set->way[at].line != line)
        at++;
    if (at < set->used)
        dirty = dirty || set->way[at].dirty;
    else if (set->used < WAYS)
        set->used++;
    else
        written_back = set->way[--at].dirty;
    memmove(&set->way[1], &set->way[0], at * sizeof set->way[0]);
    set->way[0].line = line;
    set->way[0].dirty = dirty;
    return written_back;
}

static struct sim_level cache(unsigned level, unsigned sets, bool write_back)
{
    struct sim_level made = {.level = level, .kind = SIM_DATA, .sector_lines = 1, .latency_cycles = 4 * level,
                             .write_allocate = true, .write_back = write_back};

    made.shape = (struct sim_cache_shape){.size_bytes = (uint64_t)sets * WAYS * 64, .line_bytes = 64, .ways = WAYS, .slices = 1};
    made.shape.policy.kind = HWC_LRU;
    return made;
}

static void play(bool write_back, uint64_t *counted, uint64_t *naively)
{
    enum { SETS = 8, LINES = 64, STEPS = 100000 };
    static struct sim_description description;
    static struct sim_hierarchy hierarchy;
    struct naive_set naive[SETS] = {0};
    struct hwc_random random;
    struct hwc_error error;

    description = (struct sim_description){.page_bytes = 4096, .levels = 2, .memory_latency_cycles = 100};
    description.level[0] = cache(1, SETS, write_back);
    description.level[1] = cache(2, 64 * SETS, true);
    hwc_random_seed(&random, SEED);
    assert_int_equal(sim_hierarchy_init(&hierarchy, &description, SEED, &error), HWC_OK);
    *naively = 0;
    for (int i = 0; i < STEPS; i++) {
        uint64_t line = hwc_random_below(&random, LINES);
        bool store = hwc_random_below(&random, 3) == 0;
        struct sim_place place;
        sim_hierarchy_locate(&hierarchy, SIM_DATA_SIDE, line * 64, line * 64, &place);
        unsigned served = sim_hierarchy_access(&hierarchy, &place, store ? HWC_STORE : HWC_LOAD, HWC_INTEGER);
        if (store && !write_back)
            assert_true(served > 0); /* passed on, even if the first level has the line */
        *naively += naive_access(&naive[line % SETS], line, store);
    }
    *counted = hierarchy.counts.written_back[0];
    sim_hierarchy_free(&hierarchy);
}

static void dirty_lines_are_written_back_once(void **state)
{
    uint64_t counted, naively;

    (void)state;
    play(true, &counted, &naively);
    printf("seed %d: %llu lines written back\n", SEED, (unsigned long long)counted);
    assert_true(naively > 1000);
    assert_int_equal(counted, naively);
}

static void a_write_through_level_has_none(void **state)
{
    uint64_t counted, naively;

    (void)state;
    play(false, &counted, &naively);
    assert_int_equal(counted, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_of_lines_is_a_set),
        cmocka_unit_test(dirty_lines_are_written_back_once),
        cmocka_unit_test(a_write_through_level_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
