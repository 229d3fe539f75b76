#include "set_dueling.h"

#include <math.h>
#include <stdlib.h>

#include "statistics.h"
#include "steady_state.h"

static const struct {
    double scan, fitting; /* shares of the level's size: more than fits, and surely less */
    uint64_t most_bytes;  /* a larger level takes seconds to scan, and is not asked */
    uint32_t scans, fitting_passes;
    int fitting_rounds;   /* each over both working sets in turn */
} use = {.scan = 1.25, .fitting = 0.85, .most_bytes = 64 << 20, .scans = 6, .fitting_passes = 3, .fitting_rounds = 3};

/* Append lines of `bytes` bytes in all, in random order. */
static int scatter(struct hwc_usage *usage, struct hwc_walk *walk, uint64_t *at, uint64_t bytes, uint64_t line,
                   struct hwc_error *error)
{
    TRY(hwc_walk_sequence(walk, *at, line, (size_t)(bytes / line), error));
    *at += bytes;
    hwc_walk_shuffle(walk, &usage->lab->random);
    return HWC_OK;
}

int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    uint64_t size = lab->known->level[level].size_bytes, line = lab->known->level[level].fill_bytes;
    uint64_t scan = (uint64_t)((double)size * use.scan) / line * line;
    uint64_t fitting = (uint64_t)((double)size * use.fitting) / line * line;
    uint64_t at = 0;

    *usage = (struct hwc_usage){.lab = lab, .level = level};
    hwc_walk_init(&usage->scan);
    for (int i = 0; i < 2; i++)
        hwc_walk_init(&usage->working_set[i]);
    if (size > use.most_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "a level of %llu MiB takes too long to use in turns",
                        (unsigned long long)(size >> 20));
    TRY(lab->machine->ops->arena_open(lab->machine, scan + 2 * fitting, HWC_LARGE_PAGES, &usage->arena, error));
    TRY(scatter(usage, &usage->scan, &at, scan, line, error));
    for (int i = 0; i < 2; i++)
        TRY(scatter(usage, &usage->working_set[i], &at, fitting, line, error));
    return HWC_OK;
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
    if (how == HWC_SCANNED) {
        TRY(walk_through(usage, &usage->scan, use.scans, error));
        return hwc_leave_nothing(usage->lab, &usage->arena, &usage->scan, error);
    }
    for (int i = 0; i < 2 * use.fitting_rounds; i++)
        TRY(walk_through(usage, &usage->working_set[i % 2], use.fitting_passes, error));
    for (int i = 0; i < 2; i++)
        TRY(hwc_leave_nothing(usage->lab, &usage->arena, &usage->working_set[i], error));
    return HWC_OK;
}

/* After each use of all sets two sequences are played: rounds over one line more than fits, and a random one. */
enum { SEQUENCES = 2, TURNS = 5 };
static const enum hwc_use turns[TURNS] = {HWC_SCANNED, HWC_USED_WELL, HWC_SCANNED, HWC_USED_WELL, HWC_SCANNED};

/* Misses in a leader set move the selector (of ten bits: Qureshi), and so do those of the plays: a few plays move it
 * less than the use of all sets did. */
static const unsigned few_plays = 5;

/* A watched set: does it follow the policy that does well in others? */
struct watched {
    bool open;
    struct hwc_set_sequence set;
    struct hwc_sequence sequence[SEQUENCES];
    struct hwc_answer answer[TURNS][SEQUENCES];
};

/* If no set is found, one fewer is watched. */
static int open_watched(struct watched *watched, const struct hwc_usage *usage, size_t evictors,
                        struct hwc_error *error)
{
    struct hwc_set_instrument set;
    int status = hwc_set_sequence_open(&watched->set, usage->lab, usage->level, evictors, true, error);

    watched->open = status == HWC_OK;
    if (!watched->open)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    set = hwc_set_sequence_instrument(&watched->set);
    hwc_draw_rounds(&set, &watched->sequence[0]);
    hwc_draw_sequence(&set, &usage->lab->random, &watched->sequence[1]);
    return HWC_OK;
}

