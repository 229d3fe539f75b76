#include "tlb_penalty.h"

#include <math.h>

#include "conflict_cost.h"

/* A plateau is read in the middle of two points. Where they differ by a tenth, that is a twentieth from either; where
 * they differ by more, it says too little of how high the plateau is. */
static const double settled = 0.1;

static bool is_settled(const struct hwc_tlb_side *side, unsigned level)
{
    return side->uneven[level - 1] <= settled && (level == 1 || is_settled(side, level - 1));
}

/* Why there is no penalty; HWC_NO_REASON if there is one. The penalty of the level above is part of it. */
static struct hwc_reason why_no_penalty(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level,
                                  const struct hwc_result *entries)
{
    uint64_t above = level > 1 ? hwc_known_tlb(lab, side, level - 1)->entries : 0;

    if (side->levels < level && side->few.cycles <= 0)
        return hwc_inconclusive("time shows no step where its misses would begin");
    if (!entries->decided || (level > 1 && above == 0))
        return hwc_depends("whether the step in time is this level's is not known");
    if (side->levels < level)
        return HWC_NO_REASON;
    if (!hwc_is_step_of_curve(side, level, (uint64_t)entries->value) ||
        (level > 1 && !hwc_is_step_of_curve(side, level - 1, above)))
        return hwc_inconclusive("time steps up at another number of pages than there are entries");
    if (!is_settled(side, level))
        return hwc_inconclusive("time still rises with the number of pages where other misses begin");
    return HWC_NO_REASON;
}

/* Where many pages are in use, their page tables and lines may miss caches, too, which the few of one set do not. *cycles
 * is what a miss adds as the curve has it, *of_few what it adds for those, or the same where that cannot be asked. */
static int time_misses(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb *tlb,
                       double *cycles, double *of_few, struct hwc_error *error)
{
    int status;

    *cycles = *of_few = hwc_miss_by_curve(side, level);
    if (level > side->levels) { /* there is no plateau: many take as long as the last point has them, or longer */
        *cycles = fmax(*of_few, side->longest - side->plateau[level - 2]);
        return HWC_OK;
    }
    if (level == 1 || side->code || tlb->ways == 0)
        return HWC_OK;
    status = hwc_cost_conflicts(lab, side, level, tlb, of_few, error);
    if (status == HWC_OK && *of_few > 0)
        return HWC_OK;
    *of_few = *cycles;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* How far plateaus may be off, which are read off two points. Each is a difference of two times, with the frequency as it
 * was then: of a time that is mostly of lines that miss caches, a share may be more than translation takes. */
static double off_by(const struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level)
{
    double off = 0;

    for (unsigned i = level > 1 ? level - 1 : level; i <= level && i <= side->levels; i++)
        off += side->stray[i - 1] + side->plateau[i - 1] * side->uneven[i - 1] / 2 +
               lab->machine->cycles_off * (side->control[i - 1] + side->plateau[i - 1]);
    return off;
}

/* What a plateau may be higher by; 0 = there is no such level. */
static double more_of(const struct hwc_tlb_side *side, unsigned level)
{
    return level > 0 && level <= side->levels ? side->more[level - 1] : 0;
}

/* Bounds of what the curve alone has. */
static void bound_by_curve(const struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, double cycles,
                           double *low, double *high)
{
    double off = off_by(lab, side, level);

    *low = fmax(cycles - off - more_of(side, level - 1), 0);
    *high = cycles + off + more_of(side, level);
}

static void report_one(double cycles, double low, double high, struct hwc_finding *finding)
{
    if (fmax(cycles - low, high - cycles) <= settled * cycles)
        hwc_finding_cycles(finding, cycles);
    else
        hwc_finding_between(finding, hwc_in_hundredths(low), hwc_in_hundredths(high),
                            "bounded by how far the times that it is read off may be off");
}

/* Of different walks. */
static void report_two(double one, double other, struct hwc_finding *finding)
{
    double less = fmin(one, other), more = fmax(one, other);

    if (more - less <= settled * one)
        hwc_finding_cycles(finding, (one + other) / 2);
    else
        hwc_finding_between(finding, hwc_in_hundredths(less * (1 - settled / 2)),
                            hwc_in_hundredths(more * (1 + settled / 2)), "it depends on how many pages are in use");
}

int hwc_report_tlb_penalty(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level,
                           const struct hwc_result *entries, const struct hwc_tlb *tlb, struct hwc_finding *finding,
                           struct hwc_error *error)
{
    struct hwc_reason reason = why_no_penalty(lab, side, level, entries);
    double cycles, of_few, low, high;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    TRY(time_misses(lab, side, level, tlb, &cycles, &of_few, error));
    bound_by_curve(lab, side, level, cycles, &low, &high);
    if (of_few == cycles)
        report_one(cycles, low, high, finding);
    else
        report_two(cycles, of_few, finding);
    return HWC_OK;
}
