#include "beyond_set.h"

#include <math.h>

#include "cache_ballot.h"
#include "conflict_test.h"
#include "crowded.h"
#include "kept_arena.h"
#include "levels_fit.h"
#include "line_placement.h"
#include "page_order.h"
#include "served_above.h"
#include "set_of_lines.h"
#include "statistics.h"
#include "steady_state.h"
#include "two_looks.h"

enum { TIMES_ITS_WAYS = 3, PLACES = 16, VOTES = 4, MOST_TIMES_VOTES = 3 };

/* Sets differ by such a share at most, from the fastest to the slowest. */
static const double alike = 0.1;

/* More of them come from beyond the level below, by its counter: each may take ten times as long. */
static const double beyond_it = 0.01;

struct chain {
    struct hwc_lab *lab;
    const struct hwc_arena *arena;
    struct hwc_set *set;
    struct hwc_beyond_set *beyond;
    unsigned places; /* of a page, that lines are moved to: a set at each */
    struct hwc_walk lines, control; /* the control goes through the same pages, by lines that the first level holds */
};

static size_t fewer_of(size_t lines)
{
    return lines * 2 / TIMES_ITS_WAYS;
}

/* The pages of so many of the set's lines, each once, in the order of these. */
static size_t list_pages(const struct hwc_set *set, size_t count, uint64_t page, uint64_t *pages)
{
    size_t listed = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t begin = set->line[i] - set->line[i] % page;
        if (!hwc_is_among(begin, pages, listed))
            pages[listed++] = begin;
    }
    return listed;
}

/* In rounds over the pages, as the control: in any other order fewer of them would be translated anew, where more pages
 * than ways share a set of the TLB. */
static int order_by_page(struct chain *chain, size_t count, uint64_t page, struct hwc_error *error)
{
    uint64_t pages[HWC_SET_LINES];
    struct hwc_walk *lines = &chain->lines;
    struct hwc_page_order order;
    int status = hwc_page_order_open(&order, lines->offsets, lines->count, pages,
                                     list_pages(chain->set, count, page, pages), page, error);

    if (status == HWC_OK)
        hwc_page_order_draw(&order, &chain->lab->random, lines->offsets);
    hwc_page_order_close(&order);
    return status;
}

/* So many lines of the set, moved to some places of their pages: a set at each. Where the first level's sets come again
 * within a page, some lines are one another's at another place. */
static int lay_out(struct chain *chain, size_t count, const uint64_t *moved, unsigned places, struct hwc_error *error)
{
    uint64_t page = hwc_smallest_entry(chain->lab->machine);

    hwc_walk_clear(&chain->lines);
    hwc_walk_clear(&chain->control);
    for (unsigned part = 0; part < places; part++)
        for (size_t i = 0; i < count; i++) {
            uint64_t line = chain->set->line[i] ^ moved[part];
            if (!hwc_is_among(line, chain->lines.offsets, chain->lines.count))
                TRY(hwc_walk_append(&chain->lines, line, error));
        }
    TRY(order_by_page(chain, count, page, error));
    for (size_t i = 0; i < count; i++) {
        uint64_t line = chain->set->line[i];
        TRY(hwc_walk_append(&chain->control, line - line % page + hwc_line_in_page(chain->lab, i), error));
    }
    return HWC_OK;
}

static int time_pass(struct chain *chain, const struct hwc_walk *walk, double *cycles, struct hwc_error *error)
{
    TRY(hwc_measure_by(chain->lab, &hwc_by_clock, chain->arena, walk, chain->lab->settings.samples, cycles, error));
    *cycles /= (double)walk->count;
    return HWC_OK;
}

/* Cycles of a load of the lines, and of the control. */
struct pass_times {
    double lines, control;
};

/* So many lines at each place. */
static int time_both(struct chain *chain, size_t count, const uint64_t *moved, unsigned places, struct pass_times *times,
                     struct hwc_error *error)
{
    TRY(lay_out(chain, count, moved, places, error));
    TRY(time_pass(chain, &chain->control, &times->control, error));
    return time_pass(chain, &chain->lines, &times->lines, error);
}

/* The pages' translation is taken off. */
static double cycles_of(const struct chain *chain, const struct pass_times *times)
{
    return chain->beyond->first + times->lines - times->control;
}

/* Cycles of a load, of fewer lines of each set and of all: by place, and of all places, in rounds over the pages. Misses
 * that follow each other in one set may take longer than others (docs/latency.md). */
struct by_place {
    double fewer[PLACES], all[PLACES];
    double of_fewer, of_all;
};

