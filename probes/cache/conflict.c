#include "conflict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distances.h"
#include "grow.h"
#include "sampler.h"
#include "statistics.h"

static const struct hwc_level *upper(const struct hwc_search *search)
{
    return &search->lab->known->level[search->plan->level - 1];
}

/* Which of the kept lines compete with the stranger: those without which it
 * fits. Groups first, halved where they hold a competitor. */
struct range {
    size_t begin, end;
};

static int without(struct hwc_search *search, const uint64_t *lines, size_t count, struct range gone, uint64_t *scratch,
                   double *found, struct hwc_error *error)
{
    memcpy(scratch, lines, gone.begin * sizeof *lines);
    memcpy(scratch + gone.begin, lines + gone.end, (count - gone.end) * sizeof *lines);
    return hwc_ask(search, scratch, count - (gone.end - gone.begin), NULL, 0, search->lab->settings.samples, found,
                   error);
}

/* Others may put a line out while the walk is asked about; they do not put one
 * in. So where they disturb this machine, ranges that seemed to hold no
 * competitor are asked about again. */
#define DOUBTS 2

struct ranges {
    struct range *open, *doubted;
    size_t opened, doubts;
};

static void open_doubted(struct ranges *ranges)
{
    memcpy(ranges->open, ranges->doubted, ranges->doubts * sizeof *ranges->open);
    ranges->opened = ranges->doubts;
    ranges->doubts = 0;
}

static void note_competitors(struct hwc_search *search, struct ranges *ranges, struct range range, size_t *found)
{
    size_t middle = range.begin + (range.end - range.begin) / 2;

    if (range.end - range.begin == 1) {
        search->competes[range.begin] = true;
        (*found)++;
    } else {
        ranges->open[ranges->opened++] = (struct range){range.begin, middle};
        ranges->open[ranges->opened++] = (struct range){middle, range.end};
    }
}

static int halve_ranges(struct hwc_search *search, const uint64_t *lines, uint64_t *scratch, struct ranges *ranges,
                        size_t *found, struct hwc_error *error)
{
    int rounds = hwc_may_be_disturbed(search) ? 1 + DOUBTS : 1;
    int status = HWC_OK;

    for (int round = 0; round < rounds; round++, open_doubted(ranges)) {
        while (status == HWC_OK && ranges->opened > 0) {
            struct range range = ranges->open[--ranges->opened];
            double left;
            status = without(search, lines, search->count + 1, range, scratch, &left, error);
            if (status == HWC_OK && hwc_asks_of_last(search) && range.end - range.begin == 1 &&
                !hwc_conflicts(search, left)) /* an answer in some hundreds is wrong */
                status = without(search, lines, search->count + 1, range, scratch, &left, error);
            if (status == HWC_OK && hwc_conflicts(search, left))
                ranges->doubted[ranges->doubts++] = range;
            else if (status == HWC_OK)
                note_competitors(search, ranges, range, found);
        }
    }
    return status;
}

