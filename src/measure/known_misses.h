/* Counters held against references whose misses are known beforehand: a few lines that stay, and lines that miss. */
#ifndef HWC_KNOWN_MISSES_H
#define HWC_KNOWN_MISSES_H

#include "lab.h"

struct hwc_known_misses {
    struct hwc_lab *lab;
    struct hwc_arena arena;
    struct hwc_walk resident; /* hits, and once so many references of it are counted: */
    struct hwc_walk cold;     /* misses; laid out by the caller */
    bool steady;              /* the cold walk misses in its steady state, without a flush */
};

enum { HWC_RESIDENT_LINES = 8, HWC_RESIDENT_PASSES = 256, HWC_RESIDENT_REFERENCES = 2048 };

/* The least of each count; `most` is the greatest count of misses among the first samples / 2 + 1 samples. */
struct hwc_known_counts {
    double resident[2]; /* in HWC_RESIDENT_REFERENCES references, and in twice as many */
    double least, most;
};

/* Open an arena of so many bytes, with no cold lines yet. Close in any case. */
int hwc_known_open(struct hwc_known_misses *known, struct hwc_lab *lab, enum hwc_access access, uint64_t bytes,
                   enum hwc_pages pages, struct hwc_error *error);
void hwc_known_close(struct hwc_known_misses *known);

/* So many lines, or fewer where so much memory for each is not to be had. */
size_t hwc_affordable_lines(const struct hwc_lab *lab, size_t lines, uint64_t bytes_each);

/* Count both walks. Samples that were disturbed are taken again, several times. HWC_INCONCLUSIVE if all were;
 * HWC_UNAVAILABLE if the counter does not count. */
int hwc_count_known(struct hwc_known_misses *known, enum hwc_event event, struct hwc_known_counts *counts,
                    struct hwc_error *error);

/* What starting and reading the counter counts. */
double hwc_counting_overhead(const struct hwc_known_counts *counts);

#endif
