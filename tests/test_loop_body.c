/* Bodies of loops: every instruction is written, executed, and comes back; so do calls, however deep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instructions.h"
#include "loop_body.h"
#include "memory.h"

enum { CELLS = 8, CELL_APART = 64, TURNS = 5, MANY = 132 };

struct bench {
    struct native_loop_body loop;
    struct native_block block;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t *cells;
};

static void set_up(struct bench *bench)
{
    struct hwc_error error;

    *bench = (struct bench){0};
    bench->cells = calloc(CELLS, CELL_APART);
    bench->block.base = (char *)bench->cells;
    bench->arena.handle = &bench->block;
    hwc_walk_init(&bench->walk);
    assert_int_equal(hwc_walk_sequence(&bench->walk, 0, CELL_APART, CELLS, &error), HWC_OK);
}

static void tear_down(struct bench *bench)
{
    hwc_walk_free(&bench->walk);
    native_loop_body_free(&bench->loop);
    free(bench->cells);
}

static int take(struct bench *bench, const struct hwc_body *body, struct hwc_error *error)
{
    bench->walk.body = body;
    TRY(native_lay_out_body(&bench->loop, &bench->arena, &bench->walk, error));
    native_take_turns(&bench->loop, bench->cells, 0, CELL_APART / HWC_CELL_BYTES, TURNS);
    return HWC_OK;
}

/* Before anything is set up: what follows is not reached. */
static void need_op(enum hwc_op op)
{
    if (native_lacks_op(op) == NULL)
        return;
    print_message("skipped: %s\n", native_lacks_op(op));
    skip();
}

static void every_instruction_comes_back(void **state)
{
    unsigned written = 0;
    struct bench bench;

    (void)state;
    set_up(&bench);
    for (enum hwc_op op = 0; op < HWC_OPS; op++) {
        const struct hwc_body body = {
            .stretches = 1, .stretch = {{{HWC_OP_CHASE, op, HWC_OP_CHASE_SECOND, op}, 4, MANY}}};
        struct hwc_error error;
        int status = take(&bench, &body, &error);
        if (native_lacks_op(op) != NULL) {
            assert_int_equal(status, HWC_UNAVAILABLE);
            assert_true(strcmp(error.message, native_lacks_op(op)) == 0);
            continue;
        }
        assert_int_equal(status, HWC_OK);
        written++;
    }
    tear_down(&bench);
    if (written == 0)
        need_op(HWC_OP_CHASE);
}

/* Both lie at the same place, one after the other. Stores write the number of turns left, one bit is drawn a turn. */
static void the_body_that_was_written_last_is_executed(void **state)
{
    struct hwc_body body = {.stretches = 1};
    uint64_t *stored, *drawn, draw = 0;
    struct bench bench;
    struct hwc_error error;

    (void)state;
    need_op(HWC_OP_STORE);
    set_up(&bench);
    for (unsigned i = 0; i < 4; i++) {
        bool stores = i % 2 == 0;
        body.stretch[0] = (struct hwc_stretch){{stores ? HWC_OP_STORE : HWC_OP_DRAW}, 1, 1};
        assert_int_equal(take(&bench, &body, &error), HWC_OK);
        stored = (uint64_t *)(void *)bench.loop.scratch;
        drawn = (uint64_t *)(void *)(bench.loop.scratch + NATIVE_SCRATCH_DRAW);
        assert_int_equal(*stored, stores ? 1 : 0);
        assert_true(i == 0 || (*drawn == draw) == stores);
        *stored = 0;
        draw = *drawn;
    }
    tear_down(&bench);
}

/* A body without instructions is one, too, and what was unmapped is written anew. */
static void what_is_mapped_anew_is_written(void **state)
{
    const struct hwc_body bodies[] = {{.calls = 0}, {.calls = 1}};
    struct bench bench;
    struct hwc_error error;

    (void)state;
    need_op(HWC_OP_NOTHING);
    set_up(&bench);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(take(&bench, &bodies[i / 2], &error), HWC_OK);
        native_loop_body_free(&bench.loop);
    }
    tear_down(&bench);
}

