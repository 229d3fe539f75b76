/* Measured loops: each accesses the cells that it should, in order, and no
 * others. No page of the arena is accessible: the first access to each traps, is
 * noted and then let through. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels.h"
#include "random.h"

#define SEED 20261123
#define PAGES 64
#define MOST_NOTED (2 * (size_t)PAGES)

/* Global, as nothing can be passed to a signal handler. */
static struct {
    char *base;
    size_t page_bytes, noted;
    uint64_t at[MOST_NOTED];
} arena;

static void note(int signal_number, siginfo_t *info, void *context)
{
    uint64_t at = (uint64_t)((char *)info->si_addr - arena.base);
    size_t page = at / arena.page_bytes;

    (void)context;
    if (page >= PAGES || arena.noted == MOST_NOTED ||
        mprotect(arena.base + page * arena.page_bytes, arena.page_bytes, PROT_READ | PROT_WRITE) != 0) {
        signal(signal_number, SIG_DFL); /* the access traps again and ends the test */
        return;
    }
    arena.at[arena.noted++] = at;
}

static void open_arena(void)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

    arena.page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    arena.base = mmap(NULL, PAGES * arena.page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(arena.base != MAP_FAILED);
    sigaction(SIGSEGV, &action, NULL);
}

static void close_pages(void)
{
    arena.noted = 0;
    assert_int_equal(mprotect(arena.base, PAGES * arena.page_bytes, PROT_NONE), 0);
}

static void close_arena(void)
{
    signal(SIGSEGV, SIG_DFL);
    munmap(arena.base, PAGES * arena.page_bytes);
}

/* A cell in every page, in random order. */
static void choose_cells(uint64_t offsets[PAGES])
{
    struct hwc_random random;

    hwc_random_seed(&random, SEED);
    for (uint64_t i = 0; i < PAGES; i++)
        offsets[i] = i * arena.page_bytes + 8 * hwc_random_below(&random, arena.page_bytes / 8);
    for (uint64_t i = 1; i < PAGES; i++) {
        uint64_t k = hwc_random_below(&random, i + 1), other = offsets[k];
        offsets[k] = offsets[i];
        offsets[i] = other;
    }
}

/* Each cell holds the index of the one after it. */
static void write_chain(const uint64_t offsets[PAGES])
{
    for (size_t i = 0; i < PAGES; i++) {
        uint64_t next = offsets[(i + 1) % PAGES] / 8;
        memcpy(arena.base + offsets[i], &next, sizeof next);
    }
    close_pages();
}

static void went_to(const uint64_t *offsets, size_t count)
{
    assert_int_equal(arena.noted, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(arena.at[i], offsets[i]);
}

static const uint64_t *cells(void)
{
    return (const uint64_t *)(const void *)arena.base;
}

static void a_chain_is_followed_for_so_many_loads(void **state)
{
    static const uint64_t loads[] = {0, 1, 15, 16, 17, 63};
    uint64_t offsets[PAGES];

    (void)state;
    open_arena();
    choose_cells(offsets);
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        mprotect(arena.base, PAGES * arena.page_bytes, PROT_READ | PROT_WRITE);
        write_chain(offsets);
        assert_int_equal(native_chase(cells(), offsets[0] / 8, loads[i]), offsets[loads[i]] / 8);
        went_to(offsets, loads[i]);
    }
    close_arena();
}

static void a_chain_of_addresses_is_followed(void **state)
{
    uint64_t offsets[PAGES];

    (void)state;
    open_arena();
    choose_cells(offsets);
    for (size_t i = 0; i < PAGES; i++) {
        void *next = arena.base + offsets[(i + 1) % PAGES];
        memcpy(arena.base + offsets[i], &next, sizeof next);
    }
    close_pages();
    assert_ptr_equal(native_chase_addresses((void *const *)(void *)(arena.base + offsets[0]), 48),
                     arena.base + offsets[48]);
    went_to(offsets, 48);
    close_arena();
}

