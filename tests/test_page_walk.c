/* Page-table walks of simulated machines: what they take, against a naive model,
 * and that what counters say of TLBs does not depend on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simulated.h"
#include "tlb.h"

#define SEED 20261129

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define PAGE (4 * KIB)

static const struct asked {
    uint64_t covers;
    unsigned entries;
    double cycles;
} lines_and_directories[] = {{32 * KIB, 8, 12}, {2 * MIB, 4, 15}};

enum { CACHES = sizeof lines_and_directories / sizeof lines_and_directories[0] };

static void add_tlb(struct sim_description *description, unsigned level, enum sim_kind kind, unsigned sets,
                    unsigned ways, double penalty)
{
    struct sim_tlb *tlb = &description->tlb[description->tlbs++];

    *tlb = (struct sim_tlb){.level = level, .kind = kind, .sub_pages = 1};
    tlb->table = (struct sim_table){.entries = (uint64_t)sets * ways, .ways = ways, .miss_penalty_cycles = penalty};
    assert_true(hwc_policy_parse("lru", &tlb->table.policy));
}

/* A TLB of four entries for data and one for code, a second one of eight for both. */
static void describe(struct sim_description *description, unsigned page_walk_caches)
{
    memset(description, 0, sizeof *description);
    description->page_bytes = PAGE;
    description->superpages = 1;
    description->superpage[0] = 2 * MIB;
    add_tlb(description, 1, SIM_DATA, 1, 4, 7);
    add_tlb(description, 1, SIM_INSTRUCTION, 1, 4, 7);
    add_tlb(description, 2, SIM_UNIFIED, 2, 4, 20);
    description->page_walk_caches = page_walk_caches;
    for (unsigned i = 0; i < page_walk_caches; i++) {
        const struct asked *asked = &lines_and_directories[i];
        description->page_walk[i] = (struct sim_page_walk_cache){.covers_bytes = asked->covers};
        description->page_walk[i].table = (struct sim_table){
            .entries = asked->entries, .ways = asked->entries, .miss_penalty_cycles = asked->cycles};
    }
}

struct translator {
    struct sim_tlbs tlbs;
    struct sim_translation translation[SIM_SIDES];
    struct sim_counts counts;
    struct hwc_random random;
};

static void set_up(struct translator *translator, const struct sim_description *description, uint64_t page_bytes)
{
    struct hwc_error error;

    memset(translator, 0, sizeof *translator);
    hwc_random_seed(&translator->random, SEED);
    assert_int_equal(sim_tlbs_init(&translator->tlbs, description, &error), HWC_OK);
    for (int side = 0; side < SIM_SIDES; side++)
        sim_tlbs_choose(&translator->tlbs, (enum sim_side)side, page_bytes, 1, &translator->translation[side]);
}

static unsigned translate(struct translator *translator, enum sim_side side, uint64_t address)
{
    return sim_translate(&translator->translation[side], address, &translator->counts, &translator->random);
}

static double cycles_of(struct translator *translator, uint64_t page)
{
    return sim_translation_cycles(&translator->translation[SIM_DATA_SIDE],
                                  translate(translator, SIM_DATA_SIDE, page * PAGE));
}

static void a_walk_takes_what_its_caches_miss(void **state)
{
    static struct sim_description description;
    static struct translator translator;

    (void)state;
    describe(&description, CACHES);
    set_up(&translator, &description, PAGE);
    assert_true(cycles_of(&translator, 0) == 7 + 20 + 12 + 15); /* all is new */
    assert_true(cycles_of(&translator, 0) == 0);
    assert_true(cycles_of(&translator, 1) == 7 + 20);           /* in the line of the last one */
    assert_true(cycles_of(&translator, 8) == 7 + 20 + 12);      /* in the next line, of the same directory */
    assert_true(cycles_of(&translator, 512) == 7 + 20 + 12 + 15);
    sim_tlbs_flush(&translator.tlbs);
    assert_true(cycles_of(&translator, 0) == 7 + 20 + 12 + 15);
    assert_true(cycles_of(&translator, 3) == 7 + 20);
    sim_tlbs_disturb(&translator.tlbs, 1000, &translator.random);
    assert_true(cycles_of(&translator, 3) == 7 + 20 + 12 + 15);
    sim_tlbs_free(&translator.tlbs);
}

