#include "set_dueling.h"

#include <math.h>
#include <stdlib.h>

#include "steady_state.h"

static const struct {
    double scan, fitting; /* shares of the level's lines: more than fit, and surely fewer */
    uint64_t most_bytes;  /* a larger level takes seconds to scan, and is not asked */
    uint32_t scans, fitting_passes;
    int fitting_rounds;   /* of one working set and another */
} use = {.scan = 1.25, .fitting = 0.85, .most_bytes = 64 << 20, .scans = 6, .fitting_passes = 3, .fitting_rounds = 3};

/* So many bytes of lines, in random order. */
static int scatter(struct hwc_usage *usage, struct hwc_walk *walk, uint64_t *at, uint64_t bytes, uint64_t line,
                   struct hwc_error *error)
{
    int status = hwc_walk_sequence(walk, *at, line, (size_t)(bytes / line), error);

    *at += bytes;
    hwc_walk_shuffle(walk, &usage->lab->random);
    return status;
}

int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    uint64_t size = lab->known->level[level].size_bytes, line = lab->known->level[level].fill_bytes;
    uint64_t scan = (uint64_t)((double)size * use.scan) / line * line;
    uint64_t fitting = (uint64_t)((double)size * use.fitting) / line * line;
    uint64_t at = 0;
    int status;

    *usage = (struct hwc_usage){.lab = lab, .level = level};
    hwc_walk_init(&usage->scan);
    for (int i = 0; i < 2; i++)
        hwc_walk_init(&usage->working_set[i]);
    if (size > use.most_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "a level of %llu MiB takes too long to use in turns",
                        (unsigned long long)(size >> 20));
    status = lab->machine->ops->arena_open(lab->machine, scan + 2 * fitting, HWC_LARGE_PAGES, &usage->arena, error);
    if (status == HWC_OK)
        status = scatter(usage, &usage->scan, &at, scan, line, error);
    for (int i = 0; i < 2 && status == HWC_OK; i++)
        status = scatter(usage, &usage->working_set[i], &at, fitting, line, error);
    return status;
}

void hwc_usage_close(struct hwc_usage *usage)
{
    hwc_walk_free(&usage->scan);
    for (int i = 0; i < 2; i++)
        hwc_walk_free(&usage->working_set[i]);
    hwc_close_arena(usage->lab, &usage->arena);
}

static int walk_through(struct hwc_usage *usage, const struct hwc_walk *walk, uint32_t passes, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = &usage->arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, walk, passes}}};
    struct hwc_sample ignored;

    return usage->lab->machine->ops->play(usage->lab->machine, &experiment, &ignored, error);
}

int hwc_use(struct hwc_usage *usage, enum hwc_use how, struct hwc_error *error)
{
    int status = HWC_OK;

    if (how == HWC_SCANNED) {
        status = walk_through(usage, &usage->scan, use.scans, error);
        return status == HWC_OK ? hwc_leave_nothing(usage->lab, &usage->arena, &usage->scan, error) : status;
    }
    for (int i = 0; i < 2 * use.fitting_rounds && status == HWC_OK; i++)
        status = walk_through(usage, &usage->working_set[i % 2], use.fitting_passes, error);
    for (int i = 0; i < 2 && status == HWC_OK; i++)
        status = hwc_leave_nothing(usage->lab, &usage->arena, &usage->working_set[i], error);
    return status;
}

/* One line more than fits, round and round, and whatever comes by chance: read after each use. */
enum { SEQUENCES = 2, TURNS = 3 };
static const enum hwc_use turns[TURNS] = {HWC_SCANNED, HWC_USED_WELL, HWC_SCANNED};

/* Misses of a set that leads move the selector, too: of ten bits (Qureshi), and of a few plays by not as much as all
 * sets' use did. */
static const unsigned few_plays = 5;

struct duel {
    bool open;
    struct hwc_set_sequence set;
    struct hwc_sequence sequence[SEQUENCES];
    struct hwc_answer answer[TURNS][SEQUENCES];
};

