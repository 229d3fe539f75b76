/* From the instructions that fit between two misses to the sizes of the core's parts; from what calls take to the depth
 * of the return stack. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "climb.h"
#include "in_flight.h"
#include "weighed_places.h"
#include "random.h"

enum { DEPTHS = 128, SEED = 20261128, MOST = 1200 };
enum { VECTORS_OF_MIXED = 6, MIXED_ROUND = 13 };

static const double alike = 1.15; /* an interval's end, of its beginning */

/* A core whose parts have these sizes: what would fit. */
struct core {
    size_t reorder, integers, vectors, loads, stores, int_scheduler, vector_scheduler, load_scheduler;
    size_t queue, hidden; /* before the vector unit; registers that nobody sees */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Queued vector instructions have no register yet: one that gets its own after all before it tells how many have. */
static void fill_held(struct hwc_in_flight *in_flight, const struct core *core)
{
    size_t registers = core->vectors - core->hidden - in_flight->named_vector;

    in_flight->fit[HWC_FILL_VECTOR_HELD] = least(core->reorder - 2, registers) - 1;
    in_flight->beyond[HWC_FILL_VECTOR_HELD] = in_flight->fit[HWC_FILL_VECTOR_HELD] + 1;
}

/* No-operations beside a growing part of the mixture. `a_place` of them share one; 0 = they take none. */
static void fill_beside(struct hwc_in_flight *in_flight, size_t places, size_t a_place)
{
    static const size_t beside[] = {0, 32, 64, 128, 192};

    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        enum hwc_fill fill = (enum hwc_fill)(HWC_FILL_NOTHING + i);
        size_t left = places > beside[i] ? places - beside[i] : 0;
        in_flight->beside[fill] = beside[i];
        in_flight->fit[fill] = least(in_flight->most, a_place > 0 ? a_place * left : in_flight->most);
        in_flight->beyond[fill] = in_flight->fit[fill] < in_flight->most ? in_flight->fit[fill] + 1 : 0;
    }
}

static struct hwc_in_flight fill(const struct core *core)
{
    const unsigned named = 16;
    size_t reorder = core->reorder - 2;
    size_t integers = least(reorder, core->integers - core->hidden - named - 2);
    size_t vectors = least(reorder, core->vectors - core->hidden - named + core->queue);
    struct hwc_in_flight in_flight = {
        .fit = {[HWC_FILL_MIXED] = reorder,
                [HWC_FILL_INT] = integers,
                [HWC_FILL_VECTOR] = vectors,
                [HWC_FILL_LOAD] = least(vectors, core->loads - 2),
                [HWC_FILL_LOAD_INT] = least(integers, core->loads - 2),
                [HWC_FILL_STORE] = core->stores,
                [HWC_FILL_INT_WAITS] = least(integers, core->int_scheduler),
                [HWC_FILL_VECTOR_WAITS] = least(vectors, core->vector_scheduler + core->queue),
                [HWC_FILL_VECTOR_BEHIND] = least(vectors, core->vector_scheduler),
                [HWC_FILL_LOAD_WAITS] = least(integers, core->load_scheduler)},
        .most = MOST,
        .mixed = {[HWC_FILL_INT] = 5, [HWC_FILL_VECTOR] = VECTORS_OF_MIXED, [HWC_FILL_STORE] = 2},
        .named_int = named,
        .named_vector = named};

    for (unsigned i = 0; i < HWC_FILLS; i++)
        in_flight.beyond[i] = in_flight.fit[i] + 1;
    fill_held(&in_flight, core);
    fill_beside(&in_flight, reorder, 1);
    return in_flight;
}

static void holds(const struct hwc_in_flight *in_flight, enum hwc_part part, size_t true_size)
{
    const struct hwc_part_size size = hwc_size_of_part(in_flight, part);

    assert_true(size.known);
    assert_in_range(true_size, (uintmax_t)size.low, (uintmax_t)ceil(size.high));
    assert_true(size.high <= alike * size.low);
}