/* Least recently used last. */
struct naive {
    unsigned used;
    uint64_t number[16];
};

static bool naive_touch(struct naive *naive, unsigned entries, uint64_t number)
{
    unsigned at = 0;
    bool has;

    while (at < naive->used && naive->number[at] != number)
        at++;
    has = at < naive->used;
    if (!has && naive->used < entries)
        naive->used++;
    else if (!has)
        at--;
    memmove(&naive->number[1], &naive->number[0], at * sizeof naive->number[0]);
    naive->number[0] = number;
    return has;
}

/* Data and code in turn; neither TLBs nor their counts know of the caches of walks. */
static void tlbs_miss_as_before_and_walks_as_a_naive_model_says(void **state)
{
    enum { REFERENCES = 100000, DISTANCE = 8 };
    static struct sim_description described, plain;
    static struct translator with, without;
    struct naive naive[CACHES] = {{0}};
    unsigned times[SIM_TRANSLATION_LEVELS + 1] = {0};
    uint64_t page = 0;

    (void)state;
    print_message("seed %d\n", SEED);
    describe(&described, CACHES);
    describe(&plain, 0);
    set_up(&with, &described, PAGE);
    set_up(&without, &plain, PAGE);
    for (int i = 0; i < REFERENCES; i++) {
        enum sim_side side = hwc_random_below(&with.random, 2) == 0 ? SIM_DATA_SIDE : SIM_CODE_SIDE;
        unsigned missed, expected, asked = 0;
        page = hwc_random_below(&with.random, 8) == 0 ? hwc_random_below(&with.random, UINT64_C(8) * 512)
                                                      : page / DISTANCE * DISTANCE + hwc_random_below(&with.random, 24);
        missed = translate(&with, side, page * PAGE);
        expected = translate(&without, side, page * PAGE);
        if (expected == 2)
            while (asked < CACHES && !naive_touch(&naive[asked], lines_and_directories[asked].entries,
                                                  page * PAGE / lines_and_directories[asked].covers))
                asked++;
        assert_int_equal(missed, expected + asked);
        times[missed]++;
    }
    for (unsigned missed = 0; missed <= 2 + CACHES; missed++)
        assert_true(times[missed] > REFERENCES / 100);
    assert_memory_equal(&with.counts, &without.counts, sizeof with.counts);
    sim_tlbs_free(&with.tlbs);
    sim_tlbs_free(&without.tlbs);
}

static void a_walk_to_a_larger_page_is_shorter(void **state)
{
    static struct sim_description description;
    static struct translator translator;

    (void)state;
    describe(&description, CACHES);
    set_up(&translator, &description, 2 * MIB);
    assert_int_equal(translator.translation[SIM_DATA_SIDE].levels, 3);
    assert_true(cycles_of(&translator, 0) == 7 + 20 + 15);
    sim_tlbs_free(&translator.tlbs);
    set_up(&translator, &description, 4 * MIB);
    assert_true(cycles_of(&translator, 0) == 7 + 20);
    sim_tlbs_free(&translator.tlbs);
}

/* What one TLB covers counts as one page, however little a cache of walks covers. */
static void without_a_tlb_nothing_walks(void **state)
{
    static struct sim_description description;
    static struct translator translator;

    (void)state;
    describe(&description, CACHES);
    description.tlbs = 1; /* for data */
    description.tlb[0].page_bytes = 64 * KIB;
    set_up(&translator, &description, PAGE);
    assert_int_equal(translator.translation[SIM_CODE_SIDE].levels, 0);
    assert_int_equal(sim_translation_shift(&translator.translation[SIM_CODE_SIDE]), 63);
    assert_int_equal(sim_translation_shift(&translator.translation[SIM_DATA_SIDE]), 16);
    sim_tlbs_free(&translator.tlbs);
}

