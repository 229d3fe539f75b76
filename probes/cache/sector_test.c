#include "sector_test.h"

#include <math.h>

#include "contrast.h"
#include "sampler.h"

/* Few enough to fit in any level, enough to tell none from most. */
enum { LINES = 64 };

struct halves {
    struct hwc_arena arena;
    struct hwc_walk first;  /* one cell in the first half of each line */
    struct hwc_walk second; /* one in the second */
    struct hwc_walk wash;   /* evicts both from the levels above; empty for the first level */
};

static uint64_t wash_bytes(const struct hwc_lab *lab, unsigned level)
{
    return level > 1 ? 2 * lab->known->level[level - 1].effective_bytes : 0;
}

static void close_halves(struct hwc_lab *lab, struct halves *halves)
{
    hwc_walk_free(&halves->first);
    hwc_walk_free(&halves->second);
    hwc_walk_free(&halves->wash);
    hwc_close_arena(lab, &halves->arena);
}

static int open_halves(struct hwc_lab *lab, unsigned level, uint64_t line_bytes, struct halves *halves,
                       struct hwc_error *error)
{
    uint64_t wash_line = lab->known->level[1].line_bytes;
    uint64_t washed = wash_bytes(lab, level);
    uint64_t apart = lab->machine->page_bytes + line_bytes; /* each in a page of its own, and in another set */
    uint64_t start = (HWC_SPACED_SHUFFLE * washed / apart + 1) * apart / line_bytes * line_bytes;
    int status;

    *halves = (struct halves){0};
    hwc_walk_init(&halves->first);
    hwc_walk_init(&halves->second);
    hwc_walk_init(&halves->wash);
    status = lab->machine->ops->arena_open(lab->machine, start + (LINES + 1) * apart, HWC_LARGE_PAGES, &halves->arena,
                                           error);
    if (status == HWC_OK && washed > 0)
        status = hwc_walk_spaced_shuffle(&halves->wash, (size_t)(washed / wash_line), wash_line,
                                         lab->machine->page_bytes, &lab->random, error);
    for (size_t i = 0; status == HWC_OK && i < LINES; i++) {
        uint64_t line = start + i * apart / line_bytes * line_bytes;
        status = hwc_walk_append(&halves->first, line, error);
        if (status == HWC_OK)
            status = hwc_walk_append(&halves->second, line + line_bytes / 2, error);
    }
    if (status != HWC_OK)
        close_halves(lab, halves);
    return status;
}

/* Read the second halves after the first ones were visited and then flushed, or
 * visited once more. The second halves are not visited before: a level above with
 * shorter lines would keep them, under a scan-resistant policy even through the
 * wash. */
static struct hwc_experiment revisit(const struct halves *halves, const struct hwc_witness *witness, bool flush)
{
    return (struct hwc_experiment){
        .arena = &halves->arena,
        .event = hwc_event_of(witness),
        .apart = true,
        .steps = 6,
        .step = {{HWC_FLUSH, &halves->first, 1},
                 {HWC_FLUSH, &halves->second, 1},
                 {HWC_RUN, &halves->first, 2},
                 {flush ? HWC_FLUSH : HWC_RUN, &halves->first, 1},
                 {HWC_RUN, &halves->wash, halves->wash.count > 0},
                 {HWC_MEASURE, &halves->second, 1}},
    };
}

/* Both halves were flushed: all second halves miss. */
static struct hwc_experiment revisit_flushed(const struct halves *halves)
{
    return (struct hwc_experiment){
        .arena = &halves->arena,
        .event = HWC_NO_EVENT,
        .apart = true,
        .steps = 4,
        .step = {{HWC_FLUSH, &halves->first, 1},
                 {HWC_FLUSH, &halves->second, 1},
                 {HWC_RUN, &halves->wash, halves->wash.count > 0},
                 {HWC_MEASURE, &halves->second, 1}},
    };
}

/* By the clock, a miss is what these very lines take after a flush. They lie in more pages than a TLB may hold, and
 * translation, which takes the same in all readings, can be as much as what the level's miss adds elsewhere: where a
 * footprint just beyond the level was served by it in part. */
static int time_miss(struct hwc_lab *lab, const struct halves *halves, struct hwc_witness *witness,
                     struct hwc_error *error)
{
    const struct hwc_experiment experiment = revisit_flushed(halves);
    double cycles = INFINITY;

    if (hwc_counts_events(witness))
        return HWC_OK;
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        cycles = fmin(cycles, sample.reading[0].cycles);
    }
    witness->miss_cycles = cycles / LINES;
    return HWC_OK;
}

enum outcome { APART, TOGETHER, OPEN };

static enum outcome outcome_of(const struct hwc_shares *shares)
{
    if (shares->verdict == HWC_SHARE_MOST)
        return TOGETHER;
    return shares->verdict == HWC_SHARE_NONE && hwc_judge_share(shares->without) != HWC_SHARE_MOST ? APART : OPEN;
}

static int compare(struct hwc_lab *lab, const struct halves *halves, const struct hwc_witness *witness,
                   enum outcome *outcome, struct hwc_error *error)
{
    const struct hwc_contrast contrast = {.witness = witness,
                                          .with = revisit(halves, witness, true),
                                          .without = revisit(halves, witness, false),
                                          .references = LINES};
    struct hwc_shares shares = {0};

    TRY(hwc_measure_contrast(lab, &contrast, &shares, error));
    *outcome = outcome_of(&shares);
    return HWC_OK;
}

/* Does flushing one half flush the other too? If a flush does nothing, the second halves miss without one as well, or
 * neither none nor most of them miss, it cannot be told. */
static int flush_one_half(struct hwc_lab *lab, unsigned level, uint64_t line_bytes, enum outcome *outcome,
                          struct hwc_error *error)
{
    struct hwc_witness witness = lab->witness[level];
    struct halves halves;
    int status;

    TRY(open_halves(lab, level, line_bytes, &halves, error));
    *outcome = OPEN;
    status = time_miss(lab, &halves, &witness, error);
    if (status == HWC_OK && (hwc_counts_events(&witness) || witness.miss_cycles > witness.hit_cycles))
        status = compare(lab, &halves, &witness, outcome, error);
    close_halves(lab, &halves);
    return status;
}

/* Where it is open, the halves are taken to be one line, as the conflict has it, unless the level above has shorter lines
 * and brings in so many bytes at a time. */
static bool is_likely_line(const struct hwc_lab *lab, unsigned level, uint64_t line_bytes)
{
    const struct hwc_level *above = &lab->known->level[level - 1];

    return level == 1 || line_bytes <= above->line_bytes || line_bytes > above->fill_bytes;
}

int hwc_tell_line_from_fill(struct hwc_lab *lab, unsigned level, uint64_t *line_bytes, bool *told,
                            struct hwc_error *error)
{
    enum outcome outcome = APART;

    while (lab->machine->flushes && outcome == APART && *line_bytes > 2UL * HWC_CELL_BYTES) {
        TRY(flush_one_half(lab, level, *line_bytes, &outcome, error));
        if (outcome == APART)
            *line_bytes /= 2;
    }
    *told = outcome != OPEN || is_likely_line(lab, level, *line_bytes);
    return HWC_OK;
}
