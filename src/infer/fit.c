#include "fit.h"

#include <math.h>

#include "statistics.h"

/* By the clock: less of all references is noise, more is misses. */
#define SHARE 0.3
/* One thing more than fits makes so many more of them miss; or where next to none did, some do, and of two more SHARE. */
#define STEP 0.4
#define NEXT_TO_NONE 0.1
#define SOME 0.15

struct point {
    size_t count;
    double share; /* of its references that miss */
};

/* What fits need not come to rest in every order, from all that was there
 * before: under a tree whose halves are not alike, say. Set by set it does in
 * one order or another, and stays. What does not fit never does. */
#define ORDERS 24
#define ORDERS_IN_VAIN 3

static int ask_counter(const struct hwc_fit *fit, uint64_t stride, size_t count,
                       struct point *point, bool *fits, struct hwc_error *error)
{
    double fewest = INFINITY;
    int status = HWC_OK, in_vain = 0;

    *fits = false;
    for (int order = 0; status == HWC_OK && !*fits && order < ORDERS && in_vain < ORDERS_IN_VAIN; order++) {
        double misses = 0, references = 1;
        status = fit->misses(fit->context, stride, count, &misses, &references, error);
        in_vain = misses < fewest - 0.5 ? 0 : in_vain + 1;
        fewest = fmin(fewest, misses);
        *point = (struct point){count, fewest / references};
        *fits = misses < 0.5;
    }
    return status;
}

/* A share so near to SHARE is asked for in other orders: the median of three. */
#define NEAR 0.15

static int ask_clock(const struct hwc_fit *fit, uint64_t stride, size_t count,
                     struct point *point, bool *fits, struct hwc_error *error)
{
    double share[3];
    int status = HWC_OK, asked = 0;

    do {
        double misses = 0, references = 1;
        status = fit->misses(fit->context, stride, count, &misses, &references, error);
        share[asked++] = misses / references;
    } while (status == HWC_OK && asked < 3 && fabs(share[0] - SHARE) < NEAR);
    *point = (struct point){count, asked < 3 ? share[0] : hwc_median(share, 3)};
    *fits = point->share < SHARE;
    return status;
}

static int ask(const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *point,
               bool *fits, struct hwc_error *error)
{
    return (fit->counted ? ask_counter : ask_clock)(fit, stride, count, point, fits, error);
}

int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error)
{
    struct point point;

    return ask(fit, stride, count, &point, fits, error);
}

static size_t most_at(const struct hwc_fit *fit, uint64_t stride)
{
    uint64_t most = fit->most_bytes / stride;

    return most < fit->most ? (size_t)most : fit->most;
}

/* Between one number that fits and one that does not. */
static int close_in(const struct hwc_fit *fit, uint64_t stride, struct point *low,
                    struct point *high, struct hwc_error *error)
{
    int status = HWC_OK;

    while (status == HWC_OK && high->count > low->count + 1) {
        struct point point;
        bool fits;
        status = ask(fit, stride, low->count + (high->count - low->count) / 2, &point, &fits, error);
        *(fits ? low : high) = point;
    }
    return status;
}

int hwc_fit_count(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                  struct hwc_error *error)
{
    struct point low = {0, 0}, high = {0, 0};
    size_t most = most_at(fit, stride);
    int status = HWC_OK;

    for (size_t n = 1; status == HWC_OK && high.count == 0; n *= 2) {
        struct point point;
        bool fits = true;
        if (n > most)
            n = most;
        status = ask(fit, stride, n, &point, &fits, error);
        *(fits ? &low : &high) = point;
        if (fits && n == most)
            break;
    }
    if (status == HWC_OK)
        status = close_in(fit, stride, &low, &high, error);
    *count = high.count > 0 ? low.count : most + 1;
    return status;
}

static bool is_climb(const struct point *at, const struct point *beyond)
{
    return at->share < NEXT_TO_NONE && beyond->share >= SOME;
}

/* Under some policies what is one too many makes few miss, and passes for what fits: back to before the climb. */
static int go_back(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                   struct hwc_error *error)
{
    struct point at, before;
    bool fits;
    int status;

    if (fit->counted || *count <= 1)
        return HWC_OK;
    status = ask(fit, stride, *count, &at, &fits, error);
    if (status != HWC_OK || at.share < SOME)
        return status;
    status = ask(fit, stride, *count - 1, &before, &fits, error);
    if (status == HWC_OK && is_climb(&before, &at))
        --*count;
    return status;
}

/* By the clock: do things begin to miss in earnest with one more than `count`? */
static int check_climb(const struct hwc_fit *fit, uint64_t stride, const struct point *at,
                       const struct point *beyond, bool *climbs, struct hwc_error *error)
{
    struct point farther;
    bool begins = is_climb(at, beyond), fits;
    int status;

    *climbs = beyond->share - at->share >= STEP || (begins && beyond->share >= SHARE);
    if (*climbs || !begins)
        return HWC_OK;
    status = ask(fit, stride, at->count + 2, &farther, &fits, error);
    *climbs = status == HWC_OK && !fits;
    return status;
}

