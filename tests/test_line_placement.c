/* Packed lines lie in the same sets as the lines that they stand for, on few pages. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "line_placement.h"
#include "page_order.h"
#include "statistics.h"

static const struct shape {
    uint64_t size, ways, page;
} shapes[] = {{32768, 8, 4096}, {5120, 5, 4096}, {4096, 8, 4096},  {32768, 2, 4096},  {16384, 1, 4096},
              {49152, 12, 4096}, {65536, 2, 8192}, {32768, 8, 65536}, {12288, 3, 4096}};

static struct hwc_machine machine;

static void know(struct hwc_lab *lab, const struct shape *shape)
{
    static struct hwc_knowledge knowledge;

    *lab = (struct hwc_lab){.machine = &machine, .known = &knowledge};
    machine.page_bytes = shape->page;
    hwc_know_level(lab, 1, &(struct hwc_level){.line_bytes = 64, .fill_bytes = 64, .size_bytes = shape->size,
                                               .ways = shape->ways, .period_bytes = shape->size / shape->ways});
    hwc_random_seed(&lab->random, 5);
}

static int by_set(const void *left, const void *right)
{
    return *(const int *)left - *(const int *)right;
}

static void list_sets(const struct hwc_lab *lab, const struct hwc_walk *walk, int *sets)
{
    for (size_t i = 0; i < walk->count; i++)
        sets[i] = (int)(walk->offsets[i] / 64 % (lab->known->level[1].period_bytes / 64));
    qsort(sets, walk->count, sizeof *sets, by_set);
}

/* Sets do not matter for fewer than 64 lines, which may be packed into other sets. */
static void packed_lines_use_the_same_sets_and_no_cell_twice(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t count = 8; count <= 2048; count *= 2) {
            static int wanted[4096], found[4096];
            struct hwc_lab lab;
            struct hwc_walk walk, packed;
            struct hwc_error error;
            know(&lab, &shapes[s]);
            hwc_walk_init(&walk);
            hwc_walk_init(&packed);
            assert_int_equal(hwc_walk_pages(&lab, &walk, count, 0, 5 * shapes[s].page, 0, &error), HWC_OK);
            assert_int_equal(hwc_walk_pack(&lab, &walk, 8, &packed, &error), HWC_OK);
            assert_int_equal(packed.count, count);
            list_sets(&lab, &walk, wanted);
            list_sets(&lab, &packed, found);
            for (size_t i = 0; i < count && count >= 64; i++)
                if (wanted[i] != found[i])
                    fail_msg("shape %zu, %zu lines: set %d for %d", s, count, found[i], wanted[i]);
            hwc_sort_integers(packed.offsets, count);
            for (size_t i = 1; i < count; i++)
                assert_true(packed.offsets[i] > packed.offsets[i - 1]);
            assert_true(packed.offsets[count - 1] < walk.count * shapes[s].page);
            hwc_walk_free(&walk);
            hwc_walk_free(&packed);
        }
}

static void packed_lines_of_a_small_cache_have_no_neighbours(void **state)
{
    struct hwc_lab lab;
    struct hwc_walk walk, packed;
    struct hwc_error error;

    (void)state;
    know(&lab, &shapes[1]);
    hwc_walk_init(&walk);
    hwc_walk_init(&packed);
    hwc_walk_pages(&lab, &walk, 128, 0, UINT64_C(5) * 4096, 0, &error);
    assert_int_equal(hwc_walk_pack(&lab, &walk, 8, &packed, &error), HWC_OK);
    hwc_sort_integers(packed.offsets, packed.count);
    for (size_t i = 1; i < packed.count; i++)
        if (packed.offsets[i] / 4096 == packed.offsets[i - 1] / 4096) /* no prefetcher goes beyond a page */
            assert_true(packed.offsets[i] - packed.offsets[i - 1] >= 128);
    hwc_walk_free(&walk);
    hwc_walk_free(&packed);
}

/* Two of them in one line of a level below would take half the room there that they do with a page each. */
static void packed_lines_take_as_many_lines_of_a_level_below(void **state)
{
    enum { LONGEST = 256, LINES = 1024 };
    static const uint64_t pages[] = {4096, 16384};

    (void)state;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        const struct shape shape = {8192, 1, pages[i]};
        struct hwc_lab lab;
        struct hwc_walk walk, packed;
        struct hwc_error error;
        know(&lab, &shape);
        hwc_know_level(&lab, 2, &(struct hwc_level){.line_bytes = LONGEST, .fill_bytes = LONGEST});
        hwc_know_levels(&lab, 2);
        hwc_walk_init(&walk);
        hwc_walk_init(&packed);
        assert_int_equal(hwc_walk_pages(&lab, &walk, LINES, 0, 5 * pages[i], 0, &error), HWC_OK);
        assert_int_equal(hwc_walk_pack(&lab, &walk, 8, &packed, &error), HWC_OK);
        hwc_sort_integers(packed.offsets, packed.count);
        for (size_t k = 1; k < packed.count; k++)
            assert_true(packed.offsets[k] / LONGEST > packed.offsets[k - 1] / LONGEST);
        hwc_walk_free(&walk);
        hwc_walk_free(&packed);
    }
}

