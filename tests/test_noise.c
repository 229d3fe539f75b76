/* Recorded noise: sums have the recorded mean, variance and tail; gaps come when and as long as they were recorded;
 * samples are flagged as a CPU flags them; lines are lost at the recorded rate. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "description.h"
#include "excess.h"
#include "recorded_noise.h"
#include "simulated.h"

#define SEED 20261125
#define DRAWS 20000

/* What a recording of two alike rounds of 10 ms has, on a core of 1 GHz: its cycles are nanoseconds. */
struct content {
    int slow_pulse;    /* thousandths, every other pulse */
    int slow_pulses;   /* the same, all of them */
    int gap_us, preempted; /* one gap in a round, 5 ms after its beginning; 0 = none */
    int lines;         /* of 128, lost in it */
    int pass, latest;  /* cycles more than usual that the first footprint's last pass and reference took */
    int slower, but;   /* cycles more that the first footprint's passes took in the second round, but for so many */
    int lost;          /* of 1024 lines, after 10 ms */
    const char *key;   /* instead of "probed" */
};

static void write_list(FILE *file, int count, int last)
{
    for (int i = 0; i + 1 < count; i++)
        fprintf(file, "0,");
    fprintf(file, "%d", last);
}

static void write_footprint(FILE *file, const struct content *content, unsigned index)
{
    static const unsigned bytes[] = {8192, 131072, 2097152, 268435456}, cycles[] = {4, 14, 50, 400};

    fprintf(file, "%s{\"bytes\":%u,\"pass\":1000,\"cycles\":%u,\"lost_from\":200,\"references\":[",
            index > 0 ? "," : "", bytes[index], cycles[index]);
    for (int round = 0; round < 2; round++) {
        fprintf(file, "%s[", round > 0 ? "," : "");
        write_list(file, SIM_GROUPS + SIM_LATEST, index == 0 ? content->latest : 0);
        fprintf(file, "]");
    }
    fprintf(file, "],\"passes\":[");
    for (int round = 0; round < 2; round++) {
        fprintf(file, "%s[", round > 0 ? "," : "");
        for (int i = 0; i < SIM_PASSES; i++)
            fprintf(file, "%s%d", i > 0 ? "," : "",
                    index > 0 ? 0 : round * (i >= content->but) * content->slower + (i + 1 == SIM_PASSES) * content->pass);
        fprintf(file, "]");
    }
    fprintf(file, "]}");
}

static void write_recording(FILE *file, const struct content *content)
{
    fprintf(file, "{\"schema\":\"hwchar-noise/1\",\"cpu_model\":\"a test's\",\"hypervisor\":\"\",\"kernel\":\"\","
                  "\"date\":\"2026-11-25\",\"seconds\":1,\"cycles_per_ns\":1,\"clock_step\":0,\"gap_ns\":1000,"
                  "\"lines\":128,\"timed\":4096,\"%s\":1024,\"waited\":[0,1000,10000],\"footprints\":[",
            content->key != NULL ? content->key : "probed");
    for (unsigned i = 0; i < 4; i++)
        write_footprint(file, content, i);
    fprintf(file, "],\"rounds\":[");
    for (int round = 0; round < 2; round++) {
        fprintf(file, "%s{\"at\":0,\"watched\":10000,\"pulses\":[", round > 0 ? "," : "");
        for (int i = 0; i < SIM_PULSES; i++)
            fprintf(file, "%s%d", i > 0 ? "," : "", content->slow_pulses + i % 2 * content->slow_pulse);
        fprintf(file, "],\"lost\":[0,0,%d,0,0,%d],\"gaps\":[", content->lost, content->lost);
        if (content->gap_us > 0)
            fprintf(file, "5000,%d,%d,%d", 1000 * content->gap_us, content->lines, content->preempted);
        fprintf(file, "]}");
    }
    fprintf(file, "]}");
}

static const char temporary[] = "/tmp/hwchar-noise-XXXXXX";

static void make_file(char *path, const struct content *content)
{
    FILE *file;

    memcpy(path, temporary, sizeof temporary);
    file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    write_recording(file, content);
    fclose(file);
}

static void open_noise(struct sim_recorded_noise *noise, const struct content *content, uint64_t seed)
{
    struct hwc_error error;
    char path[32];

    make_file(path, content);
    assert_int_equal(sim_noise_open(noise, path, 1, 0, seed, &error), HWC_OK);
    unlink(path);
}

