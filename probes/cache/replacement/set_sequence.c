#include "set_sequence.h"

#include <string.h>

#include "cache_ballot.h"
#include "kept_arena.h"
#include "set_readings.h"
#include "statistics.h"

/* Visits that count: enough per way to come back to most lines; enough in all to tell policies of a few ways apart; and
 * not so many that a small error in what each takes adds up to a miss. */
static const struct {
    unsigned to_a_way, fewest, most;
} visits_that_count = {.to_a_way = 4, .fewest = 24, .most = 80};

static unsigned visits_of(unsigned ways)
{
    unsigned visits = visits_that_count.to_a_way * ways;

    return visits < visits_that_count.fewest ? visits_that_count.fewest
           : visits > visits_that_count.most ? visits_that_count.most
                                             : visits;
}

/* Lay out each visit, and after it what evicts its line from the levels above. */
static int build(const struct hwc_set_sequence *sequence, struct hwc_walk *walk, const uint8_t *names, size_t count,
                 size_t evictors, struct hwc_error *error)
{
    hwc_walk_clear(walk);
    for (size_t i = 0; i < count; i++) {
        TRY(hwc_walk_append(walk, sequence->set.line[names[i]], error));
        for (size_t k = 0; k < evictors; k++)
            TRY(hwc_walk_append(walk, sequence->set.evictor[k], error));
    }
    return HWC_OK;
}

static int play(void *context, const struct hwc_sequence *visits, unsigned plays, struct hwc_answer *answer,
                struct hwc_error *error)
{
    struct hwc_set_sequence *sequence = context;
    double ignored;

    TRY(build(sequence, &sequence->before, visits->before, visits->befores, sequence->set.evictors, error));
    TRY(build(sequence, &sequence->visits, visits->visit, visits->visits, sequence->set.evictors, error));
    TRY(hwc_read_visits(sequence, &ignored, error)); /* it may meet lines just written to lay the walks out */
    return hwc_read_answer(sequence, plays, answer, error);
}

/* Counts of events are exact. By the clock, one of the answers that an inference rests on may be off by more than its
 * error. */
struct hwc_set_instrument hwc_set_sequence_instrument(struct hwc_set_sequence *sequence)
{
    unsigned lines = sequence->ways + HWC_MORE_LINES;

    return (struct hwc_set_instrument){
        .ways = sequence->ways,
        .lines = lines,
        .fillers = sequence->emptied ? 0 : (unsigned)sequence->set.lines - lines,
        .visits = visits_of(sequence->ways),
        .start = sequence->emptied ? HWC_FROM_EMPTY : HWC_FROM_FULL,
        .counts_filling = !sequence->emptied && sequence->counted,
        .shows_chance = true,
        .wrong = !sequence->counted,
        .play = play,
        .context = sequence,
    };
}

/* As many visits as a sequence makes, to random ones of so many lines; before them, one visit to each of these. */
static int build_staying(struct hwc_set_sequence *sequence, size_t lines, struct hwc_walk *before,
                         struct hwc_walk *visits, struct hwc_error *error)
{
    struct hwc_set_instrument set = hwc_set_sequence_instrument(sequence);
    size_t count = set.visits + (set.counts_filling ? set.fillers + set.lines : 0);
    uint8_t names[HWC_SEQUENCE_VISITS];

    for (size_t i = 0; i < lines; i++)
        names[i] = (uint8_t)i;
    TRY(build(sequence, before, names, lines, sequence->set.evictors, error));
    for (size_t i = 0; i < count; i++)
        names[i] = (uint8_t)hwc_random_below(&sequence->lab->random, lines);
    return build(sequence, visits, names, count, sequence->set.evictors, error);
}

/* Plays of lines that may all stay. */
enum { PLAYS = 16 };

/* What so many rounds over the first lines of the set read as, after one. */
static int read_rounds(struct hwc_set_sequence *sequence, size_t lines, size_t rounds, double *reading,
                       struct hwc_error *error)
{
    uint8_t names[2 * HWC_SET_LINES];
    double readings[PLAYS];

    for (size_t i = 0; i < rounds * lines; i++)
        names[i] = (uint8_t)(i % lines);
    TRY(build(sequence, &sequence->before, names, lines, 0, error));
    TRY(build(sequence, &sequence->visits, names, rounds * lines, 0, error));
    for (unsigned i = 0; i < PLAYS; i++)
        TRY(hwc_read_visits(sequence, &readings[i], error));
    *reading = hwc_median(readings, PLAYS);
    return HWC_OK;
}

/* The second round is asked about: what a reading takes by itself, which may be more than a miss adds to a hit, is part
 * of both readings. */
