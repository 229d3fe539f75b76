#include "conflict_test.h"

#include <stdlib.h>

#include "statistics.h"

/* Lines at most a page apart, pages in random order: hundreds of lines, and which of them share a set is unknown. */
static bool is_of_pages(const struct hwc_lab *lab, const struct hwc_conflict_plan *plan)
{
    return hwc_lies_at_random(plan) && plan->stride <= lab->machine->page_bytes && plan->evictors == 0;
}

int hwc_open_conflict_test(struct hwc_conflict_test *test, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                           struct hwc_error *error)
{
    size_t lines = plan->candidates + 1;
    bool of_pages = is_of_pages(lab, plan);

    *test = (struct hwc_conflict_test){.lab = lab,
                                       .plan = plan,
                                       .references = lab->references,
                                       .evictor_count = plan->evictors,
                                       .threshold = CONFLICT_MISSES};
    hwc_meter_open(&test->meter, lab, plan->level, of_pages);
    test->one_at_a_time = test->meter.ops->of_last && of_pages;
    test->candidates = malloc(plan->candidates * sizeof *test->candidates);
    test->kept = malloc(lines * sizeof *test->kept);
    test->asked = malloc(2 * lines * sizeof *test->asked); /* a question may add lines to those kept */
    test->evictors = malloc(2 * (plan->evictors + 1) * sizeof *test->evictors);
    test->competes = calloc(lines, sizeof *test->competes);
    if (test->candidates == NULL || test->kept == NULL || test->asked == NULL || test->evictors == NULL ||
        test->competes == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    return HWC_OK;
}

void hwc_close_conflict_test(struct hwc_conflict_test *test)
{
    hwc_meter_close(&test->meter);
    free(test->candidates);
    free(test->kept);
    free(test->asked);
    free(test->evictors);
    free(test->competes);
}

int hwc_append_evictors(const struct hwc_conflict_test *test, struct hwc_walk *walk, struct hwc_error *error)
{
    for (size_t i = 0; i < test->evictor_count; i++)
        TRY(hwc_walk_append(walk, hwc_evictor_at(test, i), error));
    return HWC_OK;
}

size_t hwc_place_among(uint64_t line, const uint64_t *lines, size_t count)
{
    size_t at = 0;

    while (at < count && lines[at] != line)
        at++;
    return at;
}

/* The shortest line of the levels above: a line moved by less stays in its sets there. */
static uint64_t shortest_line_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t line = UINT64_MAX;

    for (unsigned i = 1; i < level; i++)
        if (lab->known->level[i].line_bytes < line)
            line = lab->known->level[i].line_bytes;
    return line;
}

/* One block, and a second one if the moved lines lie in other sets of the levels above. */
static size_t list_evictors(struct hwc_conflict_test *test, bool any_moved, uint64_t flip)
{
    bool parted = any_moved && flip >= shortest_line_above(test->lab, test->plan->level);
    size_t count = 0;

    for (size_t i = 0; i < test->evictor_count; i++)
        test->evictors[count++] = hwc_evictor_at(test, i);
    for (size_t i = 0; parted && i < test->evictor_count; i++) /* next cell: lines may be in both blocks */
        test->evictors[count++] = (hwc_evictor_at(test, i) ^ flip) + HWC_CELL_BYTES;
    return count;
}

static struct hwc_question question_of(struct hwc_conflict_test *test, const uint64_t *lines, size_t count,
                                       const bool *moved, uint64_t flip)
{
    for (size_t i = 0; i < count; i++)
        test->asked[i] = lines[i] ^ (moved != NULL && moved[i] ? flip : 0);
    return (struct hwc_question){.arena = test->plan->arena,
                                 .lines = test->asked,
                                 .count = count,
                                 .evictors = test->evictors,
                                 .evictor_count = list_evictors(test, moved != NULL, flip),
                                 .references = test->padded,
                                 .threshold = test->threshold,
                                 .samples = test->lab->settings.samples};
}

int hwc_ask(struct hwc_conflict_test *test, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            enum hwc_effort effort, enum hwc_side *side, double *misses, struct hwc_error *error)
{
    struct hwc_question question = question_of(test, lines, count, moved, flip);
    struct hwc_estimate estimate;

    if (effort == HWC_QUICKLY && test->meter.ops->counts)
        question.samples = 1;
    TRY(hwc_meter_ask(&test->meter, &question, &estimate, side, error));
    if (misses != NULL)
        *misses = estimate.value;
    return HWC_OK;
}

/* The lines, the last of which is the target's, and behind them the control's with the target. */
static void list_beside(struct hwc_conflict_test *test, const struct hwc_beside *beside, uint64_t flip)
{
    uint64_t *control = test->asked + beside->count;

    for (size_t i = 0; i < beside->count; i++)
        test->asked[i] = beside->lines[i] ^ flip;
    for (size_t i = 0; i < beside->controls; i++)
        control[i] = beside->control[i] ^ flip;
    control[beside->controls] = test->asked[beside->count - 1];
}

