#include "hot_line.h"

#include "cache_ballot.h"
#include "kept_arena.h"
#include "line_placement.h"
#include "lone_line.h"
#include "sampler.h"

/* Passes over evictors: a policy may keep a line through several. */
enum { EMPTYING_PASSES = 4 };
/* Where lines cannot be flushed, others of the set take their places first. */
enum { FILLING_PASSES = 4 };

static const double late = 0.5; /* nearer to a miss than to a hit */

/* Lines of the line's set in the levels above the next above, and of another set of that. */
static void choose_filters(struct hwc_hot_line *hot)
{
    unsigned above = hot->level - 1;
    uint64_t period = above > 1 ? hwc_period_above(hot->lab, above) : 0;
    size_t wanted = above > 1 ? 2 * hwc_ways_above(hot->lab, above) : 0;

    hot->filters = 0;
    if (wanted > HWC_MOST_FILTERS || hot->arena.contiguous_bytes <= hot->lab->machine->page_bytes ||
        2 * period > hot->lab->known->level[above].period_bytes)
        return;
    for (size_t i = 0; i < wanted; i++) {
        uint64_t filter = hot->set.line[0] ^ ((2 * i + 1) * period);
        if (filter < hot->arena.bytes)
            hot->filter[hot->filters++] = filter;
    }
}

/* As many as this level and the one above hold together, and a few more; if those are not found, somewhat more than
 * this level holds. */
