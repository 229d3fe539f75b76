/* How much room a part of the core has, beside another thread that takes half of it at times: drawn curves, and
 * recorded ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "room.h"

enum { SEED = 20261128, RUNS = 200, VISITS = 4000, MOST = 1200 };

/* A core whose room is `whole` things, and half of that while another thread is at work. */
struct core {
    struct hwc_random random;
    size_t whole;
    double busy;     /* the share of time that the other thread is at work */
    unsigned stays;  /* for about so many questions */
    double mistaken; /* the share of answers that are wrong */
    bool divided;
};

static int ask(void *context, size_t count, bool *fits, struct hwc_error *error)
{
    struct core *core = context;

    (void)error;
    if (hwc_random_below(&core->random, core->stays) == 0)
        core->divided = (double)hwc_random_below(&core->random, 1000) < 1000 * core->busy;
    *fits = count <= (core->divided ? core->whole / 2 : core->whole);
    if ((double)hwc_random_below(&core->random, 1000) < 1000 * core->mistaken)
        *fits = !*fits;
    return HWC_OK;
}

static struct hwc_room look(struct core *core)
{
    const struct hwc_room_asker asker = {.ask = ask, .context = core};
    struct hwc_room room = {.most = MOST};
    struct hwc_error error;

    for (unsigned i = 0; i < VISITS; i++)
        assert_int_equal(hwc_room_visit(&room, &asker, &error), HWC_OK);
    return room;
}

static struct core draw(struct hwc_random *random, double busy, unsigned stays)
{
    struct core core = {.whole = 20 + hwc_random_below(random, 600), .busy = busy, .stays = stays};

    hwc_random_seed(&core.random, hwc_random_below(random, UINT64_C(1) << 40));
    return core;
}

static void a_core_of_its_own_is_exact(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned run = 0; run < RUNS; run++) {
        struct core core = draw(&random, 0, 1);
        struct hwc_room room = look(&core);
        assert_int_equal(room.fit, core.whole);
        assert_true(hwc_room_is_settled(&room));
        assert_int_equal(room.divided, 0);
    }
}

static void what_another_thread_takes_at_times_is_not_missing(void **state)
{
    struct hwc_random random;
    unsigned settled = 0;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned run = 0; run < RUNS; run++) {
        struct core core = draw(&random, 0.8, 200);
        struct hwc_room room = look(&core);
        if (!hwc_room_is_settled(&room))
            continue;
        settled++;
        assert_int_equal(room.fit, core.whole);
    }
    assert_true(settled >= RUNS * 9 / 10);
}

/* Three wrong answers in a thousand delay, and no more. */
static void a_reading_that_was_disturbed_counts_for_nothing(void **state)
{
    struct hwc_random random;
    unsigned right = 0;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned run = 0; run < RUNS; run++) {
        struct core core = draw(&random, 0.3, 100);
        core.mistaken = 0.003;
        struct hwc_room room = look(&core);
        right += hwc_room_is_settled(&room) && room.fit == core.whole;
    }
    assert_true(right >= RUNS * 9 / 10);
}

static void more_than_can_be_tried_is_not_settled(void **state)
{
    struct core core = {.whole = (size_t)4 * MOST, .stays = 1};
    struct hwc_room room;

    (void)state;
    hwc_random_seed(&core.random, SEED);
    room = look(&core);
    assert_int_equal(room.fit, MOST);
    assert_false(hwc_room_is_settled(&room));
    assert_true(hwc_room_is_exhausted(&room));
}

static int must_not_ask(void *context, size_t count, bool *fits, struct hwc_error *error)
{
    (void)context, (void)count, (void)fits, (void)error;
    fail_msg("a room that is exhausted is asked");
    return HWC_OK;
}

static void where_all_that_can_be_tried_fit_nothing_is_asked(void **state)
{
    const struct hwc_room_asker asker = {.ask = must_not_ask};
    struct hwc_room room = {.most = MOST, .fit = MOST};
    struct hwc_error error;

    (void)state;
    assert_int_equal(hwc_room_visit(&room, &asker, &error), HWC_OK);
    assert_int_equal(room.fit, MOST);
}

/* Recorded on a virtual Zen 5, in ticks: a turn with so many additions between two misses, while the core was whole. */
static void the_step_of_a_recorded_curve_is_read(void **state)
{
    static const struct {
        size_t count;
        double turn;
        bool overlap;
    } recorded[] = {{0, 279, true},   {100, 291, true},  {136, 300, true},  {154, 317, true},
                    {172, 301, true}, {178, 556, false}, {220, 575, false}, {298, 601, false}};

    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
        assert_int_equal(hwc_misses_overlap(recorded[i].turn, 2 * recorded[0].turn), recorded[i].overlap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_of_its_own_is_exact),
        cmocka_unit_test(what_another_thread_takes_at_times_is_not_missing),
        cmocka_unit_test(a_reading_that_was_disturbed_counts_for_nothing),
        cmocka_unit_test(more_than_can_be_tried_is_not_settled),
        cmocka_unit_test(where_all_that_can_be_tried_fit_nothing_is_asked),
        cmocka_unit_test(the_step_of_a_recorded_curve_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
