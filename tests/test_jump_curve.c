/* Steps by number of jumps and steps by number of bytes, in the time of chains of ever more jumps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "jump_curve.h"
#include "random.h"

#define SEED 20261122
#define NEAREST 8
#define CURVES 2000
#define NOISE 0.02
#define READING_OFF 0.01

struct table {
    double entries, ways, cycles;
};

/* The miss ratio of an LRU table of `entries` when `used` items are visited in order, round and round. */
static double missed(double entries, double ways, double used)
{
    double over = used - entries;

    return over <= 0 ? 0 : fmin(1, over * (ways + 1) / used);
}

/* Caches of code that lie one below the other. */
struct code {
    double line;
    unsigned levels;
    struct {
        double bytes, ways, cycles;
    } level[3];
};

/* What a jump waits for lines. */
static double code_cycles(const struct code *code, double jumps, double distance)
{
    double bytes = jumps * distance, cycles = 0;

    for (unsigned i = 0; i < code->levels; i++)
        cycles += code->level[i].cycles *
                  missed(code->level[i].bytes / code->line, code->level[i].ways, fmax(bytes / code->line, 1));
    return cycles * fmin(1, distance / code->line);
}

/* The time of a jump: two cycles, and the misses of tables of jumps and of caches of code. */
static void draw(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], const struct table *tables, unsigned count,
                 const struct code *code, double noise, struct hwc_random *random)
{
    for (unsigned d = 0; d < HWC_JUMP_ROWS; d++)
        for (unsigned i = 0; i < HWC_JUMP_POINTS; i++) {
            double jumps = (double)hwc_jumps_at(i);
            cycles[d][i] = 2 + code_cycles(code, jumps, (double)(NEAREST << d));
            for (unsigned t = 0; t < count; t++)
                cycles[d][i] += tables[t].cycles * missed(tables[t].entries, tables[t].ways, jumps);
            cycles[d][i] *= 1 + noise * hwc_random_normal(random);
        }
}

static bool is_step_of(const struct hwc_jump_step *step, const struct table *table)
{
    return (double)hwc_jumps_at(step->below) <= table->entries * 1.02 &&
           (double)hwc_jumps_at(step->above) >= table->entries;
}

/* Find the steps of one such curve; a miss of its instruction cache costs up to `most_cycles`. */
static unsigned steps_of(const struct table *tables, unsigned count, double code_bytes, double most_cycles,
                         struct hwc_random *random, struct hwc_jump_step *steps)
{
    double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
    struct code code = {64, 1, {{code_bytes, 8, most_cycles * hwc_random_unit(random)}}};

    draw(cycles, tables, count, &code, NOISE, random);
    return hwc_jump_steps(cycles, steps);
}

static struct hwc_random seeded(void)
{
    struct hwc_random random;

    printf("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    return random;
}

static double a_table_between(struct hwc_random *random, unsigned least, unsigned octaves)
{
    return (double)(least << hwc_random_below(random, octaves)) * (double)(4 + hwc_random_below(random, 4)) / 4;
}

static void a_table_of_jumps_is_a_step(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct table table = {a_table_between(&random, 64, 7), 4 << hwc_random_below(&random, 2), 3 + 10 * hwc_random_unit(&random)};
        double code = (double)(8192 << hwc_random_below(&random, 4));
        assert_int_equal(steps_of(&table, 1, code, 12, &random, steps), 1);
        if (!is_step_of(&steps[0], &table))
            fail_msg("%g entries: a step from %zu to %zu jumps", table.entries, hwc_jumps_at(steps[0].below),
                     hwc_jumps_at(steps[0].above));
        if (steps[0].until > 0.3 * steps[0].rise)
            fail_msg("%g entries, code of %g bytes: %.2f cycles longer below a step of %.2f", table.entries, code,
                     steps[0].until, steps[0].rise);
    }
}

static void two_tables_are_two_steps(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct table tables[2] = {{a_table_between(&random, 32, 3), 4, 2 + 3 * hwc_random_unit(&random)}, {0, 0, 0}};
        tables[1] = (struct table){8 * tables[0].entries, 8, 5 + 5 * hwc_random_unit(&random)};
        assert_int_equal(steps_of(tables, 2, 32768, 8, &random, steps), 2);
        for (int t = 0; t < 2; t++)
            assert_true(is_step_of(&steps[t], &tables[t]));
        assert_true(steps[1].until > 0.3 * tables[0].cycles); /* whether the smaller one is seen or not */
    }
}

