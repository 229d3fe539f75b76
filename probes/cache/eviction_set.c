#include "eviction_set.h"

#include "congruent_lines.h"
#include "minimal_set.h"
#include "quiet_core.h"

static const struct {
    double slower;
    int targets;
    size_t fillers;
    uint32_t few_passes;
    double less_often, just_full;
    double of_last_time;
    size_t room;
} policy = {
    /* A farther level takes at least 1.5 times as long (X-Ray 4.1.1). Twice as long is where readings count as one
     * miss, and half a miss is the threshold: from how far the line comes does not matter. */
    .slower = 2,
    /* A target whose set holds lines of others, or of our own code, tells nothing: another one may. */
    .targets = 12,
    /* For each line that the levels above hold. In two passes a random policy of eight ways keeps a line through that many
     * one time in some hundred. Each lies on a page of its own, whose tables take room in this level. */
    .fillers = 3,
    .few_passes = 2,
    .less_often = 0.25, /* which chance alone hardly makes of some dozens of readings */
    .just_full = 0.5,
    .of_last_time = 0.5, /* it was half as many more than needed, and a quarter is added before the first question */
    .room = 4, /* times what it took, or what it took for another target */
};

static const struct hwc_level *level_of(const struct hwc_eviction_search *search)
{
    return &search->test->lab->known->level[search->test->plan->level];
}

/* A line that this level serves takes longer than one of the first. Where the mean of readings says otherwise, the first
 * level's, which is subtracted, has changed meanwhile. */
static int check_hit(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    double hit = search->test->meter.hit_cycles, first = search->test->lab->witness[1].hit_cycles;

    if (hit > first)
        return HWC_OK;
    return hwc_fail(error, HWC_INCONCLUSIVE,
                    "others disturb what single lines take: %.1f cycles, and %.1f in the first level", hit, first);
}

/* What does the target take after lines that are too few to evict it? */
static int calibrate(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    uint32_t passes = level_of(search)->evicting_passes;
    double late;

    meter->passes = passes > 0 ? passes : HWC_PASSES;
    TRY(hwc_read_target(search, search->fillers, &meter->hit_cycles, error));
    TRY(check_hit(search, error));
    meter->miss_cycles = policy.slower * meter->hit_cycles;
    meter->any_farther = true;
    return hwc_read_late_target(search, search->fillers, true, &late, error);
}

/* Some policies spare a line of a set that is just full more often than one of many lines. Then few passes find none that
 * put the target out often. Of some sets this is others' doing; of most, more passes are made from then on. */
static bool are_spared(const struct hwc_level *level)
{
    return level->sets_spared > level->sets_found + 1;
}

/* Fewer passes take less time, in which others put the target out, too; they serve where they evict it about as often, as
 * they do if the policy is nearly LRU. A moment of others' may hide that from one target. In few passes, lines that put the
 * target out do so at least half as often as all of them do, which surely evict it: where they are one fewer than its set
 * has ways, what others do fills it now and then. */
static int choose_passes(struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    struct hwc_level level = *level_of(search);
    double late, few;

    TRY(hwc_read_late_target(search, search->count, false, &late, error));
    if (meter->passes != policy.few_passes && !are_spared(&level)) {
        meter->passes = policy.few_passes;
        TRY(hwc_read_late_target(search, search->count, false, &few, error));
        if (few < late - policy.less_often)
            meter->passes = HWC_PASSES;
        else
            late = few;
        level.evicting_passes = meter->passes;
        hwc_know_level(search->test->lab, search->test->plan->level, &level);
    }
    search->least_late = meter->passes < HWC_PASSES ? policy.just_full * late : 0;
    return HWC_OK;
}

/* Does the target come from farther than this level, by the times of footprints? Then fillers have put it out of this
 * level, too, and what they leave it in is the next. */
static bool is_out(const struct hwc_eviction_search *search)
{
    const struct hwc_levels_fit *fit = &search->test->lab->known->fit;
    unsigned level = search->test->plan->level;

    return level <= fit->told_if_many && hwc_is_served_beyond(fit, level - 1, search->test->meter.hit_cycles);
}

