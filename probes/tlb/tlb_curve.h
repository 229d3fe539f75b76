/* The curve of time against the number of pages: each level of translation is a
 * plateau of it (Dongarra et al., ICCS 2004, Figure 3, with time for counts). It
 * shows how many levels there are, from about how many pages on each is missed,
 * and what a miss takes. */
#ifndef HWC_TLB_CURVE_H
#define HWC_TLB_CURVE_H

#include "finding.h"
#include "translation.h"

#define HWC_TLB_LEVELS HWC_MAX_TLB_LEVEL

/* One side, data or code, for pages of one size. */
struct hwc_tlb_side {
    bool code, large;
    bool pages_grow;        /* the operating system merges pages that thrash */
    uint64_t large_bytes;   /* of a large page, as far as the machine can see */
    size_t most_large;      /* large pages that may be used at most */
    unsigned levels;        /* by the curve */
    size_t rises_at;        /* pages: from where it rises on beyond the last of these, as there is another one; 0 = it does not */
    double longest;         /* cycles that a reference takes longer at the curve's last point */
    struct {
        double cycles;  /* that a miss of that other one adds where few pages are in use; 0 = not known */
        uint64_t apart; /* bytes between such pages */
    } few;
    size_t below[HWC_TLB_LEVELS]; /* pages: the last point less than a quarter of the way up to it, */
    size_t above[HWC_TLB_LEVELS]; /* and the first half-way */
    double plateau[HWC_TLB_LEVELS]; /* cycles that a reference takes longer if all levels up to this one miss */
    double hit_cycles; /* that it takes longer than one of the control if the first level hits, as pages lie far apart */
    double uneven[HWC_TLB_LEVELS];  /* the share by which the two points that it is read off differ */
    double control[HWC_TLB_LEVELS]; /* cycles that a reference takes there without translation */
    double stray[HWC_TLB_LEVELS];   /* cycles, by which fewer pages took longer */
    double more[HWC_TLB_LEVELS];    /* cycles, that it may be higher by, if some pages hit on */
};

static inline enum hwc_structure hwc_tlb_of(const struct hwc_tlb_side *side, unsigned level)
{
    return side->code ? hwc_code_tlb(level) : hwc_data_tlb(level);
}

/* What votes have found about a level so far. */
static inline const struct hwc_tlb *hwc_known_tlb(const struct hwc_lab *lab, const struct hwc_tlb_side *side,
                                                  unsigned level)
{
    return side->large ? &lab->known->large_tlb[hwc_tlb_of(side, level)] : &lab->known->tlb[hwc_tlb_of(side, level)];
}

/* So many pages fit at most: how many entries may there be? On a real machine, a part of them may hold what is not asked for:
 * page directories, the program's own pages, what the system and others use. */
double hwc_most_entries(const struct hwc_lab *lab, double pages);

/* Sibling threads may halve a second level between them for as long as both are there, at work just then or not. Does one
 * come and go here? */
bool hwc_may_be_halved(const struct hwc_lab *lab, unsigned level);

/* Bounds of a level's entries. Beside others, who only take some, the lower one alone. */
void hwc_report_entries(bool beside, double least, double most, const char *why, struct hwc_finding *entries);

/* Why no more is told than so many entries (a double). */
#define HWC_AT_LEAST_BESIDE "at least %.0f: another thread works on this core, and may have a part of them"

/* The most pages of which the caches can hold a line each. */
size_t hwc_most_pages(const struct hwc_lab *lab, const struct hwc_tlb_side *side);

/* Does such a curve of data rise well above its last plateau while the control stays level? Then there is another level,
 * even if no plateau shows what its misses take: page tables leave one cache after the other, too. *from: the first such
 * point. Pure. */
bool hwc_tlb_rises_on(const double *excess, const double *control, unsigned points, double plateau, unsigned *from);

/* A point: cycles per reference to the control, and what one takes longer with so many pages; for code, the least of
 * several looks. */
int hwc_read_tlb_point(struct hwc_translation *translation, size_t pages, double *control, double *excess,
                       struct hwc_error *error);

/* Fills what side holds of the curve, from levels and rises_at on. */
int hwc_read_tlb_curve(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error);

/* Cycles that a miss of the level adds to a miss of the level above: as the curve has it, or where that shows no plateau,
 * as few pages have it. */
static inline double hwc_miss_by_curve(const struct hwc_tlb_side *side, unsigned level)
{
    if (level > side->levels)
        return side->few.cycles;
    return side->plateau[level - 1] - (level > 1 ? side->plateau[level - 2] : 0);
}

/* Does the curve of this level step at about this many entries? What votes find and what the curve shows must be the
 * same step: noise, and other structures that code goes through, make steps, too. */
bool hwc_is_step_of_curve(const struct hwc_tlb_side *side, unsigned level, uint64_t entries);

/* A plateau of such a curve, read off two neighbouring points. */
struct hwc_tlb_plateau {
    unsigned at;    /* the first of them */
    double cycles;  /* the middle of them */
    double uneven;  /* the share by which they differ */
    double control; /* cycles, the middle of the control's */
};

/* Find the levels of translation in such a curve: plateaus, each higher than the
 * one before by a share of that one and of the time on the control. For code, it
 * is also higher by more than the control itself has varied up to there: a jump
 * among a hundred need not take the same as one among ten, and the predictors of
 * jumps would pass for a TLB. Not so of the first `of_pages` points, where what the
 * excess rises by is known to be the pages'. Fills up to two plateaus; returns how many. Pure. */
unsigned hwc_tlb_plateaus(const double *excess, const double *control, unsigned points, unsigned of_pages,
                          struct hwc_tlb_plateau plateau[HWC_TLB_LEVELS]);

/* By how much do points stray from a plateau of such a curve? By as much as any was higher before: fewer pages never take
 * longer. Not those where the control is on its way, as lines leave a cache, and spread ones some pages sooner. Pure. */
double hwc_tlb_stray(const double *excess, const double *control, unsigned points, double plateau);

/* By how much may a plateau be higher than the two points that it is the middle of, from point `at` on? A policy that keeps
 * some pages, whichever come after, keeps as many of any number: what n take is the plateau less a constant / n. Pure. */
double hwc_tlb_more(const double *pages, const double *excess, unsigned at);

/* Has such a curve risen by point `at`, though no plateau is seen up to there? *from: the last point before. Pure. */
bool hwc_tlb_has_risen(const double *excess, const double *control, unsigned at, unsigned *from);

#endif
