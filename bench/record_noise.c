/* Record what a measurement meets on this machine besides what it measures; docs/noise.md says how simulated machines
 * play it.
 *
 *   record_noise [--seconds N] [--cpu N] [FILE]   default: 45 seconds, a quiet CPU, standard output
 *
 * Rounds are spread evenly over the time. Each looks at the frequency, and at each footprint by references timed one by
 * one and by whole passes. Between looks at lines of a footprint, which tell how many of them others put out meanwhile,
 * it spins on the time stamp, to see when the thread did not run. It needs no findings: footprints are fixed, and one
 * that a machine's caches do not hold is served by the next level. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "kernels.h"
#include "noise_recorder.h"
#include "statistics.h"

#define LINE_BYTES 64
#define LINE_CELLS (LINE_BYTES / sizeof(uint64_t))

static const struct {
    uint64_t bytes[FOOTPRINTS];
    double wait_ns[WAITS], gap_ns;
    double pass_cycles;
    uint64_t least_pass, most_pass;
    int first_passes;
    double usual, fast;
} policy = {
    /* The home footprint is in any first level, most of the next in a second one; no cache holds the last. */
    .bytes = {(uint64_t)HOME_LINES * LINE_BYTES, 128 << 10, 2 << 20, 8 << 20, 256 << 20},
    /* Where others are busy, a second or third level is theirs after some milliseconds. */
    .wait_ns = {0, 1e6, 9e6},
    .gap_ns = 1000, /* neither a refresh nor a page-table walk takes so long */
    /* A pass is long for the clock's steps and short for what comes a thousand times a second. */
    .pass_cycles = 16384,
    .least_pass = 64, .most_pass = 4096,
    .first_passes = 64,
    /* Shares of references. Memory is faster where a row is open and translations are there. */
    .usual = 0.5,
    .fast = 0.05,
};

/* A single cycle through all lines, in random order (Sattolo's shuffle, which keeps it one cycle). */
static void lay_chain(struct footprint *footprint, struct hwc_random *random)
{
    uint64_t lines = footprint->bytes / LINE_BYTES;

    for (uint64_t i = 0; i < lines; i++)
        footprint->cells[i * LINE_CELLS] = i * LINE_CELLS;
    for (uint64_t i = lines; i > 1; i--) {
        uint64_t j = hwc_random_below(random, i - 1);
        uint64_t kept = footprint->cells[(i - 1) * LINE_CELLS];
        footprint->cells[(i - 1) * LINE_CELLS] = footprint->cells[j * LINE_CELLS];
        footprint->cells[j * LINE_CELLS] = kept;
    }
}

static double chase(struct footprint *footprint, uint64_t references)
{
    uint64_t begin = native_ticks();

    footprint->at = native_chase(footprint->cells, footprint->at, references);
    return (double)(native_ticks() - begin);
}

/* Bring every line in, but for those of the last footprint: no cache holds them. */
static void warm(const struct recorder *recorder, struct footprint *footprint)
{
    if (footprint != &recorder->footprint[FOOTPRINTS - 1])
        chase(footprint, footprint->bytes / LINE_BYTES);
}

static int open_footprint(struct recorder *recorder, int index, struct hwc_random *random, struct hwc_error *error)
{
    struct hwc_machine *machine = &recorder->machine->base;
    struct footprint *footprint = &recorder->footprint[index];
    double pass[64];

    footprint->bytes = policy.bytes[index];
    TRY(machine->ops->arena_open(machine, footprint->bytes, HWC_LARGE_PAGES, &footprint->arena, error));
    footprint->cells = (uint64_t *)(void *)native_base_of(&footprint->arena);
    lay_chain(footprint, random);
    warm(recorder, footprint);
    for (int i = 0; i < policy.first_passes; i++)
        pass[i] = chase(footprint, policy.least_pass) / (double)policy.least_pass;
    footprint->usual = hwc_median(pass, (size_t)policy.first_passes);
    footprint->in_pass = (uint64_t)(policy.pass_cycles / (footprint->usual * recorder->clock->cycles_per_tick));
    footprint->in_pass = footprint->in_pass < policy.least_pass  ? policy.least_pass
                         : footprint->in_pass > policy.most_pass ? policy.most_pass
                                                                 : footprint->in_pass / 16 * 16;
    return HWC_OK;
}

static int by_time(const void *left, const void *right)
{
    uint16_t a = *(const uint16_t *)left, b = *(const uint16_t *)right;

    return (a > b) - (a < b);
}

