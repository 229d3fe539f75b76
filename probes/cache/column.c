#include "column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cache_ballot.h"
#include "conflict_test.h"
#include "kept_arena.h"
#include "late.h"
#include "line_placement.h"
#include "sampler.h"
#include "statistics.h"

enum { CALIBRATIONS = 24, FEW = 2, READINGS = 4, GROUP = 8, DRAWS = 8, MOST_DRAWS = 64, ROUNDS = 24, ASKED_AGAIN = 3 };

/* One line too many costs at least one miss of the level above: a pass over the set takes longer by a twentieth. */
static const double apart = 0.05;

/* Groups that are late are halved, so that of two lines asked about alone one is of the set. Where so many times as many
 * are none, and some more by chance, groups are late without one: the core has changed its pace. */
enum { STRANGERS_EACH = 3, STRANGERS_BY_CHANCE = 32 };

/* Odds by which a line is one of the set, and by which it is none: of hundreds that are asked about, few are. */
static const double sure = 1e4, likely = 3;

/* Lines of the set at its own place, that show how many pages have one. A place that has as many shows none of as many pages
 * as would have seven with a chance of e to the -7. */
static const double seen = 32, surely = 7;

/* Cycles of a pass over the timed lines, each time after a pass over all of the walk: the mean of the lesser readings, as
 * what disturbs only adds. The evictors, from `evictors` on, end a pass over the walk: an exclusive level keeps more lines of
 * a set if those above hold some. They may miss in sets of their own, and so are not timed. */
static int time_lines(struct hwc_column *column, size_t evictors, double *cycles, struct hwc_error *error)
{
    const struct hwc_walk *walk = &column->walk, *timed = &column->timed;
    const struct hwc_experiment experiment = {.arena = &column->arena,
                                              .event = HWC_NO_EVENT,
                                              .steps = 2 * READINGS,
                                              .step = {{HWC_RUN, walk, 2},
                                                       {HWC_MEASURE, timed, 1},
                                                       {HWC_RUN, walk, 1},
                                                       {HWC_MEASURE, timed, 1},
                                                       {HWC_RUN, walk, 1},
                                                       {HWC_MEASURE, timed, 1},
                                                       {HWC_RUN, walk, 1},
                                                       {HWC_MEASURE, timed, 1}}};
    struct hwc_sample sample;
    double readings[READINGS];

    hwc_walk_reorder(&column->walk, 0, evictors, &column->lab->random);
    hwc_walk_reorder(&column->walk, evictors, column->walk.count - evictors, &column->lab->random);
    hwc_walk_shuffle(&column->timed, &column->lab->random);
    TRY(hwc_lab_sample(column->lab, &experiment, &sample, error));
    for (int i = 0; i < READINGS; i++)
        readings[i] = sample.reading[i].cycles;
    hwc_sort(readings, READINGS);
    *cycles = 0;
    for (int i = 0; i + 1 < READINGS; i++)
        *cycles += readings[i] / (READINGS - 1);
    return HWC_OK;
}

/* The set's lines, after them, others at a place, and evictors. Those asked about take the place of as many others. */
static int time_with(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines,
                     size_t count, double *cycles, struct hwc_error *error)
{
    const struct hwc_set *set = &column->set;
    size_t others = set->evictors - count;

    hwc_walk_clear(&column->timed);
    TRY(hwc_walk_append_all(&column->timed, set->line, column->ways, error));
    hwc_walk_clear(&column->walk);
    TRY(hwc_walk_append_all(&column->walk, set->line, column->ways, error));
    TRY(hwc_walk_append_all(&column->walk, lines, count, error));
    if (place->moved == 0) {
        TRY(hwc_walk_append_all(&column->walk, set->evictor, others, error));
        return time_lines(column, column->ways + count, cycles, error);
    }
    TRY(hwc_walk_append_all(&column->walk, place->other, others, error));
    TRY(hwc_walk_append_all(&column->walk, set->evictor, set->evictors, error));
    return time_lines(column, column->ways + set->evictors, cycles, error);
}

/* Readings without a line more than fits, and with one. Sorted. */
struct both {
    double without[CALIBRATIONS], with[CALIBRATIONS];
};

static void sort_both(struct both *both)
{
    hwc_sort(both->without, CALIBRATIONS);
    hwc_sort(both->with, CALIBRATIONS);
}

static bool are_apart(const struct both *both)
{
    return both->with[CALIBRATIONS / 2] > (1 + apart) * both->without[CALIBRATIONS / 2];
}