static void sizes_of_drawn_cores_lie_in_their_intervals(void **state)
{
    static const struct core cores[] = {
        {448, 240, 384, 300, 104, 88, 114, 56, 96, 31},  /* like Zen 5 */
        {224, 180, 168, 72, 56, 60, 64, 40, 0, 16},      /* like Skylake */
        {512, 280, 332, 192, 112, 97, 96, 70, 0, 24},    /* like Golden Cove */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        const struct hwc_in_flight in_flight = fill(&cores[i]);
        holds(&in_flight, HWC_PART_REORDER_BUFFER, cores[i].reorder);
        holds(&in_flight, HWC_PART_INT_REGISTERS, cores[i].integers);
        holds(&in_flight, HWC_PART_VECTOR_REGISTERS, cores[i].vectors);
        holds(&in_flight, HWC_PART_STORE_QUEUE, cores[i].stores);
        holds(&in_flight, HWC_PART_INT_SCHEDULER, cores[i].int_scheduler);
        holds(&in_flight, HWC_PART_VECTOR_SCHEDULER, cores[i].vector_scheduler);
        holds(&in_flight, HWC_PART_LOAD_SCHEDULER, cores[i].load_scheduler);
    }
}

/* Where they are not known apart, as many as the queue may hold may have no register. */
static void without_results_that_are_known_to_have_registers_some_may_be_queued(void **state)
{
    const struct core core = {448, 240, 384, 300, 104, 88, 114, 56, 96, 32};
    struct hwc_in_flight in_flight = fill(&core);
    struct hwc_part_size apart, size;

    (void)state;
    apart = hwc_size_of_part(&in_flight, HWC_PART_VECTOR_REGISTERS);
    in_flight.beyond[HWC_FILL_VECTOR_HELD] = 0;
    size = hwc_size_of_part(&in_flight, HWC_PART_VECTOR_REGISTERS);
    assert_true(size.known);
    assert_in_range(core.vectors, (uintmax_t)size.low, (uintmax_t)size.high);
    assert_true(size.high - size.low > (double)core.queue);
    in_flight.fit[HWC_FILL_VECTOR_HELD] = 0;
    assert_true(hwc_size_of_part(&in_flight, HWC_PART_VECTOR_REGISTERS).low == size.low);
    assert_true(apart.high < size.high && apart.low > size.low);
}

/* The queue's instructions fill the reorder buffer before the registers: those that have some are told all the same. */
static void a_queue_that_hides_the_registers_does_not_where_they_are_known_apart(void **state)
{
    const struct core core = {320, 240, 330, 300, 104, 88, 114, 56, 96, 32};
    struct hwc_in_flight in_flight = fill(&core);

    (void)state;
    holds(&in_flight, HWC_PART_VECTOR_REGISTERS, core.vectors);
    in_flight.beyond[HWC_FILL_VECTOR_HELD] = 0;
    assert_string_equal(hwc_size_of_part(&in_flight, HWC_PART_VECTOR_REGISTERS).fuller, "the reorder buffer");
}

static void what_another_part_hides_is_a_least_number(void **state)
{
    struct core core = {448, 600, 384, 600, 104, 300, 114, 56, 96, 32};
    struct hwc_in_flight in_flight = fill(&core);
    struct hwc_part_size integers = hwc_size_of_part(&in_flight, HWC_PART_INT_REGISTERS);
    struct hwc_part_size loads = hwc_size_of_part(&in_flight, HWC_PART_LOAD_QUEUE);

    (void)state;
    assert_false(integers.known);
    assert_string_equal(integers.fuller, "the reorder buffer");
    assert_true(integers.low <= 600);
    assert_false(loads.known);
    assert_non_null(loads.fuller);
}

/* Where loads into registers of one kind are fewer, nobody knows what limits the others. */
static void loads_of_both_kinds_must_agree_on_their_queue(void **state)
{
    struct core like_zen_4 = {320, 224, 192, 136, 64, 96, 64, 40, 0, 16};
    struct core like_zen_5 = {448, 240, 500, 410, 104, 88, 114, 56, 0, 16};
    struct hwc_in_flight agree = fill(&like_zen_4), differ = fill(&like_zen_5);

    (void)state;
    holds(&agree, HWC_PART_LOAD_QUEUE, like_zen_4.loads);
    assert_false(hwc_size_of_part(&differ, HWC_PART_LOAD_QUEUE).known);
    assert_string_equal(hwc_size_of_part(&differ, HWC_PART_LOAD_QUEUE).fuller, "the registers of some loads");
}

static void what_was_never_refused_is_not_known(void **state)
{
    struct core core = {448, 240, 384, 300, 104, 88, 114, 56, 96, 32};
    struct hwc_in_flight in_flight = fill(&core);

    (void)state;
    in_flight.beyond[HWC_FILL_STORE] = 0;
    assert_false(hwc_size_of_part(&in_flight, HWC_PART_STORE_QUEUE).known);
    assert_null(hwc_size_of_part(&in_flight, HWC_PART_STORE_QUEUE).fuller);
}

