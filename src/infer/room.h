/* How many things a part of the core has room for, where another thread of the
 * core may take a share of it at times. Pure: what it asks goes through a callback.
 *
 * That so many fit is proved by seeing it several times in a row. That more do not is
 * proved only while the room is whole: while as many as ever fitted fit, just
 * before and just after. So what another thread takes for a while delays the
 * answer, and does not change it. */
#ifndef HWC_ROOM_H
#define HWC_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct hwc_room {
    size_t most;      /* no more things are tried */
    size_t fit;       /* so many fit; 0 = not even one was seen to */
    size_t beyond;    /* the fewest that did not fit while `fit` did; 0 = none yet */
    unsigned refused; /* how often one more than fit did not */
    unsigned visits;
    unsigned divided; /* visits in which the room was not whole */
};

struct hwc_room_asker {
    int (*ask)(void *context, size_t count, bool *fits, struct hwc_error *error);
    /* Is the core whole, as far as is known otherwise? NULL = nothing is. */
    int (*whole)(void *context, bool *whole, struct hwc_error *error);
    void *context;
};

/* Try once more. */
int hwc_room_visit(struct hwc_room *room, const struct hwc_room_asker *asker, struct hwc_error *error);

/* Was one thing more refused often enough? */
bool hwc_room_is_settled(const struct hwc_room *room);

/* Did as many as may be tried fit? Then a visit asks nothing more. */
bool hwc_room_is_exhausted(const struct hwc_room *room);

/* What was refused before may fit after all. */
void hwc_room_doubt(struct hwc_room *room);

/* Do so many fit, by the time of a turn, if it takes `serial` where the second miss must wait for the first? */
bool hwc_misses_overlap(double turn, double serial);

#endif