/* Do `count` fit, and no more? */
static int check_step(const struct hwc_fit *fit, uint64_t stride, size_t count,
                      struct hwc_error *error)
{
    struct point at, beyond;
    bool fits, more, steps;
    int status = ask(fit, stride, count, &at, &fits, error);

    if (status == HWC_OK)
        status = ask(fit, stride, count + 1, &beyond, &more, error);
    if (status != HWC_OK)
        return status;
    steps = fits && !more;
    if (!fit->counted && fits)
        status = check_climb(fit, stride, &at, &beyond, &steps, error);
    if (status == HWC_OK && !steps)
        return hwc_fail(error, HWC_UNAVAILABLE, "of things %llu bytes apart, %.0f %% of %zu miss and %.0f %% of one more",
                        (unsigned long long)stride, 100 * at.share, count, 100 * beyond.share);
    return status;
}

/* Do no more fit than `count`, or half as many again and more? Anything between is no number of ways. */
static int same_at(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *same,
                   struct hwc_error *error)
{
    bool fits;
    int status = hwc_fits(fit, stride, count + 1, &fits, error);

    *same = !fits;
    if (status != HWC_OK)
        return status;
    if (!fits)
        return HWC_OK;
    status = hwc_fits(fit, stride, count + (count + 1) / 2, &fits, error);
    if (status == HWC_OK && !fits)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit at twice %llu bytes, and few more at that", count,
                        (unsigned long long)stride);
    return status;
}

/* Sets need not be a power of two: then things an odd multiple of the period apart meet in fewer of them. */
static int check_multiples(const struct hwc_fit *fit, uint64_t period, size_t ways,
                           struct hwc_error *error)
{
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        bool fits;
        int status;
        if (period * odd * (ways + 1) > fit->most_bytes)
            return HWC_OK;
        status = hwc_fits(fit, period * odd, ways, &fits, error);
        if (status != HWC_OK)
            return status;
        if (!fits)
            return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, but fewer at %u times that: its sets are "
                            "no power of two", ways, (unsigned long long)period, odd);
    }
    return HWC_OK;
}

/* Up from a stride, while fewer fit further apart. *apart: do as many fit at twice the stride? Unless there is no room. */
static int go_up(const struct hwc_fit *fit, uint64_t most, uint64_t *stride, size_t *here,
                 bool *apart, struct hwc_error *error)
{
    int status = hwc_fit_count(fit, *stride, here, error);

    *apart = false;
    while (status == HWC_OK && *here > 1 && *stride * 2 <= most) {
        bool all = *here > most_at(fit, *stride); /* that can be tried; so there may be fewer at twice it, or not */
        if (!all && *here * *stride * 2 > fit->most_bytes)
            break;
        if (!all)
            status = hwc_fits(fit, *stride * 2, *here, apart, error);
        if (status != HWC_OK || *apart)
            break;
        *stride *= 2;
        status = hwc_fit_count(fit, *stride, here, error);
    }
    return status;
}

int hwc_fit_ways(const struct hwc_fit *fit, uint64_t least, uint64_t begin, uint64_t most,
                 size_t *ways, uint64_t *period, struct hwc_error *error)
{
    size_t here = 0;
    uint64_t stride = begin;
    bool same = true, apart;
    int status = go_up(fit, most, &stride, &here, &apart, error);

    if (status != HWC_OK)
        return status;
    if (here == 0 || here >= most_at(fit, stride))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu things %llu bytes apart do not show how many fit", here,
                        (unsigned long long)stride);
    /* As many as at the longest stride must fit at half of it, or still fewer may fit further apart. */
    if (here > 1 && !apart && stride / 2 >= least) {
        status = same_at(fit, stride / 2, here, &same, error);
        if (status == HWC_OK && !same)
            return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, and further apart perhaps still fewer", here,
                            (unsigned long long)stride);
    }
    /* Down, while no more fit nearer. */
    while (status == HWC_OK && same && stride / 2 >= least) {
        status = same_at(fit, stride / 2, here, &same, error);
        if (same)
            stride /= 2;
    }
    if (status == HWC_OK)
        status = go_back(fit, stride, &here, error);
    *ways = here;
    *period = stride;
    if (status == HWC_OK)
        status = check_step(fit, stride, here, error);
    return status == HWC_OK && stride > least ? check_multiples(fit, stride, here, error) : status;
}

int hwc_fit_parting(const struct hwc_fit *fit, uint64_t period, size_t count, uint64_t least,
                    uint64_t most, uint64_t *distance, struct hwc_error *error)
{
    bool parted = false;
    int status = HWC_OK;

    for (*distance = least; *distance < most; *distance *= 2) {
        fit->move(fit->context, *distance);
        status = hwc_fits(fit, period, count, &parted, error);
        if (status != HWC_OK || parted)
            break;
    }
    fit->move(fit->context, 0);
    return status;
}
