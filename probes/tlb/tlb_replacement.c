/* Replacement policy of TLBs.
 *
 * Claim: the policy is the one candidate whose prediction of the misses of
 * every random sequence over one set holds.
 *
 * Method: that of caches (replacement.c; AMP, ISPASS 2001, 3.5 told LRU from
 * random), but that nothing flushes a set of a TLB. So sequences go round and
 * round, and what is held against the candidates is how much of one misses in
 * the steady state, from whatever was there before: by a counter, or by the
 * time beyond that of the same cells on few pages. Each next sequence is the
 * one, of some drawn, that tells most of the candidates that are left apart.
 *
 * What can fool it: policies that are not among the candidates, which leave
 * nothing (Tatar et al., USENIX Security 2022, found such in second levels; the
 * QLRU family's steady states are too many to be told apart so); steady states that depend on what was before: a candidate must predict
 * what is seen from something before. Sets of more ways than the models have are not looked
 * at, nor is a fully associative second level, where what puts things out of
 * the first would be in the way. */
#include <math.h>
#include <stdlib.h>

#include "candidates.h"
#include "set_model.h"
#include "table.h"
#include "translation.h"

#define MOST_WAYS HWC_MODEL_WAYS
#define SHORTEST 48
#define DRAWN 24
#define MOST_SEQUENCES 20
/* A policy that is none of the candidates is taken for one by luck where their
 * predictions lie close: those of a sequence that confirms lie this many times
 * as far apart as one may be off. */
#define FAR_APART 6
#define CONFIRMATIONS 4

struct context {
    enum hwc_structure structure;
    struct hwc_tlb tlb;
    struct hwc_candidates candidates;
};

struct sequence {
    uint8_t name[HWC_MOST_VISITS];
    size_t length;
};

struct inquiry {
    struct hwc_translation translation;
    double of_time; /* clock: what hits take is known to such a share */
    bool left[HWC_MOST_CANDIDATES];
    uint8_t failed[HWC_MOST_CANDIDATES];
    unsigned confirmed[HWC_MOST_CANDIDATES]; /* sequences whose misses it predicted, and alone with its like */
};

static bool counted(const struct inquiry *inquiry)
{
    return !hwc_goes_by_time(inquiry->translation.witness);
}

static size_t most_visits(const struct hwc_lab *lab)
{
    size_t visits = hwc_visits_to_a_page(lab);

    return visits < HWC_MOST_VISITS ? visits : HWC_MOST_VISITS;
}

/* Some that are used again and again, and others that pass by. */
static void draw_passing(struct hwc_random *random, size_t ways, size_t things, struct sequence *sequence)
{
    size_t hot = 1 + (size_t)hwc_random_below(random, ways - 1), next = hot;

    for (size_t i = 0; i < sequence->length; i++) {
        bool again = hwc_random_below(random, 2) == 0;
        sequence->name[i] = (uint8_t)(again ? hwc_random_below(random, hot) : next);
        if (!again && ++next == things)
            next = hot;
    }
}

/* Visits to a few things more than fit: at random, or as in loops. */
static void draw(const struct context *context, struct hwc_lab *lab, struct sequence *sequence)
{
    size_t ways = context->tlb.ways, most = most_visits(lab);
    size_t things = ways + 1 + (size_t)hwc_random_below(&lab->random, ways / 2 + 2);

    sequence->length = 6 * ways < SHORTEST ? SHORTEST : 6 * ways > most ? most : 6 * ways;
    if (hwc_random_below(&lab->random, 2) == 0) {
        draw_passing(&lab->random, ways, things, sequence);
        return;
    }
    for (size_t i = 0; i < sequence->length; i++)
        sequence->name[i] = (uint8_t)hwc_random_below(&lab->random, things);
}

/* Which steady state a sequence comes to may depend on what was before: so many are tried. */
#define HISTORIES 24
#define PASSES_TO_REST 12
#define PASSES 12

/* Misses of a pass in the steady state, from something before at random. */
static double play(const struct hwc_policy *policy, unsigned ways, const struct sequence *sequence,
                   struct hwc_random *random)
{
    uint8_t before[HWC_MODEL_WAYS];
    struct hwc_set_model set;
    unsigned misses = 0;