/* Nothing was full, and nobody took part of it. */
static void where_all_that_were_tried_fit_there_is_a_least_number(void **state)
{
    struct core core = {448, 600, 384, 600, 104, 88, 114, 56, 96, 32};
    struct hwc_in_flight in_flight = fill(&core);
    struct hwc_part_size reorder, integers;

    (void)state;
    in_flight.most = in_flight.fit[HWC_FILL_MIXED];
    in_flight.beyond[HWC_FILL_MIXED] = in_flight.beyond[HWC_FILL_INT] = 0;
    fill_beside(&in_flight, core.reorder, 0);
    reorder = hwc_size_of_part(&in_flight, HWC_PART_REORDER_BUFFER);
    integers = hwc_size_of_part(&in_flight, HWC_PART_INT_REGISTERS);
    assert_true(reorder.exhausted && !reorder.known);
    assert_int_equal(reorder.low, core.reorder);
    assert_true(integers.exhausted && !integers.known);
    assert_null(integers.fuller);
}

/* A core that packs several instructions in a place: others of its parts are full first (so are Zen 4's). */
static void what_hides_the_reorder_buffer_is_named(void **state)
{
    struct core core = {1200, 224, 192, 136, 64, 96, 64, 40, 0, 20};
    struct hwc_in_flight in_flight = fill(&core);
    struct hwc_part_size size;

    (void)state;
    in_flight.fit[HWC_FILL_MIXED] = 338; /* 156 of them are vector results */
    in_flight.beyond[HWC_FILL_MIXED] = 339;
    fill_beside(&in_flight, core.reorder, 0);
    size = hwc_size_of_part(&in_flight, HWC_PART_REORDER_BUFFER);
    assert_false(size.known);
    assert_string_equal(size.fuller, "the vector registers");
    assert_true(size.low == 340);
    in_flight.fit[HWC_FILL_STORE] = 52;
    in_flight.fit[HWC_FILL_VECTOR] = 300;
    assert_string_equal(hwc_size_of_part(&in_flight, HWC_PART_REORDER_BUFFER).fuller, "the store queue");
    assert_null(hwc_size_of_part(&in_flight, HWC_PART_INT_REGISTERS).fuller);
}

/* However many no-operations a place holds, and whether or not the mixture fills another part first. More than are tried
 * tell nothing. */
static void no_operations_are_weighed_against_the_mixture(void **state)
{
    static const size_t sizes[] = {224, 320, 448, 512}, vectors[] = {168, 192, 600}, third_last = 64;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof vectors / sizeof vectors[0]; j++)
            for (size_t a_place = 1; a_place <= 4 && a_place * (sizes[i] - third_last) < MOST; a_place++) {
                struct core core = {sizes[i], 600, vectors[j], 600, 300, 96, 64, 40, 0, 0};
                struct hwc_in_flight in_flight = fill(&core);
                size_t *mixed = &in_flight.fit[HWC_FILL_MIXED];
                *mixed = least(*mixed, in_flight.fit[HWC_FILL_VECTOR] * MIXED_ROUND / VECTORS_OF_MIXED);
                in_flight.beyond[HWC_FILL_MIXED] = *mixed + 1;
                fill_beside(&in_flight, sizes[i] - 2, a_place);
                holds(&in_flight, HWC_PART_REORDER_BUFFER, sizes[i]);
                assert_string_equal(hwc_size_of_part(&in_flight, HWC_PART_INT_REGISTERS).fuller, "the reorder buffer");
            }
}

static void no_operations_that_take_no_place_do_not_count(void **state)
{
    struct core core = {320, 224, 192, 136, 64, 96, 64, 40, 64, 24};
    struct hwc_in_flight in_flight = fill(&core);

    (void)state;
    fill_beside(&in_flight, core.reorder, 0);
    holds(&in_flight, HWC_PART_REORDER_BUFFER, core.reorder);
}

/* Instructions of the mixture that share places are more than there are places: a no-operation of its own tells. */
static void a_mixture_that_shares_places_is_not_taken_for_them(void **state)
{
    struct core core = {320, 600, 600, 600, 300, 96, 64, 40, 0, 0};
    struct hwc_in_flight in_flight = fill(&core);

    (void)state;
    for (unsigned i = HWC_FILL_NOTHING; i <= HWC_FILL_BESIDE_MANY; i++) {
        in_flight.fit[i] = core.reorder - 2 - in_flight.beside[i] * 10 / 11;
        in_flight.beyond[i] = in_flight.fit[i] + 1;
    }
    in_flight.fit[HWC_FILL_MIXED] = (core.reorder - 2) * 11 / 10;
    in_flight.beyond[HWC_FILL_MIXED] = in_flight.fit[HWC_FILL_MIXED] + 1;
    holds(&in_flight, HWC_PART_REORDER_BUFFER, core.reorder);
}