static void sums_have_the_mean_and_variance(void **state)
{
    const double usual[] = {0, 1, 2, 3, 10}, references[] = {1, 50, 1000, 1e6};
    struct sim_excess excess;
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    sim_excess_init(&excess, usual, 5, 50);
    sim_excess_add_outlier(&excess, 100, 0.02);
    sim_excess_add_outlier(&excess, 300, 0.02);
    for (unsigned i = 0; i < 4; i++) {
        double values = references[i] / 50, sum = 0, square = 0, least = INFINITY;
        double mean = values * (0.96 * 3.2 + 0.02 * 400);
        double variance = values * (0.96 * (22.8 - 3.2 * 3.2) + 0.02 * (100.0 * 100 + 300.0 * 300));
        for (int k = 0; k < DRAWS; k++) {
            double drawn = sim_excess_draw(&excess, references[i], &random);
            sum += drawn;
            square += drawn * drawn;
            least = fmin(least, drawn);
        }
        assert_true(fabs(sum / DRAWS - mean) < 5 * sqrt(variance / DRAWS));
        square = square / DRAWS - sum / DRAWS * (sum / DRAWS);
        assert_true(fabs(square / variance - 1) < (i == 0 ? 0.5 : 0.1));
        assert_true(least >= 0);
    }
}

static void outliers_come_as_often_as_recorded(void **state)
{
    const double usual[] = {0, 1};
    struct sim_excess excess;
    struct hwc_random random;
    int far = 0, farther = 0;

    (void)state;
    hwc_random_seed(&random, SEED);
    sim_excess_init(&excess, usual, 2, 1);
    sim_excess_add_outlier(&excess, 1000, 1e-3);
    sim_excess_add_outlier(&excess, 5000, 1e-3);
    for (int k = 0; k < DRAWS; k++) {
        double drawn = sim_excess_draw(&excess, 20, &random);
        far += drawn > 500;
        farther += drawn > 4500;
    }
    assert_true(fabs(far / (double)DRAWS - (1 - exp(-0.04))) < 0.006);
    assert_true(fabs(farther / (double)DRAWS - (1 - exp(-0.02))) < 0.005);
}

static void single_references_are_drawn_from_those_timed(void **state)
{
    const struct content content = {.latest = 700};
    const struct sim_server first = {4, false}, memory = {300, true};
    struct sim_recorded_noise noise;
    int late = 0;

    (void)state;
    open_noise(&noise, &content, SEED);
    for (int k = 0; k < 40 * DRAWS; k++) {
        double drawn = sim_noise_of_one(&noise, &first);
        assert_true(drawn == 0 || drawn == 700);
        late += drawn > 0;
        assert_true(sim_noise_of_one(&noise, &memory) == 0);
    }
    assert_true(fabs(late / (40.0 * DRAWS) * 4096 - 1) < 0.25);
    sim_noise_close(&noise);
}

static void passes_are_drawn_for_the_level_that_is_as_fast(void **state)
{
    const struct content content = {.pass = 1600};
    const struct sim_server first = {3, false}, second = {12, false};
    struct sim_recorded_noise noise;
    double sum = 0;

    (void)state;
    open_noise(&noise, &content, SEED);
    for (int k = 0; k < DRAWS; k++) {
        sum += sim_noise_excess(&noise, &first, 500);
        assert_true(sim_noise_excess(&noise, &second, 500) == 0);
    }
    assert_true(fabs(sum / DRAWS - 50) < 5); /* half of 1600 / 16, an outlier: it takes as long there as here */
    sim_noise_close(&noise);
}

static void gaps_come_as_recorded_and_the_seed_chooses_the_start(void **state)
{
    const struct content content = {.gap_us = 20, .lines = 64};
    struct sim_recorded_noise noise, other;
    double passed = 0, first_gap[3];
    unsigned gaps = 0;

    (void)state;
    open_noise(&noise, &content, SEED);
    while (passed < 1e9) {
        struct sim_noise_event event;
        passed += sim_noise_wait(&noise);
        sim_noise_next(&noise, &event);
        passed += event.gap_ns;
        gaps += event.gap_ns > 0;
        assert_true(event.gap_ns == 0 || (event.gap_ns == 20e3 && event.lost == 0.5 && !event.preempted));
    }
    assert_in_range(gaps, 99, 101);
    sim_noise_close(&noise);
    for (int i = 0; i < 3; i++) {
        open_noise(&other, &content, i < 2 ? SEED : SEED + 1);
        first_gap[i] = other.at_ns;
        sim_noise_close(&other);
    }
    assert_true(first_gap[0] == first_gap[1] && first_gap[0] != first_gap[2]);
}

