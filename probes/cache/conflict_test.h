/* The conflict test: do these lines stay in a level together, or is there one too
 * many, which evicts others? The level's meter answers. */
#ifndef HWC_CONFLICT_TEST_H
#define HWC_CONFLICT_TEST_H

#include "conflict.h"
#include "meter.h"

/* A line that does not fit costs at least one miss per pass under every policy
 * (ways + 1 under LRU, about 0.12 of that under random). */
#define CONFLICT_MISSES 0.5

struct hwc_conflict_test {
    struct hwc_lab *lab;
    const struct hwc_conflict_plan *plan;
    struct hwc_meter meter;
    uint64_t references;  /* played by the lab when the test began */
    uint64_t base;        /* offset of every line within its stride */
    uint64_t *candidates; /* plan->candidates lines, in the order to try them */
    uint64_t *kept;       /* the conflict-free set */
    uint64_t *asked;      /* room for the lines of one question */
    uint64_t *evictors;   /* room for its evictors */
    bool *competes;       /* by kept line: with the rejected line under test */
    size_t count;         /* of kept lines */
    size_t closing;       /* of which so many at the front end a pass that is asked of its last line alone */
    size_t groups_tried;  /* of the lines that are known to share a set (congruent_lines.h) */
    size_t padded;        /* a pass has so many references at least (meter.h) */
    bool one_at_a_time;   /* pages in random order, and a meter that reads one line: the search finds eviction sets */
    size_t evictor_count; /* per block; 0 = the levels above are not emptied */
    double conflict_misses; /* misses per pass of one line too many; set with the threshold */
    double threshold;       /* misses per pass above which lines conflict */
};

/* Close it even if opening fails. */
int hwc_open_conflict_test(struct hwc_conflict_test *test, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                           struct hwc_error *error);
void hwc_close_conflict_test(struct hwc_conflict_test *test);

/* Evictors compete with the lines in every level above (their distance is a
 * multiple of each period there) but not in this one (it is an odd multiple of
 * the longest period above, and this level's is at least twice as long).
 *
 * They come in one block, after the last line of a pass. After the block the
 * sets of the levels above hold evictors only, so every line that is still
 * cached is in this level, whatever the levels above kept during the pass and
 * whether or not they are included: one line too many costs a miss in every
 * pass. If half of the lines are moved into another set of the levels above, a
 * second block follows for that set. Returns the offset of the i-th evictor. */
static inline uint64_t hwc_evictor_at(const struct hwc_conflict_test *test, size_t i)
{
    return test->base + (2 * i + 1) * hwc_period_above(test->lab, test->plan->level);
}

/* Append one block of evictors to the walk. */
int hwc_append_evictors(const struct hwc_conflict_test *test, struct hwc_walk *walk, struct hwc_error *error);

/* Which of these is the line? `count` if none is. */
size_t hwc_place_among(uint64_t line, const uint64_t *lines, size_t count);

static inline bool hwc_is_among(uint64_t line, const uint64_t *lines, size_t count)
{
    return hwc_place_among(line, lines, count) < count;
}

/* How sure an answer must be. HWC_QUICKLY: one sample of a counter, as a false conflict costs one line of many. */
enum hwc_effort { HWC_QUICKLY, HWC_SURELY };

/* Do `count` lines conflict, with those marked in `moved` at an address XOR `flip`? `moved` may be NULL. *misses: the
 * approximate misses of a pass; NULL = not wanted. */
int hwc_ask(struct hwc_conflict_test *test, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            enum hwc_effort effort, enum hwc_side *side, double *misses, struct hwc_error *error);

static inline void hwc_exchange(uint64_t *one, uint64_t *other)
{
    uint64_t line = *one;

    *one = *other;
    *other = line;
}

/* Lines, the last of which is the target, and others that it is visited after for comparison. */
struct hwc_beside {
    const uint64_t *lines;
    size_t count;
    const uint64_t *control;
    size_t controls; /* without the target */
    size_t closing;  /* so many of the first lines of each come last, and empty the levels above; as many as there are
                        controls at most */
    double odds;     /* that an answer must have; 0 = as great as any question's */
    double late;     /* share of the readings in which the target is evicted at least, if at all; 0 = any */
    unsigned samples; /* AMP's number; 0 = as of any question */
};

/* For a meter that reads only the last line: do these lines evict it more often than the control does, which takes as many
 * references? All lines are taken at an address XOR `flip`. *pair: the readings. */
int hwc_ask_beside(struct hwc_conflict_test *test, const struct hwc_beside *beside, uint64_t flip,
                   struct hwc_late_pair *pair, enum hwc_side *side, struct hwc_error *error);

/* The same: do the first `count` kept lines evict the target more often than they do without the one at `at`? */
int hwc_ask_with_one(struct hwc_conflict_test *test, size_t count, uint64_t target, size_t at, uint64_t flip,
                     struct hwc_late_pair *pair, enum hwc_side *side, struct hwc_error *error);

/* Do the first `count` kept lines conflict, with those marked moved? HWC_INCONCLUSIVE if noise hides the answer. */
int hwc_ask_whether(struct hwc_conflict_test *test, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error);

/* For a meter that reads only the last line: the cycles that the last of the first `count` kept lines takes after the
 * others. */
int hwc_read_last(struct hwc_conflict_test *test, size_t count, double *cycles, struct hwc_error *error);

/* The same: how often is it late (hwc_meter_read_late)? */
int hwc_read_late(struct hwc_conflict_test *test, size_t count, bool of_hits, double *chance, struct hwc_error *error);

/* By the event that counts beside the clock, if one does: misses of a pass over the kept lines, of which so many
 * compete, and with the one more that does not fit. */
int hwc_count_beside(struct hwc_conflict_test *test, uint64_t rejected, size_t competitors,
                     struct hwc_walk_counts *counted, struct hwc_error *error);

/* The number of misses, not only the side of the threshold, of a pass over the first `count` kept lines, unmoved. */
int hwc_ask_how_many(struct hwc_conflict_test *test, size_t count, enum hwc_side *side, double *misses,
                     struct hwc_error *error);

/* A search over thousands of pages in random order takes seconds, and a vote repeats it eight times. If no budget says
 * that the user waits, a first trial may take this long, and a search of the vote twice as long, as others may prolong
 * it. Computed from the references played and the most that one takes, so that it does not depend on what else runs. */
#define HWC_SECONDS_TO_TRY 5.0

static inline double hwc_seconds_for(const struct hwc_machine *machine, uint64_t references)
{
    return (double)references * machine->reference_ns * 1e-9;
}

/* HWC_INCONCLUSIVE when interference has prolonged the run too much. HWC_UNAVAILABLE when a search over pages in random
 * order takes so many references that nobody would wait for eight such searches, and no budget says otherwise. */
int hwc_check_time(const struct hwc_conflict_test *test, struct hwc_error *error);

#endif
