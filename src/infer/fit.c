#include "fit.h"

const struct hwc_fit_shares hwc_fit_shares = {.none = 0.1, .some = 0.15, .many = 0.3, .most = 0.5};

enum { MOST_BACK = 2 };

struct point {
    size_t count;
    double share; /* miss share */
    enum hwc_side side;
};

static bool fits_at(const struct point *point)
{
    return point->side == HWC_BELOW;
}

static int ask_for(const struct hwc_fit *fit, uint64_t stride, size_t count, double threshold, struct point *point,
                   struct hwc_error *error)
{
    struct hwc_estimate share = {0};
    enum hwc_side side = HWC_STRADDLES;
    int status = fit->ask(fit->context, stride, count, threshold, &share, &side, error);

    *point = (struct point){count, share.value, side};
    return status;
}

static int ask(const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *point, struct hwc_error *error)
{
    return ask_for(fit, stride, count, hwc_fit_shares.many, point, error);
}

/* Do some miss, if not many? */
static int ask_finely(const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *point,
                      struct hwc_error *error)
{
    return ask_for(fit, stride, count, (hwc_fit_shares.none + hwc_fit_shares.some) / 2, point, error);
}

int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error)
{
    struct point point;
    int status = ask(fit, stride, count, &point, error);

    *fits = status == HWC_OK && fits_at(&point);
    return status;
}

int hwc_are_twice_too_many(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *too_many,
                           struct hwc_error *error)
{
    struct point point;
    int status = ask_for(fit, stride, count, hwc_fit_shares.most, &point, error);

    *too_many = status == HWC_OK && point.side == HWC_ABOVE;
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

static int no_step(uint64_t stride, const struct point *at, const struct point *beyond, struct hwc_error *error)
{
    bool open = at->side == HWC_STRADDLES || beyond->side == HWC_STRADDLES;

    return hwc_fail(error, open ? HWC_INCONCLUSIVE : HWC_UNAVAILABLE,
                    "of things %llu bytes apart, %.0f %% of %zu miss and %.0f %% of %zu", (unsigned long long)stride,
                    100 * at->share, at->count, 100 * beyond->share, beyond->count);
}

/* Is there a step from what fits to one thing more? Next to none miss of what fits, or the step is high. */
static bool steps_up(const struct point *at, const struct point *beyond)
{
    double high = hwc_fit_shares.many + hwc_fit_shares.none;

    return fits_at(at) && beyond->side == HWC_ABOVE &&
           (at->share < hwc_fit_shares.none || beyond->share - at->share >= high);
}

/* Does one thing more make some miss, and far more than the few that miss without it? If each thing makes about as many
 * miss, there is no step. */
static bool is_sudden(const struct point *at, const struct point *beyond, double base)
{
    double rise = beyond->share - at->share;

    return at->share < hwc_fit_shares.many && rise >= hwc_fit_shares.some && rise >= 2 * (at->share - base);
}

/* Of one thing too many, or two, some may miss and not many: go back to the step. Hits may take a little longer than
 * they are known to, as half as many things show. */
static int go_back(const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *at, struct point *beyond,
                   bool *found, struct hwc_error *error)
{
    const size_t least = count > MOST_BACK ? count - MOST_BACK : 1;
    struct point half = {0};

    if (count > 1)
        TRY(ask(fit, stride, count / 2, &half, error));
    TRY(ask_finely(fit, stride, count + 1, beyond, error));
    for (size_t n = count; n >= least; n--) {
        TRY(ask_finely(fit, stride, n, at, error));
        *found = is_sudden(at, beyond, half.share > 0 ? half.share : 0);
        if (*found)
            return HWC_OK;
        *beyond = *at;
    }
    return HWC_OK;
}

/* Do `count` things fit, and no more? Under some policies one too many makes only few miss: then far too many must make
 * many, as smaller structures do not. */
static int settle_step(const struct hwc_fit *fit, uint64_t stride, size_t *count, struct hwc_error *error)
{
    struct point at, beyond, farther, first_at, first_beyond;
    bool found = false;

    TRY(ask(fit, stride, *count, &first_at, error));
    TRY(ask(fit, stride, *count + 1, &first_beyond, error));
    if (steps_up(&first_at, &first_beyond))
        return HWC_OK;
    TRY(go_back(fit, stride, *count, &at, &beyond, &found, error));
    if (!found)
        return no_step(stride, &first_at, &first_beyond, error);
    *count = at.count;
    TRY(ask(fit, stride, hwc_too_many(at.count), &farther, error));
    return farther.side == HWC_ABOVE ? HWC_OK : no_step(stride, &at, &farther, error);
}

/* Do no more than `count` fit, or at least half as many again? A set shows no number in between; but of one thing too
 * many, too few may miss to show. */
static int same_at(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *same,
                   struct hwc_error *error)
{
    struct point more = {.side = HWC_BELOW}, far;

    for (size_t n = count + 1; n <= count + 2 && n <= 2 * count && fits_at(&more); n++)
        TRY(ask(fit, stride, n, &more, error));
    *same = !fits_at(&more);
    if (*same)
        return HWC_OK;
    TRY(ask(fit, stride, count + (count + 1) / 2, &far, error));
    *same = !fits_at(&far) && more.share >= hwc_fit_shares.none;
    if (!fits_at(&far) && !*same)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit at twice %llu bytes, and few more at that", count,
                        (unsigned long long)stride);
    return HWC_OK;
}

/* If the number of sets is not a power of two, things an odd multiple of the period apart may share fewer of them. */
static int check_multiples(const struct hwc_fit *fit, uint64_t period, size_t ways,
                           struct hwc_error *error)
{
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        bool fewer;
        if (period * odd * (ways + 1) > fit->most_bytes)
            return HWC_OK;
        TRY(hwc_are_twice_too_many(fit, period * odd, ways, &fewer, error));
        if (fewer)
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
    bool fewer;

    *apart = false;
    TRY(hwc_fit_count(fit, *stride, here, error));
    while (*here > 1 && *stride * 2 <= most) {
        bool all = *here > most_at(fit, *stride); /* that can be tried fit: at twice the stride, fewer may */
        if (!all && *here * *stride * 2 > fit->most_bytes)
            break;
        if (!all)
            TRY(hwc_are_twice_too_many(fit, *stride * 2, *here, &fewer, error));
        *apart = !all && !fewer;
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
