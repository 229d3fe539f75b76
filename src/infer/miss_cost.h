/* What a miss of the first level takes longer, by lines that share a set. Pure.
 *
 * More and more lines at one place of their pages are visited in turn. Those that
 * are few hit; as soon as they are more than the level's ways they all miss it, and
 * so many more take the same each while the next level holds them. Where that has
 * few ways, it does so of hardly more lines: the time grows on and on from there,
 * and is level again where all of them come from memory. Where few lines too many
 * are visited, some policies keep most of them: the first number that is slower may
 * show a part of what a miss takes. */
#ifndef HWC_MISS_COST_H
#define HWC_MISS_COST_H

#include <stdbool.h>

/* Of growing numbers of lines what a reference takes longer than a hit, where `least` is slower: do the last ones take the
 * same? Then more lines would tell no more. */
bool hwc_is_cost_level(const double *longer, unsigned heights, double least);

/* May the first number that is slower, `*first`, show a part of a miss only? More lines take several times as long, all
 * the same, and no more than `most`, of references that mostly miss the level; so it does unless a line more or less
 * makes no difference to it. */
bool hwc_may_be_part_of_miss(const double *longer, unsigned heights, double least, double most, unsigned *first);

bool hwc_makes_difference(double one, double other);

/* Cycles; 0 if none was slower. */
double hwc_cost_of_miss(const double *longer, unsigned heights, double least);

#endif