static void take_in(const double *cycles, unsigned places, struct hwc_beyond_set *beyond)
{
    for (unsigned part = 0; part < places; part++) {
        beyond->least = beyond->most > 0 ? fmin(beyond->least, cycles[part]) : cycles[part];
        beyond->most = fmax(beyond->most, cycles[part]);
    }
}

/* Those that stay in the set count as served above, whatever the number of lines. */
static int judge(struct chain *chain, const struct by_place *times, struct hwc_error *error)
{
    size_t all = chain->set->lines, fewer = fewer_of(all);
    double of_fewer = times->of_fewer, of_all = times->of_all, rest = of_all;

    if (fabs(of_fewer / of_all - 1) > hwc_served_above.alike)
        rest = hwc_latency_of_rest((double)fewer / (double)all, of_fewer, of_all);
    if (of_fewer < (1 + HWC_LEAST_RISE) * chain->beyond->hits || /* the lines share no set */
        fabs(rest / of_all - 1) > hwc_served_above.most_correction)
        return hwc_fail(error, HWC_INCONCLUSIVE, "of %zu lines of a set each takes %.1f cycles, of %zu %.1f", fewer,
                        of_fewer, all, of_all);
    if (hwc_places_differ(times->fewer, times->all, chain->places))
        take_in(times->all, chain->places, chain->beyond);
    chain->beyond->mean = rest;
    return HWC_OK;
}

/* Others only add, for a while, to the lines' times and to the control's: the least of each counts. */
static int time_again(struct chain *chain, size_t count, const uint64_t *moved, struct pass_times *least,
                      struct hwc_error *error)
{
    struct pass_times times;

    TRY(time_both(chain, count, moved, chain->places, &times, error));
    least->lines = fmin(least->lines, times.lines);
    least->control = fmin(least->control, times.control);
    return HWC_OK;
}

/* All places, mixed, of fewer lines and of all. */
struct mixed {
    struct pass_times fewer, all;
};

static int time_mixed(struct chain *chain, const uint64_t *moved, struct mixed *mixed, struct hwc_error *error)
{
    size_t all = chain->set->lines;

    TRY(time_again(chain, fewer_of(all), moved, &mixed->fewer, error));
    return time_again(chain, all, moved, &mixed->all, error);
}

static int time_place(struct chain *chain, size_t count, const uint64_t *moved, double *cycles, struct hwc_error *error)
{
    struct pass_times times;

    TRY(time_both(chain, count, moved, 1, &times, error));
    *cycles = cycles_of(chain, &times);
    return HWC_OK;
}

/* All places, and all of them again, backwards: what drifts meanwhile is told from what differs between them. */
static int time_places(struct chain *chain, struct hwc_error *error)
{
    size_t all = chain->set->lines;
    uint64_t moved[PLACES];
    struct mixed mixed = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    struct by_place times;

    hwc_draw_places(chain->lab, PLACES, chain->set->line[0], moved);
    TRY(time_mixed(chain, moved, &mixed, error));
    for (unsigned part = 0; part < chain->places; part++)
        TRY(time_place(chain, fewer_of(all), &moved[part], &times.fewer[part], error));
    TRY(time_mixed(chain, moved, &mixed, error));
    for (unsigned part = chain->places; part-- > 0;)
        TRY(time_place(chain, all, &moved[part], &times.all[part], error));
    TRY(time_mixed(chain, moved, &mixed, error));
    times.of_fewer = cycles_of(chain, &mixed.fewer);
    times.of_all = cycles_of(chain, &mixed.all);
    return judge(chain, &times, error);
}

/* Where misses of the level below are counted, it is known whether it holds all lines, at all of the places. */
static int count_beyond(struct chain *chain, struct hwc_error *error)
{
    const struct hwc_witness *witness = &chain->lab->witness[chain->beyond->level + 1];
    uint64_t moved[PLACES];
    double misses;

    if (!hwc_counts_events(witness))
        return HWC_OK;
    hwc_draw_places(chain->lab, PLACES, chain->set->line[0], moved);
    TRY(lay_out(chain, chain->set->lines, moved, chain->places, error));
    TRY(hwc_measure_by(chain->lab, witness, chain->arena, &chain->lines, chain->lab->settings.samples, &misses, error));
    if (misses > beyond_it * (double)chain->lines.count)
        return hwc_fail(error, HWC_INCONCLUSIVE, "of %zu lines, %.0f come from beyond the level below",
                        chain->lines.count, misses);
    return HWC_OK;
}

static int time_set(struct chain *chain, struct hwc_error *error)
{
    int status;

    hwc_walk_init(&chain->lines);
    hwc_walk_init(&chain->control);
    status = count_beyond(chain, error);
    if (status == HWC_OK)
        status = time_places(chain, error);
    hwc_walk_free(&chain->lines);
    hwc_walk_free(&chain->control);
    return status;
}