/* Halve the fillers until they leave the target in this level, as often as half of them do, and, by footprints, at all.
 * What it takes is measured behind those that are left: too few no longer empty the levels above. *out: footprints said of
 * any that they put it out. */
static int halve_fillers(struct hwc_eviction_search *search, bool by_footprints, bool *stays, bool *out,
                         struct hwc_error *error)
{
    size_t least = hwc_lines_above(search->test->lab, search->test->plan->level, search->test->plan->stride);
    enum hwc_side side = HWC_ABOVE;

    for (*out = false; side == HWC_ABOVE && search->fillers > least;) {
        TRY(calibrate(search, error));
        if (by_footprints && is_out(search))
            *out = true;
        else
            TRY(hwc_evict_beside(search, search->fillers, search->fillers / 2, &side, error));
        if (side == HWC_ABOVE)
            search->fillers /= 2;
    }
    *stays = side != HWC_ABOVE;
    return HWC_OK;
}

/* Of a level of few ways, footprints may have shown two, and then the target is where the second of them seems to be. */
static int spare_fillers(struct hwc_eviction_search *search, struct hwc_error *error)
{
    size_t all = search->fillers;
    bool stays, out;

    TRY(halve_fillers(search, true, &stays, &out, error));
    if (!stays && out) {
        search->fillers = all;
        TRY(halve_fillers(search, false, &stays, &out, error));
    }
    if (!stays)
        return hwc_fail(error, HWC_INCONCLUSIVE, "what empties the levels above puts lines out of this one, too");
    return HWC_OK;
}

/* Who needs more lines than that is misled: passes over them take ever longer. */
static void limit_to(struct hwc_eviction_search *search, size_t evicting_lines)
{
    if (evicting_lines > 0 && search->available > policy.room * evicting_lines)
        search->available = policy.room * evicting_lines;
}

/* Many lines that evict the target. Of another target as many did, nearly, so that the search begins not far below. */
static int gather(struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_level level = *level_of(search);
    size_t begin = (size_t)(policy.of_last_time * (double)level.evicting_lines);

    search->count = begin > search->fillers && begin < search->available ? begin : search->fillers;
    limit_to(search, level.evicting_lines);
    TRY(hwc_grow(search, error));
    level.evicting_lines = search->count;
    limit_to(search, search->count);
    hwc_know_level(search->test->lab, search->test->plan->level, &level);
    return HWC_OK;
}

static void know_spared(const struct hwc_eviction_search *search)
{
    struct hwc_level level = *level_of(search);

    if (level.evicting_passes == HWC_PASSES)
        return;
    level.sets_spared++;
    if (are_spared(&level))
        level.evicting_passes = HWC_PASSES;
    hwc_know_level(search->test->lab, search->test->plan->level, &level);
}

static int find_members(struct hwc_eviction_search *search, struct hwc_error *error)
{
    int status = hwc_find_members(search, error);

    if (status == HWC_INCONCLUSIVE)
        know_spared(search);
    return status;
}

/* The target's set, for other searches. */
static void know_lines(const struct hwc_eviction_search *search)
{
    const struct hwc_conflict_test *test = search->test;
    struct hwc_congruent_lines group = {.count = 1, .line = {search->line - test->base}};

    for (size_t i = search->fillers; i < search->count && group.count < HWC_MOST_CONGRUENT; i++)
        group.line[group.count++] = test->kept[i] - test->base;
    hwc_know_congruent(test->lab, test->plan, &group);
}

static void know_set(const struct hwc_eviction_search *search, size_t lines)
{
    struct hwc_level level = *level_of(search);

    level.largest_set = lines > level.largest_set ? lines : level.largest_set;
    level.sets_found++;
    hwc_know_level(search->test->lab, search->test->plan->level, &level);
}

/* The group's other lines, behind the fillers. */
static void bring_forward(struct hwc_eviction_search *search, const struct hwc_congruent_lines *group)
{
    struct hwc_conflict_test *test = search->test;

    search->count = search->fillers;
    for (size_t i = 0; i < group->count; i++) {
        size_t at = hwc_place_among(group->line[i] + test->base, test->kept, search->available);
        if (at < search->available)
            hwc_exchange(&test->kept[at], &test->kept[search->count++]);
    }
    search->members = search->count - search->fillers;
}

