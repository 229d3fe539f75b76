/* Levels of a memory hierarchy, read off the mean time of references drawn at
 * random from footprints of growing size. Pure.
 *
 * Level i serves what it and those above hold, E_i bytes of N, so that a
 * reference takes
 *
 *     t(N) = t_1 + sum over i of (t_(i+1) - t_i) m(N / E_i),
 *
 * where m is the share that misses (held_share.h), 1 - E_i / N once the level is
 * full. Others who use the last level take the more of it the less often we come
 * back to our lines, so that what it keeps shrinks beyond some footprint; its
 * capacity is then the most that it keeps of any. The last two levels may also
 * lose lines at a steady rate, each at its own (hierarchy_model.h). What the one
 * above the last loses shows long before it is full, and its corner stays where it
 * was: its capacity is what it would keep without. One level after the other: over
 * as many points as one step explains, the times of hits and misses follow by
 * linear least squares, while the capacity and how lines are spread over sets are
 * searched. Every capacity has the bounds within which the points do not
 * contradict it. */
#ifndef HWC_LEVELS_FIT_H
#define HWC_LEVELS_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate.h"

/* The share of a point's cycles that the model may leave out (alignment, other lines in use, overlap), and so about the
 * relative standard error of what hits and misses take. */
#define HWC_FIT_FLOOR 0.02

/* A level takes longer than the one above by at least this share: less is what translation or alignment adds. */
#define HWC_LEAST_RISE 0.15

/* Designers make each level some times as large as the one above. What seem to be two levels nearer than this may be one
 * of which others take more and less. */
#define HWC_DESIGNED_APART 4.0

/* One that may be nearer is not told from the one above. Of 66 played ones, 1.5 to 8.5 times as large, of one way, and
 * neither exclusive nor inclusive, 25 had wrong cycles: their lower bounds were at most 2.02 times the one above. */
#define HWC_TOLD_APART 3.0

enum { HWC_MOST_DRAWN_POINTS = 96, HWC_MOST_FITTED = 6 };

struct hwc_drawn_curve {
    size_t points;
    double bytes[HWC_MOST_DRAWN_POINTS];            /* ascending */
    struct hwc_tally cycles[HWC_MOST_DRAWN_POINTS]; /* a reference, by arena */
    struct hwc_tally without_bursts[HWC_MOST_DRAWN_POINTS]; /* the same, with those that were slow alone; no readings: the
                                                               same */
    double reading[HWC_MOST_DRAWN_POINTS];          /* standard error of one arena's cycles, by its readings */
    double quickest; /* cycles of the quickest reading of all; 0 = not known */
    unsigned least_ways; /* of a level over whose sets pages may lie by chance: one of few ways that is full little by
                            little looks much like two levels; UINT_MAX: they lie evenly over the sets of all levels */
    unsigned most_levels; /* that there may be; 0 = it is not known */
    bool rivals; /* others may use the last levels, too */
    bool may_hide; /* look for how little the second of two may hold if others leave so little of a third that it hides
                    * the second */
    unsigned knowns;     /* levels of which it is known by other means */
    struct hwc_known_level {
        double low, high; /* what it and those above hold, in bytes */
    } known[HWC_MOST_FITTED];
    double memory, memory_error; /* cycles of a reference that no level serves, and their standard error, where they were
                                    measured by other means; 0 = they were not */
};

/* Cycles of a reference, and their bounds. */
struct hwc_fitted_cycles {
    double value, least, most;
};

struct hwc_fitted_level {
    double capacity, low, high; /* bytes, of this level and those above */
    double lowest; /* and if another level hides it: `low`, or less */
    struct hwc_fitted_cycles cycles; /* if it serves the reference */
};

struct hwc_levels_fit {
    unsigned levels;
    struct hwc_fitted_level level[HWC_MOST_FITTED];
    struct hwc_fitted_cycles memory;
    unsigned told; /* levels that are these for certain: beyond, others may hide where no points are precise */
    unsigned told_if_many, told_if_few; /* the same, if none of them has few ways (HWC_FEW_WAYS), or one is known to */
    unsigned may_be_two; /* of so many levels all are told in any case; the next two may be one of few ways. 0 = none may */
    bool others; /* who take room, or put lines out, show */
};

/* Bounds of what the level, from 1, holds without those above, of which an exclusive one holds nothing. */
static inline void hwc_seen_bounds(const struct hwc_levels_fit *fit, unsigned level, double *low, double *high)
{
    *low = fit->level[level - 1].low - (level > 1 ? fit->level[level - 2].high : 0);
    *high = fit->level[level - 1].high;
}

/* The same; false if the fit does not tell the level for certain. */
static inline bool hwc_bounds_of_level(const struct hwc_levels_fit *fit, unsigned level, double *low, double *high)
{
    if (level > fit->told)
        return false;
    hwc_seen_bounds(fit, level, low, high);
    return true;
}

/* Standard error of a point's mean cycles, by its arenas, those of its neighbours, and its readings. */
double hwc_drawn_error(const struct hwc_drawn_curve *curve, size_t point);

/* So few ways may a level have. Of very few, some sets are too full in one arena and not in another: those that were slow
 * alone were not disturbed for certain. False if there are none. */
bool hwc_assume_ways(struct hwc_drawn_curve *curve, unsigned least_ways);

/* Has the fit a level whose bounds meet what is known of one? */
bool hwc_fit_has(const struct hwc_levels_fit *fit, const struct hwc_known_level *known);

/* Is any level, of those from this one on, counted from 0, nearer to the one above than any are designed? */
bool hwc_fit_is_near(const struct hwc_levels_fit *fit, unsigned from);

/* Find the levels. False if the points show none. */
bool hwc_fit_levels(const struct hwc_drawn_curve *curve, struct hwc_levels_fit *fit);

/* The same for the levels of one core, below the first: two that are nearer than any are designed are one, of which a
 * thread on the core's other half takes a part now and then. They are explained with one level less. */
bool hwc_fit_levels_apart(const struct hwc_drawn_curve *curve, struct hwc_levels_fit *fit);

/* Do points say for certain that a level, counted from 0, is so much larger than the one above that its hits show? Of one
 * that is neither exclusive nor inclusive, and hardly larger, what both hold changes with the footprint: few references
 * are hits of it alone, and misses pass for them. */
bool hwc_is_told_apart(const struct hwc_levels_fit *fit, unsigned level);

/* Is it not this level, counted from 0, that serves references of so many cycles, but the next one, or memory? Then
 * they take longer than all that points allow of the one, and no less than they allow of the other. */
bool hwc_is_served_beyond(const struct hwc_levels_fit *fit, unsigned level, double cycles);

#endif
