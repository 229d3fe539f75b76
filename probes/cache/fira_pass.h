/* Forward initialisation and reverse access (FIRA) on a machine: run after run on fresh pages, what each phase of the
 * reverse access misses at each level, and what a reference of it takes. */
#ifndef HWC_FIRA_PASS_H
#define HWC_FIRA_PASS_H

#include "lab.h"

/* As many phases as a sample has readings: one for each level, from the first, and one beyond all. */
enum { HWC_FIRA_PHASES = HWC_MAX_READINGS, HWC_FIRA_RUNS = 64 };

/* How the reverse access goes from line to line. */
enum hwc_fira_order {
    HWC_FIRA_ONE_LINE, /* as the paper has it: back by one line at a time, and at random beyond the last level */
    HWC_FIRA_RANDOM,   /* at random in groups of a few pages, in descending order: for prefetchers of any level */
    HWC_FIRA_ORDERS
};

struct hwc_fira_plan {
    unsigned levels; /* whose lines the array exceeds */
    unsigned phases; /* levels, or one more */
    uint64_t line_bytes;                    /* from one line to the next: what a miss of any of the levels brings */
    uint64_t bytes[HWC_FIRA_PHASES + 1];    /* phase i begins so many bytes before the end, and ends at bytes[i + 1] */
    enum hwc_fira_order order;
    unsigned count_runs, time_runs;
    double seconds; /* on a live machine, no run begins later than so long after the first */
    double overhead[HWC_MAX_CACHE_LEVEL + 1]; /* of a count, by level */
};

struct hwc_fira_result {
    bool contiguous[HWC_MAX_CACHE_LEVEL + 1]; /* by level: were its sets, as far as pages go, filled evenly? */
    bool counted[HWC_MAX_CACHE_LEVEL + 1];
    double misses[HWC_MAX_CACHE_LEVEL + 1][HWC_FIRA_PHASES]; /* of the level in the phase; the mean of the runs */
    /* Those in the level's own phase after several passes over lines that fit: to begin to count, and others, put lines
     * out, whatever the policy. */
    double control[HWC_MAX_CACHE_LEVEL + 1];
    unsigned runs; /* timed */
    double cycles[HWC_FIRA_PHASES][HWC_FIRA_RUNS]; /* a reference of the phase, translation left out */
    bool control_timed[HWC_MAX_CACHE_LEVEL + 1];
    double control_cycles[HWC_MAX_CACHE_LEVEL + 1][HWC_FIRA_RUNS]; /* the same of the level's own phase after several
                                                                      passes over lines that fit */
};

/* Lines of a phase. */
size_t hwc_fira_lines(const struct hwc_fira_plan *plan, unsigned phase);

/* May return HWC_NO_MEMORY or HWC_UNAVAILABLE where the array is too large for the machine. */
int hwc_fira_play(struct hwc_lab *lab, const struct hwc_fira_plan *plan, struct hwc_fira_result *result,
                  struct hwc_error *error);

#endif