int hwc_ask_beside(struct hwc_conflict_test *test, const struct hwc_beside *beside, uint64_t flip,
                   struct hwc_late_pair *pair, enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_question question = {.arena = test->plan->arena,
                                    .lines = test->asked,
                                    .count = beside->count,
                                    .closing = hwc_lesser(beside->closing, beside->controls),
                                    .references = test->padded > beside->count ? test->padded : beside->count - 1,
                                    .samples = beside->samples > 0 ? beside->samples : test->lab->settings.samples,
                                    .odds = beside->odds,
                                    .late = beside->late};
    struct hwc_question control = question;

    control.lines = test->asked + beside->count;
    control.count = beside->controls + 1;
    control.again = true; /* so that others have about as much time for what they do */
    list_beside(test, beside, flip);
    TRY(hwc_check_time(test, error));
    return hwc_meter_ask_beside(&test->meter, &question, &control, pair, side, error);
}

int hwc_ask_with_one(struct hwc_conflict_test *test, size_t count, uint64_t target, size_t at, uint64_t flip,
                     struct hwc_late_pair *pair, enum hwc_side *side, struct hwc_error *error)
{
    uint64_t *kept = test->kept, behind = kept[count];
    const struct hwc_beside beside = {kept, count + 1, kept, count - 1, test->closing, .odds = 0};
    int status;

    hwc_exchange(&kept[at], &kept[count - 1]);
    kept[count] = target;
    status = hwc_ask_beside(test, &beside, flip, pair, side, error);
    kept[count] = behind;
    hwc_exchange(&kept[at], &kept[count - 1]);
    return status;
}

int hwc_ask_whether(struct hwc_conflict_test *test, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error)
{
    enum hwc_side side;

    *conflict = false;
    TRY(hwc_ask(test, test->kept, count, moved, flip, HWC_SURELY, &side, NULL, error));
    *conflict = side == HWC_ABOVE;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether %zu lines stay cached together cannot be told from the noise",
                        count);
    return HWC_OK;
}

static struct hwc_question question_of_last(struct hwc_conflict_test *test, size_t count)
{
    struct hwc_question question = question_of(test, test->kept, count, NULL, 0);

    question.closing = hwc_lesser(test->closing, count - 1);
    return question;
}

int hwc_read_last(struct hwc_conflict_test *test, size_t count, double *cycles, struct hwc_error *error)
{
    const struct hwc_question question = question_of_last(test, count);

    return hwc_meter_read_last(&test->meter, &question, cycles, error);
}

int hwc_read_late(struct hwc_conflict_test *test, size_t count, bool of_hits, double *chance, struct hwc_error *error)
{
    const struct hwc_question question = question_of_last(test, count);

    return hwc_meter_read_late(&test->meter, &question, of_hits, chance, error);
}

int hwc_ask_how_many(struct hwc_conflict_test *test, size_t count, enum hwc_side *side, double *misses,
                     struct hwc_error *error)
{
    struct hwc_question question = question_of(test, test->kept, count, NULL, 0);
    struct hwc_estimate estimate;

    question.one_way = true;
    TRY(hwc_meter_ask(&test->meter, &question, &estimate, side, error));
    *misses = estimate.value;
    return HWC_OK;
}

static int count_kept(struct hwc_conflict_test *test, size_t count, double *misses, struct hwc_error *error)
{
    struct hwc_question question = question_of(test, test->kept, count, NULL, 0);
    struct hwc_walk walk;
    int status;

    hwc_walk_init(&walk);
    status = hwc_meter_lay_out(&walk, &question, count, error);
    walk.repeats = walk.count > count + question.evictor_count;
    if (status == HWC_OK)
        status = hwc_count_own_walk(test->lab, test->meter.witness, question.arena, &walk, misses, error);
    hwc_walk_free(&walk);
    return status;
}

static int count_fit_and_more(struct hwc_conflict_test *test, uint64_t rejected, double *fit, double *more,
                              struct hwc_error *error)
{
    test->kept[test->count] = rejected;
    TRY(count_kept(test, test->count, fit, error));
    return count_kept(test, test->count + 1, more, error);
}

int hwc_count_beside(struct hwc_conflict_test *test, uint64_t rejected, size_t competitors,
                     struct hwc_walk_counts *counted, struct hwc_error *error)
{
    double fit = 0, more = 0, lines = (double)competitors;
    int status;

    if (!hwc_has_onlooker(test->meter.witness))
        return HWC_OK;
    status = count_fit_and_more(test, rejected, &fit, &more, error);
    if (status == HWC_OK)
        *counted = (struct hwc_walk_counts){
            .any = true, .fit = lines, .fit_missed = fit / lines, .more = lines + 1, .more_missed = more / (lines + 1)};
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

int hwc_check_time(const struct hwc_conflict_test *test, struct hwc_error *error)
{
    const struct hwc_lab *lab = test->lab;

    if (hwc_lab_is_late(lab))
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "others disturb this machine too much to decide in time: --budget=SECONDS waits for longer");
    if (hwc_lies_at_random(test->plan) && test->evictor_count == 0 && !hwc_lab_may_take_minutes(lab) &&
        hwc_seconds_for(lab->machine, lab->references - test->references) > 2 * HWC_SECONDS_TO_TRY)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "a vote would take minutes where pages lie in random order: a --budget of minutes allows it");
    return HWC_OK;
}
