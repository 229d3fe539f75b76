#include "slower_code.h"

#include <math.h>

enum { APART = 1 }; /* readings that may say something else */

/* How much the fewest variables' time varies. The longest may have been disturbed. */
static double spread_of(const struct hwc_paced *readings, size_t count)
{
    double least = INFINITY, most = 0, second = 0;

    for (size_t i = 0; i < count; i++) {
        double fewest = readings[i].fewest;
        least = fmin(least, fewest);
        second = fmax(second, fmin(fewest, most));
        most = fmax(most, fewest);
    }
    return count < 3 ? most / least - 1 : second / least - 1;
}

/* In a turn of the loop one statement's time more is what its count may take, where the compiler keeps that in memory. A
 * variable that is kept there is used in every round over the variables: it makes code slower if that costs a statement's
 * time each. What lies between these bounds, and as near to them as times vary, is neither. */
static enum hwc_pace pace_of_one(const struct hwc_paced *reading, struct hwc_loop_size size, double spread)
{
    double more = reading->cycles / reading->fewest - 1;

    if (more < 1.0 / size.statements - spread)
        return HWC_AS_FAST;
    return more > 1.0 / size.variables + spread ? HWC_SLOWER : HWC_PACE_UNSURE;
}

static size_t count_of(const struct hwc_paced *readings, size_t count, struct hwc_loop_size size, enum hwc_pace pace)
{
    double spread = spread_of(readings, count);
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += pace_of_one(&readings[i], size, spread) == pace;
    return found;
}

bool hwc_paces_agree(const struct hwc_paced *readings, size_t count, struct hwc_loop_size size)
{
    return count_of(readings, count, size, HWC_AS_FAST) == count ||
           count_of(readings, count, size, HWC_SLOWER) == count;
}

enum hwc_pace hwc_pace_of(const struct hwc_paced *readings, size_t count, struct hwc_loop_size size)
{
    size_t apart = count > (size_t)3 * APART ? APART : 0;

    if (count_of(readings, count, size, HWC_AS_FAST) + apart >= count)
        return HWC_AS_FAST;
    return count_of(readings, count, size, HWC_SLOWER) + apart >= count ? HWC_SLOWER : HWC_PACE_UNSURE;
}

/* What was timed, by the fewest that is not as fast. */
struct seen {
    unsigned fast;     /* the last before that one that is; 0 = none */
    unsigned pair;     /* the last before it that is, as is the one before */
    unsigned not_fast; /* 0 = all are */
    unsigned slower;   /* the fewest that is slower; 0 = none */
    unsigned last;     /* timed; 0 = none */
    bool one_step;     /* none beyond those that are not as fast is as fast again */
};

static struct seen look(const struct hwc_paces *paces)
{
    const enum hwc_pace *of = paces->of;
    struct seen seen = {.one_step = true};

    for (unsigned n = HWC_FEWEST_VARIABLES; n <= HWC_MOST_VARIABLES; n++) {
        if (of[n] == HWC_NOT_TIMED)
            continue;
        seen.last = n;
        if (of[n] == HWC_SLOWER && seen.slower == 0)
            seen.slower = n;
        if (seen.not_fast > 0)
            seen.one_step = seen.one_step && of[n] != HWC_AS_FAST;
        else if (of[n] == HWC_AS_FAST)
            seen.fast = n;
        else
            seen.not_fast = n;
        if (seen.fast == n && of[n - 1] == HWC_AS_FAST)
            seen.pair = n;
    }
    return seen;
}

/* Numbers from `from` on and before `to`, but no more than `most`. Returns how many that makes it, with `count`. */
static size_t add_untimed(const struct hwc_paces *paces, unsigned from, unsigned to, size_t most, size_t count,
                          unsigned *next)
{
    for (unsigned n = from; n < to && n <= HWC_MOST_VARIABLES && count < most; n++)
        if (paces->of[n] == HWC_NOT_TIMED)
            next[count++] = n;
    return count;
}

/* Numbers double, as in the paper, each with its neighbour. */
static size_t next_doubled(const struct hwc_paces *paces, const struct seen *seen, unsigned *next)
{
    unsigned first = seen->last == 0 ? HWC_FEWEST_VARIABLES : 2 * (seen->last - 1);

    if (seen->last == HWC_MOST_VARIABLES)
        return 0;
    first = first > HWC_MOST_VARIABLES ? HWC_MOST_VARIABLES : first;
    return add_untimed(paces, first, first + 2, 2, 0, next);
}

/* Where those that are as fast end. A step has two on each side that say so; the interval before one is halved. Where it
 * is none, all numbers count. */
static size_t next_at_end(const struct hwc_paces *paces, const struct seen *seen, unsigned *next)
{
    unsigned end = seen->not_fast, middle = (seen->pair + end) / 2;

    if (!seen->one_step)
        return add_untimed(paces, seen->pair + 1, end, HWC_NEXT_VARIABLES, 0, next);
    if (paces->of[end - 1] != HWC_AS_FAST && end - seen->pair > 1)
        return add_untimed(paces, middle, end < middle + 2 ? end : middle + 2, 2, 0, next);
    return add_untimed(paces, end + 1, end + 2, 2, add_untimed(paces, end - 2, end, 2, 0, next), next);
}

/* Where not even the fewest are as fast as they are, times vary too much. */
size_t hwc_next_variables(const struct hwc_paces *paces, unsigned next[HWC_NEXT_VARIABLES])
{
    const struct seen seen = look(paces);
    size_t count = 0;

    if (seen.not_fast > 0 && seen.pair == 0)
        return 0;
    if (seen.slower == 0)
        count = next_doubled(paces, &seen, next);
    if (count == 0 && seen.not_fast > 0)
        count = next_at_end(paces, &seen, next);
    return count == 0 && seen.slower > 0 ? add_untimed(paces, seen.not_fast, seen.slower, 2, 0, next) : count;
}

struct hwc_fast_variables hwc_fast_variables(const struct hwc_paces *paces)
{
    const struct seen seen = look(paces);

    return (struct hwc_fast_variables){.low = seen.fast, .high = seen.slower > 0 ? seen.slower - 1 : 0};
}