static void calls_of_any_depth_come_back(void **state)
{
    struct bench bench;

    (void)state;
    need_op(HWC_OP_NOTHING);
    set_up(&bench);
    for (size_t depth = 1; depth <= 100; depth += depth < 4 ? 1 : 32) {
        const struct hwc_body body = {.calls = depth};
        struct hwc_error error;
        assert_int_equal(take(&bench, &body, &error), HWC_OK);
        for (size_t functions = 1; functions <= 3; functions++) {
            const struct hwc_body rounds = {.calls = depth, .functions = functions};
            assert_int_equal(take(&bench, &rounds, &error), HWC_OK);
        }
    }
    tear_down(&bench);
}

/* Caches of code have lines. */
static void a_loop_begins_with_the_line_that_is_asked_for(void **state)
{
    static char entry[NATIVE_FRAME_BYTES];
    struct bench bench;

    (void)state;
    need_op(HWC_OP_NOTHING);
    set_up(&bench);
    for (size_t line = 0; line < HWC_CODE_LINES; line++) {
        const struct hwc_body body = {.stretches = 1, .stretch = {{{HWC_OP_INT}, 1, 1}}, .line = line};
        size_t entry_bytes = (size_t)(native_put_entry(entry) - entry), before;
        struct hwc_error error;
        assert_int_equal(take(&bench, &body, &error), HWC_OK);
        before = (size_t)(bench.loop.entry - bench.loop.base) + entry_bytes;
        assert_int_equal(before % HWC_CODE_LINE, 0);
        assert_int_equal(before / HWC_CODE_LINE, line + (entry_bytes + HWC_CODE_LINE - 1) / HWC_CODE_LINE);
    }
    tear_down(&bench);
}

/* A register that holds zero may take none of the core's. */
static void no_register_of_vectors_is_zero_at_the_beginning(void **state)
{
    const struct hwc_body body = {.stretches = 1, .stretch = {{{HWC_OP_FORWARD_VECTOR}, 1, 1}}};
    struct bench bench;
    struct hwc_error error;
    uint64_t stored;

    (void)state;
    need_op(HWC_OP_FORWARD_VECTOR);
    set_up(&bench);
    assert_int_equal(take(&bench, &body, &error), HWC_OK);
    memcpy(&stored, bench.loop.scratch + NATIVE_SCRATCH_FORWARD, sizeof stored);
    assert_true(stored != 0);
    tear_down(&bench);
}

/* The even cells are the first chain, the odd ones the second. */
static void chains_go_round_their_own_cells(void **state)
{
    const struct hwc_body body = {.stretches = 1, .stretch = {{{HWC_OP_CHASE}, 1, 1}}};
    const size_t words = CELL_APART / sizeof(uint64_t);
    struct bench bench;
    struct hwc_error error;

    (void)state;
    need_op(HWC_OP_CHASE);
    set_up(&bench);
    assert_int_equal(take(&bench, &body, &error), HWC_OK);
    for (size_t i = 0; i < CELLS; i++) {
        size_t next = (i + 2 < CELLS ? i + 2 : i % 2) * words;
        assert_int_equal(bench.cells[i * words],
                         native_chains_of_addresses ? (uintptr_t)(bench.cells + next) : next);
    }
    tear_down(&bench);
}

/* A body that is too large, or one chain only, is refused. */
static void what_cannot_be_written_is_refused(void **state)
{
    const struct hwc_body huge = {.stretches = 1, .stretch = {{{HWC_OP_NOTHING}, 1, SIZE_MAX / 1024}}};
    struct bench bench;
    struct hwc_error error;

    (void)state;
    set_up(&bench);
    assert_int_equal(take(&bench, &huge, &error), HWC_UNAVAILABLE);
    bench.walk.count = 1;
    assert_int_equal(take(&bench, &huge, &error), HWC_SYSTEM);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_comes_back),
        cmocka_unit_test(the_body_that_was_written_last_is_executed),
        cmocka_unit_test(what_is_mapped_anew_is_written),
        cmocka_unit_test(calls_of_any_depth_come_back),
        cmocka_unit_test(a_loop_begins_with_the_line_that_is_asked_for),
        cmocka_unit_test(no_register_of_vectors_is_zero_at_the_beginning),
        cmocka_unit_test(chains_go_round_their_own_cells),
        cmocka_unit_test(what_cannot_be_written_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
