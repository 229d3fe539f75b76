#include "prefetch_trial.h"

#include "sampler.h"
#include "statistics.h"

/* More pages than a prefetcher keeps track of; the first is for waiting. */
enum { PAGES = 65 };
/* References that train, at most: a chain of sixteen is played by as many load instructions (native/loops.c). */
enum { MOST_TRAINING = 16, LEAST_TRAINING = 4, MOST_STRIDES = 8 };
/* Cells of one line: some prefetchers wait for a second reference to it. */
enum { CELLS_OF_A_LINE = 3 };
enum { STRIDE = 3 }; /* lines: no pairs, and not the next line */
enum { BLOCK = 8 };  /* lines: a miss brings no more of them by itself, at any level */
/* Loads of one line, each waiting for the one before: longer than any memory takes. */
enum { WAITING_LOADS = 512 };

/* How many references train, with room for what is probed after them. */
static size_t training_of(enum hwc_prefetch kind, size_t lines)
{
    if (lines < (size_t)2 * BLOCK)
        return 0;
    switch (kind) {
    case HWC_STRIDE:
        return hwc_lesser(MOST_STRIDES, (lines - BLOCK) / STRIDE);
    case HWC_STREAM:
        return hwc_lesser(MOST_TRAINING, lines - BLOCK - 1);
    default:
        return LEAST_TRAINING;
    }
}

bool hwc_prefetch_can_be_tried(const struct hwc_lab *lab, enum hwc_prefetch kind, uint64_t line_bytes)
{
    return training_of(kind, (size_t)(lab->machine->page_bytes / line_bytes)) >= LEAST_TRAINING;
}

enum { WALKS = 4 };

static struct hwc_walk *walk_of(struct hwc_prefetch_trial *trial, unsigned i)
{
    struct hwc_walk *const walks[WALKS] = {&trial->page, &trial->training, &trial->waiting, &trial->line};

    return walks[i];
}

int hwc_prefetch_trial_open(struct hwc_prefetch_trial *trial, struct hwc_lab *lab, enum hwc_prefetch kind,
                            uint64_t line_bytes, struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes;

    *trial = (struct hwc_prefetch_trial){
        .lab = lab, .kind = kind, .line_bytes = line_bytes, .lines = (size_t)(page / line_bytes)};
    trial->train = training_of(kind, trial->lines);
    TRY(lab->machine->ops->arena_open(lab->machine, PAGES * page, HWC_BASE_PAGES, &trial->arena, error));
    for (unsigned i = 0; i < WALKS; i++) {
        hwc_walk_init(walk_of(trial, i));
        walk_of(trial, i)->repeats = true; /* from lists, so that laying a walk out writes to none of the lines */
    }
    trial->training.repeats = kind != HWC_STREAM; /* a list has one load instruction, a chain several */
    return HWC_OK;
}

void hwc_prefetch_trial_close(struct hwc_prefetch_trial *trial)
{
    for (unsigned i = 0; i < WALKS; i++)
        hwc_walk_free(walk_of(trial, i));
    hwc_close_arena(trial->lab, &trial->arena);
}

/* Where training begins, in lines, and the line that is its target. */
struct course {
    size_t first, target;
};

static size_t below(struct hwc_prefetch_trial *trial, size_t limit)
{
    return (size_t)hwc_random_below(&trial->lab->random, limit);
}

/* The first line of a block that has `before` lines before it and a line after it. */
static size_t choose_block(struct hwc_prefetch_trial *trial, size_t before)
{
    size_t first = (before + BLOCK - 1) / BLOCK, blocks = trial->lines / BLOCK;

    return BLOCK * (first + below(trial, blocks - first));
}

/* But for pairs, the target begins a block: no line that trains is in it. */
static struct course choose_course(struct hwc_prefetch_trial *trial)
{
    size_t before = 1;
    struct course course;

    if (trial->kind == HWC_STRIDE)
        before = STRIDE * trial->train;
    else if (trial->kind == HWC_STREAM)
        before = trial->train + 1;
    if (trial->kind == HWC_LINE_PAIR) {
        course.target = 2 * below(trial, trial->lines / 2);
        course.first = course.target + 1;
    } else {
        course.target = choose_block(trial, before);
        course.first = course.target - before;
    }
    return course;
}

/* Append the cells of one line. */
static int touch(struct hwc_walk *walk, uint64_t line, uint64_t bytes, struct hwc_error *error)
{
    for (uint64_t at = 0; at < bytes && at < (uint64_t)CELLS_OF_A_LINE * HWC_CELL_BYTES; at += HWC_CELL_BYTES)
        TRY(hwc_walk_append(walk, line + at, error));
    return HWC_OK;
}

static int lay_out(struct hwc_prefetch_trial *trial, enum hwc_probed probed, struct hwc_error *error)
{
    uint64_t page = trial->lab->machine->page_bytes, bytes = trial->line_bytes;
    uint64_t base = (1 + below(trial, PAGES - 1)) * page;
    struct course course = choose_course(trial);

    for (unsigned i = 0; i < WALKS; i++)
        hwc_walk_clear(walk_of(trial, i));
    TRY(hwc_walk_sequence(&trial->page, base, bytes, trial->lines, error));
    TRY(hwc_walk_append(&trial->waiting, 0, error));
    TRY(hwc_walk_append(&trial->line, base + (course.target + (probed == HWC_BESIDE_TARGET)) * bytes, error));
    if (trial->kind == HWC_NEXT_LINE || trial->kind == HWC_LINE_PAIR)
        return touch(&trial->training, base + course.first * bytes, bytes, error);
    return hwc_walk_sequence(&trial->training, base + course.first * bytes,
                             (trial->kind == HWC_STRIDE ? STRIDE : 1) * bytes, trial->train, error);
}

int hwc_prefetch_trial_play(struct hwc_prefetch_trial *trial, enum hwc_probed probed,
                            const struct hwc_witness *witness, struct hwc_sample *sample, struct hwc_error *error)
{
    struct hwc_experiment experiment = {.arena = &trial->arena,
                                        .apart = true,
                                        .steps = 5,
                                        .step = {{HWC_FLUSH, &trial->page, 1},
                                                 {HWC_RUN, &trial->training, probed != HWC_UNTRAINED},
                                                 {HWC_RUN, &trial->waiting, WAITING_LOADS},
                                                 {HWC_MEASURE, &trial->line, 1},
                                                 {HWC_MEASURE, &trial->line, 1}}};

    TRY(lay_out(trial, probed, error));
    hwc_ask_witness(witness, &experiment);
    return hwc_lab_sample(trial->lab, &experiment, sample, error);
}
