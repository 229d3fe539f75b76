/* Replacement policy of TLBs.
 *
 * Claim: the policy is the one candidate that predicts the misses of every random
 * sequence over one set.
 *
 * Method: that of caches (replacement/replacement.c; AMP, ISPASS 2001, 3.5 told LRU from
 * random), except that nothing empties a set of a TLB. So a sequence is repeated,
 * and each candidate must predict how many of its visits miss in the steady state
 * that follows whatever was in the set: by a counter, or by the time beyond that of the
 * same cells on few pages.
 *
 * What can fool it: policies that are not among the candidates, so that none is
 * left (Tatar et al., USENIX Security 2022, found such in second levels; the QLRU
 * family has too many steady states to be told apart in this way). Steady states
 * that depend on the state before: a candidate stays if it predicts what is seen
 * from some state before. Sets of more ways than the models have are left out, and
 * so is a fully associative second level, where the pages that evict from the
 * first would be in the way. */
#include <math.h>

#include "policy_vote.h"
#include "table.h"
#include "translation.h"

struct context {
    enum hwc_structure structure;
    struct hwc_tlb tlb;
    struct hwc_policy_vote *vote;
};

struct inquiry {
    struct hwc_translation translation;
    uint64_t apart_bytes; /* between things in one set */
    double of_time;       /* standard error of the time that hits take, as a share of it; 0 where misses are counted */
};

static int lay_out(struct inquiry *inquiry, const struct hwc_sequence *sequence, struct hwc_error *error)
{
    const struct hwc_visits visits = {sequence->visit, sequence->visits, inquiry->apart_bytes};

    return hwc_translation_lay_out(&inquiry->translation, &visits, error);
}

/* Standard error of a number of misses. By time, it comes from the time of hits, which is that of the control
 * (translation.h), and from the time of a miss, which is read off plateaus. */
static double error_of(const struct inquiry *inquiry, double misses)
{
    const struct hwc_translation *translation = &inquiry->translation;

    if (inquiry->of_time <= 0)
        return 0;
    return hypot(inquiry->of_time * hwc_translation_hits(translation) / translation->miss_cycles,
                 HWC_FIT_FLOOR * misses);
}

static int read_plays(struct inquiry *inquiry, unsigned plays, struct hwc_answer *answer, struct hwc_error *error)
{
    double sum = 0, squares = 0;

    for (unsigned i = 0; i < plays; i++) {
        double misses;
        TRY(hwc_translation_read(&inquiry->translation, HWC_STEADY_PASSES, &misses, error));
        sum += misses;
        squares += misses * misses;
    }
    answer->misses = sum / plays;
    answer->variance = fmax(0, squares / plays - answer->misses * answer->misses);
    answer->error = hypot(error_of(inquiry, answer->misses), sqrt(answer->variance / plays));
    return HWC_OK;
}

static int play(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                struct hwc_error *error)
{
    struct inquiry *inquiry = context;

    *answer = (struct hwc_answer){0};
    TRY(lay_out(inquiry, sequence, error));
    if (plays > 0)
        return read_plays(inquiry, plays, answer, error);
    TRY(hwc_translation_settle(&inquiry->translation, &answer->misses, error));
    answer->error = error_of(inquiry, answer->misses);
    return HWC_OK;
}

static const struct {
    unsigned sequences; /* in which nothing misses, to be timed */
    double least_error; /* a time is settled when another sample agrees to a thousandth (hwc_measure_steady), so the
                           error of a difference of two is at least this */
} calibration = {.sequences = 4, .least_error = 0.0015};

/* Time visits to so few things that all of them fit under every policy, in any order: what seems to miss is error. */
static int calibrate(struct inquiry *inquiry, const struct hwc_set_instrument *set, struct hwc_error *error)
{
    struct hwc_translation *translation = &inquiry->translation;
    double squares = 0;

    for (unsigned i = 0; i < calibration.sequences; i++) {
        struct hwc_sequence sequence;
        double misses = 0;
        hwc_draw_sequence(set, &translation->lab->random, &sequence);
        for (size_t k = 0; k < sequence.visits; k++)
            sequence.visit[k] %= (uint8_t)(set->ways / 2 + 1);
        TRY(lay_out(inquiry, &sequence, error));
        TRY(hwc_translation_settle(translation, &misses, error));
        squares += pow(misses * translation->miss_cycles / hwc_translation_hits(translation), 2);
    }
    inquiry->of_time = fmax(calibration.least_error, sqrt(squares / calibration.sequences));
    return HWC_OK;
}