    hwc_set_model_init(&set, policy, ways, false);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned way = 0; way < ways; way++)
            before[way] = (uint8_t)hwc_random_below(random, 2 * (uint64_t)ways);
        hwc_set_model_play(&set, before, ways, random);
    }
    for (unsigned pass = 0; pass < PASSES_TO_REST; pass++)
        hwc_set_model_play(&set, sequence->name, sequence->length, random);
    for (unsigned pass = 0; pass < PASSES; pass++)
        misses += hwc_set_model_play(&set, sequence->name, sequence->length, random);
    return (double)misses / PASSES;
}

/* A count is exact. Of a time, what hits take is known to a share of it. */
static double tolerance(const struct inquiry *inquiry)
{
    const struct hwc_translation *translation = &inquiry->translation;

    return counted(inquiry) ? 0.5
                            : fmax(0.5, inquiry->of_time * hwc_translation_hits(translation) / translation->miss_cycles);
}

/* What rules a candidate out: one sequence may have been disturbed, or come to
 * rest as none of the histories did that were tried. */
#define CONTRADICTIONS 2

/* What a sequence promises: groups of those that are left which it would tell
 * apart, and how far apart all candidates are. */
struct promise {
    size_t groups;
    double spread;
};

static struct promise promise_of(const struct context *context, struct inquiry *inquiry,
                                 const struct sequence *sequence)
{
    double seen[HWC_MOST_CANDIDATES], apart = 2 * tolerance(inquiry), least = INFINITY, most = 0;
    struct promise promise = {0};

    for (size_t i = 0; i < context->candidates.count; i++) {
        size_t k = 0;
        double misses = play(&context->candidates.item[i].policy, (unsigned)context->tlb.ways, sequence,
                             &inquiry->translation.lab->random);
        least = fmin(least, misses);
        most = fmax(most, misses);
        while (k < promise.groups && fabs(seen[k] - misses) < apart)
            k++;
        if (inquiry->left[i] && k == promise.groups)
            seen[promise.groups++] = misses;
    }
    promise.spread = most - least;
    return promise;
}

static bool promises_more(const struct promise *one, const struct promise *other)
{
    return one->groups != other->groups ? one->groups > other->groups : one->spread > other->spread;
}

static struct promise choose(const struct context *context, struct inquiry *inquiry, struct sequence *best)
{
    struct promise most = {0};

    for (int i = 0; i < DRAWN; i++) {
        struct sequence drawn;
        struct promise promise;
        draw(context, inquiry->translation.lab, &drawn);
        promise = promise_of(context, inquiry, &drawn);
        if (i == 0 || promises_more(&promise, &most)) {
            most = promise;
            *best = drawn;
        }
    }
    return most;
}

enum verdict { CONTRADICTED, POSSIBLE, PREDICTED };

/* Where it depends on what was before, not all of what was is tried: what lies
 * between is not ruled out, nor does it say much for the candidate. */
static enum verdict hold_against(const struct hwc_candidate *candidate, const struct context *context,
                                 const struct inquiry *inquiry, const struct sequence *sequence, double misses)
{
    double within = tolerance(inquiry), least = INFINITY, most = 0;

    for (int history = 0; history < HISTORIES; history++) {
        double predicted = play(&candidate->policy, (unsigned)context->tlb.ways, sequence,
                                &inquiry->translation.lab->random);
        least = fmin(least, predicted);
        most = fmax(most, predicted);
    }
    if (misses < least - within || misses > most + within)
        return CONTRADICTED;
    return most - least < 2 * within ? PREDICTED : POSSIBLE;
}

static size_t eliminate(const struct context *context, struct inquiry *inquiry, const struct sequence *sequence,
                        bool telling, double misses)
{
    size_t left = 0;

    for (size_t i = 0; i < context->candidates.count; i++) {
        enum verdict verdict;
        if (!inquiry->left[i])
            continue;
        verdict = hold_against(&context->candidates.item[i], context, inquiry, sequence, misses);
        if (verdict == CONTRADICTED)
            inquiry->failed[i]++;
        if (verdict == PREDICTED && telling)
            inquiry->confirmed[i]++;
        inquiry->left[i] = inquiry->failed[i] < CONTRADICTIONS;
        left += inquiry->left[i];
    }
    return left;
}

static int lay_out(const struct context *context, struct inquiry *inquiry, const struct sequence *sequence,
                   struct hwc_error *error)
{
    const struct hwc_visits visits = {sequence->name, sequence->length, context->tlb.apart_bytes};

    return hwc_translation_lay_out(&inquiry->translation, &visits, error);
}