/* A step that comes with a number of bytes is that of a cache, not of a table of jumps. */
static void caches_of_code_are_no_step(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        assert_int_equal(steps_of(NULL, 0, (double)(4096 << hwc_random_below(&random, 6)), 30, &random, steps), 0);
    }
}

/* Each level is twice as large as the one before, or four times, so that one steps at the same number of jumps at one
 * distance as another at another. */
static struct code neighbouring_sizes(struct hwc_random *random)
{
    double line = (double)(16 << hwc_random_below(random, 4));
    struct code code = {line, 2 + (unsigned)hwc_random_below(random, 2), {{0, 0, 0}}};
    double bytes = (double)(4096 << hwc_random_below(random, 4)), cycles = 5 + 10 * hwc_random_unit(random);

    for (unsigned i = 0; i < code.levels; i++) {
        code.level[i].bytes = bytes;
        code.level[i].ways = (double)(1 << hwc_random_below(random, 4));
        code.level[i].cycles = cycles;
        bytes *= (double)(2 << hwc_random_below(random, 2));
        cycles *= 3 + 7 * hwc_random_unit(random);
    }
    return code;
}

static void caches_of_neighbouring_sizes_are_no_step(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct code code = neighbouring_sizes(&random);
        draw(cycles, NULL, 0, &code, NOISE, &random);
        if (hwc_jump_steps(cycles, steps) != 0)
            fail_msg("curve %d: a step from %zu to %zu jumps", i, hwc_jumps_at(steps[0].below),
                     hwc_jumps_at(steps[0].above));
    }
}

/* A step of the instruction cache at one of the distances adds nothing to what a miss of the table takes. */
/* It holds decoded what so many jumps need, whatever the distance between them; what it does not hold misses a cache of
 * code that is no larger. */
static void a_cache_of_decoded_jumps_is_no_step(void **state)
{
    struct hwc_random random;
    int taken = 0;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int i = 0; i < CURVES; i++) {
        double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], decoded = 256 << hwc_random_below(&random, 4);
        double line = 20 + 180 * hwc_random_unit(&random);
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        for (unsigned d = 0; d < HWC_JUMP_ROWS; d++)
            for (unsigned p = 0; p < HWC_JUMP_POINTS; p++) {
                double jumps = (double)hwc_jumps_at(p), bytes = jumps * (NEAREST << d);
                double both = fmin(missed(decoded, 8, jumps), missed(16 * decoded, 8, bytes));
                cycles[d][p] = 5 + line * both * fmin(1, (NEAREST << d) / 64.0);
                cycles[d][p] *= 1 + NOISE / 2 * hwc_random_normal(&random);
            }
        taken += hwc_jump_steps(cycles, steps) > 0;
    }
    print_message("seed %d: %d of %d decoded caches taken for tables\n", SEED, taken, CURVES);
    assert_int_equal(taken, 0);
}

static void what_code_takes_is_not_the_tables(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct table table = {a_table_between(&random, 256, 4), 8, 3 + 5 * hwc_random_unit(&random)};
        double bytes = table.entries * (double)(8 << hwc_random_below(&random, 4));
        struct code code = {64, 1, {{bytes, 8, 10}}};
        draw(cycles, &table, 1, &code, NOISE / 10, &random);
        assert_int_equal(hwc_jump_steps(cycles, steps), 1);
        assert_true(is_step_of(&steps[0], &table));
        if (fabs(steps[0].rise - table.cycles) > 0.1 * table.cycles)
            fail_msg("%g entries of %.2f cycles, code of %g bytes: %.2f", table.entries, table.cycles, bytes,
                     steps[0].rise);
    }
}

/* Half as many jumps overflow the smaller table where as many overflow the larger one. */
static void a_table_of_half_the_entries_takes_nothing_off(void **state)
{
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], entries = (double)(512 << hwc_random_below(&random, 4));
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct table tables[] = {{entries / 2, 8, 1}, {entries, 8, 5 + 5 * hwc_random_unit(&random)}};
        struct code code = {64, 0, {{0, 0, 0}}};
        unsigned found;
        draw(cycles, tables, 2, &code, NOISE / 10, &random);
        found = hwc_jump_steps(cycles, steps);
        assert_true(found > 0 && is_step_of(&steps[found - 1], &tables[1]));
        if (fabs(steps[found - 1].rise - tables[1].cycles) > 0.05 * tables[1].cycles)
            fail_msg("%g entries of %.2f cycles: %.2f", entries, tables[1].cycles, steps[found - 1].rise);
    }
}

