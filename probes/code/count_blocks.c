#include "count_blocks.h"

#include "own_walks.h"

/* The lines of so many blocks, and what share of them missed. */
static int count(struct hwc_code_blocks *blocks, uint64_t stride, size_t many, double *lines, double *missed,
                 struct hwc_error *error)
{
    double misses = 0;

    TRY(hwc_lay_code_blocks(blocks->lab, blocks, stride, many, error));
    TRY(hwc_count_own_walk(blocks->lab, blocks->witness, &blocks->arena, &blocks->walk, &misses, error));
    *lines = (double)blocks->walk.count;
    *missed = misses / *lines;
    return HWC_OK;
}

static int count_fit_and_more(struct hwc_code_blocks *blocks, size_t ways, uint64_t period,
                              struct hwc_walk_counts *counted, struct hwc_error *error)
{
    *counted = (struct hwc_walk_counts){.any = true};
    blocks->width = hwc_code_width(blocks, period);
    TRY(count(blocks, period, ways, &counted->fit, &counted->fit_missed, error));
    return count(blocks, period, hwc_too_many(ways), &counted->more, &counted->more_missed, error);
}

int hwc_count_code_blocks(struct hwc_code_blocks *blocks, size_t ways, uint64_t period_bytes, struct hwc_error *error)
{
    struct hwc_walk_counts counted;
    int status;

    if (!hwc_has_onlooker(blocks->witness))
        return HWC_OK;
    status = count_fit_and_more(blocks, ways, period_bytes, &counted, error);
    if (status != HWC_OK)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    hwc_add_own_walks(blocks->lab, blocks->witness, false, HWC_WALKED_WAYS, (double)ways, &counted);
    hwc_add_own_walks(blocks->lab, blocks->witness, false, HWC_WALKED_SIZE, (double)(ways * period_bytes), &counted);
    return HWC_OK;
}