/* No load takes more than 2^32 - 1 ticks. One that traps takes more than none. */
static void timed_loads_are_the_same_loads(void **state)
{
    uint64_t offsets[PAGES];

    (void)state;
    open_arena();
    choose_cells(offsets);
    write_chain(offsets);
    assert_int_equal(native_chase_timed(cells(), offsets[0] / 8, PAGES, UINT32_MAX), 0);
    went_to(offsets, PAGES);
    close_pages();
    assert_int_equal(native_chase_timed(cells(), offsets[0] / 8, PAGES, 0), PAGES);
    close_arena();
}

/* The contents of the cells must not change the address of the next load. */
static void an_order_is_played_whatever_the_cells_hold(void **state)
{
    uint64_t offsets[PAGES], expected[PAGES];
    uint32_t visit[PAGES / 4], follower[] = {0, 0, 0};
    struct native_order order = {.visit = visit, .follower = follower, .visits = PAGES / 4};

    (void)state;
    open_arena();
    choose_cells(offsets);
    memset(arena.base, 0xff, PAGES * arena.page_bytes);
    for (size_t i = 0; i < PAGES / 4; i++)
        visit[i] = (uint32_t)offsets[i];
    close_pages();
    native_play_order(arena.base, &order, 1);
    went_to(offsets, PAGES / 4);

    order.followers = 3;
    for (size_t i = 0; i < 3; i++)
        follower[i] = (uint32_t)offsets[PAGES - 1 - i];
    for (size_t i = 0; i < PAGES / 4 + 3; i++) /* the followers trap when they follow the first visit, not later */
        expected[i] = i == 0 ? offsets[0] : i <= 3 ? offsets[PAGES - i] : offsets[i - 3];
    close_pages();
    assert_int_equal(native_play_order_timed(arena.base, &order, UINT32_MAX), 0);
    went_to(expected, PAGES / 4 + 3);
    close_pages();
    native_play_order(arena.base, &order, 1);
    went_to(expected, PAGES / 4 + 3);
    close_arena();
}

/* The rest of the list is read, and what it points to is not. */
static void visits_are_loaded_in_order_and_no_more(void **state)
{
    uint64_t offsets[PAGES];
    uint32_t visit[PAGES];
    const struct native_order order = {.visit = visit, .visits = PAGES / 2, .read = PAGES};

    (void)state;
    open_arena();
    choose_cells(offsets);
    for (size_t i = 0; i < PAGES; i++)
        visit[i] = (uint32_t)offsets[i];
    close_pages();
    native_load_visits(arena.base, &order);
    went_to(offsets, PAGES / 2);
    close_arena();
}

static void pairs_are_loaded_from_two_cells_and_no_others(void **state)
{
    static const uint64_t pairs[] = {1, 7, 8, 1000};
    uint64_t offsets[PAGES];

    (void)state;
    open_arena();
    choose_cells(offsets);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        close_pages();
        native_load_pairs(arena.base + offsets[0], arena.base + offsets[1], pairs[i]);
        went_to(offsets, 2);
        close_pages();
        native_load_float_pairs(arena.base + offsets[0], arena.base + offsets[1], pairs[i]);
        went_to(offsets, 2);
    }
    close_arena();
}

static void lists_of_offsets_are_loaded_and_stored_in_order(void **state)
{
    uint64_t offsets[PAGES];

    (void)state;
    open_arena();
    choose_cells(offsets);
    close_pages();
    native_load_integers(arena.base, offsets, PAGES);
    went_to(offsets, PAGES);
    close_pages();
    native_load_doubles(arena.base, offsets, PAGES);
    went_to(offsets, PAGES);
    close_pages();
    native_store(arena.base, offsets, PAGES);
    went_to(offsets, PAGES);
    for (uint64_t i = 0; i < PAGES; i++)
        assert_int_equal(cells()[offsets[i] / 8], i);
    close_arena();
}

