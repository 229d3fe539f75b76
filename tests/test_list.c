/* Lists of visits: a list reproduces its whole walk, holds what follows every
 * visit only once, and, if short, leaves half of the cache sets alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"
#include "random.h"

#define PAGE UINT64_C(4096)
#define SEED 20261122
#define WALKS (2 * (size_t)NATIVE_LISTS)

static struct hwc_walk open_walk(void)
{
    struct hwc_walk walk;

    hwc_walk_init(&walk);
    walk.repeats = true;
    return walk;
}

static void append(struct hwc_walk *walk, uint64_t offset)
{
    struct hwc_error error;

    assert_int_equal(hwc_walk_append(walk, offset, &error), HWC_OK);
}

static const struct native_list *list_of(struct native_lists *lists, const struct hwc_walk *walk)
{
    struct hwc_error error;
    bool made;
    const struct native_list *list = native_list_of(lists, walk, &made, &error);

    assert_non_null(list);
    return list;
}

/* The visits that the list plays are those of its walk. */
static void is_the_walk(const struct native_order *order, const struct hwc_walk *walk)
{
    size_t each = order->followers + 1;

    assert_int_equal(order->visits * each, walk->count);
    for (size_t i = 0; i < walk->count; i++)
        assert_int_equal(i % each == 0 ? order->visit[i / each] : order->follower[i % each - 1], walk->offsets[i]);
}

static void what_follows_each_visit_is_written_once(void **state)
{
    struct native_lists lists = {0};
    struct hwc_random random;

    (void)state;
    print_message("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    for (size_t followers = 0; followers < 30; followers++) {
        struct hwc_walk walk = open_walk();
        for (int visit = 0; visit < 40; visit++) {
            append(&walk, PAGE * (visit < 2 ? (uint64_t)visit : hwc_random_below(&random, 11)));
            for (size_t i = 0; i < followers; i++)
                append(&walk, PAGE * (100 + i));
        }
        assert_int_equal(list_of(&lists, &walk)->order.followers, followers);
        is_the_walk(&list_of(&lists, &walk)->order, &walk);
        hwc_walk_free(&walk);
    }
    native_lists_free(&lists);
}

/* What a pass of independent loads reads of its list must not tell how many they are. */
static void as_much_is_read_of_a_list_that_became_shorter(void **state)
{
    struct native_lists lists = {0};
    struct hwc_walk walk = open_walk();
    struct hwc_error error;

    (void)state;
    walk.repeats = false;
    walk.independent = true;
    for (size_t lines = 100; lines > 33; lines -= 33) {
        hwc_walk_clear(&walk);
        assert_int_equal(hwc_walk_sequence(&walk, 0, PAGE, lines, &error), HWC_OK);
        is_the_walk(&list_of(&lists, &walk)->order, &walk);
        assert_int_equal(list_of(&lists, &walk)->order.read, 100);
    }
    hwc_walk_free(&walk);
    native_lists_free(&lists);
}

/* Its time is compared with that of walks that move about, so it must be played as they are. */
static void a_walk_that_stays_is_written_out(void **state)
{
    struct native_lists lists = {0};
    struct hwc_walk walk = open_walk();

    (void)state;
    for (int i = 0; i < 48; i++)
        append(&walk, 7 * PAGE);
    assert_int_equal(list_of(&lists, &walk)->order.visits, 48);
    is_the_walk(&list_of(&lists, &walk)->order, &walk);
    hwc_walk_free(&walk);
    native_lists_free(&lists);
}

static void short_lists_leave_half_of_the_sets_alone(void **state)
{
    struct native_lists lists = {0};
    struct hwc_walk walks[WALKS];

    (void)state;
    for (size_t i = 0; i < WALKS; i++) {
        uintptr_t begin;
        walks[i] = open_walk();
        for (uint64_t k = 0; k < 100; k++)
            append(&walks[i], PAGE * (k * k % 17));
        begin = (uintptr_t)list_of(&lists, &walks[i])->order.visit;
        assert_int_equal(begin % NATIVE_LISTS_APART, 0);
        assert_true(walks[i].count * sizeof(uint32_t) <= NATIVE_LISTS_APART / 2);
    }
    for (size_t i = 0; i < WALKS; i++)
        hwc_walk_free(&walks[i]);
    native_lists_free(&lists);
}

/* An experiment has as many steps at most, whose lists are all found before the first is played. */
static void a_list_stays_until_as_many_others_are_asked_for(void **state)
{
    struct native_lists lists = {0};
    struct hwc_walk walks[WALKS];

    (void)state;
    for (size_t i = 0; i < WALKS; i++) {
        walks[i] = open_walk();
        append(&walks[i], PAGE * i);
        append(&walks[i], PAGE * (i + 1));
    }
    for (size_t first = 0; first + NATIVE_LISTS <= WALKS; first += 3) {
        const struct native_list *list[NATIVE_LISTS];
        for (size_t i = 0; i < NATIVE_LISTS; i++)
            list[i] = list_of(&lists, &walks[first + i]);
        for (size_t i = 0; i < NATIVE_LISTS; i++)
            is_the_walk(&list[i]->order, &walks[first + i]);
    }
    for (size_t i = 0; i < WALKS; i++)
        hwc_walk_free(&walks[i]);
    native_lists_free(&lists);
}

static void what_lies_too_far_is_refused(void **state)
{
    struct native_lists lists = {0};
    struct hwc_walk walk = open_walk();
    struct hwc_error error;
    bool made;

    (void)state;
    append(&walk, 0);
    append(&walk, UINT64_C(1) << 32);
    assert_null(native_list_of(&lists, &walk, &made, &error));
    assert_non_null(strstr(error.message, "4 GiB"));
    hwc_walk_free(&walk);
    native_lists_free(&lists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_each_visit_is_written_once),
        cmocka_unit_test(as_much_is_read_of_a_list_that_became_shorter),
        cmocka_unit_test(a_walk_that_stays_is_written_out),
        cmocka_unit_test(short_lists_leave_half_of_the_sets_alone),
        cmocka_unit_test(a_list_stays_until_as_many_others_are_asked_for),
        cmocka_unit_test(what_lies_too_far_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