static int find_competitors(struct hwc_search *search, uint64_t stranger, size_t *found, struct hwc_error *error)
{
    size_t count = search->count + 1;
    uint64_t *lines = malloc(2 * count * sizeof *lines);
    struct ranges ranges = {malloc(2 * count * sizeof *ranges.open), malloc(2 * count * sizeof *ranges.doubted), 0, 0};
    size_t group = search->count / 16 > 0 ? search->count / 16 : 1;
    int status = HWC_OK;

    *found = 0;
    if (lines == NULL || ranges.open == NULL || ranges.doubted == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    if (status == HWC_OK) {
        memcpy(lines, search->kept, search->count * sizeof *lines);
        lines[search->count] = stranger;
        for (size_t at = 0; at < search->count; at += group)
            ranges.open[ranges.opened++] =
                (struct range){at, at + group < search->count ? at + group : search->count};
        status = halve_ranges(search, lines, lines + count, &ranges, found, error);
    }
    free(ranges.open);
    free(ranges.doubted);
    free(lines);
    return status;
}

static bool is_among(uint64_t line, const uint64_t *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (lines[i] == line)
            return true;
    return false;
}

/* How many lines fit when the levels above may keep some: the kept ones
 * without fillers, and of the other candidates as many as still go in. */
static int count_unwashed(struct hwc_search *search, size_t competitors, uint64_t *kept, struct hwc_error *error)
{
    const uint64_t *candidates = search->candidates;
    size_t available = search->plan->candidates;
    struct hwc_strangers strangers = {0};
    struct hwc_search bare;
    uint64_t *others = malloc(available * sizeof *others);
    size_t count = 0, used = 0;
    int status = hwc_open_search(&bare, search->lab, search->plan, error);

    if (status == HWC_OK && others == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    for (size_t i = 0; status == HWC_OK && i < available; i++)
        if (!is_among(candidates[i], search->kept, search->count))
            others[count++] = candidates[i];
    bare.fillers = 0;
    bare.threshold = search->threshold;
    bare.count = search->count;
    if (status == HWC_OK) {
        memcpy(bare.kept, search->kept, search->count * sizeof *bare.kept);
        status = hwc_reprice(&bare, search->lab->settings.samples, error);
    }
    if (status == HWC_OK)
        status = hwc_grow(&bare, others, count, 4 + 2 * search->count / competitors, count, &used, &strangers, error);
    *kept = bare.count;
    hwc_close_search(&bare);
    free(others);
    return status;
}

/* Do fillers stay out of the kept lines' sets? One more line at a filler's
 * place must fit. Where this level has no more sets than the one above, what
 * competes there competes here too. */
static int check_fillers(struct hwc_search *search, struct hwc_error *error)
{
    bool conflict;
    int status;

    search->kept[search->count] = hwc_filler_at(search, search->fillers);
    status = hwc_ask_whether(search, search->count + 1, NULL, 0, &conflict, error);
    if (status == HWC_OK && conflict)
        return hwc_fail(error, HWC_UNAVAILABLE, "no lines compete in the level above and not in this one");
    return status;
}

/* Do fillers put the lines out of the level above? A policy that resists scans
 * may keep some of them there for ever, and these take no room here: as many
 * more would fit. */
#define WASHED_SAMPLES 4
/* By the clock over whole walks the approximate latencies of two levels are held against each other. */
#define CLOCK_LEAVES 0.1
/* Lines that a farther level serves take several times as long as those of this one; translation adds to both. */
#define FAR_MORE 4.0

static int fewest_served_here(struct hwc_search *search, const struct hwc_walk *fillers, double *fewest,
                              struct hwc_error *error)
{
    struct hwc_lab *lab = search->lab;
    const struct hwc_walk *lines = &search->walk;
    const struct hwc_witness *above = &lab->witness[search->plan->level - 1];
    /* Weighed, a line that the level above serves takes its hit. */
    double hits = hwc_counts(above) ? 0
                                    : (double)lines->count * above->hit_cycles / (above->miss_cycles - above->hit_cycles);
    struct hwc_experiment experiment = {
        .arena = search->plan->arena,
        .apart = true,
        .steps = 7,
        .step = {{HWC_RUN, lines, 1}, {HWC_RUN, fillers, 1}, {HWC_RUN, lines, 1}, {HWC_RUN, fillers, 1},
                 {HWC_RUN, lines, 1}, {HWC_RUN, fillers, 1}, {HWC_MEASURE, lines, 1}},
    };

    hwc_ask_witness(above, &experiment);
    *fewest = INFINITY;
    for (int i = 0; i < WASHED_SAMPLES; i++) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        *fewest = fmin(*fewest, hwc_count_reading(above, &sample.reading[0]) - hits);
    }
    return HWC_OK;
}

static int check_washed(struct hwc_search *search, struct hwc_error *error)
{
    const struct hwc_witness *above = &search->lab->witness[search->plan->level - 1];
    double share = hwc_counts(above) ? 0 : CLOCK_LEAVES;
    double here, left;
    struct hwc_walk fillers;
    int status = HWC_OK;

    hwc_walk_init(&fillers);
    hwc_walk_clear(&search->walk);
    search->walk.strands = false; /* it is measured */
    for (size_t i = 0; i < search->count && status == HWC_OK; i++)
        status = hwc_walk_append(&search->walk, search->kept[i], error);
    if (status == HWC_OK)
        status = hwc_append_fillers(search, &fillers, 0, 0, error);
    if (status == HWC_OK)
        status = fewest_served_here(search, &fillers, &here, error);
    hwc_walk_free(&fillers);
    if (status != HWC_OK)
        return status;
    left = (double)search->count - here;
    if (left > 0.5 + share * (double)search->count)
        return hwc_fail(error, HWC_UNAVAILABLE, "level %u keeps %.0f of %zu lines, whatever comes after them",
                        search->plan->level - 1, left, search->count);
    if (here > FAR_MORE * (double)search->count)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines fit, but take as long as %.0f that level %u would serve",
                        search->count, here, search->plan->level);
    return HWC_OK;
}