/* A machine of one cache and one TLB of 64 entries. */
static struct hwc_machine *open_machine(unsigned lines_held)
{
    static struct sim_description description;
    struct hwc_machine *machine;
    struct hwc_error error;

    describe(&description, lines_held > 0 ? CACHES : 0);
    description.page_walk[0].table.entries = description.page_walk[0].table.ways = lines_held;
    description.tlbs = 0;
    add_tlb(&description, 1, SIM_DATA, 1, 64, 20);
    description.frequency_mhz = 1000;
    description.memory_latency_cycles = 200;
    description.contiguous = true;
    description.levels = 1;
    description.level[0] = (struct sim_level){.level = 1, .kind = SIM_UNIFIED, .sector_lines = 1,
                                              .write_allocate = true, .write_back = true, .latency_cycles = 4};
    description.level[0].shape =
        (struct sim_cache_shape){.line_bytes = 64, .slices = 1, .ways = 8, .size_bytes = 32 * KIB};
    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        description.event[i].factor = 1;
    assert_int_equal(sim_machine_open(&machine, &description, SEED, &error), HWC_OK);
    return machine;
}

enum { PAGES = 128 };

/* So many passes over a line of each page, when one has gone before. */
static void play(unsigned lines_held, uint32_t passes, struct hwc_reading *reading)
{
    struct hwc_machine *machine = open_machine(lines_held);
    struct hwc_arena arena;
    struct hwc_walk walk;
    struct hwc_sample sample;
    struct hwc_error error;
    const struct hwc_experiment experiment = {.arena = &arena, .event = HWC_DTLB_MISS, .steps = 2,
                                              .step = {{HWC_RUN, &walk, 1}, {HWC_MEASURE, &walk, passes}}};

    assert_int_equal(machine->ops->arena_open(machine, PAGES * PAGE, HWC_BASE_PAGES, &arena, &error), HWC_OK);
    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 0, PAGE + 64, PAGES - 2, &error), HWC_OK);
    /* as on a machine without counters: an experiment counts what is in use only */
    assert_int_equal(machine->ops->play(machine, &experiment, &sample, &error), HWC_UNAVAILABLE);
    machine->ops->use_source(machine, experiment.event, NULL);
    assert_int_equal(machine->ops->play(machine, &experiment, &sample, &error), HWC_OK);
    *reading = sample.reading[0];
    hwc_walk_free(&walk);
    machine->ops->arena_close(machine, &arena);
    machine->ops->close(machine);
}

/* Also where passes are skipped, as they repeat. */
static void passes_take_their_walks_cycles_and_count_the_same_misses(void **state)
{
    static const uint32_t passes[] = {1, 3, 1000};

    (void)state;
    for (unsigned i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct hwc_reading plain, held, lost;
        play(0, passes[i], &plain);
        play(PAGES / 8 + 1, passes[i], &held);
        play(PAGES / 16, passes[i], &lost);
        assert_true(plain.counted && plain.count == passes[i] * (PAGES - 2.0));
        assert_true(held.count == plain.count && lost.count == plain.count);
        assert_true(held.cycles == plain.cycles);
        assert_true(lost.cycles - plain.cycles == passes[i] * 12.0 * PAGES / 8); /* each line's first page waits */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_takes_what_its_caches_miss),
        cmocka_unit_test(tlbs_miss_as_before_and_walks_as_a_naive_model_says),
        cmocka_unit_test(a_walk_to_a_larger_page_is_shorter),
        cmocka_unit_test(without_a_tlb_nothing_walks),
        cmocka_unit_test(passes_take_their_walks_cycles_and_count_the_same_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