/* A machine of two levels, whose last is of 512 KiB. */
static struct hwc_machine *open_machine(const struct content *content, uint64_t seed)
{
    struct sim_description description = {
        .frequency_mhz = 1000, .page_bytes = 4096, .memory_latency_cycles = 200, .levels = 2, .contiguous = true};
    struct hwc_machine *machine;
    struct hwc_error error;

    for (unsigned i = 0; i < 2; i++) {
        struct sim_level *level = &description.level[i];
        *level = (struct sim_level){.level = i + 1, .kind = SIM_UNIFIED, .sector_lines = 1, .write_allocate = true,
                                    .write_back = true, .latency_cycles = i == 0 ? 4 : 14};
        level->shape = (struct sim_cache_shape){
            .line_bytes = 64, .slices = 1, .ways = 8, .size_bytes = i == 0 ? 32768 : 524288};
        assert_true(hwc_policy_parse("lru", &level->shape.policy));
    }
    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        description.event[i].factor = 1;
    make_file(description.noise.recording, content);
    assert_int_equal(sim_machine_open(&machine, &description, seed, &error), HWC_OK);
    unlink(description.noise.recording);
    return machine;
}

/* Play so many passes over as many KiB; returns the count of second-level misses. */
static double play(struct hwc_machine *machine, unsigned kib, uint32_t passes, enum hwc_event event,
                   struct hwc_sample *sample)
{
    struct hwc_arena arena;
    struct hwc_walk walk;
    struct hwc_error error;
    struct hwc_experiment experiment = {
        .arena = &arena, .event = event, .steps = 2, .step = {{HWC_RUN, &walk, 1}, {HWC_MEASURE, &walk, passes}}};

    if (event != HWC_NO_EVENT)
        machine->ops->use_source(machine, event, NULL);
    assert_int_equal(machine->ops->arena_open(machine, kib << 10, HWC_LARGE_PAGES, &arena, &error), HWC_OK);
    hwc_walk_init(&walk);
    for (uint64_t i = 0; i < (uint64_t)kib * 16; i++)
        assert_int_equal(hwc_walk_append(&walk, 64 * i, &error), HWC_OK);
    assert_int_equal(machine->ops->play(machine, &experiment, sample, &error), HWC_OK);
    hwc_walk_free(&walk);
    machine->ops->arena_close(machine, &arena);
    return sample->reading[0].count;
}

static bool is_disturbed(const struct content *content, enum hwc_event event)
{
    struct hwc_machine *machine = open_machine(content, SEED);
    struct hwc_sample sample;

    play(machine, 16, 20000, event, &sample); /* 20 ms */
    machine->ops->close(machine);
    return sample.disturbed;
}

static void samples_are_flagged_as_a_cpu_flags_them(void **state)
{
    const struct content quiet = {0}, interrupted = {.gap_us = 50}, preempted = {.gap_us = 50, .preempted = 1},
                         unsteady = {.slow_pulse = 100};

    (void)state;
    assert_false(is_disturbed(&quiet, HWC_NO_EVENT));
    assert_false(is_disturbed(&interrupted, HWC_NO_EVENT));
    assert_true(is_disturbed(&preempted, HWC_NO_EVENT));
    assert_true(is_disturbed(&unsteady, HWC_NO_EVENT));
    assert_false(is_disturbed(&unsteady, HWC_L2_MISS));
}

/* Others of the round hit as fast as ever: the frequency had changed only while the pulses were recorded. */
static void slow_pulses_of_another_moment_correct_nothing(void **state)
{
    const struct content quiet = {0}, slow = {.slow_pulses = 100};
    struct hwc_sample sample[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hwc_machine *machine = open_machine(i == 0 ? &quiet : &slow, SEED);
        play(machine, 16, 500, HWC_NO_EVENT, &sample[i]);
        machine->ops->close(machine);
    }
    assert_true(fabs(sample[1].reading[0].cycles / sample[0].reading[0].cycles - 1) < 0.001);
    assert_false(sample[1].disturbed);
}

