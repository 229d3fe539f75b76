#include "eviction_search.h"

#include "quiet_core.h"

/* Put the target behind the first `count` kept lines; return the line that was there. */
static uint64_t put_behind(const struct hwc_eviction_search *search, size_t count)
{
    uint64_t behind = search->test->kept[count];

    search->test->kept[count] = search->line;
    return behind;
}

struct eviction {
    const struct hwc_eviction_search *search;
    size_t count;
    enum hwc_side *side;
    double *share;
};

static int ask_beside_control(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    const struct eviction *eviction = context;
    struct hwc_conflict_test *test = eviction->search->test;

    (void)lab;
    return hwc_ask_beside_control(test, test->kept, eviction->count + 1, eviction->search->fillers, eviction->side,
                                  eviction->share, error);
}

/* Others may leave it undecided for a while. */
static int ask_on_quiet_core(struct eviction *eviction, enum hwc_effort effort, struct hwc_error *error)
{
    static const struct hwc_quiet_core quiet = {.wait_seconds = 0.002, .tries = 4};
    int tries = effort == HWC_SURELY ? 3 : 1;

    do {
        TRY(hwc_on_quiet_core(eviction->search->test->lab, &quiet, ask_beside_control, eviction, error));
    } while (*eviction->side == HWC_STRADDLES && --tries > 0);
    return HWC_OK;
}

int hwc_evict(const struct hwc_eviction_search *search, size_t count, enum hwc_effort effort, enum hwc_side *side,
              double *share, struct hwc_error *error)
{
    struct hwc_conflict_test *test = search->test;
    struct eviction eviction = {search, count, side, share};
    uint64_t behind = put_behind(search, count);
    int status = hwc_ask(test, test->kept, count + 1, NULL, 0, HWC_SURELY, side, share, error);

    if (status == HWC_OK && !search->is_sharp &&
        (*side == HWC_ABOVE || (*side == HWC_STRADDLES && effort == HWC_SURELY)))
        status = ask_on_quiet_core(&eviction, effort, error);
    test->kept[count] = behind;
    return status;
}

static const struct {
    int tries;
    double apart; /* seconds */
} to_stay = {.tries = 8, .apart = 0.001};

int hwc_leaves_in(struct hwc_eviction_search *search, size_t count, bool *stays, struct hwc_error *error)
{
    enum hwc_side side = HWC_ABOVE;

    search->test->meter.late = search->any;
    for (int i = 0; i < to_stay.tries && side != HWC_BELOW; i++) {
        if (i > 0)
            hwc_let_others_pass(search->test->lab, to_stay.apart);
        TRY(hwc_evict(search, count, HWC_QUICKLY, &side, NULL, error));
    }
    search->test->meter.late = search->sharp;
    *stays = side == HWC_BELOW;
    return HWC_OK;
}

int hwc_read_target(const struct hwc_eviction_search *search, size_t count, double *cycles, struct hwc_error *error)
{
    uint64_t behind = put_behind(search, count);
    int status = hwc_read_last(search->test, count + 1, cycles, error);

    search->test->kept[count] = behind;
    return status;
}

int hwc_read_late_target(const struct hwc_eviction_search *search, size_t count, bool of_hits, double *chance,
                         struct hwc_error *error)
{
    uint64_t behind = put_behind(search, count);
    int status = hwc_read_late(search->test, count + 1, of_hits, chance, error);

    search->test->kept[count] = behind;
    return status;
}

static void take_in(struct hwc_eviction_search *search, size_t lines)
{
    search->count += lines;
    if (search->count > search->available)
        search->count = search->available;
}

int hwc_grow(struct hwc_eviction_search *search, struct hwc_error *error)
{
    enum hwc_side side = HWC_BELOW;

    while (side != HWC_ABOVE) {
        if (search->count == search->available)
            return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines at one place of their pages do not put one more out",
                            search->count);
        take_in(search, search->count / 4 + 1);
        TRY(hwc_evict(search, search->count, HWC_QUICKLY, &side, NULL, error));
    }
    take_in(search, search->count / 4);
    return HWC_OK;
}