static int calibrate(struct hwc_column *column, struct hwc_error *error)
{
    const struct hwc_column_place *own = &column->place[0];
    struct both both;

    for (size_t i = 0; i < CALIBRATIONS; i++) {
        TRY(time_with(column, own, NULL, 0, &both.without[i], error));
        TRY(time_with(column, own, &column->set.line[column->ways + i % HWC_COLUMN_SPARES], 1, &both.with[i], error));
    }
    sort_both(&both);
    column->members = column->strangers = 0;
    column->limit = (both.without[CALIBRATIONS - FEW] + both.with[FEW]) / 2;
    if (!are_apart(&both) || both.with[FEW] < both.without[CALIBRATIONS - FEW]) /* a few readings of each may be off */
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "a line more than fits a set of the level above does not show: %.0f cycles a pass, and %.0f",
                        both.without[CALIBRATIONS / 2], both.with[CALIBRATIONS / 2]);
    return HWC_OK;
}

static int is_late(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines, size_t count,
                   bool *late, struct hwc_error *error)
{
    double cycles;

    TRY(time_with(column, place, lines, count, &cycles, error));
    *late = cycles > column->limit;
    return HWC_OK;
}

int hwc_column_may_have(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines,
                        size_t count, bool *has, struct hwc_error *error)
{
    *has = false;
    for (int i = 0; i < ASKED_AGAIN && !*has; i++)
        TRY(is_late(column, place, lines, count, has, error));
    return HWC_OK;
}

static int play(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines, size_t count,
                struct hwc_late *plays, struct hwc_error *error)
{
    bool late;

    TRY(is_late(column, place, lines, count, &late, error));
    plays->late += late;
    plays->plays++;
    return HWC_OK;
}

/* Is this a line of the set: is a pass late with it more often than without? Whoever slows the core down, or puts lines out,
 * comes and goes, and makes both late: how often is told by this question's own passes. */
static int is_one(struct hwc_column *column, const struct hwc_column_place *place, uint64_t line, bool *is,
                  struct hwc_error *error)
{
    struct hwc_late_pair pair = {0};
    bool open = true;

    *is = false;
    for (int i = 0; i < ROUNDS && open; i++) {
        TRY(play(column, place, &line, 1, &pair.with, error));
        TRY(play(column, place, NULL, 0, &pair.without, error));
        *is = hwc_side_of_late(&pair, 0, sure) == HWC_ABOVE;
        open = !*is && hwc_side_of_late(&pair, 0, likely) != HWC_BELOW;
    }
    return HWC_OK;
}

/* Take in those of these candidates that share the set: if there are any, of each half. */
static int take_in(struct hwc_column *column, const struct hwc_column_place *place, const uint64_t *lines, size_t count,
                   struct hwc_error *error)
{
    bool has = false;

    if (count == 1) {
        TRY(is_one(column, place, lines[0], &has, error));
        column->members += has;
        column->strangers += !has;
    } else if (count > 1)
        TRY(is_late(column, place, lines, count, &has, error));
    if (!has)
        return HWC_OK;
    if (count > 1) {
        TRY(take_in(column, place, lines, count / 2, error));
        return take_in(column, place, lines + count / 2, count - count / 2, error);
    }
    column->line[column->lines++] = lines[0];
    return HWC_OK;
}

