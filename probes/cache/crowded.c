#include "crowded.h"

#include <string.h>

#include "statistics.h"
#include "steady_state.h"

/* Times as much as a line usually takes. One that comes from beyond takes less than that only where the two levels differ
 * so little that a few such lines change the mean by less than sets differ. */
static const double crowds = 1.5;

struct crowd {
    struct hwc_lab *lab;
    const struct hwc_arena *arena;
    struct hwc_set *set;
    struct hwc_walk walk;
};

/* A pass over the lines but one; over all of them if that is none of theirs. */
static int time_without(struct crowd *crowd, size_t left_out, double *cycles, struct hwc_error *error)
{
    hwc_walk_clear(&crowd->walk);
    for (size_t i = 0; i < crowd->set->lines; i++)
        if (i != left_out)
            TRY(hwc_walk_append(&crowd->walk, crowd->set->line[i], error));
    return hwc_measure_by(crowd->lab, &hwc_by_clock, crowd->arena, &crowd->walk, crowd->lab->settings.samples, cycles,
                          error);
}

/* By how much is a pass shorter without each line? */
static int time_each(struct crowd *crowd, double *gain, struct hwc_error *error)
{
    size_t lines = crowd->set->lines;
    double all, without;

    TRY(time_without(crowd, lines, &all, error));
    for (size_t i = 0; i < lines; i++) {
        TRY(time_without(crowd, i, &without, error));
        gain[i] = all - without;
    }
    return HWC_OK;
}

static void leave_out(struct hwc_set *set, size_t line)
{
    memmove(set->line + line, set->line + line + 1, (--set->lines - line) * sizeof *set->line);
}

/* Without one of its set's other lines, or in a quieter moment, it may take no more than any other. */
static int leave_out_if_crowded(struct crowd *crowd, size_t line, double usual, struct hwc_error *error)
{
    double all, without;

    TRY(time_without(crowd, crowd->set->lines, &all, error));
    TRY(time_without(crowd, line, &without, error));
    if (all - without > crowds * usual)
        leave_out(crowd->set, line);
    return HWC_OK;
}

static int leave_out_all(struct crowd *crowd, struct hwc_error *error)
{
    double gain[HWC_SET_LINES], sorted[HWC_SET_LINES], usual;
    size_t lines = crowd->set->lines;

    TRY(time_each(crowd, gain, error));
    memcpy(sorted, gain, lines * sizeof *gain);
    usual = hwc_median(sorted, lines);
    for (size_t i = lines; i-- > 0;)
        if (usual > 0 && gain[i] > crowds * usual)
            TRY(leave_out_if_crowded(crowd, i, usual, error));
    return HWC_OK;
}

int hwc_leave_out_crowded(struct hwc_lab *lab, const struct hwc_arena *arena, struct hwc_set *set,
                          struct hwc_error *error)
{
    struct crowd crowd = {.lab = lab, .arena = arena, .set = set};
    int status;

    hwc_walk_init(&crowd.walk);
    status = leave_out_all(&crowd, error);
    hwc_walk_free(&crowd.walk);
    return status;
}
