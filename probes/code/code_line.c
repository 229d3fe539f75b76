#include "code_line.h"

#include <math.h>

#include "statistics.h"

/* At this many times the ways most blocks miss, even under policies that keep some. */
#define FAR_TOO_MANY 3
/* Of paired fetches, half miss or all: what is neither, as others disturbed the one or the other, tells nothing. */
static const struct {
    double half, most;
} policy = {.half = 0.6, .most = 0.75};

/* Insert before each fetch another one, `distance` bytes higher. */
static int pair(struct hwc_walk *walk, uint64_t distance, struct hwc_error *error)
{
    size_t pairs = walk->count;

    for (size_t i = 0; i < pairs; i++)
        TRY(hwc_walk_append(walk, 0, error));
    for (size_t i = pairs; i-- > 0;) {
        uint64_t lower = walk->offsets[i];
        walk->offsets[2 * i] = lower + distance;
        walk->offsets[2 * i + 1] = lower;
    }
    hwc_walk_touch(walk);
    return HWC_OK;
}

static int measure_pairs(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found,
                         uint64_t distance, double *result, struct hwc_error *error)
{
    TRY(hwc_lay_code_blocks(lab, blocks, found->period_bytes, FAR_TOO_MANY * found->ways, error));
    TRY(pair(&blocks->walk, distance, error));
    return hwc_measure_code(lab, blocks, result, error);
}

/* The share of fetches that miss in far too many blocks of paired fetches. */
static int misses_of_pairs(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found,
                           uint64_t distance, double *share, struct hwc_error *error)
{
    double result = 0;
    int status;

    blocks->spacing = 2 * distance > blocks->search->least_spacing ? 2 * distance : blocks->search->least_spacing;
    blocks->width = found->period_bytes / 2 > blocks->spacing ? found->period_bytes / 2 : blocks->spacing;
    status = measure_pairs(lab, blocks, found, distance, &result, error);
    blocks->spacing = blocks->search->least_spacing;
    *share = hwc_code_misses_of(blocks, result) / (double)blocks->walk.count;
    return status;
}

static int usual_misses_of_pairs(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found,
                                 uint64_t distance, double *share, struct hwc_error *error)
{
    enum { LOOKS = 5 };
    double shares[LOOKS];

    for (int i = 0; i < LOOKS; i++)
        TRY(misses_of_pairs(lab, blocks, found, distance, &shares[i], error));
    *share = hwc_median(shares, LOOKS);
    return HWC_OK;
}

/* The share if both fetches of a pair miss: far more than a line apart. Others only add to it, for as long as that takes. */
static int misses_of_far_pairs(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found,
                               double *share, struct hwc_error *error)
{
    double farther = 0;

    TRY(usual_misses_of_pairs(lab, blocks, found, 2 * blocks->search->least_spacing, share, error));
    TRY(usual_misses_of_pairs(lab, blocks, found, found->period_bytes / 2, &farther, error));
    *share = fmin(*share, farther);
    return HWC_OK;
}

static int part(struct hwc_code_blocks *blocks, const struct hwc_fit *fit, struct hwc_code_geometry *found,
                struct hwc_error *error)
{
    uint64_t most = found->period_bytes / 2;
    size_t count = blocks->search->behind_another ? 2 * found->ways : hwc_too_many(found->ways);

    blocks->most_width = found->period_bytes < blocks->search->widest ? found->period_bytes : blocks->search->widest;
    TRY(hwc_fit_parting(fit, found->period_bytes, count, UINT64_C(2) * HWC_CELL_BYTES, most + 1, &found->line_bytes,
                        error));
    if (found->line_bytes > most)
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing blocks",
                        (unsigned long long)most);
    return HWC_OK;
}

/* The least distance, from `least` on, at which both fetches of a pair miss; `end` if there is none below. */
static int least_apart(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found,
                       uint64_t least, uint64_t end, uint64_t *distance, struct hwc_error *error)
{
    double all = 0;

    TRY(misses_of_far_pairs(lab, blocks, found, &all, error));
    all = fmax(all, 1);
    for (*distance = least; *distance < end; *distance *= 2) {
        double share = 0;
        TRY(usual_misses_of_pairs(lab, blocks, found, *distance, &share, error));
        if (share >= policy.most * all)
            return HWC_OK;
        if (share >= policy.half * all)
            return hwc_fail(error, HWC_INCONCLUSIVE, "of two fetches %llu bytes apart neither half miss nor all",
                            (unsigned long long)*distance);
    }
    return HWC_OK;
}

/* What is fetched early is the line after, so that blocks a line apart seem to share it: pairs have the last word. */
static int shorten(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                   struct hwc_error *error)
{
    const uint64_t least = UINT64_C(2) * HWC_CELL_BYTES;
    uint64_t distance = 0;

    if (found->line_bytes <= least)
        return HWC_OK;
    TRY(least_apart(lab, blocks, found, least, found->line_bytes, &distance, error));
    if (distance == least)
        return hwc_fail(error, HWC_INCONCLUSIVE, "of two fetches %llu bytes apart, in a line of at least %llu, both miss",
                        (unsigned long long)least, (unsigned long long)found->line_bytes);
    found->line_bytes = distance;
    return HWC_OK;
}

int hwc_find_code_line(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct hwc_fit *fit,
                       struct hwc_code_geometry *found, struct hwc_error *error)
{
    TRY(part(blocks, fit, found, error));
    return hwc_counts_events(blocks->witness) ? HWC_OK : shorten(lab, blocks, found, error);
}

/* Dense code ends near the next line, which is fetched early where the transfer at
 * its end is mispredicted: parting blocks would show lines of twice the size. But
 * the line before is never fetched early. So fetches go in pairs, the higher one
 * first: the second hits if it is from the same line, and misses from the one below. */
int hwc_find_code_line_densely(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                               struct hwc_error *error)
{
    uint64_t least = blocks->walk.code_bytes, most = found->period_bytes / 2;

    TRY(least_apart(lab, blocks, found, least, most + 1, &found->line_bytes, error));
    if (found->line_bytes == least)
        return hwc_fail(error, HWC_UNAVAILABLE, "a line is no longer than the %llu bytes of dense code",
                        (unsigned long long)least);
    if (found->line_bytes > most)
        return hwc_fail(error, HWC_UNAVAILABLE, "of two fetches up to %llu bytes apart the second hits",
                        (unsigned long long)most);
    return HWC_OK;
}
