#include "eviction_search.h"

static const double likely = 10; /* odds */

static const struct {
    double odds;
    unsigned of_samples; /* so many readings that have not decided are not worth as many again */
} quick = {.odds = 50, .of_samples = 4};

/* Put the target behind the first `count` kept lines; return the line that was there. */
static uint64_t put_behind(const struct hwc_eviction_search *search, size_t count)
{
    uint64_t behind = search->test->kept[count];

    search->test->kept[count] = search->line;
    return behind;
}

static int ask(const struct hwc_eviction_search *search, const struct hwc_beside *beside, enum hwc_side *side,
               struct hwc_error *error)
{
    uint64_t behind = put_behind(search, beside->count - 1);
    struct hwc_late_pair pair;
    int status = hwc_ask_beside(search->test, beside, 0, &pair, side, error);

    search->test->kept[beside->count - 1] = behind;
    return status;
}

static struct hwc_beside question_of(const struct hwc_eviction_search *search, size_t count, size_t controls)
{
    const uint64_t *kept = search->test->kept;

    return (struct hwc_beside){kept, count + 1, kept, controls, search->test->closing, .late = search->least_late};
}

int hwc_evict_beside(const struct hwc_eviction_search *search, size_t count, size_t controls, enum hwc_side *side,
                     struct hwc_error *error)
{
    const struct hwc_beside beside = question_of(search, count, controls);

    return ask(search, &beside, side, error);
}

int hwc_evict(const struct hwc_eviction_search *search, size_t count, enum hwc_side *side, struct hwc_error *error)
{
    return hwc_evict_beside(search, count, search->fillers, side, error);
}

int hwc_evict_likely(const struct hwc_eviction_search *search, size_t count, bool *evict, struct hwc_error *error)
{
    struct hwc_beside beside = question_of(search, count, search->fillers);
    enum hwc_side side;

    beside.odds = quick.odds;
    beside.samples = (search->test->lab->settings.samples + quick.of_samples - 1) / quick.of_samples;
    TRY(ask(search, &beside, &side, error));
    *evict = side == HWC_ABOVE;
    return HWC_OK;
}

int hwc_evict_with(const struct hwc_eviction_search *search, size_t at, bool *needed, struct hwc_error *error)
{
    struct hwc_late_pair pair;
    enum hwc_side side;

    TRY(hwc_ask_with_one(search->test, search->count, search->line, at, 0, &pair, &side, error));
    if (side == HWC_STRADDLES) /* that there was a line more was asked before, and with greater odds */
        side = hwc_side_of_late(&pair, 0, likely);
    *needed = side == HWC_ABOVE;
    if (side == HWC_ABOVE)
        return HWC_OK;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether one of %zu lines shares a set cannot be told from the noise",
                        search->count);
    if (hwc_is_hardly_late(&pair.with)) /* its set holds fewer lines of others now */
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
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
        TRY(hwc_evict(search, search->count, &side, error));
    }
    take_in(search, search->count / 2);
    return HWC_OK;
}
