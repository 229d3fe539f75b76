#include "elsewhere.h"

#include "quiet_core.h"

static const struct {
    int places, alike, more;
    double apart; /* seconds: what others did at the last place may be over by then */
} policy = {.places = 8, .alike = 3, .more = 2, .apart = 0.004};

/* The place of the last line that competes. */
static size_t last_competitor(const struct hwc_conflict_test *test)
{
    size_t last = test->count - 1;

    while (!test->competes[last] && last > 0)
        last--;
    return last;
}

/* Moved by so much, does the set evict the target, and does it without one of its lines? */
static int ask_place(struct hwc_conflict_test *test, uint64_t distance, enum hwc_elsewhere *found,
                     struct hwc_error *error)
{
    struct hwc_late_pair pair;
    enum hwc_side side;

    TRY(hwc_ask_with_one(test, test->count, test->candidates[0], last_competitor(test), distance, &pair, &side, error));
    *found = side == HWC_ABOVE ? HWC_ELSEWHERE_ALIKE : HWC_ELSEWHERE_UNKNOWN;
    if (side == HWC_BELOW && hwc_is_hardly_late(&pair.with))
        *found = HWC_ELSEWHERE_MORE;
    return HWC_OK;
}

int hwc_ask_elsewhere(struct hwc_conflict_test *test, enum hwc_elsewhere *found, struct hwc_error *error)
{
    uint64_t grain = test->lab->known->level[1].line_bytes, places = test->plan->stride / grain;
    int alike = 0, more = 0;

    *found = HWC_ELSEWHERE_UNKNOWN;
    for (int i = 0; i < policy.places && places > 1 && *found == HWC_ELSEWHERE_UNKNOWN; i++) {
        enum hwc_elsewhere here;
        hwc_let_others_pass(test->lab, policy.apart);
        TRY(ask_place(test, grain * (1 + hwc_random_below(&test->lab->random, places - 1)), &here, error));
        alike += here == HWC_ELSEWHERE_ALIKE;
        more += here == HWC_ELSEWHERE_MORE;
        if (alike == policy.alike)
            *found = HWC_ELSEWHERE_ALIKE;
        if (more == policy.more)
            *found = HWC_ELSEWHERE_MORE;
    }
    return HWC_OK;
}
