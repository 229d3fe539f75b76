#include "fit.h"

/* By the clock: less of all references is noise, more is misses. */
#define SHARE 0.3
/* One thing more than fits makes so many more of them miss. */
#define STEP 0.4

struct point {
    size_t count;
    double share; /* of its references that miss */
};

static int ask(struct hwc_lab *lab, const struct hwc_fit *fit, uint64_t stride, size_t count, struct point *point,
               bool *fits, struct hwc_error *error)
{
    double misses = 0, references = 1;
    int status = fit->misses(lab, fit->context, stride, count, &misses, &references, error);

    *point = (struct point){count, misses / references};
    *fits = fit->counted ? misses < 0.5 : point->share < SHARE;
    return status;
}

int hwc_fits(struct hwc_lab *lab, const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error)
{
    struct point point;

    return ask(lab, fit, stride, count, &point, fits, error);
}

static size_t most_at(const struct hwc_fit *fit, uint64_t stride)
{
    uint64_t most = fit->most_bytes / stride;

    return most < fit->most ? (size_t)most : fit->most;
}

int hwc_fit_count(struct hwc_lab *lab, const struct hwc_fit *fit, uint64_t stride, bool sharply, size_t *count,
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
        status = ask(lab, fit, stride, n, &point, &fits, error);
        *(fits ? &low : &high) = point;
        if (fits && n == most)
            break;
    }
    while (status == HWC_OK && high.count > low.count + 1) {
        struct point point;
        bool fits;
        status = ask(lab, fit, stride, low.count + (high.count - low.count) / 2, &point, &fits, error);
        *(fits ? &low : &high) = point;
    }
    if (status != HWC_OK)
        return status;
    *count = high.count > 0 ? low.count : most + 1;
    if (sharply && !fit->counted && high.count > 0 && low.count > 0 && high.share - low.share < STEP)
        return hwc_fail(error, HWC_UNAVAILABLE, "no number of things %llu bytes apart at which most begin to miss",
                        (unsigned long long)stride);
    return HWC_OK;
}

/* Sets need not be a power of two: then things an odd multiple of the period apart meet in fewer of them. */
static int check_multiples(struct hwc_lab *lab, const struct hwc_fit *fit, uint64_t period, size_t ways,
                           struct hwc_error *error)
{
    for (unsigned odd = 3; odd <= 7; odd += 2) {
        size_t count;
        int status;
        if (period * odd * (ways + 1) > fit->most_bytes)
            return HWC_OK;
        status = hwc_fit_count(lab, fit, period * odd, false, &count, error);
        if (status != HWC_OK)
            return status;
        if (count < ways)
            return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, but %zu at %u times that: its sets are no "
                            "power of two", ways, (unsigned long long)period, count, odd);
    }
    return HWC_OK;
}

int hwc_fit_ways(struct hwc_lab *lab, const struct hwc_fit *fit, uint64_t least, uint64_t begin, uint64_t most,
                 size_t *ways, uint64_t *period, struct hwc_error *error)
{
    size_t here, next;
    uint64_t stride = begin;
    int status = hwc_fit_count(lab, fit, stride, false, &here, error);

    /* Up, while fewer fit further apart. */
    while (status == HWC_OK && stride * 2 <= most && here > 1) {
        status = hwc_fit_count(lab, fit, stride * 2, false, &next, error);
        if (status != HWC_OK || next >= here)
            break;
        here = next;
        stride *= 2;
    }
    /* Down, while no more fit nearer. */
    while (status == HWC_OK && stride / 2 >= least) {
        status = hwc_fit_count(lab, fit, stride / 2, false, &next, error);
        if (status != HWC_OK || next != here)
            break;
        stride /= 2;
    }
    if (status != HWC_OK)
        return status;
    if (here == 0 || here > most_at(fit, stride))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu things %llu bytes apart do not show how many fit", here,
                        (unsigned long long)stride);
    if (stride > least && 2 * next < 3 * here)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu fit %llu bytes apart, but %zu at half of that", here,
                        (unsigned long long)stride, next);
    *ways = here;
    *period = stride;
    status = hwc_fit_count(lab, fit, stride, true, &next, error);
    if (status == HWC_OK && next != here)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu things %llu bytes apart fit, or %zu", here,
                        (unsigned long long)stride, next);
    if (status != HWC_OK)
        return status;
    return stride > least ? check_multiples(lab, fit, stride, here, error) : HWC_OK;
}