/* They share the target's set at another place of their pages: do they here? */
static int check_group(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    enum hwc_side side;

    TRY(hwc_evict(search, search->count, &side, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines evict one line, and none at another place of their pages",
                        search->members);
    return HWC_OK;
}

static int find_among_group(struct hwc_eviction_search *search, const struct hwc_congruent_lines *group,
                            struct hwc_error *error)
{
    bring_forward(search, group);
    TRY(choose_passes(search, error));
    return check_group(search, error);
}

static int find_among_all(struct hwc_eviction_search *search, struct hwc_error *error)
{
    TRY(gather(search, error));
    TRY(choose_passes(search, error));
    return find_members(search, error);
}

/* `group`: of which the target is; NULL = of none. */
static int find(struct hwc_eviction_search *search, const struct hwc_congruent_lines *group, size_t *competitors,
                struct hwc_error *error)
{
    search->test->closing = 0;
    TRY(spare_fillers(search, error));
    search->test->closing = search->fillers;
    TRY(group != NULL ? find_among_group(search, group, error) : find_among_all(search, error));
    TRY(hwc_mark_members(search, competitors, error));
    know_set(search, *competitors);
    if (group == NULL)
        know_lines(search);
    return HWC_OK;
}

/* Make a candidate the target, and the others, in a random order, the kept lines. */
static void take_target(struct hwc_conflict_test *test, size_t at)
{
    hwc_exchange(&test->candidates[at], &test->candidates[0]);
    for (size_t i = 1; i < test->plan->candidates; i++)
        test->kept[i - 1] = test->candidates[i];
    hwc_random_shuffle(&test->lab->random, test->kept, test->plan->candidates - 1);
}

static void draw_target(struct hwc_conflict_test *test)
{
    take_target(test, (size_t)hwc_random_below(&test->lab->random, test->plan->candidates));
}

/* A line of the group is the target. */
static void draw_from(struct hwc_conflict_test *test, const struct hwc_congruent_lines *group)
{
    uint64_t line = group->line[hwc_random_below(&test->lab->random, group->count)] + test->base;
    size_t at = hwc_place_among(line, test->candidates, test->plan->candidates);

    take_target(test, at < test->plan->candidates ? at : 0);
}

static int try_target(struct hwc_conflict_test *test, const struct hwc_congruent_lines *group, size_t *competitors,
                      struct hwc_error *error)
{
    struct hwc_eviction_search search = {.test = test,
                            .line = test->candidates[0],
                            .fillers = policy.fillers * hwc_lines_above(test->lab, test->plan->level, test->plan->stride),
                            .available = test->plan->candidates - 1};

    int status;

    if (search.fillers > search.available)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    status = find(&search, group, competitors, error);
    test->count = search.count;
    test->padded = 0;
    return status;
}

/* Beside others whose pauses may no longer be waited for, one target after another comes to nothing. */
static bool is_hopeless(const struct hwc_lab *lab, uint64_t samples_before, uint64_t beside_before)
{
    return !hwc_may_wait(lab) &&
           2 * (lab->company.samples_beside - beside_before) > lab->samples_taken - samples_before;
}

int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error)
{
    const struct hwc_lab *lab = test->lab;
    int status = HWC_INCONCLUSIVE;

    for (int i = 0; i < policy.targets && status == HWC_INCONCLUSIVE && (i == 0 || !hwc_lab_is_late(lab)); i++) {
        uint64_t samples = lab->samples_taken, beside = lab->company.samples_beside;
        const struct hwc_congruent_lines *group = hwc_congruent_lines(test->lab, test->plan, test->groups_tried);
        if (group != NULL) {
            test->groups_tried++;
            draw_from(test, group);
        } else {
            draw_target(test);
        }
        status = try_target(test, group, competitors, error);
        if (status == HWC_INCONCLUSIVE && is_hopeless(lab, samples, beside))
            break;
    }
    return status;
}
