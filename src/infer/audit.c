#include "audit.h"

#include <math.h>
#include <stddef.h>

static const struct {
    double none, some, half, one, two; /* counts of a reference */
    double part; /* a reference is in the counts: hwchar's own lists of them add an eighth of a line for each */
    double hits, walks;
    double near, same; /* sizes: a rise is at a level whose end is no further away, and two rises are at the same */
    double past;       /* a full level is outgrown about so far beyond its end */
    double left_out;   /* of sequential references, by those that leave prefetched lines out */
} policy = {
    .none = 0.01, .some = 0.05, .half = 0.5, .one = 0.05, .two = 1.5, .part = 0.25,
    .hits = 0.02, .walks = 0.1, .near = 2.5, .same = 1.7, .past = 1.2, .left_out = 0.8,
};

const char *hwc_pattern_name(enum hwc_pattern pattern)
{
    static const char *const names[HWC_PATTERNS] = {
        [HWC_PATTERN_HITS] = "hits",         [HWC_PATTERN_RANDOM] = "random",         [HWC_PATTERN_STRIDED] = "strided",
        [HWC_PATTERN_SEQUENTIAL] = "sequential", [HWC_PATTERN_STORE_HITS] = "store_hits", [HWC_PATTERN_STORES] = "stores",
        [HWC_PATTERN_WALKS] = "walks",       [HWC_PATTERN_FETCHES] = "fetches",       [HWC_PATTERN_CODE_WALKS] = "code_walks",
        [HWC_PATTERN_PAGE_ENDS] = "page_ends",
    };
    return names[pattern];
}

const char *hwc_audit_verdict_name(enum hwc_audit_verdict verdict)
{
    static const char *const names[HWC_AUDIT_VERDICTS] = {
        [HWC_AUDIT_ABSENT] = "absent",
        [HWC_AUDIT_AS_NAMED] = "as_named",
        [HWC_AUDIT_UNNAMED] = "unnamed",
        [HWC_AUDIT_OTHER_LEVEL] = "other_level",
        [HWC_AUDIT_SUMS_LEVELS] = "sums_levels",
        [HWC_AUDIT_PREFETCHES] = "includes_prefetches",
        [HWC_AUDIT_WALKS] = "includes_walks",
        [HWC_AUDIT_OVER] = "over_counts",
        [HWC_AUDIT_UNDER] = "under_counts",
        [HWC_AUDIT_HITS] = "counts_hits",
        [HWC_AUDIT_OTHER_REFERENCES] = "other_references",
        [HWC_AUDIT_DEAD] = "dead",
        [HWC_AUDIT_UNCLEAR] = "unclear",
    };
    return names[verdict];
}

bool hwc_audit_has(const struct hwc_audit_counts *counts, enum hwc_pattern pattern)
{
    return counts->has[pattern] && counts->of[pattern] >= policy.some;
}

static bool counts_nothing(const struct hwc_audit_counts *counts)
{
    for (int i = 0; i < HWC_PATTERNS; i++)
        if (counts->has[i] && counts->of[i] >= policy.none)
            return false;
    return true;
}

/* The number of the level that a rise is at, from 1; 0 = none. */
static unsigned level_at(const struct hwc_audit_ends *ends, double half)
{
    unsigned level = 0;
    double least = log(policy.near);

    for (unsigned i = 0; i < ends->levels; i++) {
        double apart = fabs(log(half / (policy.past * ends->end[i])));
        if (apart > least)
            continue;
        least = apart;
        level = i + 1;
    }
    return level;
}

void hwc_audit_gather(const struct hwc_audit_counts *counts, enum hwc_outgrown outgrown,
                      struct hwc_rise_points *gathered)
{
    for (unsigned i = 0; i < counts->rises && counts->outgrown == outgrown; i++)
        hwc_rise_add(gathered, counts->rise[i].half / policy.past, 0);
}

void hwc_audit_ends_of(const struct hwc_rise_points *gathered, struct hwc_audit_ends *ends)
{
    *ends = (struct hwc_audit_ends){0};
    for (size_t i = 0; i < gathered->count && ends->levels < HWC_MOST_AUDIT_LEVELS; i++)
        if (ends->levels == 0 || gathered->size[i] > policy.same * ends->end[ends->levels - 1])
            ends->end[ends->levels++] = gathered->size[i];
}

static void find_levels(const struct hwc_audit_counts *counts, const struct hwc_audit_levels *levels,
                        struct hwc_audit_finding *finding)
{
    const struct hwc_audit_ends *ends = hwc_outgrew_pages(counts->outgrown) ? &levels->tlbs : &levels->caches;