/* A level whose sets are no more than those of the one above leaves no room
 * for fillers, and what fits may be its own lines or, where it is exclusive,
 * both levels'. Tell them by one line x that the level above serves again and
 * again while others pass: x y1 x y2 ... and then the rest, one line more than
 * fits. An inclusive or independent level has not seen x since its first visit
 * and, under LRU, misses it with all others. Under exclusion x was put in here
 * late, and hits. The difference is one miss, so who does not count misses cannot tell. */
static int check_recency(struct hwc_search *search, uint64_t stranger, struct hwc_geometry *geometry,
                         struct hwc_error *error)
{
    size_t cells = upper(search)->line_bytes / HWC_CELL_BYTES;
    double count = (double)search->count + 1;
    double found;
    int status = HWC_OK;

    if (!hwc_counts(search->witness) || search->plan->level == 1)
        return HWC_OK;
    /* One line above never serves twice in a row: exclusive or not, all that can be seen is what fits. */
    if (cells < 2 || upper(search)->ways == 1)
        return HWC_OK;
    search->kept[search->count] = stranger;
    hwc_walk_clear(&search->walk);
    for (size_t i = 1; status == HWC_OK && i <= search->count; i++) {
        if (i <= cells)
            status = hwc_walk_append(&search->walk, search->kept[0] + (i - 1) * HWC_CELL_BYTES, error);
        if (status == HWC_OK)
            status = hwc_walk_append(&search->walk, search->kept[i], error);
    }
    if (status == HWC_OK)
        status = hwc_misses(search, 0, search->lab->settings.samples, &found, error);
    if (status != HWC_OK)
        return status;
    if (fabs(found - count) < 0.25)
        geometry->recency = HWC_RECENCY_APART;
    else if (fabs(found - (count - 1)) < 0.25)
        geometry->recency = HWC_RECENCY_SHARED;
    return HWC_OK;
}

static void draw_candidates(struct hwc_search *search)
{
    const struct hwc_conflict_plan *plan = search->plan;
    uint64_t fill = search->lab->known->level[plan->level].fill_bytes; /* 0 = not yet known */
    uint64_t grain = fill > 0 ? fill : plan->stride < 1024 ? plan->stride : 1024;
    uint64_t apart = search->lab->machine->own_apart;

    search->base = hwc_random_below(&search->lab->random, plan->stride / grain) * grain;
    if (apart > grain && apart <= plan->stride)
        search->base |= apart / 2; /* clear of the machine's own lists */
    for (size_t i = 0; i < plan->candidates; i++)
        search->candidates[i] = i * plan->stride + search->base;
    hwc_random_shuffle(&search->lab->random, search->candidates, plan->candidates);
}

/* What one conflict costs is measured, and a fair share of it is the line
 * between conflict and none: by the clock a pass over other lines or in another
 * order may drift by more than half a miss, and a level that fills more than
 * the line that missed now and then throws out one that is wanted. No more than
 * a share, because the same conflict costs three times as much in one order as
 * in another where the policy is not LRU. */
#define CONFLICT_SHARE 0.15

static int set_threshold(struct hwc_search *search, uint64_t stranger, struct hwc_error *error)
{
    double found = 0;
    int status;

    search->kept[search->count] = stranger;
    status = hwc_ask(search, search->kept, search->count + 1, NULL, 0, search->lab->settings.samples, &found, error);
    if (status == HWC_OK && !hwc_conflicts(search, found))
        return hwc_fail(error, HWC_UNAVAILABLE, "conflicts do not stand out from the noise (%.2f misses)", found);
    search->conflict_misses = hwc_asks_of_last(search) ? 0 : found; /* of one line only, not of the pass */
    search->threshold = fmax(CONFLICT_MISSES, CONFLICT_SHARE * found);
    return status;
}

