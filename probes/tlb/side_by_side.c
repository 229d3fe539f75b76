/* Claim: a TLB for code has so many entries at least, and so many at most.
 *
 * Method: the curve of tlb_curve.h, where it steps, point by point. Pages side by side fill all sets alike, whether
 * address bits choose the set or a hash that XORs them (Tatar et al., USENIX Security 2022). So none of them misses
 * until there are more than entries; and whatever the policy, of P pages with E entries P - E miss at least. Of a second
 * level, as many pages more may fit as the first has entries, if no page has one in both. On a real machine some entries
 * hold other pages, those of the code that times the walks among them.
 *
 * Beside another thread on the core, which may hold or be given some, there are as many at least, and no more is told.
 *
 * What can fool it: what a walk takes grows with the number of pages, so the share that misses is known within a factor
 * of two. A hash that spreads neighbouring pages by chance: then some miss while others' sets have room. */
#include "side_by_side.h"

#include <math.h>

#include "quiet_core.h"

static const struct {
    double per_octave; /* points */
    double fit;        /* of the step: less is none, */
    double many;       /* and so much is of pages that do not fit */
    double walks;      /* times what the step says that misses may be */
} policy = {.per_octave = 12, .fit = 1 / 16.0, .many = 0.25, .walks = 2};

enum { MOST_POINTS = 64 };

struct step {
    const struct hwc_tlb_side *side;
    unsigned level;
    unsigned points;
    double pages[MOST_POINTS], share[MOST_POINTS]; /* of the way up */
};

static double before(const struct step *step)
{
    return step->level > 1 ? step->side->plateau[step->level - 2] : 0;
}

static int read_point(struct hwc_translation *translation, struct step *step, size_t pages, struct hwc_error *error)
{
    double control, excess, rise = step->side->plateau[step->level - 1] - before(step);

    TRY(hwc_read_tlb_point(translation, pages, &control, &excess, error));
    step->pages[step->points] = (double)pages;
    step->share[step->points++] = (excess - step->side->hit_cycles - before(step)) / rise;
    return HWC_OK;
}

/* From half of the last point below the step to twice the first above it. */
static int read_points(struct hwc_translation *translation, struct step *step, struct hwc_error *error)
{
    unsigned i = step->level - 1;
    double most = fmin(2 * (double)step->side->above[i], (double)hwc_most_pages(translation->lab, step->side));

    for (double at = (double)step->side->below[i] / 2; at <= most && step->points < MOST_POINTS;
         at *= exp2(1 / policy.per_octave))
        if (step->points == 0 || (double)(size_t)at > step->pages[step->points - 1])
            TRY(read_point(translation, step, (size_t)at, error));
    return HWC_OK;
}

/* The pages of the last point before the step begins, and of the first from which on many miss. */
static bool find_ends(const struct step *step, double *fit, double *many)
{
    unsigned first = 0, last = step->points;

    while (first < step->points && step->share[first] < policy.fit)
        first++;
    while (last > 0 && step->share[last - 1] >= policy.many)
        last--;
    if (first == 0 || last == step->points)
        return false;
    *fit = step->pages[first - 1];
    *many = step->pages[last];
    return true;
}

/* Entries of the first level, of which pages of a second may fill as many. */
static double kept_above(const struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level)
{
    uint64_t first = lab->known->tlb[hwc_tlb_of(side, 1)].entries;

    if (level == 1)
        return 0;
    return first > 0 ? (double)first : (double)side->above[0];
}

static int find_step(struct hwc_lab *lab, struct step *step, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(step->side, 1), false, error);

    translation.fitting = step->side->below[0];
    if (status == HWC_OK)
        status = read_points(&translation, step, error);
    hwc_translation_close(&translation);
    return status;
}

int hwc_bound_entries(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, struct hwc_finding *entries,
                      struct hwc_error *error)
{
    struct step step = {.side = side, .level = level};
    double fit, many, least;

    if (side->below[level - 1] == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no number of pages was seen to fit");
    TRY(find_step(lab, &step, error));
    if (!find_ends(&step, &fit, &many))
        return hwc_fail(error, HWC_INCONCLUSIVE, "where the step in time begins and ends is not clear");
    least = (1 - policy.walks * policy.fit) * fit - kept_above(lab, side, level);
    if (least < 1)
        return hwc_fail(error, HWC_INCONCLUSIVE, "the first level may hold all that fits");
    hwc_report_entries(hwc_in_company(lab), least, hwc_most_entries(lab, many), "pages side by side begin to miss there",
                       entries);
    return HWC_OK;
}
