/* The conflict test: do so many lines stay in a level together, or does one more
 * than fits put others out? Asked of the level's meter, which says who answers. */
#ifndef HWC_CONFLICT_TEST_H
#define HWC_CONFLICT_TEST_H

#include "conflict.h"
#include "meter.h"

/* A line that does not fit costs at least one miss a pass under every policy
 * (about 0.12 of ways + 1 under random, all of them under LRU). */
#define CONFLICT_MISSES 0.5

struct hwc_conflict_test {
    struct hwc_lab *lab;
    const struct hwc_conflict_plan *plan;
    struct hwc_meter meter;
    uint64_t references;  /* that the lab had played when it began */
    uint64_t base;        /* offset of every line within its stride */
    uint64_t *candidates; /* plan->candidates of them, to be drawn */
    uint64_t *kept;       /* the conflict-free set */
    uint64_t *asked;      /* room for the lines of one question */
    uint64_t *evictors;   /* room for their evictors */
    bool *competes;       /* by kept line: with the rejected line that was looked into */
    size_t count;         /* of kept lines */
    bool one_at_a_time;   /* pages lie at random, and the meter looks at one line: sets are found by what evicts it */
    size_t evictor_count; /* of a block of them; 0 = the levels above are not emptied */
    double conflict_misses; /* what one line more than fits costs a pass; set with the threshold */
    double threshold;       /* misses a pass from which on lines conflict */
};

/* Close in any case. */
int hwc_open_conflict_test(struct hwc_conflict_test *test, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                           struct hwc_error *error);
void hwc_close_conflict_test(struct hwc_conflict_test *test);

/* Evictors compete with the lines in every level above (their distance is a
 * multiple of each period) but not in this one (an odd multiple of the longest
 * period above, and this level's is at least twice as long).
 *
 * They come in one block, after the last line of a pass. Behind the block the
 * levels above hold evictors only, so every line that is still cached is at
 * home here, whatever the levels above kept of the lines meanwhile and whether
 * or not they are included: one line more than fits costs a miss in every
 * pass. Where half of the lines are moved into another set of the levels
 * above, a second block follows them. Where the i-th of a block lies: */
static inline uint64_t hwc_evictor_at(const struct hwc_conflict_test *test, size_t i)
{
    return test->base + (2 * i + 1) * hwc_period_above(test->lab, test->plan->level);
}

/* A walk over one block of them. */
int hwc_append_evictors(const struct hwc_conflict_test *test, struct hwc_walk *walk, struct hwc_error *error);

/* Is the line one of these? */
bool hwc_is_among(uint64_t line, const uint64_t *lines, size_t count);

/* How much is asked of an answer: few samples where a wrong "they conflict" only costs a line of many. */
enum hwc_effort { HWC_QUICKLY, HWC_SURELY };

/* Do `count` lines, those marked moved by `flip`, conflict? `moved` may be NULL. *misses: what a pass misses, about;
 * NULL = not wanted. */
int hwc_ask(struct hwc_conflict_test *test, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            enum hwc_effort effort, enum hwc_side *side, double *misses, struct hwc_error *error);

/* Do the first `count` of the kept lines, those marked moved, conflict? HWC_INCONCLUSIVE where that does not show. */
int hwc_ask_whether(struct hwc_conflict_test *test, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error);

/* For a meter that asks about the last line alone: what the last of the first `count` kept lines takes after the
 * others. */
int hwc_read_last(struct hwc_conflict_test *test, size_t count, double *cycles, struct hwc_error *error);

/* Misses of a pass over the first `count` kept lines, as they are: not only on which side of the threshold. */
int hwc_ask_how_many(struct hwc_conflict_test *test, size_t count, enum hwc_side *side, double *misses,
                     struct hwc_error *error);

/* Thousands of pages in random order take seconds to try once, and a vote tries them eight times. So long a first trial
 * may take where no budget says that the user waits, and a search of the vote twice as long: others may make it longer.
 * By the references played and what one takes at most, so that the answer does not hang on what else runs here. */
#define HWC_SECONDS_TO_TRY 5.0

static inline double hwc_seconds_for(const struct hwc_machine *machine, uint64_t references)
{
    return (double)references * machine->reference_ns * 1e-9;
}

/* HWC_INCONCLUSIVE when others have kept a search going for too long, HWC_UNAVAILABLE when it takes more references
 * than anybody would wait for eight of, and no budget says otherwise. */
int hwc_check_time(const struct hwc_conflict_test *test, struct hwc_error *error);

#endif
