#include "sector_test.h"

#include "contrast.h"

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

enum outcome { APART, TOGETHER, OPEN };

/* Does flushing one half flush the other too? If the second halves miss without a flush as well, or neither none nor
 * most of them miss, it cannot be told. */
static int flush_one_half(struct hwc_lab *lab, unsigned level, uint64_t line_bytes, enum outcome *outcome,
                          struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->witness[level];
    struct hwc_contrast contrast = {.witness = witness, .references = LINES};
    struct hwc_shares shares = {0};
    struct halves halves;
    int status;

    TRY(open_halves(lab, level, line_bytes, &halves, error));
    contrast.with = revisit(&halves, witness, true);
    contrast.without = revisit(&halves, witness, false);
    status = hwc_measure_contrast(lab, &contrast, &shares, error);
    close_halves(lab, &halves);
    *outcome = shares.verdict == HWC_SHARE_MOST ? TOGETHER
               : shares.verdict == HWC_SHARE_NONE && hwc_judge_share(shares.without) != HWC_SHARE_MOST ? APART
                                                                                                      : OPEN;
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