/* Few enough to fit under every policy, and to come to rest, in any order. */
#define CALIBRATIONS 4
#define CAUTION 2
#define LEAST_OF_TIME 0.005

/* What hits take but for translation is read off other lines (translation.h):
 * how well, sequences tell that miss nothing. */
static int calibrate(const struct context *context, struct inquiry *inquiry, struct hwc_error *error)
{
    struct hwc_translation *translation = &inquiry->translation;
    int status = HWC_OK;

    inquiry->of_time = LEAST_OF_TIME;
    for (int i = 0; i < CALIBRATIONS && status == HWC_OK && !counted(inquiry); i++) {
        struct sequence sequence;
        double misses = 0;
        draw(context, translation->lab, &sequence);
        for (size_t k = 0; k < sequence.length; k++)
            sequence.name[k] %= (uint8_t)(context->tlb.ways / 2 + 1);
        status = lay_out(context, inquiry, &sequence, error);
        if (status == HWC_OK)
            status = hwc_translation_settle(translation, &misses, error);
        inquiry->of_time = fmax(inquiry->of_time, CAUTION * fabs(misses) * translation->miss_cycles /
                                                      hwc_translation_hits(translation));
    }
    return status;
}

static bool is_confirmed(const struct context *context, const struct inquiry *inquiry)
{
    for (size_t i = 0; i < context->candidates.count; i++)
        if (inquiry->left[i] && inquiry->confirmed[i] < CONFIRMATIONS)
            return false;
    return true;
}

/* Sequences until those that are left cannot be told apart, and each predicted enough that the others did not. */
static int narrow(const struct context *context, struct inquiry *inquiry, size_t *left, struct hwc_error *error)
{
    bool done = false;
    int status = calibrate(context, inquiry, error);

    *left = context->candidates.count;
    for (size_t i = 0; i < context->candidates.count; i++)
        inquiry->left[i] = true;
    for (int i = 0; i < MOST_SEQUENCES && *left > 0 && !done && status == HWC_OK; i++) {
        struct sequence sequence;
        double misses = 0;
        struct promise promise = choose(context, inquiry, &sequence);
        status = lay_out(context, inquiry, &sequence, error);
        if (status == HWC_OK)
            status = hwc_translation_settle(&inquiry->translation, &misses, error);
        if (status != HWC_OK)
            return status;
        *left = eliminate(context, inquiry, &sequence, promise.spread >= FAR_APART * tolerance(inquiry), misses);
        done = promise.groups == 1 && is_confirmed(context, inquiry);
    }
    if (status == HWC_OK && *left > 0 && !is_confirmed(context, inquiry))
        return hwc_fail(error, HWC_UNAVAILABLE, "what was before decides too much of what it does, or time varies too much");
    return status;
}

#define REPETITIONS 48
#define PASSES_EACH 4
#define STANDARD_ERRORS 4

/* One thing more than fits, round and round: nothing keeps as many of these as random replacement does. */
static void go_round(const struct context *context, const struct hwc_lab *lab, struct sequence *sequence)
{
    size_t things = context->tlb.ways + 1, most = most_visits(lab);

    sequence->length = (4 * things < most ? 4 * things : most) / things * things;
    for (size_t i = 0; i < sequence->length; i++)
        sequence->name[i] = (uint8_t)(i % things);
}

/* Is the mean of many passes what random replacement gives, and do they differ? */
static int behaves_randomly(const struct context *context, struct inquiry *inquiry, const struct sequence *sequence,
                            bool *random, struct hwc_error *error)
{
    struct hwc_policy chance = {.kind = HWC_RANDOM};
    struct hwc_random *drawn = &inquiry->translation.lab->random;
    double sum = 0, squares = 0, expected = 0, mean, variance;
    int status = lay_out(context, inquiry, sequence, error);

    for (int i = 0; i < REPETITIONS && status == HWC_OK; i++) {
        double misses;
        status = hwc_translation_read(&inquiry->translation, PASSES_EACH, &misses, error);
        sum += misses;
        squares += misses * misses;
        expected += play(&chance, (unsigned)context->tlb.ways, sequence, drawn) / REPETITIONS;
    }
    mean = sum / REPETITIONS;
    variance = squares / REPETITIONS - mean * mean;
    *random = status == HWC_OK && variance > 0.1 &&
              fabs(mean - expected) < STANDARD_ERRORS * sqrt(2 * variance / REPETITIONS) + tolerance(inquiry) / 2;
    return status;
}

