#include "fit.h"

const struct hwc_fit_shares hwc_fit_shares = {.none = 0.1, .some = 0.15, .many = 0.3};

struct point {
    size_t count;
    double share; /* miss share */
    enum hwc_side side;
};

static bool fits_at(const struct point *point)
{
    return point->side == HWC_BELOW;
}

static int ask(const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *point, struct hwc_error *error)
{
    struct hwc_estimate share = {0};
    enum hwc_side side = HWC_STRADDLES;
    int status = fit->ask(fit->context, stride, count, &share, &side, error);

    *point = (struct point){count, share.value, side};
    return status;
}

int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error)
{
    struct point point;
    int status = ask(fit, stride, count, &point, error);

    *fits = status == HWC_OK && fits_at(&point);
    return status;
}

static size_t most_at(const struct hwc_fit *fit, uint64_t stride)
{
    uint64_t most = fit->most_bytes / stride;

    return most < fit->most ? (size_t)most : fit->most;
}

/* Bisect between a number that fits and one that does not. */
static int close_in(const struct hwc_fit *fit, uint64_t stride, struct point *low,
                    struct point *high, struct hwc_error *error)
{
    while (high->count > low->count + 1) {
        struct point point;
        TRY(ask(fit, stride, low->count + (high->count - low->count) / 2, &point, error));
        *(fits_at(&point) ? low : high) = point;
    }
    return HWC_OK;
}

int hwc_fit_count(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                  struct hwc_error *error)
{
    struct point low = {0}, high = {0};
    size_t most = most_at(fit, stride);

    for (size_t n = 1; high.count == 0 && low.count < most; n *= 2) {
        struct point point;
        TRY(ask(fit, stride, n < most ? n : most, &point, error));
        *(fits_at(&point) ? &low : &high) = point;
    }
    if (high.count == 0) {
        *count = most + 1;
        return HWC_OK;
    }
    TRY(close_in(fit, stride, &low, &high, error));
    *count = low.count;
    return HWC_OK;
}

/* Does the miss share rise from next to none to some? */
static bool climbs(const struct point *at, const struct point *beyond)
{
    return at->share < hwc_fit_shares.none && beyond->share >= hwc_fit_shares.some;
}

/* Is there a step from what fits to one thing more? If one more makes only some miss, two more must show it. */
static int check_step(const struct hwc_fit *fit, uint64_t stride, const struct point *at, const struct point *beyond,
                      struct hwc_error *error)
{
    bool much = beyond->share - at->share >= hwc_fit_shares.many + hwc_fit_shares.none;
    bool begins = at->share < hwc_fit_shares.none, steps = beyond->side == HWC_ABOVE && (much || begins);
    struct point farther = *beyond;
    bool open;

    if (!steps && climbs(at, beyond)) {
        TRY(ask(fit, stride, at->count + 2, &farther, error));
        steps = farther.side == HWC_ABOVE;
    }
    if (fits_at(at) && steps)
        return HWC_OK;
    open = at->side == HWC_STRADDLES || farther.side == HWC_STRADDLES;
    return hwc_fail(error, open ? HWC_INCONCLUSIVE : HWC_UNAVAILABLE,
                    "of things %llu bytes apart, %.0f %% of %zu miss and %.0f %% of one more",
                    (unsigned long long)stride, 100 * at->share, at->count, 100 * beyond->share);
}

/* Do `count` things fit, and no more? Under some policies one too many makes only few miss, which the clock takes for a
 * fit: then the step is one thing earlier. */
static int settle_step(const struct hwc_fit *fit, uint64_t stride, size_t *count, struct hwc_error *error)
{
    struct point at, before = {0}, beyond;

    TRY(ask(fit, stride, *count, &at, error));
    if (*count > 1 && at.share >= hwc_fit_shares.some)
        TRY(ask(fit, stride, *count - 1, &before, error));
    if (before.count > 0 && climbs(&before, &at)) {
        *count = before.count;
        return check_step(fit, stride, &before, &at, error);
    }
    TRY(ask(fit, stride, *count + 1, &beyond, error));
    return check_step(fit, stride, &at, &beyond, error);
}

/* Do no more than `count` fit, or at least half as many again? A set shows no number in between. */
static int same_at(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *same,
                   struct hwc_error *error)
{
    bool fits;

    TRY(hwc_fits(fit, stride, count + 1, &fits, error));
    *same = !fits;
    if (!fits)
        return HWC_OK;
    TRY(hwc_fits(fit, stride, count + (count + 1) / 2, &fits, error));
    if (!fits)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit at twice %llu bytes, and few more at that", count,
                        (unsigned long long)stride);
    return HWC_OK;
}

/* If the number of sets is not a power of two, things an odd multiple of the period apart may share fewer of them. */
static int check_multiples(const struct hwc_fit *fit, uint64_t period, size_t ways,
                           struct hwc_error *error)
{
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        bool fits;
        if (period * odd * (ways + 1) > fit->most_bytes)
            return HWC_OK;
        TRY(hwc_fits(fit, period * odd, ways, &fits, error));
        if (!fits)
            return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, but fewer at %u times that: its sets "
                            "are no power of two", ways, (unsigned long long)period, odd);
    }
    return HWC_OK;
}

/* Double the stride while fewer things fit further apart. *apart: do as many fit at twice the stride? False if there is
 * no room to ask. */
static int go_up(const struct hwc_fit *fit, uint64_t most, uint64_t *stride, size_t *here,
                 bool *apart, struct hwc_error *error)
{
    *apart = false;
    TRY(hwc_fit_count(fit, *stride, here, error));
    while (*here > 1 && *stride * 2 <= most) {
        bool all = *here > most_at(fit, *stride); /* that can be tried fit: at twice the stride, fewer may */
        if (!all && *here * *stride * 2 > fit->most_bytes)
            break;
        if (!all)
            TRY(hwc_fits(fit, *stride * 2, *here, apart, error));
        if (*apart)
            break;
        *stride *= 2;
        TRY(hwc_fit_count(fit, *stride, here, error));
    }
    return HWC_OK;
}

/* Halve the stride while no more things fit. */
static int go_down(const struct hwc_fit *fit, uint64_t least, uint64_t *stride, size_t here, struct hwc_error *error)
{
    bool same = true;

    while (same && *stride / 2 >= least) {
        TRY(same_at(fit, *stride / 2, here, &same, error));
        if (same)
            *stride /= 2;
    }
    return HWC_OK;
}

/* No more may fit at half of the longest stride, or still fewer might fit further apart than that. */
static int check_longest(const struct hwc_fit *fit, uint64_t least, uint64_t stride, size_t here,
                         struct hwc_error *error)
{
    bool same = true;

    if (here > 1 && stride / 2 >= least)
        TRY(same_at(fit, stride / 2, here, &same, error));
    if (!same)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, and further apart perhaps still fewer", here,
                        (unsigned long long)stride);
    return HWC_OK;
}

int hwc_fit_ways(const struct hwc_fit *fit, uint64_t least, uint64_t begin, uint64_t most,
                 size_t *ways, uint64_t *period, struct hwc_error *error)
{
    bool apart;

    *period = begin;
    TRY(go_up(fit, most, period, ways, &apart, error));
    if (*ways == 0 || *ways >= most_at(fit, *period))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu things %llu bytes apart do not show how many fit", *ways,
                        (unsigned long long)*period);
    if (!apart)
        TRY(check_longest(fit, least, *period, *ways, error));
    TRY(go_down(fit, least, period, *ways, error));
    TRY(settle_step(fit, *period, ways, error));
    return *period > least ? check_multiples(fit, *period, *ways, error) : HWC_OK;
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