/* A page traps when it is drawn for the first time. */
static void check_drawn_loads(uint64_t visit)
{
    enum { LOADS = 3 * PAGES };
    struct hwc_drawn drawn = {
        .references = LOADS, .cells = PAGES, .spacing = arena.page_bytes, .line_shift = 6, .page_shift = 11,
        .visit = visit, .blocks = 8, .block = 2};
    struct hwc_draws expected = {.state = SEED};
    uint64_t state = SEED;
    bool seen[PAGES] = {false};
    uint64_t firsts[PAGES];
    size_t count = 0;

    for (int i = 0; i < LOADS; i++) {
        uint64_t cell = hwc_draw_cell(&expected, &drawn);
        if (!seen[cell])
            firsts[count++] = cell * arena.page_bytes + (cell + cell / 32) * 64 % 2048;
        seen[cell] = true;
    }
    memset(arena.base, 0xff, PAGES * arena.page_bytes);
    close_pages();
    native_play_drawn(arena.base, &drawn, &state, LOADS);
    went_to(firsts, count);
    assert_int_equal(state, expected.state);
}

static void drawn_loads_go_where_the_draws_say_whatever_the_cells_hold(void **state)
{
    (void)state;
    open_arena();
    check_drawn_loads(0);
    mprotect(arena.base, PAGES * arena.page_bytes, PROT_READ | PROT_WRITE);
    check_drawn_loads(5);
    close_arena();
}

/* Page by page, anywhere in its first vectors; a copy reads a page of the first half, then writes one of the second. */
static void touched_in_order(bool copies)
{
    size_t half = PAGES / 2;

    assert_int_equal(arena.noted, PAGES);
    for (size_t i = 0; i < PAGES; i++)
        assert_int_equal(arena.at[i] / arena.page_bytes, copies ? i % 2 * half + i / 2 : i);
}

static void streams_read_write_and_copy_all_of_their_bytes(void **state)
{
    struct hwc_stream stream = {.bytes = PAGES * (uint64_t)sysconf(_SC_PAGESIZE)};
    uint64_t *words, half = stream.bytes / 2 / sizeof *words;

    (void)state;
    open_arena();
    words = (uint64_t *)(void *)arena.base;
    for (uint64_t i = 0; i < 2 * half; i++)
        words[i] = i;
    for (unsigned kind = 0; kind < HWC_STREAMS; kind++) {
        stream.kind = (enum hwc_stream_kind)kind;
        close_pages();
        native_play_stream(&stream, arena.base, 2);
        touched_in_order(stream.kind == HWC_STREAM_COPY);
        for (uint64_t i = 0; i < half; i++) {
            assert_true(words[i] == (stream.kind == HWC_STREAM_WRITE ? UINT64_MAX : i));
            assert_true(words[half + i] == (stream.kind == HWC_STREAM_READ    ? half + i
                                            : stream.kind == HWC_STREAM_WRITE ? UINT64_MAX
                                                                              : i));
        }
        for (uint64_t i = 0; i < half; i++) /* what is to be copied */
            words[i] = i;
    }
    close_arena();
}

static void time_stamps_advance(void **state)
{
    uint64_t begin = native_ticks(), last = begin;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t now;
        native_add_chain(4096);
        native_add_side_by_side(4096);
        now = native_ticks();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > begin);
}

static void a_flushed_line_keeps_its_contents(void **state)
{
    uint64_t cell = SEED;

    (void)state;
    if (!native_can_flush())
        skip();
    native_flush_line(&cell);
    native_fence();
    assert_int_equal(*(volatile uint64_t *)&cell, SEED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_followed_for_so_many_loads),
        cmocka_unit_test(a_chain_of_addresses_is_followed),
        cmocka_unit_test(timed_loads_are_the_same_loads),
        cmocka_unit_test(an_order_is_played_whatever_the_cells_hold),
        cmocka_unit_test(visits_are_loaded_in_order_and_no_more),
        cmocka_unit_test(pairs_are_loaded_from_two_cells_and_no_others),
        cmocka_unit_test(lists_of_offsets_are_loaded_and_stored_in_order),
        cmocka_unit_test(drawn_loads_go_where_the_draws_say_whatever_the_cells_hold),
        cmocka_unit_test(streams_read_write_and_copy_all_of_their_bytes),
        cmocka_unit_test(time_stamps_advance),
        cmocka_unit_test(a_flushed_line_keeps_its_contents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