    /* Rises of code are looked up among the ends of data TLBs and caches, near enough to tell them apart: is_told() gives
     * no verdict on them. */
    for (unsigned i = 0; i < counts->rises; i++)
        finding->level[i] = level_at(ends, counts->rise[i].half);
}

/* Of the first level, code has a cache and a TLB of its own, whose sizes nothing here tells. */
static bool is_told(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                    const struct hwc_audit_levels *levels)
{
    bool pages = hwc_outgrew_pages(counts->outgrown);
    const struct hwc_audit_ends *ends = pages ? &levels->tlbs : &levels->caches;

    return !hwc_outgrew_code(counts->outgrown) && claim->level > 0 && ends->levels > (pages ? 1 : 0);
}

/* It rises elsewhere than at the level that its name has. Where it does not rise at all, its level is larger than all
 * walks, and none that ends among them. */
static bool is_other_level(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                           const struct hwc_audit_levels *levels, const struct hwc_audit_finding *finding)
{
    const struct hwc_audit_ends *caches = &levels->caches;

    if (claim->last)
        return counts->rises > 0 && finding->level[0] > 0 && finding->level[0] < caches->levels;
    if (!is_told(counts, claim, levels))
        return false;
    if (counts->rises == 0)
        return !hwc_outgrew_pages(counts->outgrown) && claim->level <= caches->levels &&
               counts->largest > policy.near * policy.near * caches->end[claim->level - 1];
    return finding->level[0] != 0 ? finding->level[0] != claim->level : levels->by_clock && claim->level == 1;
}

static enum hwc_pattern main_pattern(const struct hwc_claim *claim)
{
    if (claim->of == HWC_CLAIMS_TRANSLATIONS)
        return claim->loads ? HWC_PATTERN_WALKS : HWC_PATTERN_CODE_WALKS;
    if (claim->of == HWC_CLAIMS_REFERENCES || claim->of == HWC_CLAIMS_HITS)
        return claim->loads ? HWC_PATTERN_HITS : claim->stores ? HWC_PATTERN_STORE_HITS : HWC_PATTERN_FETCHES;
    return claim->loads ? HWC_PATTERN_RANDOM : claim->stores ? HWC_PATTERN_STORES : HWC_PATTERN_FETCHES;
}

/* Does it count loads or stores that its name does not have, or not those that it has? */
static bool counts_others(const struct hwc_claim *claim, const struct hwc_audit_finding *finding)
{
    return finding->loads != claim->loads || finding->stores != claim->stores;
}

static enum hwc_audit_verdict judge_each(const struct hwc_audit_counts *counts, double each)
{
    bool right_at_ends = counts->has[HWC_PATTERN_PAGE_ENDS] && fabs(counts->of[HWC_PATTERN_PAGE_ENDS] - 1) < policy.one;

    if (each > 1 + policy.one)
        return right_at_ends ? HWC_AUDIT_PREFETCHES : HWC_AUDIT_OVER;
    return each < 1 - policy.one ? HWC_AUDIT_UNDER : HWC_AUDIT_AS_NAMED;
}

static enum hwc_audit_verdict judge_misses(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                                           const struct hwc_audit_levels *levels,
                                           const struct hwc_audit_finding *finding)
{
    bool translates = claim->of == HWC_CLAIMS_TRANSLATIONS;
    enum hwc_audit_verdict of_each = judge_each(counts, finding->each);

    if (counts->has[HWC_PATTERN_HITS] && counts->of[HWC_PATTERN_HITS] > policy.hits)
        return HWC_AUDIT_HITS;
    if (finding->each < policy.some || (translates && hwc_audit_has(counts, HWC_PATTERN_RANDOM) &&
                                        counts->of[HWC_PATTERN_RANDOM] > policy.half))
        return HWC_AUDIT_OTHER_REFERENCES;
    if (counts->rises > 1 && finding->each > policy.two)
        return HWC_AUDIT_SUMS_LEVELS;
    if (is_other_level(counts, claim, levels, finding))
        return HWC_AUDIT_OTHER_LEVEL;
    if (of_each != HWC_AUDIT_AS_NAMED)
        return of_each;
    if (!translates && !claim->fetches && counts_others(claim, finding))
        return HWC_AUDIT_OTHER_REFERENCES;
    return !translates && finding->walks ? HWC_AUDIT_WALKS : HWC_AUDIT_AS_NAMED;
}

