#include "eviction_set.h"

#include <math.h>
#include <string.h>

static const struct {
    size_t most; /* straws (lines found): a wrong one shows at the next, and the prefix then grows again */
    double slower; /* a farther level takes at least 1.5 times as long (X-Ray 4.1.1) */
} policy = {.most = 96, .slower = 1.5};

struct straws {
    struct hwc_conflict_test *test;
    uint64_t line;    /* the target */
    size_t fillers;   /* at the front of the kept lines */
    size_t found;     /* lines of the set, behind the fillers */
    size_t reach;     /* so many kept lines evict the target */
    size_t looked_at; /* the largest `reach` so far */
    size_t available; /* kept lines in all */
};

/* Put the target behind the first `count` kept lines; return the line that was there. */
static uint64_t put_behind(const struct straws *straws, size_t count)
{
    uint64_t behind = straws->test->kept[count];

    straws->test->kept[count] = straws->line;
    return behind;
}

/* Do the first `count` kept lines evict the target? */
static int put_out(const struct straws *straws, size_t count, enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_conflict_test *test = straws->test;
    uint64_t behind = put_behind(straws, count);
    int status = hwc_check_time(test, error);

    if (status == HWC_OK)
        status = hwc_ask(test, test->kept, count + 1, NULL, 0, HWC_SURELY, side, NULL, error);
    test->kept[count] = behind;
    return status;
}

/* How many cycles does the target take after the first `count` kept lines? */
static int take_after(const struct straws *straws, size_t count, double *cycles, struct hwc_error *error)
{
    uint64_t behind = put_behind(straws, count);
    int status = hwc_check_time(straws->test, error);

    if (status == HWC_OK)
        status = hwc_read_last(straws->test, count + 1, cycles, error);
    straws->test->kept[count] = behind;
    return status;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;

    *a = *b;
    *b = kept;
}

static int reach_farther(struct straws *straws, size_t reach, struct hwc_error *error)
{
    if (straws->reach == straws->available)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines at one place of their pages do not put one more out",
                        straws->reach);
    straws->reach = reach < straws->available ? reach : straws->available;
    if (straws->reach > straws->looked_at)
        straws->looked_at = straws->reach;
    return HWC_OK;
}

/* Half of the level's capacity by the latency curve, in lines at one place of their pages: enough that translation
 * costs the same as with all lines. */
static size_t lines_that_stay(const struct straws *straws)
{
    const struct hwc_conflict_plan *plan = straws->test->plan;
    size_t lines = (size_t)(straws->test->lab->known->level[plan->level].rough_low / plan->stride / 2);

    return lines > straws->fillers ? lines : straws->fillers;
}

/* Add a quarter more lines at a time, until the target takes longer than before. */
static int reach_step(struct straws *straws, double *stayed, struct hwc_error *error)
{
    double after = 0;

    for (;;) {
        TRY(reach_farther(straws, straws->reach + straws->reach / 4 + 1, error));
        TRY(take_after(straws, straws->reach, &after, error));
        if (after >= policy.slower * *stayed)
            return HWC_OK;
        *stayed = fmax(*stayed, after);
    }
}

/* Find how many lines make the target take longer than after lines that leave it cached, and still do with a quarter
 * more; with twice as many, the next level might not keep it either. The times before and after become the meter's hit
 * and miss cycles. The miss is the lesser of the time read and what the latency curve gives, as the next level may be
 * one that the curve did not show, or memory here where the curve showed a level. */
static int calibrate(struct straws *straws, struct hwc_error *error)
{
    struct hwc_meter *meter = &straws->test->meter;
    double stayed = 0, after = 0;

    TRY(reach_farther(straws, lines_that_stay(straws), error));
    TRY(take_after(straws, straws->reach, &stayed, error));
    do {
        TRY(reach_step(straws, &stayed, error));
        TRY(reach_farther(straws, straws->reach + straws->reach / 4, error));
        TRY(take_after(straws, straws->reach, &after, error));
    } while (after < policy.slower * stayed);
    meter->hit_cycles = stayed;
    meter->miss_cycles = fmin(after, stayed + meter->miss_cycles - meter->witness->hit_cycles);
    return HWC_OK;
}

/* Add a quarter more lines at a time, until they evict the target. */
static int grow(struct straws *straws, struct hwc_error *error)
{
    enum hwc_side side = HWC_STRADDLES;

    while (side != HWC_ABOVE) {
        TRY(reach_farther(straws, straws->reach + straws->reach / 4 + 1, error));
        TRY(put_out(straws, straws->reach, &side, error));
    }
    return HWC_OK;
}

