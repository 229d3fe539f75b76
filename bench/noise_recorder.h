/* What record_noise.c measures and noise_text.c writes: rounds, each a look at everything in turn. Times are in ticks
 * of the time stamp until they are written. docs/noise.md says what they are for. */
#ifndef NOISE_RECORDER_H
#define NOISE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "native_machine.h"

enum {
    ROUNDS = 150,
    FOOTPRINTS = 5,
    FIRST_LOST = 1, LOSERS = 3, /* all footprints but the first, and the last, which is memory */
    WAITS = 3,
    PULSES = 8,
    GROUPS = 24, LATEST = 8, /* of the references timed one by one: groups of the sorted times, and the longest */
    PASSES = 16,
    MOST_GAPS = 256, /* in a round */
};

struct gap {
    double at_ns, ns; /* since the round began to watch; how long */
    unsigned lines;   /* of HOME_LINES, lost meanwhile */
    bool preempted;
};

struct look {
    double group[GROUPS], latest[LATEST]; /* ticks of a reference */
    double pass[PASSES];                  /* ticks of a pass */
};

struct round {
    double at_ns, watched_ns;
    double pulse[PULSES];
    unsigned gaps;
    struct gap gap[MOST_GAPS];
    struct look look[FOOTPRINTS];
    unsigned lost[LOSERS][WAITS]; /* of PROBED lines: at once, and after each wait */
};

struct footprint {
    uint64_t bytes;
    struct hwc_arena arena;
    uint64_t *cells;
    uint64_t at;      /* the cell that the walk has come to */
    uint64_t in_pass; /* references */
    double usual;     /* ticks of a reference in a pass, when the recording began */
};

enum { HOME_LINES = 128, TIMED = 4096, PROBED = 1024 };

struct recorder {
    struct hwc_host host;
    struct native_machine *machine;
    struct native_clock *clock;
    double seconds, gap_ns;
    double waited_ns[WAITS]; /* before lines were looked for, in all */
    struct footprint footprint[FOOTPRINTS];
    double halfway; /* ticks of a reference timed alone, between one to the first level and a fast one to memory */
    double fastest_home, line_ticks; /* a pass over the first footprint; what each lost line adds */
    struct round *round;
};

void write_noise(FILE *file, const struct recorder *recorder);

#endif
