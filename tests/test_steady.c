/* Where the simulator predicts that passes repeat, they do: for every policy and
 * inclusion, on random walks, the next period adds the predicted counts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "steady.h"

#define SEED 20261121
#define PASSES 40
#define MOST_CELLS 400

static const char *const policies[] = {"lru",   "fifo",  "tree-plru",          "bit-plru",
                                       "nru",   "srrip", "QLRU_H11_M1_R0_U0",  "QLRU_H00_M1_R2_U1",
                                       "random"};

static void describe(struct sim_description *description, const char *first, const char *second, unsigned ways,
                     enum sim_inclusion inclusion)
{
    memset(description, 0, sizeof *description);
    description->page_bytes = 4096;
    description->levels = 2;
    for (unsigned i = 0; i < 2; i++) {
        struct sim_level *level = &description->level[i];
        level->level = i + 1;
        level->kind = SIM_DATA;
        level->sector_lines = 1;
        level->write_allocate = true;
        level->write_back = true;
        level->shape.line_bytes = 64;
        level->shape.slices = 1;
        level->shape.ways = i == 0 ? ways : 16;
        level->shape.size_bytes = (uint64_t)level->shape.ways * 64 * (i == 0 ? 8 : 16);
        assert_true(hwc_policy_parse(i == 0 ? first : second, &level->shape.policy));
    }
    description->level[1].inclusion = inclusion;
}

static size_t draw_places(const struct sim_hierarchy *hierarchy, struct hwc_random *random, struct sim_place *places)
{
    size_t count = 2 + hwc_random_below(random, MOST_CELLS - 2);
    uint64_t lines = 1 + hwc_random_below(random, 600);
    uint64_t stride = 64u << hwc_random_below(random, 5);

    for (size_t i = 0; i < count; i++) {
        uint64_t address = hwc_random_below(random, lines) * stride;
        sim_hierarchy_locate(hierarchy, SIM_DATA_SIDE, address, address, &places[i]);
    }
    return count;
}

/* Returns 1 if a repetition was predicted, else 0. */
static unsigned check_walk(struct sim_hierarchy *hierarchy, const struct sim_place *places, size_t count,
                           enum hwc_access access)
{
    const struct sim_translation none = {.side = SIM_DATA_SIDE};
    struct sim_steady steady;
    struct sim_counts history[PASSES + 1];
    unsigned foretold = 0;

    sim_steady_init(&steady, hierarchy);
    history[0] = hierarchy->counts;
    for (unsigned pass = 1; pass <= PASSES; pass++) {
        struct sim_counts adds;
        for (size_t i = 0; i < count; i++)
            sim_hierarchy_access(hierarchy, &places[i], access, HWC_INTEGER);
        history[pass] = hierarchy->counts;
        sim_steady_look(&steady, hierarchy, &none, places, count, 0, &hierarchy->counts);
        if (sim_steady_period(&steady, &adds) && pass > 2 * steady.period) {
            /* The prediction is what the last period added. */
            struct sim_counts added;
            sim_counts_between(&history[pass - steady.period], &history[pass], &added);
            assert_memory_equal(&added, &adds, sizeof adds);
            for (unsigned more = 0; more < steady.period; more++)
                for (size_t i = 0; i < count; i++)
                    sim_hierarchy_access(hierarchy, &places[i], access, HWC_INTEGER);
            sim_counts_between(&history[pass], &hierarchy->counts, &added);
            if (memcmp(&added, &adds, sizeof adds) != 0)
                fail_msg("pass %u, period %u: %llu misses were foretold, %llu came", pass, steady.period,
                         (unsigned long long)adds.misses[0][HWC_LOAD], (unsigned long long)added.misses[0][HWC_LOAD]);
            return foretold + 1;
        }
    }
    return foretold;
}

static void what_is_foretold_comes(void **state)
{
    static struct sim_place places[MOST_CELLS];
    static struct sim_description description;
    struct hwc_random random;
    unsigned foretold = 0, walks = 0;

    (void)state;
    print_message("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    for (size_t first = 0; first < sizeof policies / sizeof policies[0]; first++)
        for (size_t second = 0; second < sizeof policies / sizeof policies[0]; second++)
            for (int inclusion = SIM_NINE; inclusion <= SIM_EXCLUSIVE; inclusion++)
                for (int round = 0; round < 6; round++) {
                    struct sim_hierarchy hierarchy;
                    struct hwc_error error;
                    describe(&description, policies[first], policies[second], round % 2 == 0 ? 8 : 12,
                             (enum sim_inclusion)inclusion);
                    assert_int_equal(sim_hierarchy_init(&hierarchy, &description, SEED, &error), HWC_OK);
                    size_t count = draw_places(&hierarchy, &random, places);
                    for (size_t i = 0; i < count; i++) /* so that later loads evict dirty lines */
                        sim_hierarchy_access(&hierarchy, &places[i], HWC_STORE, HWC_INTEGER);
                    foretold += check_walk(&hierarchy, places, count, round < 3 ? HWC_LOAD : HWC_STORE);
                    sim_hierarchy_free(&hierarchy);
                    walks++;
                }
    print_message("%u of %u walks repeat\n", foretold, walks);
    assert_true(foretold > walks / 3);
}

static void chance_is_never_foretold(void **state)
{
    static struct sim_description description;
    struct sim_hierarchy hierarchy;
    struct sim_steady steady;
    struct hwc_error error;

    (void)state;
    describe(&description, "lru", "random", 8, SIM_NINE);
    assert_int_equal(sim_hierarchy_init(&hierarchy, &description, SEED, &error), HWC_OK);
    sim_steady_init(&steady, &hierarchy);
    assert_false(steady.possible);
    sim_hierarchy_free(&hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_foretold_comes),
        cmocka_unit_test(chance_is_never_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
