/* How many instructions of a kind find room between two loads that miss (Wong). */
#ifndef HWC_WINDOW_H
#define HWC_WINDOW_H

#include "body_time.h"
#include "room.h"

enum { HWC_WINDOW_TURNS = 48 };

/* Instructions that fill a window. They begin with `first` behind the first chain's load, and with `second` behind the
 * second's: those that wait must wait for the load before them. */
struct hwc_filler {
    const char *what;
    const enum hwc_op *first, *second;
    size_t kinds;
    bool in_runs;          /* all of a kind one after the other: two neighbours of different kinds may share a place */
    enum hwc_op before[2]; /* written once before them; HWC_OPS = nothing */
    const struct hwc_filler *beside; /* so many of this filler stand before them; NULL = none */
    size_t beside_count;
    bool by_vector;        /* the loads' addresses come through vector registers. (Both: if only the second's did, and
                            * it waited for the first load, it would overlap with the next first one instead.) */
};

struct hwc_window {
    struct hwc_body_time *time;
    const struct hwc_filler *filler;
    struct hwc_room room;
    struct hwc_window *core; /* the window that tells whether the core is whole; NULL = none */
};

/* Look once more how many of them fit. */
int hwc_window_visit(struct hwc_window *window, struct hwc_error *error);

#endif