/* Visits of a sequence: this many per way, as far as a page has room for them. */
static const struct {
    unsigned to_a_way, fewest;
} visits_that_count = {.to_a_way = 6, .fewest = 48};

static unsigned visits_of(const struct hwc_lab *lab, unsigned ways)
{
    size_t visits = visits_that_count.to_a_way * (size_t)ways, room = hwc_visits_to_a_page(lab);

    visits = visits < visits_that_count.fewest ? visits_that_count.fewest : visits;
    visits = visits > HWC_MOST_VISITS ? HWC_MOST_VISITS : visits;
    return (unsigned)(visits > room ? room : visits);
}

static struct hwc_set_instrument instrument(struct inquiry *inquiry, unsigned ways)
{
    return (struct hwc_set_instrument){
        .ways = ways,
        .lines = ways + 2 + ways / 2,
        .visits = visits_of(inquiry->translation.lab, ways),
        .start = HWC_STEADY,
        .shows_chance = hwc_counts(inquiry->translation.witness), /* times of single passes vary under any policy */
        .wrong = 1, /* others take entries now and then */
        .play = play,
        .context = inquiry,
    };
}

static int infer(struct hwc_lab *lab, struct context *context, struct inquiry *inquiry, struct hwc_ballot *ballot,
                 struct hwc_error *error)
{
    const struct hwc_set_instrument set = instrument(inquiry, (unsigned)context->tlb.ways);

    if (!hwc_counts(inquiry->translation.witness))
        TRY(calibrate(inquiry, &set, error));
    return hwc_cast_for_policy(lab, context->vote, &set, ballot, error);
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct inquiry inquiry = {.apart_bytes = context->tlb.apart_bytes};
    int status = hwc_translation_open(&inquiry.translation, lab, context->structure, false, error);

    if (status == HWC_OK)
        status = infer(lab, context, &inquiry, ballot, error);
    hwc_translation_close(&inquiry.translation);
    return status;
}

/* Why the policy cannot be found; HWC_NO_REASON if it can. */
static struct hwc_reason why_not(const struct hwc_lab *lab, enum hwc_structure structure)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[structure];

    if (tlb->entries == 0)
        return hwc_depends("the level's geometry is not known");
    if (tlb->ways < 2)
        return hwc_nothing_there("a direct-mapped level has none");
    if (tlb->ways > HWC_MODEL_WAYS)
        return hwc_unavailable("sets of so many ways are not looked at");
    if (hwc_tlb_level(structure) > 1 && tlb->ways == tlb->entries)
        return hwc_unavailable("what evicts from the first level would be in the way");
    if (!hwc_tells(&lab->structure_witness[structure]))
        return hwc_inconclusive("the clock does not tell its hits from its misses");
    return HWC_NO_REASON;
}

static int run_tlb(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_reason reason = why_not(lab, context->structure);

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    context->tlb = lab->known->tlb[context->structure];
    hwc_list_candidates(&context->vote->candidates, (unsigned)context->tlb.ways, false);
    return hwc_vote_on_policy(lab, context->vote, measure, context, &lab->structure_witness[context->structure],
                              finding, error);
}

static int run_tlbs(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_policy_vote *vote,
                    struct hwc_error *error)
{
    struct context context = {.vote = vote};

    for (unsigned i = 0; i < profile->tlbs; i++) {
        struct hwc_record *tlb = &profile->tlb[i];
        if (tlb->large)
            continue;
        context.structure = hwc_structure_of(tlb);
        context.vote->alternatives = tlb->policies;
        TRY(run_tlb(lab, &context, &tlb->finding[HWC_TLB_REPLACEMENT], error));
    }
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_with_policy_vote(lab, profile, run_tlbs, error);
}

const struct hwc_probe hwc_probe_tlb_replacement = {
    .name = "tlb_replacement",
    .summary = "replacement policy of TLBs",
    .source = "Coleman and Davidson, ISPASS 2001, 3.5 and 3.10; Abel and Reineke, RTAS 2013 and ISPASS 2020",
    .needs = {HWC_TLB_ENTRIES, HWC_TLB_ASSOCIATIVITY},
    .provides = {HWC_TLB_REPLACEMENT},
    .run = run,
};
