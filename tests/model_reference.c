/* Our cache model against callgrind's: the same walks through both must give
 * equal counts in every pass.
 *
 * Run under valgrind --tool=callgrind --cache-sim=yes with the geometry that
 * the arguments name:
 *
 *   model_reference SEED D1_SIZE D1_WAYS LINE LL_SIZE LL_WAYS
 *
 * Walks are drawn from the seed: random cells in footprints from a fraction to
 * a multiple of each cache, and strides. Callgrind's count is the difference
 * between a long and a short run, so that the cost of starting and stopping
 * cancels. Prints each walk that differs; exit status 1 if any does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cache.h"
#include "native.h"

#define WALKS 12
/* Under LRU every pass of a warm walk has the same misses, so misses per pass are compared. Starting and stopping evict
 * a varying number of the walk's lines (8 were seen), far fewer than one for each of PASSES passes. */
#define PASSES 32
#define WARM 4
#define SAMPLES 4

static const enum hwc_event events[2] = {HWC_L1D_LOAD_MISS, HWC_L2_LOAD_MISS};

static int draw_walk(struct hwc_walk *walk, unsigned number, const struct sim_cache_shape *shapes,
                     struct hwc_random *random, struct hwc_error *error)
{
    uint64_t capacity = shapes[number % 4 == 3].size_bytes;
    uint64_t line = shapes[0].line_bytes;
    uint64_t bytes = capacity / 2 + hwc_random_below(random, 2 * capacity);
    size_t lines = 16 + hwc_random_below(random, 3000);
    int status = HWC_OK;

    hwc_walk_clear(walk);
    if (number % 4 == 2) {
        uint64_t stride = line << hwc_random_below(random, 6);
        return hwc_walk_sequence(walk, 0, stride, bytes / stride > 4000 ? 4000 : bytes / stride + 1, error);
    }
    /* Distinct lines in random order, each visited once. */
    if (lines > bytes / line)
        lines = bytes / line;
    for (size_t i = 0; i < lines && status == HWC_OK; i++)
        status = hwc_walk_append(walk, (i * (bytes / line / lines) + hwc_random_below(random, bytes / line / lines)) * line,
                                 error);
    hwc_walk_shuffle(walk, random);
    return status;
}

static void play_model(const struct hwc_walk *walk, const struct sim_cache_shape *shapes, uint64_t misses[2])
{
    struct sim_cache cache[2];
    struct hwc_random random = {{0}};
    struct hwc_error error;

    misses[0] = misses[1] = 0;
    for (int i = 0; i < 2; i++)
        if (sim_cache_init(&cache[i], &shapes[i], &error) != HWC_OK)
            abort();
    for (unsigned pass = 0; pass < WARM + PASSES; pass++)
        for (size_t k = 0; k < walk->count; k++)
            for (int i = 0; i < 2; i++) {
                uint64_t number = walk->offsets[k] >> cache[i].line_shift;
                if (sim_cache_touch(&cache[i], sim_cache_set_of(&cache[i], number), number, &random))
                    break;
                misses[i] += pass >= WARM;
            }
    sim_cache_free(&cache[0]);
    sim_cache_free(&cache[1]);
}

/* The minimum of several counts of `passes` passes over the warm walk. */
static int count_passes(struct hwc_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                        enum hwc_event event, uint32_t passes, double *least, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena, .event = event, .steps = 2, .step = {{HWC_RUN, walk, WARM}, {HWC_MEASURE, walk, passes}}};

    *least = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        struct hwc_sample sample;
        int status = machine->ops->play(machine, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        *least = fmin(*least, sample.reading[0].count);
    }
    return HWC_OK;
}

static int count(struct hwc_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                 enum hwc_event event, double *misses, struct hwc_error *error)
{
    struct hwc_event_source source;
    double some, more;
    int status;

    machine->ops->event_source(machine, event, 0, &source);
    if (machine->ops->use_source != NULL)
        machine->ops->use_source(machine, event, &source);
    status = count_passes(machine, arena, walk, event, PASSES, &some, error);
    if (status == HWC_OK)
        status = count_passes(machine, arena, walk, event, 2 * PASSES, &more, error);
    *misses = status == HWC_OK ? more - some : 0;
    return status;
}

static int compare(struct hwc_machine *machine, const struct sim_cache_shape *shapes, uint64_t seed,
                   unsigned *different, struct hwc_error *error)
{
    struct hwc_random random;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t largest = shapes[0].size_bytes > shapes[1].size_bytes ? shapes[0].size_bytes : shapes[1].size_bytes;
    int status = machine->ops->arena_open(machine, 4 * largest, HWC_BASE_PAGES, &arena, error);

    if (status != HWC_OK)
        return status;
    hwc_random_seed(&random, seed);
    hwc_walk_init(&walk);
    for (unsigned number = 0; number < WALKS && status == HWC_OK; number++) {
        uint64_t expected[2];
        status = draw_walk(&walk, number, shapes, &random, error);
        if (status != HWC_OK)
            break;
        play_model(&walk, shapes, expected);
        for (int i = 0; i < 2 && status == HWC_OK; i++) {
            double counted = 0;
            status = count(machine, &arena, &walk, events[i], &counted, error);
            if (status == HWC_OK && round(counted / PASSES) * PASSES != (double)expected[i]) {
                printf("walk %u of %zu cells, level %d: callgrind counts %.0f in %d passes, the model %llu\n", number,
                       walk.count, i + 1, counted, PASSES, (unsigned long long)expected[i]);
                ++*different;
            }
        }
    }
    hwc_walk_free(&walk);
    machine->ops->arena_close(machine, &arena);
    return status;
}

int main(int argc, char **argv)
{
    struct native_request request = {.cpu = -1, .counters = true, .backend = "callgrind"};
    struct sim_cache_shape shapes[2] = {{.slices = 1}, {.slices = 1}};
    struct hwc_machine *machine = NULL;
    struct hwc_host host = {0};
    struct hwc_error error;
    unsigned different = 0;
    int status;

    if (argc != 7)
        return 2;
    shapes[0].size_bytes = strtoull(argv[2], NULL, 10);
    shapes[0].ways = (unsigned)strtoul(argv[3], NULL, 10);
    shapes[0].line_bytes = shapes[1].line_bytes = strtoull(argv[4], NULL, 10);
    shapes[1].size_bytes = strtoull(argv[5], NULL, 10);
    shapes[1].ways = (unsigned)strtoul(argv[6], NULL, 10);
    status = native_machine_open(&machine, &request, &host, &error);
    if (status == HWC_OK) {
        status = compare(machine, shapes, strtoull(argv[1], NULL, 10), &different, &error);
        machine->ops->close(machine);
    }
    if (status != HWC_OK)
        fprintf(stderr, "model_reference: %s\n", error.message);
    return status != HWC_OK ? 3 : different > 0;
}
