/* Single accesses: each reference of a pass is timed, and those slower than a hit
 * of the level are counted.
 *
 * This stays valid when the frequency drifts: a change moves hits and misses by
 * some percent, and they lie apart by a factor. Where many lines lie in as many
 * pages, translation makes some references slow: the slow ones of a walk over the
 * same pages that stays in the first level are subtracted. */
#include <math.h>

#include "meter.h"
#include "single_access.h"

/* If more than this share of a walk that stays in the first level is slow, the core's clock has changed. */
#define MOST_SLOW_CONTROLS 0.25

/* The control must be slow by translation alone: it has to fit in the first level or, from the third level on, in the
 * second, whose hits are faster than a miss of the third. */
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

/* Visit the walk's pages in the same order, at cells spread over all sets of the first level. */
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

/* Slow references of a pass, less those that translation makes slow. */
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

/* One pass with few misses is enough, as disturbances only add misses; many misses must be seen again and again. */
static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    struct counting counting = {meter, question->arena, question->threshold};

    TRY(hwc_meter_lay_out(&meter->walk, question, question->count, error));
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
