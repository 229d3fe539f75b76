#include "own_walks.h"

#include <stdlib.h>

#include "steady_state.h"

enum { MOST_VALUES = 64, SAMPLES = 2 };

/* Walks that spoke for one value: sums. */
struct entry {
    const struct hwc_witness *witness;
    bool large;
    enum hwc_walked what;
    double value;
    unsigned walks;
    struct hwc_walk_counts sum;
};

struct hwc_own_walks {
    unsigned entries;
    struct entry entry[MOST_VALUES]; /* further values are dropped */
};

/* Less than this share is next to none, and more than the other is more misses than references: what a level holds does
 * not miss, and of one thing too many a tenth of all miss at least, even under random replacement. */
static const struct {
    double few, most;
} shares = {.few = 0.05, .most = 1.1};

bool hwc_bears_out(const struct hwc_walk_counts *counted)
{
    return counted->fit_missed < shares.few && counted->more_missed >= shares.few && counted->more_missed < shares.most;
}

static bool is_counted(const struct hwc_event_record *record)
{
    return record->status != HWC_EVENT_ABSENT && record->counter[0] != '\0';
}

/* The event of the level that is believed most; else the first that counts anything at all. */
static enum hwc_event onlooker_of(const struct hwc_event_record *records, unsigned level)
{
    enum hwc_event best = hwc_best_event(records, level);

    for (const enum hwc_event *e = hwc_data_miss_events(level); best == HWC_NO_EVENT && *e != HWC_NO_EVENT; e++)
        if (is_counted(&records[*e]) && *e != HWC_L1D_STORE_MISS)
            best = *e;
    return best;
}

static void look_on(struct hwc_machine *machine, const struct hwc_event_record *record, struct hwc_witness *witness)
{
    struct hwc_event_source source = {.available = true,
                                      .backend = record->backend[0] != '\0' ? record->backend : NULL};

    if (!is_counted(record))
        return;
    hwc_write(source.counter, sizeof source.counter, "%s", record->counter);
    if (machine->ops->use_source != NULL)
        machine->ops->use_source(machine, record->event, &source);
    witness->onlooker = (struct hwc_onlooker){.counts = true, .event = record->event, .factor = 1};
    if (record->status == HWC_EVENT_BIASED)
        witness->onlooker.factor = record->factor;
}

int hwc_set_onlookers(struct hwc_lab *lab, const struct hwc_event_record records[HWC_EVENT_COUNT],
                      struct hwc_error *error)
{
    lab->own_walks = calloc(1, sizeof *lab->own_walks);
    if (lab->own_walks == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for what is counted beside the clock");
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++) {
        enum hwc_event event = onlooker_of(records, level);
        if (event != HWC_NO_EVENT)
            look_on(lab->machine, &records[event], &lab->witness[level]);
    }
    for (int i = 0; i < HWC_STRUCTURES; i++)
        look_on(lab->machine, &records[hwc_structure_event((enum hwc_structure)i)], &lab->structure_witness[i]);
    return HWC_OK;
}

/* What is counted is no part of what the clock took to answer. */
int hwc_count_own_walk(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                       const struct hwc_walk *walk, double *misses, struct hwc_error *error)
{
    uint64_t references = lab->references, taken = lab->samples_taken, disturbed = lab->samples_disturbed;
    struct hwc_steady steady = {0};
    int status = hwc_measure_steady(lab, arena, walk, witness->onlooker.event, SAMPLES, &steady, error);

    lab->references = references;
    lab->samples_taken = taken;
    lab->samples_disturbed = disturbed;
    *misses = steady.misses / witness->onlooker.factor;
    if (status == HWC_OK && !steady.counted)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s stopped counting", hwc_event_name(witness->onlooker.event));
    return status;
}

static bool speaks_for(const struct entry *entry, const struct hwc_witness *witness, bool large, enum hwc_walked what,
                       double value)
{
    return entry->witness == witness && entry->large == large && entry->what == what && entry->value == value;
}

/* NULL = there is none. */
static struct entry *find(struct hwc_own_walks *walks, const struct hwc_witness *witness, bool large,
                          enum hwc_walked what, double value)
{
    for (unsigned i = 0; i < walks->entries; i++)
        if (speaks_for(&walks->entry[i], witness, large, what, value))
            return &walks->entry[i];
    return NULL;
}

static struct entry *find_or_add(struct hwc_own_walks *walks, const struct hwc_witness *witness, bool large,
                                 enum hwc_walked what, double value)
{
    struct entry *found = find(walks, witness, large, what, value);

    if (found != NULL || walks->entries == MOST_VALUES)
        return found;
    walks->entry[walks->entries] = (struct entry){witness, large, what, value, 0, {0}};
    return &walks->entry[walks->entries++];
}

void hwc_add_own_walks(struct hwc_lab *lab, const struct hwc_witness *witness, bool large, enum hwc_walked what,
                       double value, const struct hwc_walk_counts *counted)
{
    struct entry *entry;

    if (lab->own_walks == NULL || !counted->any)
        return;
    entry = find_or_add(lab->own_walks, witness, large, what, value);
    if (entry == NULL)
        return;
    entry->walks++;
    entry->sum.fit += counted->fit;
    entry->sum.fit_missed += counted->fit_missed;
    entry->sum.more += counted->more;
    entry->sum.more_missed += counted->more_missed;
}

struct hwc_walk_counts hwc_own_walks_of(const struct hwc_lab *lab, const struct hwc_witness *witness, bool large,
                                        enum hwc_walked what, double value)
{
    const struct entry *entry =
        lab->own_walks != NULL ? find(lab->own_walks, witness, large, what, value) : NULL;
    double n;

    if (entry == NULL)
        return (struct hwc_walk_counts){0};
    n = entry->walks;
    return (struct hwc_walk_counts){.any = true,
                                    .event = witness->onlooker.event,
                                    .fit = entry->sum.fit / n,
                                    .fit_missed = entry->sum.fit_missed / n,
                                    .more = entry->sum.more / n,
                                    .more_missed = entry->sum.more_missed / n};
}
