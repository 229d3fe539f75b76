/* Entries and miss penalty of the branch target buffers (BTBs).
 *
 * Claim: for how many jumps of a loop each level remembers the target.
 *
 * Method: by the clock; AMP (ISPASS 2001, 7) left it to others. Chains of jumps
 * in ascending order, each to the next, 8 to 64 bytes apart: the time per jump
 * steps up once there are more jumps than entries, at the same number of jumps
 * whatever the distance. Instruction caches and TLBs step at the same number of
 * bytes instead (Godbolt, "The BTB in contemporary Intel chips", 2016), and half
 * as many jumps at twice the distance step with them: what those take is taken
 * off. Ballots then bisect between the points around a step, at each of three
 * distances.
 *
 * What can fool it: entries that hold two jumps of one block, or a cache of
 * decoded instructions: the number then depends on the distance, and a note says
 * so in place of a level. A level so small that loops and decoders hide it, or
 * smaller at every distance than what code caches hold: it is not seen. Where jumps
 * take longer already just below the first step that is seen, that level has no
 * number, and is not told. A busy sibling thread,
 * which shares the entries. A table that packs several ascending jumps into one
 * entry: fewer jumps fit in random order, and then no number is reported. As
 * misses set in gradually, the number is that of a table of sets of a few ways
 * whose misses would have climbed so far. Where lines of code are most of what a
 * jump takes, single readings are off by as much as a miss of the table: what it
 * takes is that of the ballots' readings, as sure as they are alike. */
#include <math.h>

#include "jump_chain.h"
#include "jump_curve.h"
#include "quiet_core.h"
#include "statistics.h"
#include "table.h"

static const struct {
    double climbed;    /* a step has begun when one jump in four misses, but not when half as many do */
    double spread;     /* two distances agree if their jumps differ by no larger a factor */
    double surely;     /* this share of the entries must be enough for as many jumps in any order */
    size_t resolution; /* bisection ends at one part in this many */
    uint64_t of_our_own; /* one entry in so many may be taken by jumps of our own */
    double same;       /* the code's time is the same below and above a step if it differs by this share of it */
    double most_off;   /* a penalty is a value if all that it may be lies within this share of it, */
    double most_apart; /* or so many cycles apart: penalties are whole cycles */
    double hides;      /* a smaller table may hide where jumps take this share of a step longer below it already: half of
                          what they do, as half as many miss the smaller table, too */
} rules = {.climbed = 0.25,
           .spread = 1.05,
           .surely = 0.8,
           .resolution = 64,
           .of_our_own = 32,
           .same = 0.1,
           .most_off = 0.05,
           .most_apart = 0.25,
           .hides = 0.3};

static int time_curve(struct hwc_jump_chain *chain, double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS],
                      struct hwc_error *error)
{
    size_t most = hwc_jumps_at(HWC_JUMP_POINTS - 1);

    for (unsigned distance = 0; distance < HWC_JUMP_ROWS; distance++)
        for (unsigned point = 0; point < HWC_JUMP_POINTS; point++) {
            size_t jumps = hwc_jumps_at(point);
            cycles[distance][point] = 0;
            if (distance < HWC_JUMP_DISTANCES || jumps <= most / 2)
                TRY(hwc_time_jumps(chain, jumps, distance, &cycles[distance][point], error));
        }
    return HWC_OK;
}

static int read_curve(struct hwc_lab *lab, struct hwc_jump_step *steps, unsigned *found, struct hwc_error *error)
{
    double cycles[HWC_JUMP_ROWS][HWC_JUMP_POINTS];
    struct hwc_jump_chain chain;
    int status = hwc_jump_chain_open(&chain, lab, error);

    if (status == HWC_OK)
        status = time_curve(&chain, cycles, error);
    hwc_jump_chain_close(&chain);
    if (status == HWC_OK)
        *found = hwc_jump_steps(cycles, steps);
    return status;
}

/* A step as it is seen at one distance. */
struct look {
    unsigned distance;
    double low, high; /* cycles per jump of its own below and above the step */
    double jumps;     /* the most for which time climbs less than rules.climbed of it */
    bool gone;        /* the step is not there any more */
    bool of_code;     /* the code steps here, too: what it takes may hide the step */
    struct hwc_jump_time below, above;
    double halved;    /* struct hwc_jump_time's, where it is the same below and above the step; else 0 */
};