/* How many of the sorted times are references, and not gaps? Those are recorded as such. */
static size_t without_gaps(const struct recorder *recorder, const uint16_t *sorted)
{
    size_t count = TIMED, half = TIMED / 2;
    double most = sorted[half] + recorder->gap_ns * recorder->clock->ticks_per_ns;

    while (count > half && sorted[count - 1] > most)
        count--;
    return count;
}

/* Time references one by one; keep the longest times, and the means of groups of the others. */
static void time_references(const struct recorder *recorder, struct footprint *footprint, struct look *look)
{
    uint16_t ticks[TIMED];
    size_t count;

    for (int i = 0; i < TIMED; i++) {
        double taken = chase(footprint, 1);
        ticks[i] = (uint16_t)fmin(taken, UINT16_MAX);
    }
    qsort(ticks, TIMED, sizeof *ticks, by_time);
    count = without_gaps(recorder, ticks) - LATEST;
    for (int i = 0; i < LATEST; i++)
        look->latest[i] = ticks[count + (size_t)i];
    for (size_t g = 0; g < GROUPS; g++) {
        size_t begin = g * count / GROUPS, end = (g + 1) * count / GROUPS, members = end - begin;
        double sum = 0;
        for (size_t i = begin; i < end; i++)
            sum += ticks[i];
        look->group[g] = sum / (double)members;
    }
}

/* A pass during which the thread did not run is taken again. */
static void time_passes(const struct recorder *recorder, struct footprint *footprint, struct look *look)
{
    double usual = footprint->usual * (double)footprint->in_pass;
    double most = 1.25 * usual + recorder->gap_ns * recorder->clock->ticks_per_ns;

    for (int i = 0, tries = 0; i < PASSES; tries++) {
        look->pass[i] = chase(footprint, footprint->in_pass);
        i += look->pass[i] <= most || tries >= 4 * PASSES; /* on a machine that is never quiet they are as they are */
    }
}

static long preemptions(void)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw + usage.ru_nvcsw;
}

static unsigned lines_lost(struct recorder *recorder)
{
    double more = chase(&recorder->footprint[0], HOME_LINES) - recorder->fastest_home;

    return (unsigned)fmin(HOME_LINES, fmax(0, round(more / recorder->line_ticks)));
}

/* Spin on the time stamp for a while, and note when it did not come round. */
static void watch(struct recorder *recorder, struct round *round, double ns)
{
    double ticks_per_ns = recorder->clock->ticks_per_ns;
    uint64_t window = (uint64_t)(ns * ticks_per_ns), gap = (uint64_t)(recorder->gap_ns * ticks_per_ns);
    uint64_t begin, last, now;
    long before = preemptions();

    chase(&recorder->footprint[0], HOME_LINES);
    begin = last = now = native_ticks();
    while (now - begin < window) {
        now = native_ticks();
        if (now - last > gap && round->gaps < MOST_GAPS) {
            struct gap *found = &round->gap[round->gaps++];
            long after;
            *found = (struct gap){.at_ns = round->watched_ns + (double)(last - begin) / ticks_per_ns,
                                  .ns = (double)(now - last) / ticks_per_ns};
            found->lines = lines_lost(recorder);
            after = preemptions();
            found->preempted = after != before;
            before = after;
            now = native_ticks();
        }
        last = now;
    }
    round->watched_ns += (double)(now - begin) / ticks_per_ns;
}

/* How many of some lines have to come from memory, that were not visited since the whole footprint was? */
static unsigned count_lost(const struct recorder *recorder, struct footprint *footprint)
{
    uint64_t lost = native_chase_timed(footprint->cells, footprint->at, PROBED, (uint32_t)recorder->halfway);

    footprint->at = native_chase(footprint->cells, footprint->at, PROBED);
    return (unsigned)lost;
}

static void watch_lines(struct recorder *recorder, struct round *round)
{
    for (int i = 0; i < LOSERS; i++) {
        struct footprint *footprint = &recorder->footprint[FIRST_LOST + i];
        warm(recorder, footprint);
        for (int k = 0; k < WAITS; k++) {
            if (policy.wait_ns[k] > 0)
                watch(recorder, round, policy.wait_ns[k]);
            round->lost[i][k] = count_lost(recorder, footprint);
        }
    }
}

/* Of references timed one by one, what so large a share of them stays below. */
static double alone(struct footprint *footprint, double share)
{
    double ticks[1024];

    for (int i = 0; i < 1024; i++)
        ticks[i] = chase(footprint, 1);
    hwc_sort(ticks, 1024);
    return ticks[(int)(share * 1024)];
}

