/* The verdict on a counter: what it counts, by what it counted for references whose misses are known beforehand, and
 * whether that is what its name says. Pure. */
#ifndef HWC_AUDIT_H
#define HWC_AUDIT_H

#include "claim.h"
#include "rises.h"

/* References that a counter is held against. All but hits miss every cache; those that are not walks are on pages that
 * the TLB holds. */
enum hwc_pattern {
    HWC_PATTERN_HITS,         /* loads of a few lines that stay */
    HWC_PATTERN_RANDOM,       /* loads in random order, far apart */
    HWC_PATTERN_STRIDED,      /* loads of every fourth line */
    HWC_PATTERN_SEQUENTIAL,   /* loads of line after line */
    HWC_PATTERN_STORE_HITS,
    HWC_PATTERN_STORES,       /* stores in random order */
    HWC_PATTERN_WALKS,        /* loads in random order, each on another page, of more pages than a TLB holds */
    HWC_PATTERN_FETCHES,      /* jumps in random order */
    HWC_PATTERN_CODE_WALKS,   /* jumps in random order, each to another page */
    HWC_PATTERN_PAGE_ENDS,    /* loads of the last lines of pages, where prefetchers stop */
    HWC_PATTERNS
};

const char *hwc_pattern_name(enum hwc_pattern pattern);

/* What a walk was made to outgrow, to see where counts rise. */
enum hwc_outgrown { HWC_OUTGREW_NOTHING, HWC_OUTGREW_DATA, HWC_OUTGREW_PAGES, HWC_OUTGREW_CODE, HWC_OUTGREW_CODE_PAGES };

static inline bool hwc_outgrew_pages(enum hwc_outgrown outgrown)
{
    return outgrown == HWC_OUTGREW_PAGES || outgrown == HWC_OUTGREW_CODE_PAGES;
}

static inline bool hwc_outgrew_code(enum hwc_outgrown outgrown)
{
    return outgrown == HWC_OUTGREW_CODE || outgrown == HWC_OUTGREW_CODE_PAGES;
}

struct hwc_audit_counts {
    bool has[HWC_PATTERNS];
    double of[HWC_PATTERNS]; /* counts of a reference */
    enum hwc_outgrown outgrown;
    double largest; /* walk: bytes, or pages; 0 = it was not measured so far */
    unsigned rises;
    struct hwc_rise rise[HWC_MOST_RISES];
};

enum { HWC_MOST_AUDIT_LEVELS = 6 };

/* Where levels end, ascending. */
struct hwc_audit_ends {
    unsigned levels;
    double end[HWC_MOST_AUDIT_LEVELS];
};

/* Of data caches in bytes, by the clock or else by where all counters rise; of data TLBs in pages, by the counters. */
struct hwc_audit_levels {
    bool by_clock;
    struct hwc_audit_ends caches, tlbs;
};

enum hwc_audit_verdict {
    HWC_AUDIT_ABSENT, /* it cannot be counted */
    HWC_AUDIT_AS_NAMED,
    HWC_AUDIT_UNNAMED, /* its name says nothing that could be tested */
    HWC_AUDIT_OTHER_LEVEL,
    HWC_AUDIT_SUMS_LEVELS,
    HWC_AUDIT_PREFETCHES,
    HWC_AUDIT_WALKS,
    HWC_AUDIT_OVER,
    HWC_AUDIT_UNDER,
    HWC_AUDIT_HITS,
    HWC_AUDIT_OTHER_REFERENCES,
    HWC_AUDIT_DEAD,
    HWC_AUDIT_UNCLEAR,
    HWC_AUDIT_VERDICTS
};

/* As JSON and CSV have it: "other_level". */
const char *hwc_audit_verdict_name(enum hwc_audit_verdict verdict);

/* Are prefetched lines in the counts, left out, or does none of the walks tell? */
enum hwc_prefetched { HWC_PREFETCHED_NOT_TOLD, HWC_PREFETCHED_IN, HWC_PREFETCHED_OUT };

struct hwc_audit_finding {
    enum hwc_audit_verdict verdict;
    unsigned level[HWC_MOST_RISES];  /* of caches or TLBs, for each rise: 0 = none of those that are known */
    double each;                     /* counts of a reference that it is meant to count */
    enum hwc_prefetched prefetched;
    bool loads, stores, fetches, walks; /* are they in the counts? walks: a page walk's lines, or the walks themselves */
};

void hwc_audit_judge(const struct hwc_audit_counts *counts, const struct hwc_claim *claim,
                     const struct hwc_audit_levels *levels, struct hwc_audit_finding *finding);

/* Another counter of the same level counts `least_sequential` of a sequential reference: does it leave out what this one
 * counts? Then this one's finding on prefetched lines says so, and its verdict. */
void hwc_audit_compare(const struct hwc_audit_counts *counts, double least_sequential,
                       struct hwc_audit_finding *finding);

/* Where levels of caches or TLBs end, by where counters rise: gathered from each of them that outgrew such. */
void hwc_audit_gather(const struct hwc_audit_counts *counts, enum hwc_outgrown outgrown,
                      struct hwc_rise_points *gathered);
void hwc_audit_ends_of(const struct hwc_rise_points *gathered, struct hwc_audit_ends *ends);

/* Does the counter count this pattern at all? */
bool hwc_audit_has(const struct hwc_audit_counts *counts, enum hwc_pattern pattern);

#endif