static int close_in(struct hwc_jump_chain *chain, const struct hwc_jump_step *step, struct look *look,
                    struct hwc_error *error)
{
    unsigned distance = look->distance;
    size_t fit = hwc_jumps_at(step->below), few_more = hwc_jumps_at(step->above);
    struct hwc_jump_time low = {0}, high = {0};

    TRY(hwc_time_own_jumps(chain, fit, distance, 0, &low, error));
    TRY(hwc_time_own_jumps(chain, few_more, distance, 0, &high, error));
    look->below = low;
    look->above = high;
    look->low = low.own;
    look->high = high.own;
    look->halved = fabs(high.halved - low.halved) <= rules.same * (high.all - low.all) ? low.halved : 0;
    look->of_code = hwc_jump_is_of_code(high.all - low.all, high.halved - low.halved);
    while (few_more - fit > 1 + fit / rules.resolution) {
        size_t middle = fit + (few_more - fit) / 2;
        struct hwc_jump_time time = {0};
        TRY(hwc_time_own_jumps(chain, middle, distance, look->halved, &time, error));
        if (time.own < look->low + rules.climbed * (look->high - look->low))
            fit = middle;
        else
            few_more = middle;
    }
    look->jumps = (double)fit;
    look->gone = !look->of_code && look->high - look->low < step->rise / 2;
    if (look->gone)
        return hwc_fail(error, HWC_UNAVAILABLE, "the step of %.1f cycles is %.1f when looked at again", step->rise,
                        look->high - look->low);
    return HWC_OK;
}

/* A step of the curve, and in how many ballots it was a table's, was gone, or came with a number that depends on the
 * distance. */
struct subject {
    struct hwc_jump_step step;
    unsigned table, gone, uneven;
    double fewest, most; /* jumps, where the number depends on the distance */
    struct hwc_jump_takes takes[HWC_JUMP_WITNESSES];
};

/* Nothing, if the readings failed. */
static void add_take(const struct look *look, struct hwc_jump_takes *takes)
{
    unsigned i = takes->taken;

    if (look->above.all <= 0 || i == HWC_JUMP_TAKES)
        return;
    takes->low[i] = look->below.all;
    takes->high[i] = look->above.all;
    takes->halved_low[i] = look->below.halved;
    takes->halved_high[i] = look->above.halved;
    takes->taken++;
}

/* A step that most ballots do not see again was a disturbance. One whose number of jumps depends on the distance is no
 * table's with an entry for each jump. Where as many ballots say one as the other, chance made some agree. */
static bool is_no_table(const struct subject *subject)
{
    unsigned against = subject->gone + subject->uneven;

    return against > 0 && against >= subject->table;
}

static void note_uneven(struct hwc_lab *lab, const struct subject *subject)
{
    if (subject->uneven > 0 && subject->uneven >= subject->table + subject->gone)
        hwc_note(&lab->notes,
                 "a jump takes %.1f cycles more beyond %.0f to %.0f jumps, by the distance between them: not counted "
                 "as a level, as it may be a cache of decoded instructions, or entries for two jumps",
                 subject->step.rise, subject->fewest, subject->most);
}

/* The two largest numbers of jumps must agree; the lesser of them is returned. At the third distance an instruction
 * cache may step before the table is full. (A cache four times as large steps at the same number of jumps at four times
 * the distance, but at more of them in between.) */
static int agree(const struct look looks[HWC_JUMP_WITNESSES], struct subject *subject, double *agreed,
                 struct hwc_error *error)
{
    struct hwc_jump_number numbers[HWC_JUMP_WITNESSES];
    double jumps[HWC_JUMP_WITNESSES];

    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++)
        numbers[i] = (struct hwc_jump_number){.jumps = looks[i].jumps,
                                              .rise = looks[i].high - looks[i].low,
                                              .halved = looks[i].above.halved - looks[i].below.halved};
    hwc_jumps_that_count(numbers, rules.climbed, jumps);
    *agreed = jumps[HWC_JUMP_WITNESSES - 2];
    subject->fewest = jumps[0] > 0 ? jumps[0] : *agreed;
    subject->most = jumps[HWC_JUMP_WITNESSES - 1];
    if (subject->most <= rules.spread * *agreed) {
        subject->table++;
        return HWC_OK;
    }
    subject->uneven++;
    return hwc_fail(error, HWC_UNAVAILABLE, "%.0f to %.0f jumps are foreseen, by the distance between them",
                    subject->fewest, subject->most);
}

/* A table with this many entries serves jumps in any order: somewhat fewer
 * must take no longer when shuffled, at one distance at least. At others an
 * instruction cache may miss more in random order. */
