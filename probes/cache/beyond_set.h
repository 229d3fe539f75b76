/* What the level below one whose sets are known takes, whatever its own size.
 *
 * A chain goes through three times as many lines of one set as that has ways, over
 * and over: nearly all are served by the level below. They come back within
 * microseconds, so that hardly any is lost there, whatever others do with that
 * level meanwhile, and they are too few to fill it. Where it has few ways, they may
 * still be too many for some of its sets: such lines are left out (crowded.h), and
 * where its misses are counted, a set of lines that has any does not tell. What sets keep of lines that
 * come in turn (under some policies a few stay) is about the same of any number of
 * them, so that two numbers tell what the rest takes.
 *
 * All lines of a set may lie in one slice of the level below, and slices are nearer
 * or farther. Moved to other places of their pages, the lines share another set,
 * as indexes are exclusive ors of address bits: the mean of some places counts. */
#ifndef HWC_BEYOND_SET_H
#define HWC_BEYOND_SET_H

#include "common_least.h"
#include "lab.h"

struct hwc_beyond_set {
    unsigned level;           /* whose sets are known: its geometry and look */
    double hits, first;       /* cycles of a load that it serves, and of one that the first level does */
    double mean;              /* of a load that the level below serves: of one set's places */
    double least, most;       /* of all places so far, if they differ; else 0 */
    unsigned sets;            /* that told, in all, */
    double fastest, slowest;  /* and the means of these two among them */
};

/* One set after the other, until enough have their least in common: others, who work for a while and rest for a while,
 * only add. HWC_INCONCLUSIVE if none is found, if sets keep too many of the lines, or if they differ: `beyond` says by how
 * much. */
int hwc_vote_beyond_set(struct hwc_lab *lab, struct hwc_beyond_set *beyond, struct hwc_common_least *least,
                        struct hwc_error *error);

#endif
