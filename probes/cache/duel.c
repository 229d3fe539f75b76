#include "duel.h"

#include <math.h>

#include "statistics.h"
#include "steady_state.h"

/* Of the level's lines. */
#define SCAN_SHARE 1.25
#define FITTING_SHARE 0.85
#define MOST_BYTES (UINT64_C(64) << 20)
#define SCANS 6
#define FITTING_ROUNDS 3
#define FITTING_PASSES 3

static int scatter(struct hwc_usage *usage, struct hwc_walk *walk, uint64_t *at, uint64_t bytes, uint64_t line,
                   struct hwc_error *error)
{
    int status = hwc_walk_sequence(walk, *at, line, (size_t)(bytes / line), error);

    *at += bytes;
    hwc_walk_shuffle(walk, &usage->lab->random);
    return status;
}

int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    uint64_t size = lab->known->level[level].size_bytes, line = lab->known->level[level].fill_bytes;
    uint64_t scan = (uint64_t)((double)size * SCAN_SHARE) / line * line;
    uint64_t fitting = (uint64_t)((double)size * FITTING_SHARE) / line * line;
    uint64_t at = 0;
    int status;

    *usage = (struct hwc_usage){.lab = lab};
    hwc_walk_init(&usage->scan);
    for (int i = 0; i < 2; i++)
        hwc_walk_init(&usage->set_of_lines[i]);
    if (size > MOST_BYTES)
        return hwc_fail(error, HWC_UNAVAILABLE, "a level of %llu MiB takes too long to use in turns",
                        (unsigned long long)(size >> 20));
    status = lab->machine->ops->arena_open(lab->machine, scan + 2 * fitting, HWC_LARGE_PAGES, &usage->arena, error);
    if (status == HWC_OK)
        status = scatter(usage, &usage->scan, &at, scan, line, error);
    for (int i = 0; i < 2 && status == HWC_OK; i++)
        status = scatter(usage, &usage->set_of_lines[i], &at, fitting, line, error);
    return status;
}

void hwc_usage_close(struct hwc_usage *usage)
{
    hwc_walk_free(&usage->scan);
    for (int i = 0; i < 2; i++)
        hwc_walk_free(&usage->set_of_lines[i]);
    hwc_close_arena(usage->lab, &usage->arena);
}

static int walk_through(struct hwc_usage *usage, const struct hwc_walk *walk, uint32_t passes, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = &usage->arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, walk, passes}}};
    struct hwc_sample ignored;

    return usage->lab->machine->ops->play(usage->lab->machine, &experiment, &ignored, error);
}

int hwc_use(struct hwc_usage *usage, enum hwc_use use, struct hwc_error *error)
{
    int status = HWC_OK;

    if (use == HWC_SCANNED) {
        status = walk_through(usage, &usage->scan, SCANS, error);
        return status == HWC_OK ? hwc_leave_nothing(usage->lab, &usage->arena, &usage->scan, error) : status;
    }
    for (int i = 0; i < 2 * FITTING_ROUNDS && status == HWC_OK; i++)
        status = walk_through(usage, &usage->set_of_lines[i % 2], FITTING_PASSES, error);
    for (int i = 0; i < 2 && status == HWC_OK; i++)
        status = hwc_leave_nothing(usage->lab, &usage->arena, &usage->set_of_lines[i], error);
    return status;
}

/* Misses of a set that leads move the selector, too: of a few readings by not
 * as much as all sets' use did. */
#define READINGS 5

/* One line more than fits, round and round, and whatever comes by chance. */
static void draw_sequences(struct hwc_duel *duel)
{
    const struct hwc_trial *trial = &duel->trial;

    for (int s = 0; s < HWC_DUEL_SEQUENCES; s++)
        hwc_trial_draw(trial, &trial->lab->random, &duel->sequence[s]);
    hwc_trial_go_round(trial, &duel->sequence[0]);
}

int hwc_duel_open(struct hwc_duel *duel, struct hwc_lab *lab, unsigned level, size_t washers, struct hwc_error *error)
{
    int status = hwc_trial_open(&duel->trial, lab, level, washers, error);

    duel->open = status == HWC_OK;
    if (duel->open)
        draw_sequences(duel);
    return status;
}

void hwc_duel_close(struct hwc_duel *duel)
{
    if (duel->open)
        hwc_trial_close(&duel->trial);
    duel->open = false;
}

int hwc_duel_read(struct hwc_duel *duel, unsigned when, struct hwc_error *error)
{
    struct hwc_duel_reading *reading = &duel->reading[when];
    struct hwc_trial *trial = &duel->trial;
    unsigned readings = hwc_trial_is_weighed(trial) ? hwc_trial_readings(trial) : READINGS;
    int status = HWC_OK;

    for (int s = 0; s < HWC_DUEL_SEQUENCES && status == HWC_OK; s++) {
        double once[HWC_TRIAL_WEIGHED_MOST];
        status = hwc_trial_build_sequence(trial, &duel->sequence[s], error);
        for (unsigned i = 0; i < readings && status == HWC_OK; i++)
            status = hwc_trial_read(trial, &once[i], error);
        if (status != HWC_OK)
            return status;
        reading->median[s] = hwc_trial_middle(trial, once, readings); /* sorts */
        /* Of normal numbers a quarter lies beyond 0.674 standard deviations; the median's error is 1.25 of the mean's. */
        reading->error[s] = (once[readings * 3 / 4] - once[readings / 4]) / 1.35 * 1.25 / sqrt(readings);
    }
    return status;
}

/* Differences are more than half a miss and more than errors explain. */
#define ERRORS 5

static bool differ(const struct hwc_duel *duel, unsigned a, unsigned b, int sequence)
{
    const struct hwc_duel_reading *reading = duel->reading;

    return fabs(reading[a].median[sequence] - reading[b].median[sequence]) >
           0.5 + ERRORS * hypot(reading[a].error[sequence], reading[b].error[sequence]);
}

bool hwc_duel_follows(const struct hwc_duel *duel, bool there_and_back)
{
    for (int s = 0; s < HWC_DUEL_SEQUENCES; s++)
        if (differ(duel, 0, 1, s) && (!there_and_back || (differ(duel, 2, 1, s) && !differ(duel, 0, 2, s))))
            return true;
    return false;
}
