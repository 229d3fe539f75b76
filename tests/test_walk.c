#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "walk.h"

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void sequence_lists_what_x_ray_writes(void **state)
{
    struct hwc_walk walk;
    struct hwc_error error;

    (void)state;
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 64, 128, 3, &error), HWC_OK);
    assert_int_equal(walk.count, 3);
    assert_int_equal(walk.offsets[0], 64);
    assert_int_equal(walk.offsets[2], 320);
    hwc_walk_free(&walk);
}

static void shuffle_keeps_every_cell_and_changes_the_serial(void **state)
{
    struct hwc_walk walk;
    struct hwc_random random;
    struct hwc_error error;
    uint64_t serial;

    (void)state;
    hwc_walk_init(&walk);
    hwc_random_seed(&random, 7);
    hwc_walk_sequence(&walk, 0, 8, 1000, &error);
    serial = walk.serial;
    hwc_walk_shuffle(&walk, &random);
    assert_int_not_equal(walk.serial, serial);
    qsort(walk.offsets, walk.count, sizeof *walk.offsets, by_value);
    for (size_t i = 0; i < walk.count; i++)
        assert_int_equal(walk.offsets[i], 8 * i);
    hwc_walk_free(&walk);
}

static void scatter_takes_no_two_neighbours_within_groups(void **state)
{
    struct hwc_random random;
    struct hwc_error error;

    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct hwc_walk walk;
        size_t lines = 1 + (size_t)(seed * 37 % 500);
        hwc_random_seed(&random, seed);
        hwc_walk_init(&walk);
        assert_int_equal(hwc_walk_spaced_shuffle(&walk, lines, 64, 4096, &random, &error), HWC_OK);
        assert_int_equal(walk.count, lines);
        /* A group is not visited again after it was left. */
        for (size_t i = 1, groups = 1; i < lines; i++) {
            groups += walk.offsets[i] / 4096 != walk.offsets[i - 1] / 4096;
            assert_true(groups <= (lines * HWC_SPACED_SHUFFLE + 63) / 64);
        }
        qsort(walk.offsets, lines, sizeof *walk.offsets, by_value);
        assert_true(walk.offsets[lines - 1] < HWC_SPACED_SHUFFLE * lines * 64);
        for (size_t i = 1; i < lines; i++)
            if (walk.offsets[i] - walk.offsets[i - 1] < 128)
                fail_msg("seed %llu: lines at %llu and %llu are neighbours", (unsigned long long)seed,
                         (unsigned long long)walk.offsets[i - 1], (unsigned long long)walk.offsets[i]);
        hwc_walk_free(&walk);
    }
}

/* The walk keeps its cells, and each round visits no more than its share of the lines of a page. */
static void a_reordered_walk_has_the_same_cells(void **state)
{
    enum { CELLS = 40, MOVED = 32, ROUNDS = 4000 };
    struct hwc_random random;
    struct hwc_walk walk;
    unsigned first[MOVED] = {0};

    (void)state;
    hwc_random_seed(&random, 20261126);
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 0, HWC_CELL_BYTES, CELLS, NULL), HWC_OK);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t serial = walk.serial, cells_serial = walk.cells_serial, seen = 0;
        hwc_walk_reorder(&walk, 0, MOVED, &random);
        assert_int_not_equal(walk.serial, serial);
        assert_int_equal(walk.cells_serial, cells_serial);
        for (size_t i = 0; i < CELLS; i++)
            seen |= UINT64_C(1) << walk.offsets[i] / HWC_CELL_BYTES;
        assert_true(seen == (UINT64_C(1) << CELLS) - 1);
        for (size_t i = MOVED; i < CELLS; i++)
            assert_int_equal(walk.offsets[i], i * HWC_CELL_BYTES);
        first[walk.offsets[0] / HWC_CELL_BYTES]++;
    }
    for (size_t i = 0; i < MOVED; i++) /* each is first as often as any other, within five standard deviations */
        assert_in_range(first[i], ROUNDS / MOVED - 56, ROUNDS / MOVED + 56);
    hwc_walk_free(&walk);
}

static void rounds_visit_few_lines_of_a_page(void **state)
{
    enum { PAGES = 40, LINES = PAGES * 32, ROUNDS = 4 };
    struct hwc_walk walk, plain;
    struct hwc_random random;
    struct hwc_error error;

    (void)state;
    hwc_random_seed(&random, 7);
    hwc_walk_init(&walk);
    hwc_walk_init(&plain);
    assert_int_equal(hwc_walk_spaced_shuffle(&walk, LINES, 64, 4096, &random, &error), HWC_OK);
    for (size_t i = 0; i < LINES; i++)
        assert_int_equal(hwc_walk_append(&plain, walk.offsets[i], &error), HWC_OK);
    assert_int_equal(hwc_walk_in_rounds(&walk, 64, ROUNDS, &error), HWC_OK);
    assert_int_equal(walk.count, LINES);
    for (size_t i = 0; i + 1 < LINES; i += LINES / ROUNDS) {
        unsigned seen[HWC_SPACED_SHUFFLE * PAGES] = {0};
        for (size_t k = i; k < i + LINES / ROUNDS; k++)
            seen[walk.offsets[k] / 4096]++;
        for (size_t page = 0; page < HWC_SPACED_SHUFFLE * PAGES; page++)
            assert_in_range(seen[page], 0, 32 / ROUNDS);
    }
    qsort(walk.offsets, LINES, sizeof *walk.offsets, by_value);
    qsort(plain.offsets, LINES, sizeof *plain.offsets, by_value);
    assert_memory_equal(walk.offsets, plain.offsets, LINES * sizeof *walk.offsets);
    hwc_walk_free(&walk);
    hwc_walk_free(&plain);
}

