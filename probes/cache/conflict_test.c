#include "conflict_test.h"

#include <stdlib.h>
#include <string.h>

/* A line of each page, and pages anywhere: hundreds of lines, none of which is known to lie in another's way. */
static bool is_of_pages(const struct hwc_lab *lab, const struct hwc_conflict_plan *plan)
{
    return hwc_lies_at_random(plan) && plan->stride <= lab->machine->page_bytes && plan->evictors == 0;
}

int hwc_open_search(struct hwc_search *search, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                    struct hwc_error *error)
{
    size_t lines = plan->candidates + 1;
    bool of_pages = is_of_pages(lab, plan);

    *search = (struct hwc_search){.lab = lab,
                                  .plan = plan,
                                  .references = lab->references,
                                  .evictor_count = plan->evictors,
                                  .threshold = CONFLICT_MISSES};
    hwc_meter_open(&search->meter, lab, plan->level, of_pages);
    search->one_at_a_time = search->meter.ops->of_last && of_pages;
    search->candidates = malloc(plan->candidates * sizeof *search->candidates);
    search->kept = malloc(lines * sizeof *search->kept);
    search->asked = malloc(2 * lines * sizeof *search->asked);
    search->evictors = malloc(2 * (plan->evictors + 1) * sizeof *search->evictors);
    search->competes = calloc(lines, sizeof *search->competes);
    if (search->candidates == NULL || search->kept == NULL || search->asked == NULL || search->evictors == NULL ||
        search->competes == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    return HWC_OK;
}

void hwc_close_search(struct hwc_search *search)
{
    hwc_meter_close(&search->meter);
    free(search->candidates);
    free(search->kept);
    free(search->asked);
    free(search->evictors);
    free(search->competes);
}

int hwc_append_evictors(const struct hwc_search *search, struct hwc_walk *walk, struct hwc_error *error)
{
    for (size_t i = 0; i < search->evictor_count; i++)
        TRY(hwc_walk_append(walk, hwc_evictor_at(search, i), error));
    return HWC_OK;
}

bool hwc_is_among(uint64_t line, const uint64_t *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i] == line)
            return true;
    return false;
}

/* The shortest line above: lines moved by less share all sets above. */
static uint64_t shortest_line_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t line = UINT64_MAX;

    for (unsigned i = 1; i < level; i++)
        if (lab->known->level[i].line_bytes < line)
            line = lab->known->level[i].line_bytes;
    return line;
}

/* One block, and where the moved lines lie in other sets above, one for these. */
static size_t list_evictors(struct hwc_search *search, bool any_moved, uint64_t flip)
{
    bool parted = any_moved && flip >= shortest_line_above(search->lab, search->plan->level);
    size_t count = 0;

    for (size_t i = 0; i < search->evictor_count; i++)
        search->evictors[count++] = hwc_evictor_at(search, i);
    for (size_t i = 0; parted && i < search->evictor_count; i++) /* they may share a line of this level with others */
        search->evictors[count++] = (hwc_evictor_at(search, i) ^ flip) + HWC_CELL_BYTES;
    return count;
}

static struct hwc_question question_of(struct hwc_search *search, const uint64_t *lines, size_t count,
                                       const bool *moved, uint64_t flip)
{
    for (size_t i = 0; i < count; i++)
        search->asked[i] = lines[i] ^ (moved != NULL && moved[i] ? flip : 0);
    return (struct hwc_question){.arena = search->plan->arena,
                                 .lines = search->asked,
                                 .count = count,
                                 .evictors = search->evictors,
                                 .evictor_count = list_evictors(search, moved != NULL, flip),
                                 .threshold = search->threshold,
                                 .unit = 2 * search->threshold,
                                 .samples = search->lab->settings.samples};
}

int hwc_ask(struct hwc_search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            enum hwc_effort effort, enum hwc_side *side, double *misses, struct hwc_error *error)
{
    struct hwc_question question = question_of(search, lines, count, moved, flip);
    struct hwc_estimate estimate;

    if (effort == HWC_QUICKLY && search->meter.ops->counts)
        question.samples = 1;
    TRY(hwc_meter_ask(&search->meter, &question, &estimate, side, error));
    if (misses != NULL)
        *misses = estimate.value;
    return HWC_OK;
}

int hwc_ask_whether(struct hwc_search *search, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error)
{
    enum hwc_side side;

    *conflict = false;
    TRY(hwc_ask(search, search->kept, count, moved, flip, HWC_SURELY, &side, NULL, error));
    *conflict = side == HWC_ABOVE;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether %zu lines stay cached together cannot be told from the noise",
                        count);
    return HWC_OK;
}

int hwc_read_last(struct hwc_search *search, size_t count, double *cycles, struct hwc_error *error)
{
    const struct hwc_question question = question_of(search, search->kept, count, NULL, 0);

    return hwc_meter_read_last(&search->meter, &question, cycles, error);
}

int hwc_ask_how_many(struct hwc_search *search, size_t count, enum hwc_side *side, double *misses,
                     struct hwc_error *error)
{
    struct hwc_question question = question_of(search, search->kept, count, NULL, 0);
    struct hwc_estimate estimate;

    question.unit = (double)count;
    TRY(hwc_meter_ask(&search->meter, &question, &estimate, side, error));
    *misses = estimate.value;
    return HWC_OK;
}

int hwc_check_time(const struct hwc_search *search, struct hwc_error *error)
{
    const struct hwc_lab *lab = search->lab;

    if (hwc_lab_is_late(lab))
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "others disturb this machine too much to decide in time: --budget=SECONDS waits for longer");
    if (hwc_lies_at_random(search->plan) && search->evictor_count == 0 && lab->settings.budget_seconds == 0 &&
        hwc_seconds_for(lab->machine, lab->references - search->references) > 2 * HWC_SECONDS_TO_TRY)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "a vote would take minutes where pages lie in random order: --budget=SECONDS allows it");
    return HWC_OK;
}