static void what_repeats_is_packed_in_its_order(void **state)
{
    static const uint64_t visits[] = {0, 4096 * 5 + 64, 0, 4096 * 10 + 128, 4096 * 5 + 64, 0};
    struct hwc_lab lab;
    struct hwc_walk walk, packed;
    struct hwc_error error;

    (void)state;
    know(&lab, &shapes[0]);
    hwc_walk_init(&walk);
    hwc_walk_init(&packed);
    walk.repeats = true;
    for (size_t i = 0; i < sizeof visits / sizeof visits[0]; i++)
        hwc_walk_append(&walk, visits[i], &error);
    assert_int_equal(hwc_walk_pack(&lab, &walk, 8, &packed, &error), HWC_OK);
    assert_true(packed.repeats);
    for (size_t i = 0; i < walk.count; i++)
        for (size_t k = 0; k < walk.count; k++)
            assert_true((packed.offsets[i] == packed.offsets[k]) == (visits[i] == visits[k]));
    hwc_walk_free(&walk);
    hwc_walk_free(&packed);
}

/* The cells of emitted code in one page do not overlap. */
static void cells_within_a_page_lie_apart(void **state)
{
    static bool taken[4096 / HWC_CELL_BYTES];
    struct hwc_lab lab;

    (void)state;
    know(&lab, &shapes[0]);
    assert_int_equal(hwc_visits_to_a_page(&lab), 4096 / 16);
    for (size_t n = 0; n < hwc_visits_to_a_page(&lab); n++) {
        uint64_t at = hwc_line_of_visit(&lab, 3, n);
        assert_true(at % 16 == 0 && at < 4096);
        assert_false(taken[at / HWC_CELL_BYTES]);
        taken[at / HWC_CELL_BYTES] = true;
    }
}

static void rounds_visit_each_page_once_in_the_same_order(void **state)
{
    enum { PAGE = 4096, LINES = 11 };
    static const uint64_t lines[LINES] = {64,   8192,      128, 4096 + 64, 8192 + 512, 192,
                                          4096, 8192 + 64, 256, 320,       8192 + 128};
    static const uint64_t pages[] = {8192 + 8, 16, 4096 + 24};
    static const uint64_t of_round[LINES] = {2, 0, 1, 2, 0, 1, 2, 0, 2, 0, 0}; /* three pages have 4, 5 and 2 lines */
    struct hwc_page_order order;
    struct hwc_random random;
    struct hwc_error error;
    uint64_t drawn[LINES];

    (void)state;
    hwc_random_seed(&random, 7);
    assert_int_equal(hwc_page_order_open(&order, lines, LINES, pages, 3, PAGE, &error), HWC_OK);
    for (int draw = 0; draw < 20; draw++) {
        uint64_t sum = 0, expected = 0;
        hwc_page_order_draw(&order, &random, drawn);
        for (size_t i = 0; i < LINES; i++) {
            assert_int_equal(drawn[i] / PAGE, of_round[i]);
            sum += drawn[i] * drawn[i];
            expected += lines[i] * lines[i];
        }
        assert_int_equal(sum, expected);
    }
    hwc_page_order_close(&order);
}

/* The lines before and after a place are not among them; and half of them are odd, as slices may be told apart by that. */
static void drawn_places_are_no_neighbours(void **state)
{
    enum { PARTS = 16, DRAWN = 40, PAGE = 4096 };
    unsigned odd = 0;

    (void)state;
    for (unsigned i = 0; i < DRAWN; i++) {
        uint64_t moved[PARTS], page = UINT64_C(5) * PAGE, line = page + i * UINT64_C(64), last = 0;
        struct hwc_lab lab;
        know(&lab, &shapes[0]);
        hwc_random_seed(&lab.random, i);
        hwc_draw_places(&lab, PARTS, line, moved);
        for (unsigned part = 0; part < PARTS; part++) {
            uint64_t place = (line ^ moved[part]) - page;
            assert_in_range(place, part * UINT64_C(256), part * UINT64_C(256) + 255);
            assert_int_equal(place % 64, 0);
            assert_true(part == 0 || place > last + 64);
            odd += place / 64 % 2 != 0;
            last = place;
        }
    }
    assert_in_range(odd, DRAWN * PARTS * 2 / 5, DRAWN * PARTS * 3 / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_lines_use_the_same_sets_and_no_cell_twice),
        cmocka_unit_test(packed_lines_of_a_small_cache_have_no_neighbours),
        cmocka_unit_test(packed_lines_take_as_many_lines_of_a_level_below),
        cmocka_unit_test(what_repeats_is_packed_in_its_order),
        cmocka_unit_test(cells_within_a_page_lie_apart),
        cmocka_unit_test(rounds_visit_each_page_once_in_the_same_order),
        cmocka_unit_test(drawn_places_are_no_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