/* Evictors are asked for as the search for more lines of the set needs them. */
static int find_set(struct hwc_lab *lab, unsigned level, const struct hwc_conflict_plan *plan, struct hwc_set *set,
                    struct hwc_error *error)
{
    size_t above = hwc_ways_above(lab, level), ways = lab->known->level[level].ways;
    size_t wanted = hwc_lesser(TIMES_ITS_WAYS * (ways > above ? ways : above), HWC_SET_LINES);

    return hwc_find_set(lab, plan, wanted, hwc_lesser(2 * above, HWC_SET_EVICTORS), set, error);
}

/* Only those that the level below holds, if they are still more than the set does by far. */
static int leave_out_crowded(struct chain *chain, struct hwc_error *error)
{
    size_t found = chain->set->lines, ways = chain->lab->known->level[chain->beyond->level].ways;

    TRY(hwc_leave_out_crowded(chain->lab, chain->arena, chain->set, error));
    if (chain->set->lines <= 2 * ways)
        return hwc_fail(error, HWC_INCONCLUSIVE, "of %zu lines of a set, the level below holds %zu together", found,
                        chain->set->lines);
    return HWC_OK;
}

/* Where a page has several of the set's lines, fewer places: else all of its lines are visited, and next lines that a
 * prefetcher brings in are hit. */
static unsigned places_for(const struct hwc_lab *lab, uint64_t stride)
{
    uint64_t page = hwc_smallest_entry(lab->machine);

    return stride >= page ? PLACES : (unsigned)(PLACES * stride / page) + 1;
}

static int find_and_time(struct hwc_lab *lab, struct hwc_look look, struct hwc_beyond_set *beyond,
                         struct hwc_error *error)
{
    struct hwc_conflict_plan plan;
    struct hwc_arena arena = {0};
    struct hwc_set set;
    struct chain chain = {.lab = lab, .arena = &arena, .set = &set, .beyond = beyond,
                          .places = places_for(lab, look.stride)};
    int status = hwc_open_look(lab, beyond->level, &look, &arena, &plan, error);

    if (status == HWC_OK)
        status = find_set(lab, beyond->level, &plan, &set, error);
    if (status == HWC_OK)
        status = leave_out_crowded(&chain, error);
    if (status == HWC_OK)
        status = time_set(&chain, error);
    hwc_return_arena(lab, &arena);
    return status;
}

/* HWC_INCONCLUSIVE if none is found, or it keeps too many of the lines. */
static int time_any_set(struct hwc_lab *lab, struct hwc_beyond_set *beyond, struct hwc_error *error)
{
    /* As it was found, and on pages anywhere: evictors that emptied the levels above for its own lines may be in the way of
     * more of a set. Where those lie in several sets of the first level, it may hold one in each: they are chosen in one. */
    const struct hwc_look looks[] = {lab->known->level[beyond->level].look, hwc_look_at_pages(lab, beyond->level)};
    int status = HWC_INCONCLUSIVE;

    for (size_t i = 0; i < sizeof looks / sizeof looks[0] && hwc_came_to_nothing(status); i++)
        status = find_and_time(lab, hwc_in_one_first_set(lab, beyond->level, looks[i]), beyond, error);
    return status;
}

static void count_set(struct hwc_beyond_set *beyond)
{
    beyond->fastest = beyond->sets > 0 ? fmin(beyond->fastest, beyond->mean) : beyond->mean;
    beyond->slowest = fmax(beyond->slowest, beyond->mean);
    beyond->sets++;
}

int hwc_vote_beyond_set(struct hwc_lab *lab, struct hwc_beyond_set *beyond, struct hwc_common_least *least,
                        struct hwc_error *error)
{
    unsigned first = (unsigned)hwc_lesser(lab->settings.votes, VOTES), enough = (3 * first + 3) / 4;
    double cycles[MOST_TIMES_VOTES * VOTES];

    beyond->sets = 0;
    beyond->fastest = beyond->slowest = 0;
    for (unsigned i = 0; i < MOST_TIMES_VOTES * first && (beyond->sets > 0 || 2 * i < first); i++) {
        int status = time_any_set(lab, beyond, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        if (status == HWC_OK) {
            cycles[beyond->sets] = beyond->mean;
            count_set(beyond);
        }
        if (i + 1 >= first && hwc_find_common_least(cycles, beyond->sets, alike, enough, least))
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "of %u sets of the level above, no %u take the same", beyond->sets,
                    enough);
}