/* Where caches of code step, too, what is told of a table's misses is them, or bounds hold them. */
static void bounds_hold_what_a_miss_takes(void **state)
{
    struct hwc_random random = seeded();
    unsigned narrow = 0;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
        struct hwc_jump_step steps[HWC_JUMP_STEPS];
        struct table table = {a_table_between(&random, 256, 16), 8, 3 + 5 * hwc_random_unit(&random)};
        struct code code = neighbouring_sizes(&random);
        unsigned found;
        draw(cycles, &table, 1, &code, NOISE / 10, &random);
        found = hwc_jump_steps(cycles, steps);
        for (unsigned k = 0; k < found; k++) {
            double off = fmax(0.1 * table.cycles, 0.5);
            if (!is_step_of(&steps[k], &table))
                continue;
            narrow += steps[k].most - steps[k].least <= 0.1 * steps[k].rise;
            if (steps[k].least > table.cycles + off || steps[k].most < table.cycles - off)
                fail_msg("%g entries of %.2f cycles, code of %g and %g bytes: %.2f to %.2f", table.entries,
                         table.cycles, code.level[0].bytes, code.level[1].bytes, steps[k].least, steps[k].most);
        }
    }
    printf("%u of %d are told as a value\n", narrow, CURVES);
}

/* A reading is off by a share of it, and lines that a cache lacks are most of it: several readings tell, and by how much
 * they differ. */
static void readings_taken_again_tell_how_far_off_they_are(void **state)
{
    struct hwc_random random = seeded();
    const double cycles = 5, off = 0.03, lines[] = {4, 18, 36};
    unsigned outside = 0, single = 0;

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        struct hwc_jump_takes takes[HWC_JUMP_WITNESSES] = {{0}};
        struct hwc_jump_step step = {.below = 20, .above = 22};
        for (unsigned d = 0; d < HWC_JUMP_WITNESSES; d++)
            for (; takes[d].taken < 6; takes[d].taken++) {
                unsigned k = takes[d].taken;
                takes[d].low[k] = (4 + lines[d]) * (1 + off * hwc_random_normal(&random));
                takes[d].high[k] = (4 + lines[d] + cycles) * (1 + off * hwc_random_normal(&random));
                takes[d].halved_low[k] = (4 + 2 * lines[d]) * (1 + off * hwc_random_normal(&random));
                takes[d].halved_high[k] = (4 + 2 * lines[d]) * (1 + off * hwc_random_normal(&random));
            }
        single += fabs(takes[1].high[0] - takes[1].low[0] - cycles) > READING_OFF * (8 + 2 * lines[1] + cycles);
        assert_true(hwc_jump_rise_again(takes, &step));
        outside += step.least > cycles + 0.25 || step.most < cycles - 0.25;
    }
    print_message("%u of %d bounds are off, %u of single readings'\n", outside, CURVES, single);
    assert_true(single > CURVES / 5 && outside < CURVES / 50);
}

static void alike_readings_taken_again_change_nothing(void **state)
{
    struct hwc_jump_takes takes[HWC_JUMP_WITNESSES] = {{0}};
    struct hwc_jump_step step = {.below = 20, .above = 22, .rise = 1, .least = 1, .most = 1};

    (void)state;
    assert_true(hwc_jump_rise_again(takes, &step) && step.rise == 1);
    for (unsigned d = 0; d < HWC_JUMP_WITNESSES; d++)
        takes[d] = (struct hwc_jump_takes){2, {4, 4}, {9, 9}, {4, 4}, {4, 4}};
    assert_true(hwc_jump_rise_again(takes, &step) && step.rise == 5 && step.least < 5 && step.least > 4.8 &&
                step.most > 5 && step.most < 5.2);
    for (unsigned d = 0; d < HWC_JUMP_WITNESSES; d++) /* all of it is the code's */
        takes[d].halved_high[0] = takes[d].halved_high[1] = 14;
    assert_false(hwc_jump_rise_again(takes, &step));
}