/* A set that still has room is missed by so many random lines for each set that is known with a chance of e^-10;
 * where one is known and there is another, with one of 2^-10. */
#define PATIENCE 10

static int grow_until_full(struct hwc_search *search, size_t *used, struct hwc_strangers *strangers,
                           size_t competitors, struct hwc_error *error)
{
    size_t available = search->plan->candidates;
    size_t patience = search->count > competitors ? PATIENCE * search->count / competitors : PATIENCE;
    double kept_threshold = search->threshold;
    int status;

    search->threshold = CONFLICT_MISSES;
    status = hwc_grow(search, search->candidates, available, patience, SIZE_MAX, used, strangers, error);
    search->threshold = kept_threshold;
    if (status == HWC_OK && hwc_goes_beside(search)) {
        bool conflict;
        status = hwc_conflict_with_half(search, search->count, &conflict, error);
        if (status == HWC_OK && conflict)
            return hwc_fail(error, HWC_UNAVAILABLE, "the %zu lines that were found to fit do not fit together",
                            search->count);
    }
    if (status == HWC_OK && *used == available && strangers->count * 2 < search->count)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from: %zu of %zu fit", search->count,
                        available);
    return status;
}

static int first_strangers(struct hwc_search *search, size_t *used, struct hwc_strangers *strangers,
                           struct hwc_error *error)
{
    const struct hwc_conflict_plan *plan = search->plan;
    size_t enough = search->witness->kind == HWC_COUNTER ? 1 : 4;
    int status;

    *used = hwc_lines_on_trust(search);
    if (*used >= plan->candidates)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    draw_candidates(search);
    memcpy(search->kept, search->candidates, *used * sizeof *search->kept);
    search->count = *used;
    status = hwc_reprice(search, search->lab->settings.samples, error);
    if (status == HWC_OK)
        status = hwc_grow(search, search->candidates, plan->candidates, SIZE_MAX, enough, used, strangers, error);
    if (status == HWC_OK && strangers->count == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines %llu bytes apart do not conflict", search->count,
                        (unsigned long long)plan->stride);
    return status;
}

/* The first lines that do not fit, the one of them that costs most, and the kept lines that compete with it. */
static int find_full_set(struct hwc_search *search, size_t *used, struct hwc_strangers *strangers,
                         size_t *competitors, struct hwc_error *error)
{
    int status = first_strangers(search, used, strangers, error);

    if (status == HWC_OK)
        status = set_threshold(search, strangers->line, error);
    return status == HWC_OK ? find_competitors(search, strangers->line, competitors, error) : status;
}

/* Our own code and what it works on are some hundred lines, and others keep
 * some of theirs: so many sets are full a little early. */
#define FOREIGN_SHARE 0.03

uint64_t hwc_whole_sets(size_t lines, size_t competitors, bool noisy)
{
    double count = (double)lines, ways = (double)competitors;
    uint64_t least = (uint64_t)ceil((count - (noisy ? ways / 4 : 0)) / ways);
    uint64_t most = (uint64_t)((count + (noisy ? ways / 4 + FOREIGN_SHARE * count : 0)) / ways);
    uint64_t power = hwc_nearest_power_of_two(count / ways);

    if (least == most)
        return least;
    return power * competitors >= lines && power <= most ? power : 0; /* sets do not hold more than they have ways for */
}

static int settle_count(const struct hwc_search *search, size_t competitors, struct hwc_geometry *geometry,
                        struct hwc_error *error)
{
    uint64_t sets = hwc_whole_sets(search->count, competitors, search->lab->machine->noisy);

    geometry->kept = sets * competitors;
    geometry->ways = competitors;
    geometry->conflict_misses = search->conflict_misses;
    if (sets == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines fit, no whole number of sets of %zu", search->count,
                        competitors);
    return HWC_OK;
}

