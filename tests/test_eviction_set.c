/* Eviction sets of a level whose sets are chosen by what a page is and by the place in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eviction_set.h"
#include "fake_machine.h"
#include "kept_arena.h"

enum { PAGE = 4096, LINE = 64, PLACES = PAGE / LINE, PAGES = 2048, KINDS = 16, WAYS = 8, FIRST_WAYS = 4 };
enum { FIRST = 4, HIT = 14, MISS = 40 };
enum { SMALL_KINDS = 2, THIRD_WAYS = 12, FAR = 200 }; /* of a small second level, and of the third below it */

struct set {
    uint64_t line[WAYS]; /* the last used first; 0 = none */
};

/* Two levels, both LRU: the first one's sets are places, the second one's go by the page's kind, too. The second may have
 * sets for few kinds, and a third one for all. */
struct levels {
    uint8_t kind[PAGES][PLACES]; /* of a page, or, of an index that is no XOR, of each of its places */
    int crowded; /* a place where others hold a way of every set; -1 = none */
    bool is_small;
    struct set first[PLACES], second[KINDS * PLACES];
    struct {
        uint64_t line[THIRD_WAYS];
    } third[KINDS * PLACES];
};

static struct levels levels;

static double reference(uint64_t offset)
{
    uint64_t line = offset / LINE + 1, place = offset / LINE % PLACES;
    unsigned kind = levels.kind[offset / PAGE][place], of_second = levels.is_small ? kind % SMALL_KINDS : kind;
    size_t ways = (int)place == levels.crowded ? WAYS - 1 : WAYS;
    bool is_first = fake_use(levels.first[place].line, FIRST_WAYS, line), is_second, is_third = true;

    if (is_first)
        return FIRST;
    is_second = fake_use(levels.second[((size_t)of_second * PLACES) ^ place ^ (of_second % 4)].line, ways, line);
    if (levels.is_small)
        is_third = fake_use(levels.third[(size_t)kind * PLACES + place].line, THIRD_WAYS, line);
    return is_second ? HIT : is_third ? MISS : FAR;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n;
    fake_references(reference, experiment, sample);
}

static void draw_levels(bool by_xor, int crowded)
{
    struct hwc_random random;

    hwc_random_seed(&random, 1);
    levels = (struct levels){.crowded = crowded};
    for (size_t page = 0; page < PAGES; page++)
        for (size_t place = 0; place < PLACES; place++)
            levels.kind[page][place] =
                by_xor && place > 0 ? levels.kind[page][0] : (uint8_t)hwc_random_below(&random, KINDS);
}

static void know(struct fake_machine *fake)
{
    hwc_know_levels(&fake->lab, 2);
    hwc_know_level(&fake->lab, 1, &(struct hwc_level){.line_bytes = LINE, .fill_bytes = LINE, .ways = FIRST_WAYS,
                                                      .size_bytes = (uint64_t)FIRST_WAYS * PAGE, .period_bytes = PAGE});
    fake->lab.witness[1] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = FIRST, .miss_cycles = HIT};
    fake->lab.witness[2] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = HIT, .miss_cycles = MISS};
}

/* Lines at this place of their pages: how many evict one more? */
static int search_at(struct fake_machine *fake, const struct hwc_arena *arena, size_t place, size_t *found,
                     struct hwc_error *error)
{
    const struct hwc_conflict_plan plan = {.level = 2, .arena = arena, .stride = PAGE, .candidates = PAGES};
    struct hwc_conflict_test test;
    int status;

    assert_int_equal(hwc_open_conflict_test(&test, &fake->lab, &plan, error), HWC_OK);
    test.base = place * LINE;
    for (size_t i = 0; i < PAGES; i++)
        test.candidates[i] = i * PAGE + test.base;
    status = hwc_find_eviction_set(&test, found, error);
    hwc_close_conflict_test(&test);
    return status;
}

/* The same, and how many references that takes to tell. */
static size_t find_at(struct fake_machine *fake, const struct hwc_arena *arena, size_t place, uint64_t *references)
{
    struct hwc_error error = {0};
    uint64_t before = fake->lab.references;
    size_t found = 0;
    int status = search_at(fake, arena, place, &found, &error);

    if (status != HWC_OK)
        print_message("%s\n", error.message);
    assert_int_equal(status, HWC_OK);
    *references = fake->lab.references - before;
    return found;
}

struct two_looks {
    size_t lines[2];
    uint64_t references[2];
};

struct bench {
    struct fake_machine fake;
    struct hwc_arena arena;
};

static void open_bench(struct bench *bench, fake_play played)
{
    struct hwc_error error;

    fake_machine_open(&bench->fake, played, NULL);
    know(&bench->fake);
    assert_int_equal(hwc_borrow_arena(&bench->fake.lab, UINT64_C(1) * PAGES * PAGE, HWC_BASE_PAGES, &bench->arena, &error),
                     HWC_OK);
}

static void close_bench(struct bench *bench)
{
    hwc_return_arena(&bench->fake.lab, &bench->arena);
    fake_machine_close(&bench->fake);
}