static int make_room(struct hwc_column *column, size_t lines, struct hwc_error *error)
{
    uint64_t *larger;

    if (lines <= column->room)
        return HWC_OK;
    larger = realloc(column->line, 2 * lines * sizeof *larger);
    if (larger == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for %zu lines", 2 * lines);
    column->line = larger;
    column->room = 2 * lines;
    return HWC_OK;
}

bool hwc_column_tells_by(const struct hwc_column *column, uint64_t line)
{
    return hwc_is_among(line, column->set.line, column->set.lines) ||
           hwc_is_among(line, column->set.evictor, column->set.evictors);
}

uint64_t hwc_column_line_at(const struct hwc_column *column, size_t page, uint64_t moved)
{
    return (page * column->stride + column->set.line[0] % column->stride) ^ moved;
}

/* Those asked about take the place of evictors, of which there may be few. */
size_t hwc_column_group(const struct hwc_column *column)
{
    return hwc_lesser(GROUP, column->set.evictors);
}

size_t hwc_column_pages_asked(const struct hwc_column *column)
{
    return hwc_lesser(column->asked * hwc_column_group(column), column->pages);
}

/* Take in what there is among the lines of some pages at one place. */
static int ask_pages(struct hwc_column *column, const struct hwc_column_place *place, size_t first,
                     struct hwc_error *error)
{
    size_t others = place->moved > 0 ? column->set.evictors : 0, count = 0;
    uint64_t lines[GROUP];

    for (size_t page = first; page < hwc_lesser(first + hwc_column_group(column), column->pages); page++) {
        uint64_t line = hwc_column_line_at(column, page, place->moved);
        if (!hwc_column_tells_by(column, line) && !hwc_is_among(line, place->other, others))
            lines[count++] = line;
    }
    TRY(make_room(column, column->lines + count, error));
    TRY(take_in(column, place, lines, count, error));
    return column->strangers > STRANGERS_EACH * column->members + STRANGERS_BY_CHANCE ? calibrate(column, error) : HWC_OK;
}

int hwc_column_grow(struct hwc_column *column, size_t lines, struct hwc_error *error)
{
    size_t group = hwc_column_group(column), groups = (column->pages + group - 1) / group;

    for (; column->lines < lines && column->asked < groups; column->asked++)
        for (size_t i = 0; i < column->places; i++)
            TRY(ask_pages(column, &column->place[i], column->asked * group, error));
    return HWC_OK;
}

static const struct hwc_column_place *place_of(const struct hwc_column *column, uint64_t line)
{
    const struct hwc_column_place *place = column->place;

    while (line % column->stride != (column->set.line[0] % column->stride ^ place->moved))
        place++;
    return place;
}

int hwc_column_leave_out_strangers(struct hwc_column *column, double *share, struct hwc_error *error)
{
    size_t asked = column->lines, kept = 0;

    for (size_t i = 0; i < asked; i++) {
        uint64_t line = column->line[i];
        bool is = hwc_is_among(line, column->set.line, column->ways);
        if (!is)
            TRY(is_one(column, place_of(column, line), line, &is, error));
        if (is)
            column->line[kept++] = line;
    }
    column->lines = kept;
    *share = (double)(asked - kept) / (double)asked;
    return HWC_OK;
}

static void draw_others(struct hwc_column *column, struct hwc_column_place *place)
{
    for (size_t i = 0; i < column->set.evictors;) {
        size_t page = (size_t)hwc_random_below(&column->lab->random, column->pages);
        uint64_t line = hwc_column_line_at(column, page, place->moved);
        if (!hwc_column_tells_by(column, line) && !hwc_is_among(line, place->other, i))
            place->other[i++] = line;
    }
}

/* Other lines at this place: those after which the set's take least of some draws, or of more as long as each draw may have
 * one of the set. A place that is passed over would hide a part of the column. */
static int find_others(struct hwc_column *column, struct hwc_column_place *place, struct hwc_error *error)
{
    double least = INFINITY;

    for (int i = 0; i < DRAWS || (i < MOST_DRAWS && least > column->limit); i++) {
        struct hwc_column_place drawn = {.moved = place->moved};
        double cycles;
        draw_others(column, &drawn);
        TRY(time_with(column, &drawn, NULL, 0, &cycles, error));
        if (cycles < least)
            *place = drawn;
        least = fmin(least, cycles);
    }
    if (least > column->limit)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no lines at a place of their pages leave a set of the level above alone");
    return HWC_OK;
}

/* Do so many groups of pages show a line of the set at this place? */
static int look_at_place(struct hwc_column *column, struct hwc_column_place *place, size_t groups, bool *shows,
                         struct hwc_error *error)
{
    size_t before = column->lines;

    TRY(find_others(column, place, error));
    for (size_t i = 0; i < groups && column->lines == before; i++)
        TRY(ask_pages(column, place, i * hwc_column_group(column), error));
    *shows = column->lines > before;
    column->lines = before; /* they are asked about again */
    return HWC_OK;
}

static bool has_place(const struct hwc_column *column, uint64_t moved)
{
    size_t at = 0;

    while (at < column->places && column->place[at].moved != moved)
        at++;
    return at < column->places;
}

/* Where the index is linear, two such distances make a third one: a place that showed no line in a bad moment is not passed
 * over, and with it all lines of other sets of the next level than those at other places are of. */
static int add_sums(struct hwc_column *column, struct hwc_error *error)
{
    for (size_t i = 1; i < column->places; i++)
        for (size_t k = 1; k < i && column->places < HWC_COLUMN_PLACES; k++) {
            struct hwc_column_place sum = {.moved = column->place[i].moved ^ column->place[k].moved};
            if (has_place(column, sum.moved))
                continue;
            TRY(find_others(column, &sum, error));
            column->place[column->places++] = sum;
        }
    return HWC_OK;
}

/* Where a hash of the pages' numbers moves lines to other sets, lines of this one lie at other places of their pages, too,
 * and are as likely there as at its own place. */
static int find_places(struct hwc_column *column, struct hwc_error *error)
{
    uint64_t line = column->lab->known->level[column->above].fill_bytes; /* all of it is in one set */
    uint64_t page = hwc_smallest_entry(column->lab->machine);
    size_t before = column->lines, groups;

    column->places = 1;
    TRY(hwc_column_grow(column, before + (size_t)seen, error));
    groups = (size_t)(surely * (double)column->asked / seen) + 1;
    column->lines = before;
    column->asked = 0;
    for (uint64_t moved = line; moved < page && column->places < HWC_COLUMN_PLACES; moved += line) {
        struct hwc_column_place *place = &column->place[column->places];
        bool shows;
        place->moved = moved;
        TRY(look_at_place(column, place, groups, &shows, error));
        column->places += shows;
    }
    return add_sums(column, error);
}

/* Half of the set's lines are moved, and evictors beside them: a line more shows only if they share the set still. */
static int time_moved(struct hwc_column *column, uint64_t moved, bool more, double *cycles, struct hwc_error *error)
{
    const struct hwc_set *set = &column->set;

    hwc_walk_clear(&column->timed);
    for (size_t i = 0; i < column->ways; i++)
        TRY(hwc_walk_append(&column->timed, set->line[i] ^ (i % 2 == 0 ? moved : 0), error));
    hwc_walk_clear(&column->walk);
    TRY(hwc_walk_append_all(&column->walk, column->timed.offsets, column->ways, error));
    TRY(hwc_walk_append_all(&column->walk, &set->line[column->ways], more, error));
    for (size_t i = 0; i < set->evictors; i++)
        TRY(hwc_walk_append(&column->walk, set->evictor[i] ^ moved, error));
    TRY(hwc_walk_append_all(&column->walk, set->evictor, set->evictors, error));
    return time_lines(column, column->ways + more, cycles, error);
}

int hwc_column_shares(struct hwc_column *column, uint64_t moved, bool *shares, struct hwc_error *error)
{
    struct both both;

    for (size_t i = 0; i < CALIBRATIONS; i++) {
        TRY(time_moved(column, moved, false, &both.without[i], error));
        TRY(time_moved(column, moved, true, &both.with[i], error));
    }
    sort_both(&both);
    *shares = are_apart(&both);
    return HWC_OK;
}

/* Lines of the set, found as a vote on the level above finds them. */
static int find_set(struct hwc_column *column, const struct hwc_conflict_plan *plan, struct hwc_error *error)
{
    size_t evictors = hwc_lesser(2 * hwc_ways_above(column->lab, column->above) + GROUP, HWC_SET_EVICTORS);

    column->ways = column->lab->known->level[column->above].ways;
    TRY(hwc_find_set(column->lab, plan, column->ways + HWC_COLUMN_SPARES, evictors, &column->set, error));
    TRY(make_room(column, column->set.lines, error));
    memcpy(column->line, column->set.line, column->set.lines * sizeof *column->line);
    column->lines = column->set.lines;
    return HWC_OK;
}

int hwc_column_open(struct hwc_lab *lab, unsigned above, size_t pages, struct hwc_column *column,
                    struct hwc_error *error)
{
    struct hwc_look look = hwc_look_at_pages(lab, above);
    size_t candidates = look.candidates;
    struct hwc_conflict_plan plan;

    *column = (struct hwc_column){.lab = lab, .above = above, .stride = look.stride};
    hwc_walk_init(&column->walk);
    hwc_walk_init(&column->timed);
    column->walk.independent = column->timed.repeats = true; /* both from lists, which write to none of the lines */
    look.candidates = column->pages = pages > candidates ? pages : candidates;
    TRY(hwc_open_look(lab, above, &look, &column->arena, &plan, error));
    plan.candidates = candidates;
    TRY(find_set(column, &plan, error));
    TRY(calibrate(column, error));
    return find_places(column, error);
}

void hwc_column_close(struct hwc_column *column)
{
    hwc_walk_free(&column->walk);
    hwc_walk_free(&column->timed);
    hwc_return_arena(column->lab, &column->arena);
    free(column->line);
}
