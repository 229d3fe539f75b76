/* A trial of prefetching: flush a page, make the references that train a kind of
 * prefetcher, wait, and read one line that nothing has asked for. Did it have to
 * come from far away? */
#ifndef HWC_PREFETCH_TRIAL_H
#define HWC_PREFETCH_TRIAL_H

#include "lab.h"

enum hwc_prefetch {
    HWC_NEXT_LINE, /* one line is read: does the next come, too? It lies in another block of eight */
    HWC_LINE_PAIR, /* the second line of an aligned pair is read: does the first come? */
    HWC_STRIDE,    /* one load instruction goes through the page by a constant stride of three lines */
    HWC_STREAM,    /* different load instructions read consecutive lines: does the line after the next come? */
    HWC_PREFETCHES
};

/* Which line is read at last. */
enum hwc_probed {
    HWC_TARGET,
    HWC_BESIDE_TARGET, /* the line after the target */
    HWC_UNTRAINED,     /* the target, without the references that train */
};

struct hwc_prefetch_trial {
    struct hwc_lab *lab;
    enum hwc_prefetch kind;
    uint64_t line_bytes;
    size_t lines; /* of a page */
    size_t train; /* references that train */
    struct hwc_arena arena;
    struct hwc_walk page, training, waiting, line;
};

/* Has a page enough lines of this length to train such a prefetcher in? */
bool hwc_prefetch_can_be_tried(const struct hwc_lab *lab, enum hwc_prefetch kind, uint64_t line_bytes);

/* Open on fresh pages, for lines of this length, if that can be tried. Close it only if it opened. */
int hwc_prefetch_trial_open(struct hwc_prefetch_trial *trial, struct hwc_lab *lab, enum hwc_prefetch kind,
                            uint64_t line_bytes, struct hwc_error *error);
void hwc_prefetch_trial_close(struct hwc_prefetch_trial *trial);

/* One trial, at a random place, with what the witness asks for. The line is read twice (lone_line.h). */
int hwc_prefetch_trial_play(struct hwc_prefetch_trial *trial, enum hwc_probed probed,
                            const struct hwc_witness *witness, struct hwc_sample *sample, struct hwc_error *error);

#endif
