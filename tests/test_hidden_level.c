/* A second level that a third hides, of which others leave little: the two look like one that is larger. Times are those
 * of the model, with errors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>

#include <cmocka.h>

#include "levels_fit.h"
#include "random.h"

enum { MACHINES = 8, ARENAS = 4, PER_OCTAVE = 4, OCTAVES = 13 };

#define MIB 1048576.0 /* bytes */

struct played {
    double holds[3];  /* bytes, with those above; 0 = there is no third level */
    double cycles[4]; /* of the levels, and memory */
    double half_lost; /* bytes: of such a footprint, the third level has half of its lines no longer; 0 = it loses none */
};

static double share(double bytes, double holds)
{
    return holds > 0 ? fmax(0, 1 - holds / bytes) : 1;
}

/* Lines come back after as long as the footprint takes; others have then put some of them out of the third level. */
static double time_of(const struct played *played, double bytes)
{
    double first = share(bytes, played->holds[0]), second = share(bytes, played->holds[1]);
    double third = share(bytes, played->holds[2]), lost = 0;

    if (played->half_lost > 0)
        lost = 1 - 1 / (1 + pow(bytes / played->half_lost, 1.5));
    third += (second - third) * lost;
    return played->cycles[0] + (played->cycles[1] - played->cycles[0]) * first +
           (played->cycles[2] - played->cycles[1]) * second + (played->cycles[3] - played->cycles[2]) * third;
}

/* Where pages lie and what others do changes a time by a third once the second level overflows. */
static void draw_curve(const struct played *played, struct hwc_drawn_curve *curve, uint64_t seed)
{
    struct hwc_random random;

    hwc_random_seed(&random, seed);
    *curve = (struct hwc_drawn_curve){.least_ways = 4, .rivals = true};
    for (int step = 0; step <= OCTAVES * PER_OCTAVE; step++) {
        double bytes = 8192 * exp2((double)step / PER_OCTAVE);
        size_t point = curve->points++;
        double error = bytes > played->holds[1] / 2 ? 0.35 : 0.02;
        curve->bytes[point] = floor(bytes);
        for (int i = 0; i < ARENAS; i++)
            hwc_tally_add(&curve->cycles[point],
                          time_of(played, bytes) * (1 + error * (2 * hwc_random_unit(&random) - 1)));
        curve->reading[point] = 0.01 * curve->cycles[point].mean;
    }
}

static const struct played hidden = {.holds = {64 * 1024, 3 * MIB, 12 * MIB},
                                     .cycles = {2, 10, 30, 200},
                                     .half_lost = 9 * MIB};
static const struct played alone = {.holds = {64 * 1024, 3 * MIB, 0}, .cycles = {2, 10, 200, 200}};

static struct hwc_levels_fit fit_of(const struct played *played, uint64_t seed, double known, bool may_hide)
{
    struct hwc_drawn_curve curve;
    struct hwc_levels_fit fit;

    draw_curve(played, &curve, seed);
    curve.may_hide = may_hide;
    curve.knowns = known > 0 ? 1 : 0;
    curve.known[0] = (struct hwc_known_level){known, known};
    assert_true(hwc_fit_levels(&curve, &fit));
    for (unsigned i = 0; i < fit.levels; i++)
        print_message("seed %llu: level %u of %.2f MiB, %.2f to %.2f%s\n", (unsigned long long)seed, i + 1,
                      fit.level[i].capacity / MIB, fit.level[i].low / MIB, fit.level[i].high / MIB,
                      i < fit.told ? "" : ", not told");
    return fit;
}

/* Seen without knowledge, these are two levels on some of the machines, and the second is too large. */
static void a_hidden_level_is_found_once_it_is_known(void **state)
{
    unsigned hid = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        const struct hwc_levels_fit before = fit_of(&hidden, seed, 0, false);
        const struct hwc_levels_fit after = fit_of(&hidden, seed, hidden.holds[1], false);
        hid += before.levels == 2 && before.level[1].low > hidden.holds[1];
        assert_int_equal(after.levels, 3);
        assert_true(after.level[1].low <= hidden.holds[1] && hidden.holds[1] <= after.level[1].high);
    }
    print_message("hidden %u times of %d\n", hid, MACHINES);
    assert_true(hid > 0);
}

static void bounds_allow_for_a_hidden_level(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        const struct hwc_levels_fit fit = fit_of(&hidden, seed, 0, true);
        assert_true(fit.told < 2 || fit.level[1].lowest <= hidden.holds[1]);
    }
}

/* Half or a quarter of the size, or twice as much, as a wrong number of sets or ways says. */
static void a_level_that_is_not_there_is_not_found(void **state)
{
    static const double wrong[] = {0.25, 0.5, 2};

    (void)state;
    for (uint64_t seed = 1; seed <= MACHINES; seed++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            const struct hwc_levels_fit fit = fit_of(&alone, seed, wrong[i] * alone.holds[1], false);
            assert_int_equal(fit.levels, 2);
            assert_true(fit.level[1].low <= alone.holds[1] && alone.holds[1] <= fit.level[1].high);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hidden_level_is_found_once_it_is_known),
        cmocka_unit_test(bounds_allow_for_a_hidden_level),
        cmocka_unit_test(a_level_that_is_not_there_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