/* Halve the fillers until they leave the target in this level. */
static int spare_fillers(struct straws *straws, struct hwc_error *error)
{
    size_t ways = hwc_ways_above(straws->test->lab, straws->test->plan->level);

    for (; straws->fillers > ways; straws->fillers /= 2) {
        enum hwc_side side;
        TRY(put_out(straws, straws->fillers, &side, error));
        if (side == HWC_BELOW)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "what empties the levels above puts lines out of this one, too");
}

/* Find the shortest prefix that evicts the target: its last line is one of the set. */
static int find_straw(struct straws *straws, struct hwc_error *error)
{
    size_t low = straws->fillers + straws->found, high = straws->reach;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        enum hwc_side side;
        TRY(put_out(straws, middle, &side, error));
        if (side == HWC_ABOVE)
            high = middle;
        else
            low = middle;
    }
    straws->reach = high;
    swap(&straws->test->kept[straws->fillers + straws->found++], &straws->test->kept[high - 1]);
    return HWC_OK;
}

/* Do the lines found evict the target alone? If not, the prefix must still do so, or grow. */
static int look_again(struct straws *straws, bool *done, struct hwc_error *error)
{
    enum hwc_side side;

    TRY(put_out(straws, straws->fillers + straws->found, &side, error));
    *done = side == HWC_ABOVE;
    if (*done)
        return HWC_OK;
    if (straws->reach > straws->fillers + straws->found)
        TRY(put_out(straws, straws->reach, &side, error));
    if (side == HWC_ABOVE)
        return HWC_OK;
    return grow(straws, error);
}

static int gather(struct straws *straws, struct hwc_error *error)
{
    bool done = false;

    while (!done) {
        if (straws->found == policy.most)
            return hwc_fail(error, HWC_INCONCLUSIVE, "no %zu lines put one more out, but many others do", policy.most);
        TRY(find_straw(straws, error));
        TRY(look_again(straws, &done, error));
    }
    return HWC_OK;
}

/* Do the first `count` kept lines without the one at `at` still evict the target? */
static int without(struct straws *straws, size_t at, size_t count, enum hwc_side *side, struct hwc_error *error)
{
    uint64_t *kept = straws->test->kept;
    int status;

    swap(&kept[at], &kept[count - 1]);
    status = put_out(straws, count - 1, side, error);
    swap(&kept[at], &kept[count - 1]);
    return status;
}

/* Drop lines that a wrong answer added: the others evict the target without them. */
static int prune(struct straws *straws, struct hwc_error *error)
{
    uint64_t *kept = straws->test->kept;

    for (size_t i = straws->found; i-- > 0;) {
        size_t count = straws->fillers + straws->found;
        enum hwc_side side;
        TRY(without(straws, straws->fillers + i, count, &side, error));
        if (side != HWC_ABOVE)
            continue;
        swap(&kept[straws->fillers + i], &kept[count - 1]);
        straws->found--;
    }
    return HWC_OK;
}

/* Policies may leave it to chance whether the set evicts the target: the meter's threshold becomes half of the share of
 * readings in which it does. */
static int know_share(struct straws *straws, struct hwc_error *error)
{
    struct hwc_conflict_test *test = straws->test;
    double share = 0;
    enum hwc_side side;

    test->count = straws->fillers + straws->found;
    test->kept[test->count] = straws->line;
    TRY(hwc_ask(test, test->kept, test->count + 1, NULL, 0, HWC_SURELY, &side, &share, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
    test->meter.put_out = share / 2;
    return HWC_OK;
}

/* Mark the kept lines, fillers included, whose removal lets the target stay. */
static int mark(struct straws *straws, size_t *competitors, struct hwc_error *error)
{
    struct hwc_conflict_test *test = straws->test;

    *competitors = 0;
    for (size_t i = 0; i < test->count; i++) {
        enum hwc_side side;
        TRY(without(straws, i, test->count, &side, error));
        if (side == HWC_STRADDLES || (side == HWC_ABOVE && i >= straws->fillers))
            return hwc_fail(error, HWC_INCONCLUSIVE, "whether one of %zu lines shares a set cannot be told from the "
                            "noise", test->count);
        test->competes[i] = side == HWC_BELOW;
        *competitors += test->competes[i];
    }
    return HWC_OK;
}

int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *used, size_t *competitors, struct hwc_error *error)
{
    struct straws straws = {
        .test = test, .line = test->candidates[0], .available = test->plan->candidates - 1};

    memcpy(test->kept, test->candidates + 1, straws.available * sizeof *test->kept);
    straws.fillers = 2 * hwc_ways_above(test->lab, test->plan->level) + 2;
    if (straws.fillers > straws.available)
        return hwc_fail(error, HWC_INCONCLUSIVE, "too few lines to choose from");
    TRY(calibrate(&straws, error));
    TRY(spare_fillers(&straws, error));
    TRY(gather(&straws, error));
    *used = 1 + straws.looked_at;
    TRY(prune(&straws, error));
    TRY(know_share(&straws, error));
    return mark(&straws, competitors, error);
}