/* Where there is no set to be had, there is one less to look at. */
static int open_duel(struct duel *duel, const struct hwc_usage *usage, size_t evictors, struct hwc_error *error)
{
    struct hwc_set_instrument set;
    int status = hwc_set_sequence_open(&duel->set, usage->lab, usage->level, evictors, true, error);

    duel->open = status == HWC_OK;
    if (!duel->open)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    set = hwc_set_sequence_instrument(&duel->set);
    hwc_draw_rounds(&set, &duel->sequence[0]);
    hwc_draw_sequence(&set, &usage->lab->random, &duel->sequence[1]);
    return HWC_OK;
}

static int play_duel(struct duel *duel, struct hwc_answer answer[SEQUENCES], struct hwc_error *error)
{
    const struct hwc_set_instrument set = hwc_set_sequence_instrument(&duel->set);
    int status = HWC_OK;

    for (int s = 0; s < SEQUENCES && status == HWC_OK; s++)
        status = set.play(set.context, &duel->sequence[s], few_plays, &answer[s], error);
    return status;
}

/* A few sets are looked at together, as using all sets takes longer than looking at one. Not many: one that leads
 * changes what the next follow. */
enum { DUELS = 3 };

static int take_turn(struct hwc_usage *usage, struct duel *duels, unsigned turn, struct hwc_error *error)
{
    int status = hwc_use(usage, turns[turn], error);

    for (int i = 0; i < DUELS && status == HWC_OK; i++)
        if (duels[i].open)
            status = play_duel(&duels[i], duels[i].answer[turn], error);
    return status;
}

static bool differ(const struct duel *duel, unsigned a, unsigned b, int sequence)
{
    const struct hwc_answer *one = &duel->answer[a][sequence], *other = &duel->answer[b][sequence];

    return fabs(one->misses - other->misses) > HWC_HALF_A_MISS + HWC_ERRORS * hypot(one->error, other->error);
}

/* Did the set miss differently at the second turn than at the first and, there and back again, at the third as at the
 * first? */
static bool follows(const struct duel *duel, bool there_and_back)
{
    for (int s = 0; duel->open && s < SEQUENCES; s++)
        if (differ(duel, 0, 1, s) && (!there_and_back || (differ(duel, 2, 1, s) && !differ(duel, 0, 2, s))))
            return true;
    return false;
}

static int take_turns(struct hwc_usage *usage, struct duel *duels, struct hwc_followers *followers,
                      struct hwc_error *error)
{
    bool any = false;
    int status = take_turn(usage, duels, 0, error);

    if (status == HWC_OK)
        status = take_turn(usage, duels, 1, error);
    for (int i = 0; i < DUELS && status == HWC_OK; i++)
        any = any || follows(&duels[i], false);
    if (any)
        status = take_turn(usage, duels, 2, error);
    for (int i = 0; i < DUELS && status == HWC_OK; i++) {
        followers->looked_at += duels[i].open;
        followers->follow += any && follows(&duels[i], true);
    }
    return status;
}

int hwc_count_followers(struct hwc_usage *usage, size_t evictors, struct hwc_followers *followers,
                        struct hwc_error *error)
{
    struct duel *duels = calloc(DUELS, sizeof *duels);
    int status = duels != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    for (int i = 0; i < DUELS && status == HWC_OK; i++)
        status = open_duel(&duels[i], usage, evictors, error);
    if (status == HWC_OK)
        status = take_turns(usage, duels, followers, error);
    for (int i = 0; duels != NULL && i < DUELS; i++)
        if (duels[i].open)
            hwc_set_sequence_close(&duels[i].set);
    free(duels);
    return status;
}

/* Of sets that follow none, one in twenty may seem to there and back again. */
#define SEEMS 0.05

/* The chance of so many or more. */
static double by_chance(unsigned count, unsigned of)
{
    double chance = 0, ways = 1; /* to choose k of them */

    for (unsigned k = 0; k <= of; k++) {
        if (k >= count)
            chance += ways * pow(SEEMS, k) * pow(1 - SEEMS, of - k);
        ways *= (double)(of - k) / (k + 1);
    }
    return chance;
}

bool hwc_is_adaptive(const struct hwc_followers *followers)
{
    return followers->follow > 0 && by_chance(followers->follow, followers->looked_at) < HWC_RISK;
}
