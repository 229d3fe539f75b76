/* The sets in which the simulator's caches put lines, against the textbook index: (address / line size) mod sets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache.h"

static void open_cache(struct sim_cache *cache, uint64_t sets, unsigned ways)
{
    struct sim_cache_shape shape = {.line_bytes = 64, .size_bytes = sets * ways * 64, .ways = ways, .slices = 1};
    struct hwc_error error;

    assert_true(hwc_policy_parse("lru", &shape.policy));
    assert_int_equal(sim_cache_init(cache, &shape, &error), HWC_OK);
}

static void lines_go_to_the_sets_in_turn(void **state)
{
    static const uint64_t numbers[] = {1, 2, 64, 1024, 3, 12, 48, 1536};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sim_cache cache;
        open_cache(&cache, numbers[i], 4);
        for (uint64_t line = 0; line < 3 * numbers[i]; line++)
            assert_int_equal(sim_cache_set_of(&cache, line), line % numbers[i]);
        sim_cache_free(&cache);
    }
}

/* As many lines as there is room for stay; one more evicts a line of its own set and none of another. */
static void a_cache_holds_what_it_has_room_for(void **state)
{
    struct hwc_random random;
    struct sim_cache cache;
    uint64_t lines = UINT64_C(64) * 8;

    (void)state;
    hwc_random_seed(&random, 1);
    open_cache(&cache, 64, 8);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t line = 0; line < lines; line++)
            assert_int_equal(sim_cache_touch(&cache, sim_cache_set_of(&cache, line), line, &random), pass == 1);
    assert_false(sim_cache_touch(&cache, sim_cache_set_of(&cache, lines), lines, &random));
    assert_false(sim_cache_holds(&cache, sim_cache_set_of(&cache, 0), 0));
    assert_true(sim_cache_holds(&cache, sim_cache_set_of(&cache, 1), 1));
    sim_cache_free(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_go_to_the_sets_in_turn),
        cmocka_unit_test(a_cache_holds_what_it_has_room_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
