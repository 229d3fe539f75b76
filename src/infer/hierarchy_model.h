/* A hierarchy of levels that may explain the mean times of references drawn at random (levels_fit.h), and how well it
 * does. Pure.
 *
 * Others may use the last level, too. They make its share of hits fall faster than footprints grow (rivalry,
 * held_share.h), or they put lines out at a steady rate: a line that comes back every N t cycles is still there with
 * the chance 1 / (1 + loss N t). They keep the room of what they put out, or they leave it to the next miss: then the
 * level need only hold those lines that would still be there. The level above it may lose lines at a rate of its own, to
 * a sibling thread or because the last level includes it; what it keeps is there whatever the last one loses. */
#ifndef HWC_HIERARCHY_MODEL_H
#define HWC_HIERARCHY_MODEL_H

#include "held_share.h"
#include "levels_fit.h"

enum { HWC_TERMS = HWC_MOST_FITTED + 1, HWC_MOST_POINTS = HWC_MOST_DRAWN_POINTS + 1 };

/* Levels that others may put lines out of. */
enum { HWC_LAST_LOSES, HWC_ABOVE_LOSES, HWC_LOSERS };

/* What a level's share of misses depends on, besides the footprint. */
struct hwc_share_of {
    double capacity, loss; /* octaves; a cycle and a byte */
    unsigned spread, rivalry;
    bool leaves_room; /* what is lost */
};

/* What a level's term is multiplied by, at all points. */
struct hwc_factors {
    struct hwc_share_of of;
    bool filled;
    double at[HWC_MOST_POINTS];
};

/* A search moves one level at a time, and comes back to many a place. */
enum { HWC_FACTORS_KEPT = 128 };

struct hwc_hierarchy {
    unsigned levels;
    double capacity[HWC_MOST_FITTED]; /* octaves, ascending */
    unsigned spread[HWC_MOST_FITTED];
    unsigned rivalry; /* of others at the last level; 0 = none */
    double loss[HWC_LOSERS]; /* the share of lines that others put out, a cycle and a byte of the footprint */
    bool holds[HWC_LOSERS]; /* that loss stays as it is */
    bool leaves_room; /* a line that was lost does, as those who put it out do not keep its place */
    double term[HWC_TERMS]; /* cycles of the first level, and what each level's misses add */
    double squares;     /* of the residuals, in standard errors; INFINITY = not possible */
};

/* Searches that begin at different places soon go the same way. */
enum { HWC_TRIED_KEPT = 2048 };

/* What is to be explained, and what may explain it. */
struct hwc_fitting {
    struct hwc_factors *kept; /* so many of them, of these points */
    struct hwc_hierarchy *tried; /* HWC_TRIED_KEPT that were evaluated; of UINT_MAX levels: none */
    struct hwc_held_share share;
    size_t points, footprints; /* what memory takes may be a point, which lies beyond all footprints */
    unsigned rivalries; /* the first of those that may be, at the last level; 1 = nobody else uses it */
    unsigned spreads; /* the first of those that there are: of levels below the first */
    struct {
        bool is_there;
        double low, high; /* octaves */
        double apart;     /* octaves, by which the next level holds more, at least */
    } known; /* a level of every hierarchy that is searched */
    double octaves[HWC_MOST_POINTS]; /* of the footprint */
    double cycles[HWC_MOST_POINTS], error[HWC_MOST_POINTS];
    double weight[HWC_MOST_POINTS]; /* 1 / the square of the error */
    double round[HWC_MOST_POINTS]; /* bytes times cycles, as a line comes back */
};

/* By how many octaves does the most that the level keeps of any footprint differ from its capacity? With rivals, what
 * is kept shrinks beyond some footprint. */
double hwc_kept_octaves(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level);

/* Fit the terms by linear least squares, the rest being given, and set squares. */
void hwc_evaluate(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy);

/* Do others put lines out, by this hierarchy? */
bool hwc_loses_lines(const struct hwc_hierarchy *hierarchy);

/* The first level that others may put lines out of. */
unsigned hwc_first_loser(const struct hwc_hierarchy *hierarchy);

/* Cycles of a reference that the level serves; beyond the last one, memory. */
double hwc_hierarchy_cycles(const struct hwc_hierarchy *hierarchy, unsigned level);

/* What each term is multiplied by at a point. */
void hwc_factors_at(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, size_t point,
                    double factor[HWC_TERMS]);

/* The residual at a point, in standard errors. */
double hwc_residual_at(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, size_t point,
                       const double factor[HWC_TERMS]);

/* The mean square of residuals in standard errors, which allow for what the model leaves out: less than 1 if that is
 * little. */
double hwc_scatter(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy);

/* The same, at least 1: more if points stray further than their errors; over all points, or those near a level's
 * capacity. */
double hwc_misfit(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy);
double hwc_misfit_near(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level);

#endif
