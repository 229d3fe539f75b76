/* How much straight-line code a core delivers at full rate: from a micro-op cache, where it has one, and more slowly
 * from the decoders behind that. Pure.
 *
 * Code that becomes longer becomes a little slower all the time, as it lies on more pages, and then, at a step, much
 * slower. The first level's instruction cache makes a step, too: at a number of bytes, however long the instructions
 * are. */
#ifndef HWC_FULL_RATE_H
#define HWC_FULL_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct hwc_code_rate {
    double instructions; /* in the loop */
    double cycles;       /* that each takes */
};

/* Where the first step is: `low` instructions run at the rate before, `high` at the one after. */
struct hwc_slow_down {
    bool found;
    double low, high; /* not found: low = as many as were tried */
    double cycles;    /* of an instruction, at the rate before */
};

/* How fast as many instructions can be delivered, by all that was seen: as fast as more of them. (A cache of micro-ops
 * may stay in a bad state, as its lines were begun at other places, with a loop of one length and not with the next.) By
 * ascending numbers of instructions. */
void hwc_take_least_of_longer(struct hwc_code_rate *rates, size_t count);

/* By ascending numbers of instructions. */
struct hwc_slow_down hwc_find_slow_down(const struct hwc_code_rate *rates, size_t count);

/* So many instructions are in the middle of the widest gap between points within a slow-down, relatively. 0 = there is no
 * gap wider than this factor. */
double hwc_middle_of_gap(const struct hwc_code_rate *rates, size_t count, const struct hwc_slow_down *slow_down,
                         double factor);

/* Code of instructions of so many bytes. */
struct hwc_code_kind {
    double bytes;
    struct hwc_slow_down slows;
    bool moves; /* no two share a place. No-operations do where more of them are delivered in a cycle */
    const struct hwc_code_rate *rates; /* all that was seen */
    size_t count;
};

/* The kind of which most instructions run at full rate, each in a place of its own, and whose step is not the instruction
 * cache's: of as many bytes, code of another kind has made no whole step yet, and takes as many bytes a cycle. NULL =
 * there is none. */
const struct hwc_code_kind *hwc_densest_code(const struct hwc_code_kind *kinds, size_t count);

#endif