static void sprinkled_cells_stay_within_their_spacing(void **state)
{
    struct hwc_random random;
    struct hwc_error error;
    size_t moved = 0;

    (void)state;
    hwc_random_seed(&random, 7);
    for (int round = 0; round < 20; round++) {
        struct hwc_walk walk;
        uint64_t serial;
        hwc_walk_init(&walk);
        assert_int_equal(hwc_walk_sequence(&walk, 0, 512, 100, &error), HWC_OK);
        serial = walk.serial;
        hwc_walk_jitter(&walk, 512, 64, &random);
        assert_true(walk.serial != serial);
        for (size_t i = 0; i < walk.count; i++) {
            assert_int_equal(walk.offsets[i] / 512, i);
            assert_int_equal(walk.offsets[i] % 64, 0);
            moved += walk.offsets[i] % 512 != 0;
        }
        hwc_walk_free(&walk);
    }
    assert_true(moved > 1600 && moved < 1900); /* about seven of eight */
}

/* Each set is used by as many lines as any other, within two. */
static void scatter_uses_all_sets_alike(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        unsigned used[64] = {0}, least = 1000, most = 0;
        struct hwc_walk walk;
        struct hwc_random random;
        struct hwc_error error;
        size_t lines = 64 + (size_t)(seed * 37 % 500);
        hwc_random_seed(&random, seed);
        hwc_walk_init(&walk);
        assert_int_equal(hwc_walk_spaced_shuffle(&walk, lines, 64, 4096, &random, &error), HWC_OK);
        for (size_t i = 0; i < lines; i++)
            used[walk.offsets[i] / 64 % 64]++;
        for (size_t set = 0; set < 64; set++) {
            least = used[set] < least ? used[set] : least;
            most = used[set] > most ? used[set] : most;
        }
        if (most > least + 2)
            fail_msg("seed %llu: %zu lines, sets of %u to %u", (unsigned long long)seed, lines, least, most);
        hwc_walk_free(&walk);
    }
}

static void group_keeps_cells_and_comes_back_to_no_group(void **state)
{
    struct hwc_random random;
    struct hwc_error error;
    struct hwc_walk walk;

    (void)state;
    hwc_random_seed(&random, 9);
    hwc_walk_init(&walk);
    hwc_walk_sequence(&walk, 0, 64, 1000, &error);
    hwc_walk_shuffle(&walk, &random);
    assert_int_equal(hwc_walk_group(&walk, 4096, &random, &error), HWC_OK);
    for (size_t i = 1, changes = 0; i < walk.count; i++) {
        changes += walk.offsets[i] / 4096 != walk.offsets[i - 1] / 4096;
        assert_true(changes <= 1000 * 64 / 4096);
    }
    qsort(walk.offsets, walk.count, sizeof *walk.offsets, by_value);
    for (size_t i = 0; i < walk.count; i++)
        assert_int_equal(walk.offsets[i], 64 * i);
    hwc_walk_free(&walk);
}

/* A line in each page: every line of the page, and then another line further. */
static void cells_use_all_lines_of_their_pages(void **state)
{
    const struct hwc_drawn drawn = {.cells = 512, .spacing = UINT64_C(3) * 4096, .line_shift = 6, .page_shift = 12};
    bool used[8][64] = {{false}};
    struct hwc_walk walk;
    struct hwc_error error;

    (void)state;
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_cells(&walk, &drawn, &error), HWC_OK);
    assert_int_equal(walk.count, 512);
    for (size_t i = 0; i < walk.count; i++) {
        size_t page = (size_t)(walk.offsets[i] / 4096), line = (size_t)(walk.offsets[i] % 4096 / 64);
        assert_int_equal(page, 3 * i);
        assert_false(used[page % 8][line]); /* of a first level whose ways are eight pages long */
        used[page % 8][line] = true;
    }
    hwc_walk_free(&walk);
}

static void streams_list_their_lines(void **state)
{
    struct hwc_stream stream = {1024, HWC_STREAM_WRITE};
    struct hwc_walk walk;
    struct hwc_error error;

    (void)state;
    hwc_walk_init(&walk);
    assert_false(hwc_walk_is_stream(&walk));
    assert_int_equal(hwc_walk_stream(&walk, &stream, 128, &error), HWC_OK);
    assert_true(hwc_walk_is_stream(&walk) && walk.access == HWC_STORE);
    assert_int_equal(hwc_walk_references(&walk), 8);
    for (size_t i = 0; i < walk.count; i++)
        assert_int_equal(walk.offsets[i], 128 * i);
    stream.kind = HWC_STREAM_COPY;
    assert_int_equal(hwc_walk_stream(&walk, &stream, 128, &error), HWC_OK);
    assert_true(walk.access == HWC_LOAD);
    assert_int_equal(hwc_walk_references(&walk), 8);
    for (size_t i = 0; i < walk.count; i++)
        assert_int_equal(walk.offsets[i], i % 2 * 512 + i / 2 * 128);
    hwc_walk_free(&walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_list_their_lines),
        cmocka_unit_test(cells_use_all_lines_of_their_pages),
        cmocka_unit_test(sequence_lists_what_x_ray_writes),
        cmocka_unit_test(shuffle_keeps_every_cell_and_changes_the_serial),
        cmocka_unit_test(scatter_takes_no_two_neighbours_within_groups),
        cmocka_unit_test(a_reordered_walk_has_the_same_cells),
        cmocka_unit_test(rounds_visit_few_lines_of_a_page),
        cmocka_unit_test(sprinkled_cells_stay_within_their_spacing),
        cmocka_unit_test(scatter_uses_all_sets_alike),
        cmocka_unit_test(group_keeps_cells_and_comes_back_to_no_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
