/* Single accesses: each reference of a pass is timed, and those slower than a hit
 * of the level are counted.
 *
 * No times need to be compared with those of a minute ago: a change of frequency
 * moves hits and misses by some percent, and they lie apart by a factor. Where
 * many lines are of as many pages, translation makes some slow: those of a walk
 * over the same pages that stays in the first level are taken off. */
#include <math.h>

#include "meter.h"
#include "single_access.h"

/* More slow references than this share of a walk that stays in the first level: the clock has changed. */
#define MOST_SLOW_CONTROLS 0.25

/* Translation shows in what stays in the first level; of a third level on, also in what the second holds: its hits are
 * short of a miss there. */
static bool wants_control(const struct hwc_meter *meter)
{
    const struct hwc_level *first = &meter->lab->known->level[1], *second = &meter->lab->known->level[2];
    uint64_t bytes = meter->walk.count * first->line_bytes;

    if (meter->level < 2 || first->line_bytes == 0)
        return false;
    if (bytes <= first->size_bytes && first->period_bytes <= meter->lab->machine->page_bytes)
        return true;
    return meter->level > 2 && 4 * bytes <= second->size_bytes;
}

/* The walk's pages in the same order, in cells spread over all sets of the first level. */
static int lay_out_control(struct hwc_meter *meter, struct hwc_error *error)
{
    uint64_t page = meter->lab->machine->page_bytes, line = meter->lab->known->level[1].line_bytes;

    hwc_walk_clear(&meter->control);
    for (size_t i = 0; i < meter->walk.count; i++)
        TRY(hwc_walk_append(&meter->control, (meter->walk.offsets[i] & ~(page - 1)) + i * line % page, error));
    return HWC_OK;
}

struct counting {
    struct hwc_meter *meter;
    const struct hwc_arena *arena;
    double threshold;
};

/* Slow references of a pass, those that translation makes slow taken off. */
static int draw(void *context, double *misses, bool *disturbed, struct hwc_error *error)
{
    const struct counting *counting = context;
    struct hwc_meter *meter = counting->meter;
    double cycles = meter->witness->slow_cycles, slow = 0;

    TRY(hwc_count_slow(meter->lab, counting->arena, &meter->walk, cycles, misses, error));
    if (*misses <= counting->threshold || !wants_control(meter))
        return HWC_OK;
    TRY(lay_out_control(meter, error));
    TRY(hwc_count_slow(meter->lab, counting->arena, &meter->control, cycles, &slow, error));
    *disturbed = slow > MOST_SLOW_CONTROLS * (double)meter->control.count;
    *misses -= fmin(slow, *misses);
    return HWC_OK;
}

/* A pass that has few misses is believed, as what disturbs only adds to them; that it has many is seen again and
 * again. */
static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    struct counting counting = {meter, question->arena, question->threshold};

    TRY(hwc_meter_lay_out(meter, question, question->count, error));
    *estimate = (struct hwc_estimate){.value = INFINITY};
    *side = HWC_STRADDLES;
    for (unsigned tries = 0; tries < 3 * question->samples && *side != HWC_BELOW; tries++) {
        double misses = 0;
        bool disturbed = false;
        TRY(draw(&counting, &misses, &disturbed, error));
        estimate->disturbed += disturbed;
        if (disturbed)
            continue;
        estimate->samples++;
        estimate->value = fmin(estimate->value, misses);
        *side = hwc_side_of(estimate, question->threshold);
        if (*side == HWC_ABOVE && estimate->samples >= question->samples)
            break;
    }
    return HWC_OK;
}

const struct hwc_meter_ops hwc_meter_single_access = {.name = "single accesses", .counts = true, .ask = ask};