/* Below an inclusive level of few ways, lines conflict there before a set of
 * this one is full, and few compete. With a line that came when all sets were
 * full none compete but those of its set here: these may not be more. */
static int check_last(struct hwc_search *search, uint64_t last, size_t *competitors, struct hwc_error *error)
{
    bool *before = malloc(search->count * sizeof *before);
    size_t found = 0;
    int status;

    if (before == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    memcpy(before, search->competes, search->count * sizeof *before);
    status = set_threshold(search, last, error);
    if (status == HWC_OK)
        status = find_competitors(search, last, &found, error);
    memcpy(search->competes, before, search->count * sizeof *before);
    free(before);
    if (status == HWC_UNAVAILABLE) /* it says nothing */
        return HWC_OK;
    if (status != HWC_OK || found <= *competitors)
        return status;
    if (!search->lab->machine->noisy || found - *competitors > 1 + found / 16)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines compete with one more, and %zu with another; the level below "
                        "may have fewer ways", *competitors, found);
    *competitors = found; /* others took a way or two of the first's set */
    return HWC_OK;
}

/* Several sets were filled, and there is a level below. */
static bool may_conflict_below(const struct hwc_search *search, size_t competitors)
{
    return search->plan->level < search->lab->known->levels && search->count > competitors;
}

static int search_geometry(struct hwc_search *search, struct hwc_geometry *geometry, struct hwc_error *error)
{
    struct hwc_strangers strangers = {0};
    size_t used, competitors = 0;
    int status = find_full_set(search, &used, &strangers, &competitors, error);
    uint64_t stranger = strangers.line;

    if (status == HWC_OK && competitors == 0)
        status = hwc_fail(error, HWC_UNAVAILABLE, "lines conflict, but no single one is the cause");
    if (status == HWC_OK)
        status = grow_until_full(search, &used, &strangers, competitors, error);
    if (status == HWC_OK && strangers.last != stranger && may_conflict_below(search, competitors))
        status = check_last(search, strangers.last, &competitors, error);
    if (status == HWC_OK)
        status = set_threshold(search, stranger, error);
    if (status == HWC_OK)
        status = hwc_find_distances(search, (const uint64_t[2]){stranger, strangers.last}, competitors, geometry, error);
    if (status == HWC_OK && search->fillers > 0)
        status = check_fillers(search, error);
    if (status == HWC_OK && search->fillers > 0)
        status = check_washed(search, error);
    if (status == HWC_OK && search->fillers == 0 && search->count == competitors)
        status = check_recency(search, stranger, geometry, error);
    if (status == HWC_OK)
        status = settle_count(search, competitors, geometry, error);
    if (status == HWC_OK && search->fillers > 0)
        status = count_unwashed(search, competitors, &geometry->kept_unwashed, error);
    return status;
}

int hwc_find_geometry(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    struct hwc_search search;
    int status = hwc_open_search(&search, lab, plan, error);

    *geometry = (struct hwc_geometry){0};
    if (status == HWC_OK)
        status = search_geometry(&search, geometry, error);
    hwc_close_search(&search);
    return status;
}

int hwc_open_look(struct hwc_lab *lab, unsigned level, const struct hwc_look *look, struct hwc_arena *arena,
                  struct hwc_conflict_plan *plan, struct hwc_error *error)
{
    *plan = (struct hwc_conflict_plan){.level = level,
                                       .arena = arena,
                                       .stride = look->stride,
                                       .candidates = look->candidates,
                                       .fillers = look->fillers};
    return lab->machine->ops->arena_open(lab->machine, look->stride * look->candidates, look->pages, arena, error);
}

static int choose_washers(const struct hwc_search *search, size_t wanted, struct hwc_set *set,
                          struct hwc_error *error)
{
    size_t ways = hwc_ways_above(search->lab, search->plan->level);