/* The shortest chain may be faster for reasons of its own: with no point before it, the rise after it is no step. */
static void what_rises_at_once_is_no_step(void **state)
{
    double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
    struct hwc_jump_step steps[HWC_JUMP_STEPS];

    (void)state;
    for (unsigned d = 0; d < HWC_JUMP_ROWS; d++)
        for (unsigned i = 0; i < HWC_JUMP_POINTS; i++)
            cycles[d][i] = i == 0 ? 1.4 : 2;
    assert_int_equal(hwc_jump_steps(cycles, steps), 0);
}

/* The numbers of jumps at which a quarter of this table's jumps miss. Ours take entries, too. */
static double quarter(double entries, double ways, double ours)
{
    double jumps = entries / 2;

    while (missed(entries, ways, jumps + ours) < 0.25)
        jumps += 0.25;
    return jumps;
}

/* Of the numbers of entries that come into question, the largest that foresees nearly as many jumps is the table's. */
static void entries_are_told_by_where_misses_climb(void **state)
{
    static const struct hwc_jump_climb climb = {.climbed = 0.25, .ours = 1 / 32.0, .unsure = 1 / 64.0};
    struct hwc_random random = seeded();

    (void)state;
    for (int i = 0; i < CURVES; i++) {
        double ways = (double)(2 + hwc_random_below(&random, 15)), ours, jumps;
        double entries = ways * (double)(8 << hwc_random_below(&random, 8));
        uint64_t sizes[HWC_JUMP_SIZES];
        unsigned count, chosen = 0;
        ours = floor(entries / 32 * hwc_random_unit(&random));
        jumps = floor(quarter(entries, ways, ours) * (1 - hwc_random_unit(&random) / 64));
        count = hwc_jump_entries(jumps, &climb, sizes);
        for (; chosen < count; chosen++) {
            uint64_t left = sizes[chosen] - sizes[chosen] / 32;
            if (missed(entries, ways, (double)left + ours) <= 0.125)
                break;
        }
        if (chosen == count || (double)sizes[chosen] != entries)
            fail_msg("%g entries in %g ways, %g ours, %g jumps: %u sizes, %llu", entries, ways, ours, jumps, count,
                     chosen < count ? (unsigned long long)sizes[chosen] : 0);
    }
}

static void sizes_between_tables_are_none(void **state)
{
    static const struct hwc_jump_climb climb = {.climbed = 0.25, .ours = 1 / 32.0, .unsure = 1 / 64.0};
    uint64_t sizes[HWC_JUMP_SIZES];

    (void)state;
    assert_int_equal(hwc_jump_entries(960, &climb, sizes), 1);
    assert_int_equal(sizes[0], 960); /* 896 of seven ways would have climbed before */
    assert_int_equal(hwc_jump_entries(610, &climb, sizes), 0);
}

/* A direct-mapped cache of 256 lines of 16 bytes beside a table of 256 jumps: 8, 16 and 32 bytes apart. */
static void a_number_that_may_be_the_codes_does_not_speak_against_two(void **state)
{
    static const struct hwc_jump_number one_clear[] = {{268, 8, 0}, {271, 13, 10}, {237, 11.4, 7.2}},
                                        two_clear[] = {{268, 8, 0}, {237, 11.4, 7.2}, {264, 8, 0}};
    double jumps[HWC_JUMP_WITNESSES];

    (void)state;
    hwc_jumps_that_count(one_clear, 0.25, jumps);
    assert_true(jumps[0] == 237 && jumps[1] == 268 && jumps[2] == 271);
    hwc_jumps_that_count(two_clear, 0.25, jumps);
    assert_true(jumps[0] == 0 && jumps[1] == 264 && jumps[2] == 268);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_jumps_is_a_step),
        cmocka_unit_test(two_tables_are_two_steps),
        cmocka_unit_test(caches_of_code_are_no_step),
        cmocka_unit_test(caches_of_neighbouring_sizes_are_no_step),
        cmocka_unit_test(a_cache_of_decoded_jumps_is_no_step),
        cmocka_unit_test(what_code_takes_is_not_the_tables),
        cmocka_unit_test(a_table_of_half_the_entries_takes_nothing_off),
        cmocka_unit_test(bounds_hold_what_a_miss_takes),
        cmocka_unit_test(what_rises_at_once_is_no_step),
        cmocka_unit_test(readings_taken_again_tell_how_far_off_they_are),
        cmocka_unit_test(alike_readings_taken_again_change_nothing),
        cmocka_unit_test(entries_are_told_by_where_misses_climb),
        cmocka_unit_test(sizes_between_tables_are_none),
        cmocka_unit_test(a_number_that_may_be_the_codes_does_not_speak_against_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
