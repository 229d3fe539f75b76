#include "conflict_free_set.h"

#include <string.h>

/* More lines than twice the capacity that the latency curve allows: a conflicting
 * line was let in. The bytes of the lines are compared, not their span: with a
 * hashed index, lines one page apart may use every set. */
static bool is_too_large(const struct hwc_conflict_test *test)
{
    uint64_t most = 2 * hwc_most_rough(&test->lab->known->level[test->plan->level]);

    /* If the stride exceeds the period, the number of lines says nothing about the size. */
    return test->plan->stride <= test->lab->machine->page_bytes && most > 0 &&
           test->count * test->lab->known->level[1].line_bytes > most;
}

static int check_sense(const struct hwc_conflict_test *test, struct hwc_error *error)
{
    if (is_too_large(test))
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines %llu bytes apart fit, more than footprints speak for",
                        test->count, (unsigned long long)test->plan->stride);
    return hwc_check_time(test, error);
}

/* A line that straddles the threshold is neither kept nor counted as rejected. */
static void reject(uint64_t line, enum hwc_side side, double misses, struct hwc_rejected *rejected)
{
    if (side != HWC_ABOVE)
        return;
    if (rejected->count++ == 0 || misses > rejected->misses) {
        rejected->line = line;
        rejected->misses = misses;
    }
    rejected->last = line;
}

/* A meter that reads only the last line says nothing about those before it. */
static size_t next_batch(const struct hwc_conflict_test *test, size_t batch)
{
    return test->meter.ops->of_last ? 1 : 2 * batch;
}

int hwc_extend_conflict_free_set(struct hwc_conflict_test *test, const uint64_t *candidates, size_t available,
                                 size_t patience, size_t enough, size_t *used, struct hwc_rejected *rejected,
                                 struct hwc_error *error)
{
    size_t batch = 1, in_a_row = 0;

    while (*used < available && in_a_row < patience && rejected->count < enough) {
        enum hwc_side side;
        double misses;
        TRY(check_sense(test, error));
        if (batch > available - *used)
            batch = available - *used;
        memcpy(test->kept + test->count, candidates + *used, batch * sizeof *candidates);
        TRY(hwc_ask(test, test->kept, test->count + batch, NULL, 0, HWC_QUICKLY, &side, &misses, error));
        if (side == HWC_BELOW) {
            test->count += batch;
            *used += batch;
            batch = next_batch(test, batch);
            in_a_row = 0;
        } else if (batch > 1) {
            batch /= 2;
        } else {
            reject(candidates[(*used)++], side, misses, rejected);
            in_a_row++;
        }
    }
    return HWC_OK;
}