static int check_order(struct hwc_jump_chain *chain, const struct hwc_jump_step *step, double entries,
                       struct hwc_error *error)
{
    size_t jumps = (size_t)(rules.surely * entries);

    for (unsigned distance = step->distance; distance < HWC_JUMP_DISTANCES; distance++) {
        double ordered = 0, shuffled = 0;
        TRY(hwc_time_jumps(chain, jumps, distance, &ordered, error));
        TRY(hwc_time_shuffled_jumps(chain, jumps, distance, &shuffled, error));
        if (shuffled - ordered < step->rise / 2)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "%.0f jumps are foreseen in ascending order, and not %zu in another",
                    entries, jumps);
}

/* Check that nearly as many jumps as there are entries all hit, by the median of the distances: some of our own take
 * entries, too. */
static int check_entries(struct hwc_jump_chain *chain, const struct look looks[HWC_JUMP_WITNESSES], uint64_t entries,
                         struct hwc_error *error)
{
    double climbed[HWC_JUMP_WITNESSES] = {0}, usual;
    size_t jumps = (size_t)(entries - entries / rules.of_our_own);

    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++) {
        struct hwc_jump_time time = {0};
        TRY(hwc_time_own_jumps(chain, jumps, looks[i].distance, looks[i].halved, &time, error));
        climbed[i] = looks[i].high > looks[i].low
                         ? (time.own - looks[i].low) / (looks[i].high - looks[i].low) : INFINITY;
    }
    usual = hwc_median(climbed, HWC_JUMP_WITNESSES);
    if (usual > rules.climbed / 2)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu jumps take %.0f %% of the step longer, so there are fewer "
                        "entries", jumps, 100 * usual);
    return HWC_OK;
}

struct search {
    struct subject *subject;
    struct hwc_jump_chain chain;
    double least;     /* jumps that are foreseen, as two distances agree */
    uint64_t entries; /* of a table that foresees so many */
};

/* The largest table that ends there, and foresees nearly as many jumps as it has entries. */
static int choose_entries(struct search *search, const struct look looks[HWC_JUMP_WITNESSES], struct hwc_error *error)
{
    const struct hwc_jump_climb climb = {
        .climbed = rules.climbed, .ours = 1 / (double)rules.of_our_own, .unsure = 1 / (double)rules.resolution};
    uint64_t entries[HWC_JUMP_SIZES];
    unsigned count = hwc_jump_entries(search->least, &climb, entries);
    int status = HWC_UNAVAILABLE;

    if (count == 0)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "about %.0f jumps are foreseen, which is no number of sets of a few ways", search->least);
    for (unsigned i = 0; i < count && hwc_came_to_nothing(status); i++) {
        search->entries = entries[i];
        status = check_entries(&search->chain, looks, entries[i], error);
    }
    return status;
}

static int find_entries(struct search *search, struct hwc_error *error)
{
    const struct hwc_jump_step *step = &search->subject->step;
    struct look looks[HWC_JUMP_WITNESSES] = {0};

    for (unsigned i = 0; i < HWC_JUMP_WITNESSES; i++) {
        int status;
        looks[i].distance = step->distance + i;
        status = close_in(&search->chain, step, &looks[i], error);
        search->subject->gone += looks[i].gone;
        add_take(&looks[i], &search->subject->takes[i]);
        if (status != HWC_OK)
            return status;
    }
    TRY(agree(looks, search->subject, &search->least, error));
    TRY(check_order(&search->chain, step, search->least, error));
    return choose_entries(search, looks, error);
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct search search = {.subject = data};
    int status = hwc_jump_chain_open(&search.chain, lab, error);

    search.chain.alone = true;
    if (status == HWC_OK)
        status = find_entries(&search, error);
    hwc_jump_chain_close(&search.chain);
    if (status != HWC_OK)
        return status;
    ballot->cast[0] = true;
    ballot->value[0] = (int64_t)search.entries;
    return HWC_OK;
}

/* Where the code steps, too, how much of the step is its own depends on how long its lines are. */
static void report_penalty(const struct hwc_jump_step *step, struct hwc_finding *finding)
{
    double off = rules.most_off * step->rise;

    if (step->most - step->least <= fmax(2 * off, rules.most_apart))
        hwc_finding_cycles(finding, step->rise);
    else
        hwc_finding_between(finding, fmax(step->least - off, 0), step->most + off,
                            "the code takes longer beyond about as many jumps, too");
}

