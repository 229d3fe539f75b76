#include "room.h"

static const struct {
    double overlap;   /* overlapped misses take half as long as serial ones, and some more for what lies between */
    unsigned refused; /* so many refusals settle a number */
    unsigned sure;    /* so many answers in a row that things fit prove it */
    unsigned daring;  /* one visit in so many tries far more than fitted, once a number is settled */
} policy = {.overlap = 0.78, .refused = 6, .sure = 4, .daring = 3};

bool hwc_misses_overlap(double turn, double serial)
{
    return turn < policy.overlap * serial;
}

bool hwc_room_is_settled(const struct hwc_room *room)
{
    return room->beyond == room->fit + 1 && room->refused >= policy.refused;
}

bool hwc_room_is_exhausted(const struct hwc_room *room)
{
    return room->fit == room->most;
}

void hwc_room_doubt(struct hwc_room *room)
{
    room->beyond = 0;
    room->refused = 0;
}

static size_t limited(const struct hwc_room *room, size_t count)
{
    return count < room->most ? count : room->most;
}

static size_t next_to_try(const struct hwc_room *room)
{
    if (room->beyond == 0)
        return limited(room, room->fit > 0 ? 2 * room->fit : 1);
    if (room->beyond > room->fit + 1)
        return room->fit + (room->beyond - room->fit) / 2;
    if (room->visits % policy.daring == 0)
        return limited(room, room->fit + room->fit / 4 + 1);
    return room->fit + 1;
}

/* Do as many as ever fitted fit now? */
static int is_whole(const struct hwc_room *room, const struct hwc_room_asker *asker, bool *whole,
                    struct hwc_error *error)
{
    *whole = true;
    if (room->fit > 0)
        TRY(asker->ask(asker->context, room->fit, whole, error));
    if (*whole && asker->whole != NULL)
        TRY(asker->whole(asker->context, whole, error));
    return HWC_OK;
}

static void take(struct hwc_room *room, size_t count)
{
    if (room->beyond <= count)
        room->beyond = 0;
    room->fit = count;
    room->refused = 0;
}

static void refuse(struct hwc_room *room, size_t count)
{
    if (room->beyond == 0 || count < room->beyond)
        room->beyond = count;
    room->refused += count == room->fit + 1;
}

/* It did not fit: ask again between two looks at whether the room is whole. */
static int ask_between(struct hwc_room *room, const struct hwc_room_asker *asker, size_t count,
                       struct hwc_error *error)
{
    bool before, fits = false, after = false;

    TRY(is_whole(room, asker, &before, error));
    if (before)
        TRY(asker->ask(asker->context, count, &fits, error));
    if (before && !fits)
        TRY(is_whole(room, asker, &after, error));
    if (!before || (!fits && !after))
        room->divided++;
    else if (!fits)
        refuse(room, count);
    return HWC_OK;
}

int hwc_room_visit(struct hwc_room *room, const struct hwc_room_asker *asker, struct hwc_error *error)
{
    size_t count = next_to_try(room);
    bool fits = true;

    room->visits++;
    if (hwc_room_is_exhausted(room))
        return HWC_OK;
    for (unsigned i = 0; i < policy.sure && fits; i++) {
        TRY(asker->ask(asker->context, count, &fits, error));
        if (i == 0 && !fits)
            return ask_between(room, asker, count, error);
    }
    if (fits)
        take(room, count);
    return HWC_OK;
}
