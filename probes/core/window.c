#include "window.h"

#include <math.h>
#include <string.h>

static const enum hwc_op loads[] = {HWC_OP_CHASE, HWC_OP_CHASE_SECOND};
static const enum hwc_op by_vector[] = {HWC_OP_BY_VECTOR, HWC_OP_SECOND_BY_VECTOR};

static void add(struct hwc_body *body, const enum hwc_op *kind, size_t kinds, size_t count)
{
    struct hwc_stretch *stretch = &body->stretch[body->stretches];

    if (count == 0)
        return;
    memcpy(stretch->kind, kind, kinds * sizeof stretch->kind[0]);
    stretch->kinds = kinds;
    stretch->count = count;
    body->stretches++;
}

/* How many of `count` instructions of these kinds in turn are of the kind at `of`; 0 if it was there before. */
static size_t count_kind(const enum hwc_op *kind, size_t kinds, size_t of, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < kinds; i++) {
        if (i < of && kind[i] == kind[of])
            return 0;
        if (kind[i] == kind[of])
            found += count / kinds + (i < count % kinds);
    }
    return found;
}

static void add_filler(struct hwc_body *body, const struct hwc_filler *filler, const enum hwc_op *kind, size_t count)
{
    if (!filler->in_runs)
        add(body, kind, filler->kinds, count);
    else
        for (size_t i = 0; i < filler->kinds; i++)
            add(body, &kind[i], 1, count_kind(kind, filler->kinds, i, count));
}

/* A load that misses, and the instructions behind it. */
static void add_half(struct hwc_body *body, const struct hwc_filler *filler, bool second, bool serial, size_t count)
{
    const enum hwc_op *kind = second && !serial ? filler->second : filler->first;
    const enum hwc_op *before = &filler->before[second && !serial];

    if (filler->by_vector && !serial)
        add(body, &by_vector[second], 1, 1);
    add(body, &loads[second && !serial], 1, 1);
    add(body, before, 1, *before != HWC_OPS);
    if (filler->beside != NULL)
        add_filler(body, filler->beside, filler->beside->first, filler->beside_count);
    add_filler(body, filler, kind, count);
}

/* A turn of two misses. Serial ones are of one chain: no window lets them overlap. */
static int time_turn(const struct hwc_window *window, size_t count, bool serial, double *cycles,
                     struct hwc_error *error)
{
    struct hwc_body body = {0};

    add_half(&body, window->filler, false, serial, count);
    add_half(&body, window->filler, true, serial, count);
    return hwc_time_turn(window->time, &body, serial ? HWC_WINDOW_TURNS / 2 : HWC_WINDOW_TURNS, true, cycles, error);
}

/* What disturbs a reading makes it longer: serial turns are timed before and after, and the lesser one counts. */
static int ask(void *context, size_t count, bool *fits, struct hwc_error *error)
{
    const struct hwc_window *window = context;
    double turn = 0, before = 0, after = 0;

    TRY(time_turn(window, count, true, &before, error));
    TRY(time_turn(window, count, false, &turn, error));
    *fits = hwc_misses_overlap(turn, before);
    if (!*fits)
        return HWC_OK;
    TRY(time_turn(window, count, true, &after, error));
    *fits = hwc_misses_overlap(turn, fmin(before, after));
    return HWC_OK;
}

/* Another thread takes half of what it divides. The last few may find room now and then only: as vector registers that are
 * freed late. */
enum { SPARED_OF_CORE = 32 };

static int ask_core(void *context, bool *whole, struct hwc_error *error)
{
    struct hwc_window *core = ((struct hwc_window *)context)->core;

    return ask(core, core->room.fit - core->room.fit / SPARED_OF_CORE, whole, error);
}

int hwc_window_visit(struct hwc_window *window, struct hwc_error *error)
{
    const struct hwc_room_asker asker = {ask, window->core != NULL ? ask_core : NULL, window};

    return hwc_room_visit(&window->room, &asker, error);
}
