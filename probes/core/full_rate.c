/* Code at full rate.
 *
 * Claim: so many instructions of straight-line code, in a loop, are delivered as fast as few: by a micro-op cache, or a
 * loop buffer, where the core has one. Longer code is fetched and decoded anew each time.
 *
 * Method: loops of more and more instructions that wait for nothing, in several lengths. The first step in the time of
 * an instruction is sought for each length, and then closed in on. A step at a number of bytes may be the first level's
 * of code; one after which code of another length is still at full rate, with as many bytes, is not.
 *
 * What can fool it: a cache of micro-ops has lines for some bytes of code each, and they are seldom full: it has as
 * many entries as the densest code has instructions, or more. Where decoders are as fast, there is no step.
 *
 * Source: Godbolt, 2016; Fog, The microarchitecture of Intel, AMD and VIA CPUs. */
#include "full_rate.h"

#include <math.h>
#include <string.h>

#include "table.h"
#include "turn_reading.h"

enum { POINTS = 64, KINDS = 7, ROUNDS = 8, SAMPLES = 6, HALVINGS = 7, LOOKS = 6 };

static const struct {
    double fewest, most, most_bytes; /* instructions, and their code: that is past any first level */
    double growth, near;             /* from one point to the next; a step is closed in on to this factor */
    double seconds;                  /* no round begins later: a busy sibling leaves few moments */
} policy = {.fewest = 256, .most = 12000, .most_bytes = 65536, .growth = 1.2, .near = 1.015,
            .seconds = 1.5};

static const struct code {
    struct hwc_round_of round;
    double bytes; /* of each, in the mean */
    bool moves;
} codes[KINDS] = {
    {HWC_ROUND_OF(HWC_OP_MOVE), 3, true},
    {HWC_ROUND_OF(HWC_OP_MOVE_4, HWC_OP_MOVE, HWC_OP_MOVE_4, HWC_OP_MOVE, HWC_OP_MOVE_4, HWC_OP_MOVE, HWC_OP_MOVE_4,
                  HWC_OP_MOVE, HWC_OP_MOVE_4), 32.0 / 9, true},
    {HWC_ROUND_OF(HWC_OP_MOVE, HWC_OP_MOVE, HWC_OP_MOVE, HWC_OP_MOVE, HWC_OP_MOVE_4, HWC_OP_MOVE_4, HWC_OP_MOVE_4,
                  HWC_OP_MOVE_4, HWC_OP_MOVE_4), 32.0 / 9, true},
    {HWC_ROUND_OF(HWC_OP_MOVE_4), 4, true},
    {HWC_ROUND_OF(HWC_OP_NOTHING_5, HWC_OP_NOTHING_5, HWC_OP_NOTHING_6), 16.0 / 3, false},
    {HWC_ROUND_OF(HWC_OP_INT_LONG), 7, false},
    {HWC_ROUND_OF(HWC_OP_NOTHING_8), 8, false},
};

struct curve {
    const struct code *code;
    size_t points;
    struct hwc_code_rate rate[POINTS]; /* ascending */
    struct hwc_slow_down slows;
};

/* What disturbs only makes it slower: the lower quartile, and the least of several looks, count. Lines of a cache of
 * micro-ops may compete where the loop begins at one place, and not at another. */
static int look_at(struct hwc_body_time *time, const struct code *code, struct hwc_code_rate *rate,
                   struct hwc_error *error)
{
    size_t kinds = code->round.kinds;
    struct hwc_turn_reading reading = {0};
    struct hwc_round_of round = code->round;

    round.line = hwc_random_below(&time->lab->random, HWC_CODE_LINES);
    TRY(hwc_read_by_clock(time, &round, (size_t)rate->instructions / kinds, SAMPLES, &reading, error));
    rate->cycles = fmin(rate->cycles, reading.low / (double)kinds);
    return HWC_OK;
}

static void add_point(struct curve *curve, double instructions)
{
    size_t kinds = curve->code->round.kinds, at = curve->points++;
    size_t rounds = (size_t)instructions / kinds;
    double whole = (double)(rounds * kinds);

    for (; at > 0 && curve->rate[at - 1].instructions > whole; at--)
        curve->rate[at] = curve->rate[at - 1];
    curve->rate[at] = (struct hwc_code_rate){whole, INFINITY};
}

static void lay_out(struct curve *curve, const struct code *code)
{
    *curve = (struct curve){.code = code};
    for (double n = policy.fewest; n <= policy.most && n * code->bytes <= policy.most_bytes; n *= policy.growth)
        add_point(curve, n);
}