/* By what is a reading of the second round corrected? */
static double factor_of_second_round(const struct content *content)
{
    struct sim_recorded_noise noise;
    struct sim_noise_event event;
    double factor;

    open_noise(&noise, content, SEED);
    while (noise.round == 0)
        sim_noise_next(&noise, &event);
    assert_true(sim_noise_frequency(&noise, &factor));
    sim_noise_close(&noise);
    return factor;
}

/* A tenth of what hits take: by the frequency all passes, by lines that others put out not the fastest. */
static void passes_that_lose_lines_are_not_slow_by_the_frequency(void **state)
{
    const struct content all = {.slower = 400}, most = {.slower = 400, .but = 1};

    (void)state;
    assert_true(fabs(factor_of_second_round(&all) - 1 / 1.1) < 1e-9);
    assert_true(fabs(factor_of_second_round(&most) - 1) < 1e-9);
}

static void gaps_take_time_and_first_level_lines(void **state)
{
    const struct content content = {.gap_us = 50, .lines = 128};
    struct hwc_machine *machine = open_machine(&content, SEED);
    struct hwc_sample sample;
    double misses = play(machine, 16, 50000, HWC_L1D_LOAD_MISS, &sample), expected;

    (void)state;
    /* 51 ms: five gaps, at each of which as many ways are emptied as there are, some of them twice: of 256 lines two
     * in three are gone. */
    assert_in_range(misses, 5 * 256 / 2, 6 * 256);
    expected = 256 * 50000 * 4.0 + misses * 10;
    assert_in_range(sample.reading[0].cycles - expected, 4.5 * 50e3, 6.5 * 50e3);
    machine->ops->close(machine);
}

static void the_last_level_loses_lines_at_the_recorded_rate(void **state)
{
    const struct content content = {.lost = 512};
    struct hwc_machine *machine = open_machine(&content, SEED);
    struct hwc_sample sample;
    /* 256 KiB, half of the level, in passes of 57 us: all that is lost is soon noticed. Half of the lines go in 10 ms,
     * so in the same time ln 2 of those there are, when they come back. */
    double misses = play(machine, 256, 1750, HWC_L2_MISS, &sample); /* 100 ms */

    (void)state;
    assert_in_range(misses, 10 * log(2) * 4096 * 0.9, 10 * log(2) * 4096 * 1.1);
    machine->ops->close(machine);
}

static void a_seed_repeats_itself(void **state)
{
    const struct content content = {.gap_us = 20, .lines = 64, .lost = 100, .pass = 500, .slow_pulse = 20};
    struct hwc_sample sample[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct hwc_machine *machine = open_machine(&content, i < 2 ? SEED : SEED + 1);
        play(machine, 256, 500, HWC_NO_EVENT, &sample[i]);
        machine->ops->close(machine);
    }
    assert_true(sample[0].reading[0].cycles == sample[1].reading[0].cycles);
    assert_true(sample[0].reading[0].cycles != sample[2].reading[0].cycles);
}

static void unknown_keys_are_named(void **state)
{
    const struct content content = {.key = "prodded"};
    struct sim_recording recording;
    struct hwc_error error;
    char path[32];

    (void)state;
    make_file(path, &content);
    assert_int_equal(sim_recording_read(path, &recording, &error), HWC_BAD_INPUT);
    assert_string_equal(error.message, "probed: is missing");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_mean_and_variance),
        cmocka_unit_test(outliers_come_as_often_as_recorded),
        cmocka_unit_test(single_references_are_drawn_from_those_timed),
        cmocka_unit_test(passes_are_drawn_for_the_level_that_is_as_fast),
        cmocka_unit_test(gaps_come_as_recorded_and_the_seed_chooses_the_start),
        cmocka_unit_test(samples_are_flagged_as_a_cpu_flags_them),
        cmocka_unit_test(slow_pulses_of_another_moment_correct_nothing),
        cmocka_unit_test(passes_that_lose_lines_are_not_slow_by_the_frequency),
        cmocka_unit_test(gaps_take_time_and_first_level_lines),
        cmocka_unit_test(the_last_level_loses_lines_at_the_recorded_rate),
        cmocka_unit_test(a_seed_repeats_itself),
        cmocka_unit_test(unknown_keys_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