static int find_set(struct hwc_hot_line *hot, const struct hwc_conflict_plan *plan, struct hwc_error *error)
{
    size_t evictors = 2 * hwc_ways_above(hot->lab, hot->level);
    size_t most = hot->ways + 2 * hot->ways_above + 2, fewest = hot->ways + 2;
    int status;

    if (evictors > HWC_SET_EVICTORS)
        evictors = HWC_SET_EVICTORS;
    status = most <= HWC_SET_LINES ? hwc_find_set(hot->lab, plan, most, evictors, &hot->set, error) : HWC_INCONCLUSIVE;
    if (status == HWC_INCONCLUSIVE)
        status = hwc_find_set(hot->lab, plan, fewest, evictors, &hot->set, error);
    if (status == HWC_OK && hot->set.evictors == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no lines put this set out of the levels above");
    return status;
}

static int lay_out(struct hwc_hot_line *hot, struct hwc_error *error)
{
    const struct hwc_set *set = &hot->set;

    choose_filters(hot);
    TRY(hwc_walk_append_all(&hot->both, set->line, set->lines, error));
    TRY(hwc_walk_append_all(&hot->both, set->evictor, set->evictors, error));
    TRY(hwc_walk_append_all(&hot->line, set->line, 1, error));
    TRY(hwc_walk_append_all(&hot->others, set->line + 1, set->lines - 1, error));
    return hwc_walk_append_all(&hot->emptying, set->evictor, set->evictors, error);
}

/* The last one is not played from a list, as it is drawn anew for each play. */
enum { WALKS = 8 };

static struct hwc_walk *walk_of(struct hwc_hot_line *hot, unsigned i)
{
    struct hwc_walk *const walks[WALKS] = {&hot->both, &hot->line,     &hot->others,   &hot->beside,
                                           &hot->last, &hot->thinning, &hot->emptying, &hot->mate};

    return walks[i];
}

int hwc_hot_line_open(struct hwc_hot_line *hot, struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    const struct hwc_level *known = &lab->known->level[level];
    struct hwc_look look = hwc_in_one_first_set(lab, level, lab->known->level[level].look);
    struct hwc_conflict_plan plan;
    int status;

    *hot = (struct hwc_hot_line){.lab = lab,
                                 .level = level,
                                 .ways = (unsigned)known->ways,
                                 .ways_above = (unsigned)lab->known->level[level - 1].ways};
    for (unsigned i = 0; i < WALKS; i++) {
        hwc_walk_init(walk_of(hot, i));
        walk_of(hot, i)->repeats = i < WALKS - 1; /* from lists, so that laying a walk out writes to none of the lines */
    }
    status = hwc_open_look(lab, level, &look, &hot->arena, &plan, error);
    if (status == HWC_OK)
        status = find_set(hot, &plan, error);
    if (status == HWC_OK)
        status = lay_out(hot, error);
    if (status != HWC_OK)
        hwc_hot_line_close(hot);
    return status;
}

void hwc_hot_line_close(struct hwc_hot_line *hot)
{
    for (unsigned i = 0; i < WALKS; i++)
        hwc_walk_free(walk_of(hot, i));
    hwc_return_arena(hot->lab, &hot->arena);
}

static uint64_t other(const struct hwc_hot_line *hot, const struct hwc_passing *passing, size_t i)
{
    const struct hwc_set *set = &hot->set;

    return passing->of_its_set ? set->line[1 + i % (set->lines - 1)] : set->evictor[i % set->evictors];
}

static int visit(const struct hwc_hot_line *hot, struct hwc_walk *walk, struct hwc_error *error)
{
    TRY(hwc_walk_append(walk, hot->set.line[0], error));
    return hwc_walk_append_all(walk, hot->filter, hot->filters, error);
}

/* Lines of another set, the line being visited after each. */
static int build_thinning(struct hwc_hot_line *hot, struct hwc_error *error)
{
    hwc_walk_clear(&hot->thinning);
    for (size_t i = 0; i < hot->set.evictors; i++) {
        TRY(hwc_walk_append(&hot->thinning, hot->set.evictor[i], error));
        TRY(visit(hot, &hot->thinning, error));
    }
    return HWC_OK;
}

/* The first ones, x y1 x y2 ... x, and then the last ones. */
static int build(struct hwc_hot_line *hot, const struct hwc_passing *passing, struct hwc_error *error)
{
    size_t next = 0;

    hwc_walk_clear(&hot->beside);
    hwc_walk_clear(&hot->last);
    while (next < passing->first)
        TRY(hwc_walk_append(&hot->beside, other(hot, passing, next++), error));
    TRY(visit(hot, &hot->beside, error));
    for (size_t i = 0; i < passing->beside; i++) {
        TRY(hwc_walk_append(&hot->beside, other(hot, passing, next++), error));
        TRY(visit(hot, &hot->beside, error));
    }
    for (size_t i = 0; i < passing->last; i++)
        TRY(hwc_walk_append(&hot->last, other(hot, passing, next++), error));
    return HWC_OK;
}

static void add(struct hwc_experiment *experiment, enum hwc_step_kind kind, const struct hwc_walk *walk,
                uint32_t passes)
{
    if (walk->count > 0)
        experiment->step[experiment->steps++] = (struct hwc_step){kind, walk, passes};
}

static struct hwc_experiment script(const struct hwc_hot_line *hot, const struct hwc_passing *passing)
{
    struct hwc_experiment experiment = {.arena = &hot->arena};
    bool flushes = hot->lab->machine->flushes;

    /* Whichever lines pass by, they find the level above in the same state. */
    add(&experiment, flushes ? HWC_FLUSH : HWC_RUN, flushes ? &hot->both : &hot->others,
        flushes ? 1 : FILLING_PASSES);
    add(&experiment, HWC_RUN, &hot->beside, passing->beside > 0 ? passing->rounds : 1);
    add(&experiment, HWC_RUN, &hot->last, passing->beside > 0 ? 1 : passing->rounds);
    if (passing->alone)
        add(&experiment, HWC_RUN, &hot->thinning, EMPTYING_PASSES);
    if (passing->empty_above)
        add(&experiment, HWC_RUN, &hot->emptying, EMPTYING_PASSES);
    add(&experiment, HWC_RUN, &hot->mate, 1);
    add(&experiment, HWC_MEASURE, &hot->line, 1);
    add(&experiment, HWC_MEASURE, &hot->line, 1);
    return experiment;
}

static int play_once(struct hwc_hot_line *hot, const struct hwc_passing *passing, bool *is_late, bool *disturbed,
                     struct hwc_error *error)
{
    const struct hwc_witness *witness = &hot->lab->witness[hot->level + passing->leaves_below - passing->leaves_above];
    struct hwc_experiment experiment = script(hot, passing);
    struct hwc_sample sample;

    TRY(hwc_draw_mate(hot->lab, hot->set.line[0], &hot->mate, error));
    hwc_ask_witness(witness, &experiment);
    TRY(hwc_lab_sample(hot->lab, &experiment, &sample, error));
    *is_late = hwc_weigh_lone_line(hot->lab, witness, &sample) > late;
    *disturbed = sample.disturbed;
    return HWC_OK;
}

int hwc_hot_line_play(struct hwc_hot_line *hot, const struct hwc_passing *passing, unsigned plays,
                      struct hwc_late *found, struct hwc_error *error)
{
    unsigned disturbed = 0;
    bool is_late = false, spoiled = false;

    TRY(build(hot, passing, error));
    if (passing->alone)
        TRY(build_thinning(hot, error));
    TRY(play_once(hot, passing, &is_late, &spoiled, error)); /* dropped: lists are new, and take room in the caches */
    for (unsigned i = 0; i < plays;) {
        TRY(play_once(hot, passing, &is_late, &spoiled, error));
        disturbed += spoiled;
        if (disturbed > plays)
            return hwc_fail(error, HWC_INCONCLUSIVE, "others disturb what single lines take");
        found->plays += !spoiled;
        found->late += !spoiled && is_late;
        i += !spoiled;
    }
    return HWC_OK;
}