static int play_watched(struct watched *watched, struct hwc_answer answer[SEQUENCES], struct hwc_error *error)
{
    const struct hwc_set_instrument set = hwc_set_sequence_instrument(&watched->set);

    for (int s = 0; s < SEQUENCES; s++)
        TRY(set.play(set.context, &watched->sequence[s], few_plays, &answer[s], error));
    return HWC_OK;
}

/* A few sets are watched together, as a use of all sets takes longer than playing one set. Not many: a leader among
 * them changes what those played after it follow. */
enum { WATCHED_SETS = 3 };

static int take_turn(struct hwc_usage *usage, struct watched *sets, unsigned turn, struct hwc_error *error)
{
    TRY(hwc_use(usage, turns[turn], error));
    for (int i = 0; i < WATCHED_SETS; i++)
        if (sets[i].open)
            TRY(play_watched(&sets[i], sets[i].answer[turn], error));
    return HWC_OK;
}

static bool differ(const struct watched *watched, unsigned a, unsigned b, int sequence)
{
    const struct hwc_answer *one = &watched->answer[a][sequence], *other = &watched->answer[b][sequence];

    return fabs(one->misses - other->misses) > HWC_HALF_A_MISS + HWC_ERRORS * hypot(one->error, other->error);
}

/* Did the set, in the turns taken so far, miss alike after the same use and differently after another? */
static bool follows(const struct watched *watched, unsigned taken)
{
    for (int s = 0; watched->open && s < SEQUENCES; s++) {
        bool as_used = true;
        for (unsigned a = 0; a < taken; a++)
            for (unsigned b = a + 1; b < taken; b++)
                as_used = as_used && differ(watched, a, b, s) == (turns[a] != turns[b]);
        if (as_used)
            return true;
    }
    return false;
}

static unsigned count_following(const struct watched *sets, unsigned taken)
{
    unsigned count = 0;

    for (int i = 0; i < WATCHED_SETS; i++)
        count += follows(&sets[i], taken);
    return count;
}

/* The use changes back and forth, twice: other threads of the core make sets differ too, but not in step with it. */
static int take_turns(struct hwc_usage *usage, struct watched *sets, struct hwc_followers *followers,
                      struct hwc_error *error)
{
    unsigned taken = 0;

    while (taken < TURNS && (taken < 2 || count_following(sets, taken) > 0))
        TRY(take_turn(usage, sets, taken++, error));
    for (int i = 0; i < WATCHED_SETS; i++)
        followers->looked_at += sets[i].open;
    if (taken == TURNS)
        followers->follow += count_following(sets, taken);
    return HWC_OK;
}

static int open_and_take_turns(struct hwc_usage *usage, size_t evictors, struct watched *sets,
                               struct hwc_followers *followers, struct hwc_error *error)
{
    for (int i = 0; i < WATCHED_SETS; i++)
        TRY(open_watched(&sets[i], usage, evictors, error));
    return take_turns(usage, sets, followers, error);
}

int hwc_count_followers(struct hwc_usage *usage, size_t evictors, struct hwc_followers *followers,
                        struct hwc_error *error)
{
    struct watched *sets = calloc(WATCHED_SETS, sizeof *sets);
    int status;

    if (sets == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = open_and_take_turns(usage, evictors, sets, followers, error);
    for (int i = 0; i < WATCHED_SETS; i++)
        if (sets[i].open)
            hwc_set_sequence_close(&sets[i].set);
    free(sets);
    return status;
}

/* One in twenty of the sets that follow no others may seem to. */
#define SEEMS 0.05

bool hwc_is_adaptive(const struct hwc_followers *followers)
{
    return followers->follow > 0 && hwc_chance_of_at_least(followers->follow, followers->looked_at, SEEMS) < HWC_RISK;
}