/* At two places, one after the other. */
static struct two_looks look_twice(bool by_xor, int crowded)
{
    enum { ONE = 20, OTHER = 44 };
    struct two_looks looks;
    struct bench bench;

    draw_levels(by_xor, crowded);
    open_bench(&bench, play);
    looks.lines[0] = find_at(&bench.fake, &bench.arena, ONE, &looks.references[0]);
    looks.lines[1] = find_at(&bench.fake, &bench.arena, OTHER, &looks.references[1]);
    print_message("%zu lines by %llu references, %zu by %llu\n", looks.lines[0], (unsigned long long)looks.references[0],
                  looks.lines[1], (unsigned long long)looks.references[1]);
    close_bench(&bench);
    return looks;
}

static void lines_that_share_a_set_are_few_to_ask_about_elsewhere(void **state)
{
    struct two_looks looks = look_twice(true, -1);

    (void)state;
    assert_int_equal(looks.lines[0], WAYS);
    assert_int_equal(looks.lines[1], WAYS);
    assert_true(looks.references[1] < looks.references[0] / 4);
}

static void all_lines_are_searched_where_they_share_none_elsewhere(void **state)
{
    struct two_looks looks = look_twice(false, -1);

    (void)state;
    assert_int_equal(looks.lines[0], WAYS);
    assert_int_equal(looks.lines[1], WAYS);
    assert_true(looks.references[1] > looks.references[0] / 4);
}

static void a_way_that_others_hold_is_not_missed_elsewhere(void **state)
{
    struct two_looks looks = look_twice(true, 20);

    (void)state;
    assert_int_equal(looks.lines[0], WAYS - 1);
    assert_int_equal(looks.lines[1], WAYS);
    looks = look_twice(true, 44);
    assert_int_equal(looks.lines[0], WAYS);
    assert_int_equal(looks.lines[1], WAYS - 1);
}

/* The line itself is played once more after each reading: that is the first level's time. */
static void play_slow_first(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    play(context, n, experiment, sample);
    if (sample->readings > 1)
        sample->reading[1].cycles += MISS;
}

/* The search would never end: lines that come from elsewhere seemed to take a negative time, and a step of the clock, too. */
static void hits_that_take_less_than_the_first_level_tell_nothing(void **state)
{
    struct bench bench;
    struct hwc_error error = {0};
    size_t found;

    (void)state;
    draw_levels(true, -1);
    open_bench(&bench, play_slow_first);
    bench.fake.base.step_cycles = HIT;
    assert_int_equal(search_at(&bench.fake, &bench.arena, 0, &found, &error), HWC_INCONCLUSIVE);
    assert_non_null(strstr(error.message, "others disturb what single lines take"));
    close_bench(&bench);
}

/* The same machine for each seed, which draws the lines. */
static size_t find_by_seed(uint64_t seed, const struct hwc_levels_fit *fit)
{
    static const struct hwc_drawn_curve curve;
    struct bench bench;
    uint64_t references;
    size_t found;

    draw_levels(true, -1);
    levels.is_small = true;
    open_bench(&bench, play);
    hwc_random_seed(&bench.fake.lab.random, seed);
    hwc_know_seen(&bench.fake.lab, &curve, fit);
    found = find_at(&bench.fake, &bench.arena, 0, &references);
    close_bench(&bench);
    return found;
}

/* Of a dozen lines that empty the first level, half share the target's set, and sometimes as many as it has ways. */
static void lines_that_put_the_target_out_do_not_make_it_the_next_level_s(void **state)
{
    enum { SEEDS = 24 };
    static const struct hwc_levels_fit fit = {
        .levels = 3,
        .level = {{.cycles = {FIRST, FIRST, FIRST}}, {.cycles = {HIT, HIT - 1, HIT + 1}}, {.cycles = {MISS, MISS - 8, MISS}}},
        .memory = {FAR, FAR - 20, FAR},
        .told = 1, /* few ways would explain the times, too */
        .told_if_many = 3};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        assert_int_equal(find_by_seed(seed, &fit), WAYS);
}

/* As footprints of a level of few ways show two, the target then comes from farther than the first of them. */
static void where_all_come_from_farther_footprints_do_not_decide(void **state)
{
    static const struct hwc_levels_fit fit = {
        .levels = 3,
        .level = {{.cycles = {FIRST, FIRST, FIRST}}, {.cycles = {9, 8, 10}}, {.cycles = {13, 12, 15}}},
        .memory = {FAR, FAR - 20, FAR},
        .told = 1,
        .told_if_many = 3};

    (void)state;
    assert_int_equal(find_by_seed(1, &fit), WAYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_share_a_set_are_few_to_ask_about_elsewhere),
        cmocka_unit_test(all_lines_are_searched_where_they_share_none_elsewhere),
        cmocka_unit_test(a_way_that_others_hold_is_not_missed_elsewhere),
        cmocka_unit_test(hits_that_take_less_than_the_first_level_tell_nothing),
        cmocka_unit_test(lines_that_put_the_target_out_do_not_make_it_the_next_level_s),
        cmocka_unit_test(where_all_come_from_farther_footprints_do_not_decide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