static enum hwc_audit_verdict judge_references(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                                               const struct hwc_audit_finding *finding)
{
    enum hwc_audit_verdict verdict = judge_each(counts, finding->each);

    if (claim->of == HWC_CLAIMS_HITS && claim->level > 1)
        return HWC_AUDIT_UNCLEAR;
    if (finding->each < policy.some)
        return HWC_AUDIT_OTHER_REFERENCES;
    if (claim->of == HWC_CLAIMS_HITS && verdict == HWC_AUDIT_AS_NAMED && hwc_audit_has(counts, HWC_PATTERN_RANDOM))
        return HWC_AUDIT_OTHER_REFERENCES;
    return verdict;
}

static enum hwc_audit_verdict judge(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                                    const struct hwc_audit_levels *levels, const struct hwc_audit_finding *finding)
{
    if (claim->of == HWC_CLAIMS_NOTHING)
        return HWC_AUDIT_UNNAMED;
    if (!counts->has[main_pattern(claim)])
        return HWC_AUDIT_UNCLEAR;
    if (counts_nothing(counts))
        return claim->of == HWC_CLAIMS_HITS && claim->level > 1 ? HWC_AUDIT_UNCLEAR : HWC_AUDIT_DEAD;
    if (claim->of == HWC_CLAIMS_REFERENCES || claim->of == HWC_CLAIMS_HITS)
        return judge_references(counts, claim, finding);
    return judge_misses(counts, claim, levels, finding);
}

/* Where the lines of a walk's pages miss, too, they count twice. */
static bool has_walks(const struct hwc_audit_counts *counts)
{
    return counts->has[HWC_PATTERN_WALKS] && counts->of[HWC_PATTERN_WALKS] > counts->of[HWC_PATTERN_RANDOM] * (1 + policy.walks) + policy.some;
}

static enum hwc_prefetched find_prefetched(const struct hwc_audit_counts *counts)
{
    double random = counts->of[HWC_PATTERN_RANDOM], least = random;

    if (counts->has[HWC_PATTERN_STRIDED])
        least = fmin(least, counts->of[HWC_PATTERN_STRIDED]);
    if (counts->has[HWC_PATTERN_SEQUENTIAL])
        least = fmin(least, counts->of[HWC_PATTERN_SEQUENTIAL]);
    if (!hwc_audit_has(counts, HWC_PATTERN_RANDOM) || counts->of[HWC_PATTERN_HITS] > policy.hits)
        return HWC_PREFETCHED_NOT_TOLD;
    if (counts->has[HWC_PATTERN_PAGE_ENDS] && counts->of[HWC_PATTERN_PAGE_ENDS] < random * (1 - policy.walks))
        return HWC_PREFETCHED_IN;
    return least < policy.left_out * random ? HWC_PREFETCHED_OUT : HWC_PREFETCHED_NOT_TOLD;
}

void hwc_audit_judge(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                     const struct hwc_audit_levels *levels, struct hwc_audit_finding *finding)
{
    enum hwc_pattern pattern = claim->of != HWC_CLAIMS_NOTHING                 ? main_pattern(claim)
                               : hwc_audit_has(counts, HWC_PATTERN_RANDOM) ? HWC_PATTERN_RANDOM
                                                                   : HWC_PATTERN_WALKS;

    *finding = (struct hwc_audit_finding){
        .each = counts->has[pattern] ? counts->of[pattern] : 0,
        .prefetched = find_prefetched(counts),
        .loads = counts->of[HWC_PATTERN_RANDOM] >= policy.part,
        .stores = counts->of[HWC_PATTERN_STORES] >= policy.part,
        .fetches = counts->of[HWC_PATTERN_FETCHES] >= policy.part,
        .walks = has_walks(counts),
    };
    find_levels(counts, levels, finding);
    finding->verdict = judge(counts, claim, levels, finding);
}

void hwc_audit_compare(const struct hwc_audit_counts *counts, double least_sequential,
                       struct hwc_audit_finding *finding)
{
    if (finding->prefetched != HWC_PREFETCHED_NOT_TOLD || !hwc_audit_has(counts, HWC_PATTERN_SEQUENTIAL) ||
        least_sequential >= policy.left_out * counts->of[HWC_PATTERN_SEQUENTIAL])
        return;
    finding->prefetched = HWC_PREFETCHED_IN;
    if (finding->verdict == HWC_AUDIT_AS_NAMED)
        finding->verdict = HWC_AUDIT_PREFETCHES;
}