int hwc_set_sequence_find_victims(struct hwc_set_sequence *sequence, bool *holds_victims, struct hwc_error *error)
{
    const struct hwc_witness *witness = &sequence->lab->witness[sequence->level];
    size_t together = sequence->ways + (size_t)sequence->lab->known->level[sequence->level - 1].ways;
    double one = 0, two = 0, hits = 0, least = HWC_HALF_A_MISS;

    *holds_victims = false;
    if (sequence->level == 1 || sequence->set.lines < together || !sequence->emptied)
        return HWC_OK;
    TRY(read_rounds(sequence, together, 1, &one, error));
    TRY(read_rounds(sequence, together, 2, &two, error));
    if (hwc_goes_by_time(witness)) { /* what these hits take in all is known to within a miss */
        hits = hwc_weight_of_hits(witness, (double)together);
        least = 1 + HWC_HALF_A_MISS;
    }
    *holds_victims = two - one - hits < least;
    return HWC_OK;
}

/* So few lines that they stay whatever else uses the set. */
enum { FEW = 2 };

/* More than the set holds: where it is not emptied, also lines to fill it with first; where it is, enough lines for it
 * and a set of the level above together. */
static size_t lines_wanted(const struct hwc_set_sequence *sequence)
{
    size_t above = (size_t)sequence->lab->known->level[sequence->level - 1].ways;
    size_t more = above > HWC_MORE_LINES ? above : HWC_MORE_LINES;

    if (!sequence->emptied)
        more = sequence->ways + HWC_MORE_LINES;
    return sequence->ways + more < HWC_SET_LINES ? sequence->ways + more : HWC_SET_LINES;
}

static int find_lines(struct hwc_set_sequence *sequence, const struct hwc_conflict_plan *plan, size_t evictors,
                      struct hwc_error *error)
{
    struct hwc_set *set = &sequence->set;

    TRY(hwc_find_set(sequence->lab, plan, lines_wanted(sequence), evictors, set, error));
    TRY(hwc_walk_append_all(&sequence->lines, set->line, set->lines, error));
    TRY(hwc_walk_append_all(&sequence->evictors, set->evictor, set->evictors, error));
    TRY(build_staying(sequence, sequence->ways, &sequence->fitting_before, &sequence->fitting, error));
    TRY(build_staying(sequence, FEW, &sequence->few_before, &sequence->few, error));
    TRY(hwc_read_overhead(sequence, error));
    return hwc_is_ours(sequence, &sequence->ours, error);
}

enum { REPEATING = 7 };

static void list_repeating(struct hwc_set_sequence *sequence, struct hwc_walk *walks[REPEATING])
{
    struct hwc_walk *const all[REPEATING] = {&sequence->evictors,       &sequence->before,  &sequence->visits,
                                             &sequence->fitting_before, &sequence->fitting, &sequence->few_before,
                                             &sequence->few};

    memcpy(walks, all, sizeof all);
}

static int open_some(struct hwc_set_sequence *sequence, size_t evictors, struct hwc_error *error)
{
    struct hwc_walk *repeating[REPEATING];
    struct hwc_lab *lab = sequence->lab;
    struct hwc_look look = hwc_in_one_first_set(lab, sequence->level, lab->known->level[sequence->level].look);
    struct hwc_conflict_plan plan;
    int status;

    hwc_walk_init(&sequence->lines);
    sequence->lines.repeats = true; /* it is only flushed: no chain is laid out in lines that others visit */
    list_repeating(sequence, repeating);
    for (size_t i = 0; i < REPEATING; i++) {
        hwc_walk_init(repeating[i]);
        repeating[i]->repeats = true;
    }
    status = hwc_open_look(lab, sequence->level, &look, &sequence->arena, &plan, error);
    if (status == HWC_OK)
        status = find_lines(sequence, &plan, evictors, error);
    if (status != HWC_OK)
        hwc_set_sequence_close(sequence);
    return status;
}

/* Half of a small first level's sets may hold our own data; so many drawn sets all do less than once in 200 times. */
enum { MOST_SETS = 8 };

int hwc_set_sequence_open(struct hwc_set_sequence *sequence, struct hwc_lab *lab, unsigned level, size_t evictors,
                          bool emptied, struct hwc_error *error)
{
    for (int sets = 1;; sets++) {
        *sequence = (struct hwc_set_sequence){.lab = lab,
                                              .level = level,
                                              .ways = (unsigned)lab->known->level[level].ways,
                                              .emptied = emptied,
                                              .counted = hwc_counts_events(&lab->witness[level])};
        TRY(open_some(sequence, evictors, error));
        if (sequence->ours || sets == MOST_SETS)
            return HWC_OK;
        hwc_set_sequence_close(sequence);
    }
}

void hwc_set_sequence_close(struct hwc_set_sequence *sequence)
{
    struct hwc_walk *repeating[REPEATING];

    hwc_walk_free(&sequence->lines);
    list_repeating(sequence, repeating);
    for (size_t i = 0; i < REPEATING; i++)
        hwc_walk_free(repeating[i]);
    hwc_return_arena(sequence->lab, &sequence->arena);
}