static int run_level(struct hwc_lab *lab, struct subject *subject, struct hwc_record *btb, struct hwc_error *error)
{
    struct hwc_result result;

    TRY(hwc_finding_by_vote(lab, measure, subject, &hwc_by_clock, &btb->finding[HWC_BTB_ENTRIES], &result, error));
    if (!result.decided) {
        hwc_finding_because(&btb->finding[HWC_BTB_MISS_PENALTY],
                            hwc_depends("whether the step in time is a branch target buffer's is not known"));
        return HWC_OK;
    }
    if (hwc_jump_rise_again(subject->takes, &subject->step))
        report_penalty(&subject->step, &btb->finding[HWC_BTB_MISS_PENALTY]);
    else
        hwc_finding_unknown(&btb->finding[HWC_BTB_MISS_PENALTY], HWC_WHY_INCONCLUSIVE,
                            "the code takes as much longer beyond about as many jumps");
    return HWC_OK;
}

/* Give the reason why nothing is found as the findings of a first level. */
static int know_nothing(struct hwc_profile *profile, enum hwc_why why, const char *reason)
{
    struct hwc_record *btb = &profile->btb[0];

    profile->btbs = btb->level = 1;
    hwc_finding_unknown(&btb->finding[HWC_BTB_ENTRIES], why, "%s", reason);
    hwc_finding_unknown(&btb->finding[HWC_BTB_MISS_PENALTY], why, "%s", reason);
    return HWC_OK;
}

/* May a smaller table hide before the first that is seen? Jumps take longer below its step then than the steps before it
 * that are no tables explain. */
static bool may_be_second(const struct subject *subject, double passed_over)
{
    return subject->step.until - passed_over > rules.hides * subject->step.rise;
}

/* A number of entries without a level. */
static void doubt_level(struct hwc_record *btb)
{
    struct hwc_finding *entries = &btb->finding[HWC_BTB_ENTRIES];

    if (!entries->known)
        return;
    hwc_finding_unknown(entries, HWC_WHY_INCONCLUSIVE,
                        "%.0f jumps are foreseen, but jumps take longer already with fewer: a smaller table may hide",
                        entries->value);
    hwc_finding_because(&btb->finding[HWC_BTB_MISS_PENALTY],
                        hwc_depends("which level the step in time is of is not known"));
}

/* Number the levels by the steps that are tables. If none is, report the last one, with the reason. */
static int run_levels(struct hwc_lab *lab, struct hwc_profile *profile, const struct hwc_jump_step *steps,
                      unsigned found, struct hwc_error *error)
{
    unsigned levels = 0;
    double passed_over = 0;

    for (unsigned i = 0; i < found; i++) {
        struct subject subject = {.step = steps[i]};
        struct hwc_record btb = profile->btb[levels];
        btb.level = levels + 1;
        TRY(run_level(lab, &subject, &btb, error));
        if (is_no_table(&subject) && (levels > 0 || i + 1 < found)) {
            note_uneven(lab, &subject);
            passed_over += subject.uneven > subject.gone ? subject.step.rise : 0;
            continue;
        }
        if (levels == 0 && may_be_second(&subject, passed_over))
            doubt_level(&btb);
        profile->btb[levels++] = btb;
        profile->btbs = levels;
    }
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_jump_step steps[HWC_JUMP_STEPS];
    unsigned found = 0, curves = lab->machine->interference ? HWC_JUMP_LOOKS : 1;
    int status = HWC_OK;

    if (!lab->machine->has_clock)
        return know_nothing(profile, HWC_WHY_UNAVAILABLE, "there is no clock");
    for (unsigned i = 0; status == HWC_OK && found == 0 && i < curves; i++) {
        hwc_is_alone(lab, HWC_WAIT_FOR_BALLOT);
        status = read_curve(lab, steps, &found, error);
    }
    if (hwc_came_to_nothing(status))
        return know_nothing(profile, HWC_WHY_UNAVAILABLE, error->message);
    if (status != HWC_OK)
        return status;
    if (found == 0)
        return know_nothing(profile, HWC_WHY_INCONCLUSIVE,
                            "time shows no step that comes with the same number of jumps at every distance");
    return run_levels(lab, profile, steps, found, error);
}

const struct hwc_probe hwc_probe_btb = {
    .name = "btb",
    .summary = "entries of the branch target buffers, and their miss penalty",
    .source = "Coleman and Davidson, ISPASS 2001, 7; Godbolt, 2016",
    .provides = {HWC_BTB_ENTRIES, HWC_BTB_MISS_PENALTY},
    .run = run,
};