static int looks_random(const struct context *context, struct inquiry *inquiry, bool *random, struct hwc_error *error)
{
    struct hwc_lab *lab = inquiry->translation.lab;
    struct sequence sequence;
    int status = HWC_OK;

    *random = counted(inquiry); /* times differ without chance, too */
    if (!*random)
        return HWC_OK;
    go_round(context, lab, &sequence);
    status = behaves_randomly(context, inquiry, &sequence, random, error);
    draw(context, lab, &sequence);
    if (status == HWC_OK && *random)
        status = behaves_randomly(context, inquiry, &sequence, random, error);
    return status;
}

static int decide(struct context *context, struct inquiry *inquiry, struct hwc_ballot *ballot, struct hwc_error *error)
{
    size_t left = 0;
    bool random = false;
    int status = narrow(context, inquiry, &left, error);

    if (status == HWC_OK && left == 0)
        status = looks_random(context, inquiry, &random, error);
    if (status == HWC_OK && left == 0 && !random)
        return hwc_fail(error, HWC_UNAVAILABLE, "no policy that is known predicts its misses");
    if (status == HWC_OK)
        hwc_cast_for_left(&context->candidates, inquiry->left, ballot);
    return status;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct inquiry *inquiry = calloc(1, sizeof *inquiry);
    int status;

    if (inquiry == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = hwc_translation_open(&inquiry->translation, lab, context->structure, false, error);
    if (status == HWC_OK)
        status = decide(context, inquiry, ballot, error);
    hwc_translation_close(&inquiry->translation);
    free(inquiry);
    return status;
}

/* Why it cannot be told; no reason where it can. */
static struct hwc_reason why_not(const struct hwc_lab *lab, enum hwc_structure structure)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[structure];

    if (tlb->entries == 0)
        return hwc_depends("the level's geometry is not known");
    if (tlb->ways < 2)
        return hwc_nothing_there("a direct-mapped level has none");
    if (tlb->ways > MOST_WAYS)
        return hwc_unavailable("sets of so many ways are not looked at");
    if (hwc_tlb_level(structure) > 1 && tlb->ways == tlb->entries)
        return hwc_unavailable("what puts things out of the first level would be in the way");
    if (!hwc_tells(&lab->structure_witness[structure]))
        return hwc_inconclusive("the clock does not tell its hits from its misses");
    return HWC_NO_REASON;
}

static int run_tlb(struct hwc_lab *lab, struct context *context, struct hwc_record *record,
                   struct hwc_error *error)
{
    struct hwc_reason reason = why_not(lab, context->structure);
    double started = hwc_lab_elapsed(lab);
    struct hwc_finding *finding = &record->finding[HWC_TLB_REPLACEMENT];
    struct hwc_result result = {0};
    int status;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    context->tlb = lab->known->tlb[context->structure];
    context->candidates.count = 0;
    hwc_add_plain(&context->candidates, false);
    hwc_add_trees(&context->candidates, (unsigned)context->tlb.ways);
    hwc_prepare_candidates(&context->candidates, (unsigned)context->tlb.ways);
    hwc_forget_names(&context->candidates);
    status = hwc_vote(lab, measure, context, 1, &result, error);
    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    if (status != HWC_OK)
        return status;
    hwc_decide_by_approval(&context->candidates, &result);
    hwc_finding_from_result(finding, &result, &lab->structure_witness[context->structure],
                            hwc_lab_elapsed(lab) - started);
    if (result.decided)
        hwc_name_policy(&context->candidates, &result, record->policies, finding);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct context *context = calloc(1, sizeof *context);
    int status = context != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    for (unsigned i = 0; status == HWC_OK && i < profile->tlbs; i++) {
        struct hwc_record *tlb = &profile->tlb[i];
        if (tlb->large)
            continue;
        context->structure = hwc_structure_of(tlb);
        status = run_tlb(lab, context, tlb, error);
    }
    free(context);
    return status;
}

const struct hwc_probe hwc_probe_tlb_replacement = {
    .name = "tlb_replacement",
    .summary = "replacement policy of TLBs",
    .source = "Coleman and Davidson, ISPASS 2001, 3.5 and 3.10; Abel and Reineke, ISPASS 2020",
    .needs = {HWC_TLB_ENTRIES, HWC_TLB_ASSOCIATIVITY},
    .provides = {HWC_TLB_REPLACEMENT},
    .run = run,
};