/* What a line costs that has to come from the second level again. */
static void calibrate_home(struct recorder *recorder)
{
    struct footprint *home = &recorder->footprint[0];
    double again = INFINITY;

    recorder->fastest_home = INFINITY;
    for (int i = 0; i < 64; i++) {
        chase(home, HOME_LINES);
        recorder->fastest_home = fmin(recorder->fastest_home, chase(home, HOME_LINES));
    }
    for (int i = 0; i < 16; i++) {
        warm(recorder, &recorder->footprint[1]);
        again = fmin(again, chase(home, HOME_LINES));
    }
    recorder->line_ticks = fmax(1, (again - recorder->fastest_home) / HOME_LINES);
}

static double now_ns(const struct recorder *recorder, uint64_t begin)
{
    return (double)(native_ticks() - begin) / recorder->clock->ticks_per_ns;
}

static void play_round(struct recorder *recorder, struct round *round)
{
    for (int i = 0; i < PULSES; i++)
        round->pulse[i] = native_clock_pulse(recorder->clock);
    watch_lines(recorder, round);
    for (int i = 0; i < FOOTPRINTS; i++) {
        struct footprint *footprint = &recorder->footprint[i];
        warm(recorder, footprint);
        time_passes(recorder, footprint, &round->look[i]);
        warm(recorder, footprint);
        time_references(recorder, footprint, &round->look[i]);
    }
}

static void play_rounds(struct recorder *recorder)
{
    uint64_t begin = native_ticks();
    double between = recorder->seconds * 1e9 / ROUNDS;

    for (int r = 0; r < ROUNDS; r++) {
        while (now_ns(recorder, begin) < r * between)
            native_add_chain(1024);
        recorder->round[r].at_ns = now_ns(recorder, begin);
        play_round(recorder, &recorder->round[r]);
    }
    recorder->seconds = now_ns(recorder, begin) / 1e9;
}

static int record(struct recorder *recorder, int cpu, FILE *file, struct hwc_error *error)
{
    const struct native_request request = {.cpu = cpu};
    struct hwc_machine *machine;
    struct hwc_random random;
    int status = native_machine_open(&machine, &request, &recorder->host, error);

    if (status != HWC_OK)
        return status;
    recorder->machine = native_self(machine);
    recorder->clock = &recorder->machine->clock;
    hwc_random_seed(&random, 1);
    for (int i = 0; status == HWC_OK && i < FOOTPRINTS; i++)
        status = open_footprint(recorder, i, &random, error);
    if (status == HWC_OK) {
        calibrate_home(recorder);
        recorder->halfway = (alone(&recorder->footprint[0], policy.usual) +
                             alone(&recorder->footprint[FOOTPRINTS - 1], policy.fast)) / 2;
        play_rounds(recorder);
        write_noise(file, recorder);
    }
    for (int i = 0; i < FOOTPRINTS; i++)
        if (recorder->footprint[i].arena.handle != NULL)
            machine->ops->arena_close(machine, &recorder->footprint[i].arena);
    machine->ops->close(machine);
    return status;
}

static int complain(const char *what)
{
    fprintf(stderr, "record_noise: %s\n", what);
    return 2;
}

int main(int count, char **arguments)
{
    static struct round rounds[ROUNDS];
    struct recorder recorder = {
        .seconds = 45, .gap_ns = policy.gap_ns, .round = rounds};
    struct hwc_error error;
    FILE *file = stdout;
    int cpu = -1, status;

    for (int i = 0; i < WAITS; i++)
        recorder.waited_ns[i] = (i > 0 ? recorder.waited_ns[i - 1] : 0) + policy.wait_ns[i];
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--seconds") == 0 && i + 1 < count)
            recorder.seconds = strtod(arguments[++i], NULL);
        else if (strcmp(arguments[i], "--cpu") == 0 && i + 1 < count)
            cpu = (int)strtol(arguments[++i], NULL, 10);
        else if (arguments[i][0] == '-' || file != stdout)
            return complain("[--seconds N] [--cpu N] [FILE]");
        else if ((file = fopen(arguments[i], "w")) == NULL)
            return complain("the file cannot be written");
    }
    status = record(&recorder, cpu, file, &error);
    if (fclose(file) != 0 && status == HWC_OK)
        return complain("the file cannot be written");
    return status == HWC_OK ? 0 : complain(error.message);
}
