/* The search of the hierarchy that explains the points best: one move at a time. Pure. */
#ifndef HWC_HIERARCHY_SEARCH_H
#define HWC_HIERARCHY_SEARCH_H

#include "hierarchy_model.h"

/* Octaves, in which capacities are told. */
#define HWC_FINE_STEP (1.0 / 64)

/* Octaves: each level and those above hold at least twice as much as without it. */
#define HWC_LEVELS_APART 1.0

/* Each of these keeps in `best` what explains the points better than it did. */

/* Every spread of a level, at this capacity. */
void hwc_try_spreads(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, unsigned level, double capacity);

/* More or less loss, where there is some, by this many octaves. */
void hwc_try_losses(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, double octaves);

/* Move one capacity at a time, from level `first` to before `end`, until no move is better. */
void hwc_move_capacities(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, double step, unsigned first,
                         unsigned end);

/* Move everything, by smaller and smaller steps. */
void hwc_refine(const struct hwc_fitting *fitting, struct hwc_hierarchy *best);

/* One level less: adding levels one by one may have led to a worse one. */
void hwc_try_one_less(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                      struct hwc_hierarchy *best);

/* The best hierarchy with one level more. */
struct hwc_hierarchy hwc_with_one_more(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy);

/* The best hierarchy that has the known level and another below it, with losses or without. */
struct hwc_hierarchy hwc_with_known(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy);

/* The best hierarchy of as many levels whose last ones lose lines all the time, which leave room, or none. */
struct hwc_hierarchy hwc_with_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                                     bool leaves_room);

/* The same with losses of the kind that explains the points better. */
struct hwc_hierarchy hwc_with_best_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy);

#endif