/* The first may lie below the line; no three others may. */
static void places_are_told_by_points_on_a_line_only(void **state)
{
    struct hwc_weighed points[] = {{0, 900}, {32, 1140}, {64, 1010}, {128, 754}, {192, 498}};
    const size_t count = sizeof points / sizeof points[0];
    struct hwc_places places = hwc_weigh_places(points, count);

    (void)state;
    assert_true(places.known && places.low < 317 && places.high > 316 && places.high < 1.03 * places.low);
    assert_true(places.each > 3.9 && places.each < 4.1);
    points[3].fit += 20;
    assert_false(hwc_weigh_places(points, count).known);
    for (size_t i = 0; i < count; i++)
        points[i].fit = 300;
    assert_false(hwc_weigh_places(points, count).known);
    assert_false(hwc_weigh_places(points, 2).known);
}

static void the_depth_of_drawn_return_stacks_is_found(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t depth = 8; depth <= 120; depth += 4) {
        double cycles[DEPTHS];
        for (size_t i = 0; i < DEPTHS; i++)
            cycles[i] = 20 + 4 * (double)i + (i + 1 > depth ? 15 * (double)(i + 1 - depth) : 0) +
                        (double)hwc_random_below(&random, 100) / 100;
        assert_int_equal(hwc_last_before_climb(cycles, DEPTHS, 15), depth);
    }
}

static void without_a_climb_there_is_no_depth(void **state)
{
    double cycles[DEPTHS];

    (void)state;
    for (size_t i = 0; i < DEPTHS; i++)
        cycles[i] = 20 + 4 * (double)i + (i >= 60 ? 15 : 0); /* one misprediction is none of a stack */
    assert_int_equal(hwc_last_before_climb(cycles, DEPTHS, 15), 0);
}

/* Cycles of a level more, of code that returns to `places` in turn, if a stack of so many entries goes round or not. */
static double level_of(size_t entries, size_t places, bool round)
{
    const double even = 3, misprediction = 12;

    return even + (round && entries % places == 0 ? 0 : misprediction);
}

static struct hwc_round_stack time_round(size_t entries, size_t depth, bool round)
{
    return (struct hwc_round_stack){level_of(entries, depth - 1, round), level_of(entries, depth, round),
                                    level_of(entries, depth + 1, round), 15};
}

static void a_stack_that_goes_round_has_as_many_entries_as_the_round(void **state)
{
    (void)state;
    for (size_t entries = 8; entries <= 64; entries++) {
        struct hwc_round_stack own = time_round(entries, entries, true);
        struct hwc_round_stack empty = time_round(entries, entries, false);
        struct hwc_round_stack larger = time_round(entries + 21, entries, true); /* the rest is left to others */
        struct hwc_round_stack other = {own.as_many, own.as_many, own.as_many, own.rise}; /* foreseen by other means */
        assert_true(hwc_goes_round(&own));
        assert_false(hwc_goes_round(&empty) || hwc_goes_round(&other));
        assert_int_equal(hwc_goes_round(&larger), (entries + 21) % entries == 0);
        other.rise = 0;
        assert_false(hwc_goes_round(&other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_drawn_cores_lie_in_their_intervals),
        cmocka_unit_test(without_results_that_are_known_to_have_registers_some_may_be_queued),
        cmocka_unit_test(a_queue_that_hides_the_registers_does_not_where_they_are_known_apart),
        cmocka_unit_test(what_another_part_hides_is_a_least_number),
        cmocka_unit_test(loads_of_both_kinds_must_agree_on_their_queue),
        cmocka_unit_test(what_was_never_refused_is_not_known),
        cmocka_unit_test(where_all_that_were_tried_fit_there_is_a_least_number),
        cmocka_unit_test(what_hides_the_reorder_buffer_is_named),
        cmocka_unit_test(no_operations_are_weighed_against_the_mixture),
        cmocka_unit_test(no_operations_that_take_no_place_do_not_count),
        cmocka_unit_test(a_mixture_that_shares_places_is_not_taken_for_them),
        cmocka_unit_test(places_are_told_by_points_on_a_line_only),
        cmocka_unit_test(the_depth_of_drawn_return_stacks_is_found),
        cmocka_unit_test(without_a_climb_there_is_no_depth),
        cmocka_unit_test(a_stack_that_goes_round_has_as_many_entries_as_the_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
