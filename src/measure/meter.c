#include "meter.h"

#include "single_access.h"
#include "statistics.h"
#include "steady_state.h"

static const struct hwc_meter_ops *choose(const struct hwc_lab *lab, unsigned level, bool at_random)
{
    const struct hwc_witness *witness = &lab->witness[level];

    if (witness->kind == HWC_COUNTER)
        return &hwc_meter_counter;
    if (witness->slow_cycles > 0 && !at_random)
        return &hwc_meter_single_access;
    return level == 1 ? &hwc_meter_paired : &hwc_meter_eviction;
}

void hwc_meter_open(struct hwc_meter *meter, struct hwc_lab *lab, unsigned level, bool at_random)
{
    *meter = (struct hwc_meter){.ops = choose(lab, level, at_random),
                                .lab = lab,
                                .level = level,
                                .witness = &lab->witness[level],
                                .hit_cycles = lab->witness[level].hit_cycles,
                                .miss_cycles = lab->witness[level].miss_cycles,
                                .passes = HWC_PASSES};
    hwc_walk_init(&meter->walk);
    hwc_walk_init(&meter->control);
    hwc_walk_init(&meter->others);
}

void hwc_meter_close(struct hwc_meter *meter)
{
    hwc_walk_free(&meter->walk);
    hwc_walk_free(&meter->control);
    hwc_walk_free(&meter->others);
}

int hwc_meter_ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
                  enum hwc_side *side, struct hwc_error *error)
{
    return meter->ops->ask(meter, question, estimate, side, error);
}

int hwc_meter_lay_out(struct hwc_walk *walk, const struct hwc_question *question, size_t lines,
                      struct hwc_error *error)
{
    hwc_walk_clear(walk);
    TRY(hwc_walk_append_all(walk, question->lines, lines, error));
    TRY(hwc_walk_append_all(walk, question->evictors, question->evictor_count, error));
    while (walk->count > 0 && walk->count < question->references)
        TRY(hwc_walk_append_all(walk, question->lines,
                                question->again ? hwc_lesser(lines, question->references - walk->count) : 1, error));
    return HWC_OK;
}

int hwc_meter_count(struct hwc_meter *meter, const struct hwc_arena *arena, const struct hwc_walk *walk,
                    unsigned samples, double *misses, struct hwc_error *error)
{
    if (meter->witness->kind == HWC_COUNTER)
        return hwc_measure_by(meter->lab, meter->witness, arena, walk, samples, misses, error);
    return hwc_count_slow(meter->lab, arena, walk, meter->witness->slow_cycles, misses, error);
}