/* At all points that have so many instructions. An architecture may lack the length: then the curve has no points. */
static int look(struct hwc_body_time *time, struct curve *curve, double from, double to, struct hwc_error *error)
{
    for (size_t i = 0; i < curve->points; i++) {
        int status = HWC_OK;
        if (curve->rate[i].instructions >= from && curve->rate[i].instructions <= to)
            status = look_at(time, curve->code, &curve->rate[i], error);
        if (status == HWC_UNAVAILABLE)
            curve->points = 0;
        else
            TRY(status);
    }
    return HWC_OK;
}

static struct hwc_slow_down find_slow_down(const struct curve *curve)
{
    struct hwc_code_rate rate[POINTS];

    memcpy(rate, curve->rate, curve->points * sizeof rate[0]);
    hwc_take_least_of_longer(rate, curve->points);
    return hwc_find_slow_down(rate, curve->points);
}

/* Halve the widest gap in between, and look at all there again. A soft step stays wide. */
static int close_in(struct hwc_body_time *time, struct curve *curve, struct hwc_error *error)
{
    struct hwc_slow_down *slows = &curve->slows;

    *slows = find_slow_down(curve);
    for (unsigned i = 0; i < HALVINGS && slows->found; i++) {
        double middle = hwc_middle_of_gap(curve->rate, curve->points, slows, policy.near);
        if (middle > 0)
            add_point(curve, middle);
        for (unsigned again = 0; again < LOOKS; again++)
            TRY(look(time, curve, slows->low, slows->high, error));
        *slows = find_slow_down(curve);
    }
    return HWC_OK;
}

/* In rounds, so that what disturbs one look at a point is not there at the next. */
static int look_at_all(struct hwc_body_time *time, struct curve curves[KINDS], struct hwc_error *error)
{
    double begun = hwc_lab_elapsed(time->lab);

    for (unsigned round = 0; round < ROUNDS && hwc_lab_elapsed(time->lab) - begun < policy.seconds; round++)
        for (unsigned i = 0; i < KINDS; i++)
            TRY(look(time, &curves[i], 0, INFINITY, error));
    for (unsigned i = 0; i < KINDS; i++)
        TRY(close_in(time, &curves[i], error));
    return HWC_OK;
}

/* What was seen, for those who know the core. */
static void note(struct hwc_lab *lab, const struct hwc_code_kind *kinds, size_t count)
{
    char text[HWC_MESSAGE] = "";

    for (size_t i = 0; i < count; i++)
        if (kinds[i].slows.found)
            hwc_write(text + strlen(text), sizeof text - strlen(text), "%s%.0f of %.1f",
                      text[0] != '\0' ? ", " : "", kinds[i].slows.low, kinds[i].bytes);
    if (text[0] != '\0')
        hwc_note(&lab->notes, "instructions at full rate, and bytes of each: %s", text);
}

static void report(const struct hwc_code_kind *kinds, size_t count, struct hwc_finding *finding)
{
    const struct hwc_code_kind *densest = hwc_densest_code(kinds, count);
    bool slows = false;

    for (size_t i = 0; i < count; i++)
        slows = slows || kinds[i].slows.found;
    if (densest != NULL)
        hwc_finding_between(finding, densest->slows.low, densest->slows.high, "it becomes slower in between");
    else if (slows)
        hwc_finding_because(finding, hwc_inconclusive("code that is slower may be more than the first level holds"));
    else
        hwc_finding_because(finding, hwc_inconclusive("long code is as fast as short code"));
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    struct hwc_code_kind kinds[KINDS];
    struct curve curves[KINDS];
    size_t count = 0;

    for (unsigned i = 0; i < KINDS; i++)
        lay_out(&curves[i], &codes[i]);
    TRY(look_at_all(time, curves, error));
    for (unsigned i = 0; i < KINDS; i++)
        if (curves[i].points > 0)
            kinds[count++] = (struct hwc_code_kind){codes[i].bytes, curves[i].slows, codes[i].moves, curves[i].rate,
                                                   curves[i].points};
    if (count == 0)
        return error->status;
    note(time->lab, kinds, count);
    report(kinds, count, &core->finding[HWC_CORE_FULL_RATE_CODE]);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_full_rate, 1, measure, profile, error);
}

const struct hwc_probe hwc_probe_full_rate = {
    .name = "full_rate",
    .summary = "how much straight-line code is delivered at full rate: micro-op cache, loop buffer",
    .source = "Godbolt, 2016; beside Yotov et al., QEST 2005",
    .provides = {HWC_CORE_FULL_RATE_CODE},
    .on_request = true,
    .group = "core",
    .run = run,
};