    set->washers = 0;
    if (search->plan->level == 1)
        return HWC_OK;
    if (search->fillers > 0) {
        for (size_t i = 0; i < wanted && hwc_filler_at(search, i) < search->plan->arena->bytes; i++)
            set->washer[set->washers++] = hwc_filler_at(search, i);
        return HWC_OK;
    }
    /* Lines a page apart share the sets above, and these fit beside the set. */
    for (size_t i = 0; i < search->count && set->washers < wanted; i++)
        if (!search->competes[i])
            set->washer[set->washers++] = search->kept[i];
    if (set->washers <= ways)
        return hwc_fail(error, HWC_UNAVAILABLE, "no lines put this set out of the levels above");
    return HWC_OK;
}

/* More lines of the set: those of the candidates that do not fit beside its own. */
static int extend_set(struct hwc_search *search, size_t wanted, struct hwc_set *set, struct hwc_error *error)
{
    const uint64_t *candidates = search->candidates;
    size_t ways = set->lines - 1;
    int status = HWC_OK;

    memcpy(search->kept, set->line, ways * sizeof *set->line);
    search->count = ways;
    if (hwc_asks_of_last(search) && search->fillers == 0) { /* or the level above may have the line that is asked about */
        memcpy(search->kept + ways, set->washer, set->washers * sizeof *set->washer);
        search->count += set->washers;
    }
    status = hwc_reprice(search, search->lab->settings.samples, error);
    for (size_t i = 0; status == HWC_OK && i < search->plan->candidates && set->lines < wanted; i++) {
        bool conflict;
        if (is_among(candidates[i], set->line, set->lines))
            continue;
        search->kept[search->count] = candidates[i];
        status = hwc_ask_whether(search, search->count + 1, NULL, 0, &conflict, error);
        if (status == HWC_OK && conflict)
            set->line[set->lines++] = candidates[i];
    }
    if (status == HWC_OK && set->lines < wanted)
        return hwc_fail(error, HWC_UNAVAILABLE, "only %zu lines share a set, %zu are needed", set->lines, wanted);
    return status;
}

static int search_set(struct hwc_search *search, size_t wanted, size_t washers, struct hwc_set *set,
                      struct hwc_error *error)
{
    struct hwc_strangers strangers = {0};
    size_t used, ways = 0;
    int status = find_full_set(search, &used, &strangers, &ways, error);

    if (status == HWC_OK && ways != search->lab->known->level[search->plan->level].ways)
        status = hwc_fail(error, HWC_UNAVAILABLE, "%zu lines compete where sets have %llu ways", ways,
                          (unsigned long long)search->lab->known->level[search->plan->level].ways);
    set->lines = 0;
    for (size_t i = 0; status == HWC_OK && i < search->count; i++)
        if (search->competes[i])
            set->line[set->lines++] = search->kept[i];
    if (status != HWC_OK)
        return status;
    set->line[set->lines++] = strangers.line;
    status = choose_washers(search, washers, set, error);
    return status == HWC_OK ? extend_set(search, wanted, set, error) : status;
}

int hwc_find_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t wanted, size_t washers,
                 struct hwc_set *set, struct hwc_error *error)
{
    struct hwc_search search;
    int status = hwc_open_search(&search, lab, plan, error);

    if (status == HWC_OK && (wanted > HWC_SET_LINES || washers > HWC_SET_WASHERS))
        status = hwc_fail(error, HWC_UNAVAILABLE, "sets of more than %d lines are not looked at", HWC_SET_LINES);
    if (status == HWC_OK)
        status = search_set(&search, wanted, washers, set, error);
    hwc_close_search(&search);
    return status;
}

int hwc_compact(struct hwc_lab *lab, unsigned level, const struct hwc_arena *arena, uint64_t start, uint64_t stride,
                size_t count, bool *compact, struct hwc_error *error)
{
    struct hwc_conflict_plan plan = {.level = level, .arena = arena, .stride = stride, .candidates = 1};
    struct hwc_search search;
    double found = 0;
    int status = hwc_open_search(&search, lab, &plan, error);

    if (status != HWC_OK)
        return status;
    status = hwc_check_time(&search, error);
    if (status == HWC_OK)
        status = hwc_walk_sequence(&search.walk, start, stride, count, error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&search.walk, &lab->random);
        status = hwc_misses(&search, search.witness->hit_cycles * (double)count, lab->settings.samples, &found, error);
    }
    *compact = !hwc_conflicts(&search, found);
    hwc_close_search(&search);
    return status;
}
