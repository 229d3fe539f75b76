/* Finds the levels of branch target buffers in the time of a jump against the
 * number of jumps. Pure.
 *
 * Chains of jumps are timed at several distances between the jumps. A step at
 * the same number of jumps at each of three distances in a row is that of a table
 * of jumps. A step of a cache or a TLB comes at the same number of bytes, which
 * is half as many jumps at twice the distance: a chain that goes through the same
 * lines and pages. So half as many jumps at twice the distance tell what the code
 * takes without the other half of the jumps, and each step is held against that. */
#ifndef HWC_JUMP_CURVE_H
#define HWC_JUMP_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HWC_JUMP_DISTANCES 4 /* each twice the previous one */
/* One more, at which half as many jumps go through the code of the last of these. */
#define HWC_JUMP_ROWS (HWC_JUMP_DISTANCES + 1)
#define HWC_JUMP_POINTS 25
#define HWC_JUMP_STEPS 3
/* The number of distances in a row at which a step must show. */
#define HWC_JUMP_WITNESSES 3

/* The number of jumps at a point: two points for each doubling, from 4 to 16384. */
size_t hwc_jumps_at(unsigned point);

struct hwc_jump_step {
    unsigned below, above; /* points */
    unsigned distance;     /* the first distance at which it shows */
    double rise;           /* cycles of its own, where the code steps least, */
    double least, most;    /* and what they may be: of what the code takes, one share or another */
    double before;         /* cycles that a smaller table lets half as many jumps rise by */
    double until;          /* cycles of its own that a jump takes longer just below the step than where code is quickest:
                              those of smaller tables, seen or not */
};

/* The share of what a jump takes that is its own, if a jump of the half as many that go through the same lines takes
 * `halved`. They share what these lines and pages cost, so each of them pays twice as much of it. */
double hwc_jump_of_its_own(double cycles, double halved);

/* May a rise be the code's, if those jumps rise so? */
bool hwc_jump_is_of_code(double rise, double halved);

/* The steps in cycles[distance][point] (per jump), by ascending number of jumps; returns how many there are. Of the
 * last row, only points with at most half of the most jumps are looked at. */
unsigned hwc_jump_steps(double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS], struct hwc_jump_step steps[HWC_JUMP_STEPS]);

enum { HWC_JUMP_TAKES = 32 };

/* Further readings of a step at one of its distances: cycles of a jump below and above it, and of one of the half as
 * many that go through the same lines. */
struct hwc_jump_takes {
    unsigned taken;
    double low[HWC_JUMP_TAKES], high[HWC_JUMP_TAKES], halved_low[HWC_JUMP_TAKES], halved_high[HWC_JUMP_TAKES];
};

/* What the step rises by, of such readings at each of its distances, in place of what single ones had: what they differ
 * by tells how far off they are, which may be more than the step where the code is most of them. At least two are
 * needed; else nothing changes. Returns whether it is known: not if the code steps at every distance. */
bool hwc_jump_rise_again(const struct hwc_jump_takes takes[HWC_JUMP_WITNESSES], struct hwc_jump_step *step);

/* The number of jumps from which on a step climbs at one distance, what it rises by there without half of the code's
 * time, and what those half as many jumps rise by. */
struct hwc_jump_number {
    double jumps, rise, halved;
};

/* The numbers in ascending order; 0 for one that does not count. Of a rise of the code up to half is left in the time
 * of a jump, where lines are no longer than the distance: if that alone may reach the share `climbed` of the rise, the
 * number may be the code's. It does not count if there are two others. */
void hwc_jumps_that_count(const struct hwc_jump_number numbers[HWC_JUMP_WITNESSES], double climbed,
                          double jumps[HWC_JUMP_WITNESSES]);

/* How a table's misses are found to climb. */
struct hwc_jump_climb {
    double climbed; /* so large a share of the jumps misses */
    double ours;    /* of the entries, up to this share is taken by jumps that are not counted */
    double unsure;  /* the number of jumps is known within this share */
};

#define HWC_JUMP_SIZES 2

/* The numbers of entries, the largest first, of tables whose misses have climbed that far at this number of jumps.
 * Tables are a power of two of sets of at most 16 ways. Returns how many there are. */
unsigned hwc_jump_entries(double jumps, const struct hwc_jump_climb *climb, uint64_t entries[HWC_JUMP_SIZES]);

#endif
