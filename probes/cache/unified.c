/* Split or unified: does executing code evict data from a cache level, or from a TLB?
 *
 * Method: AMP (ISPASS 2001, 3.6). Read half of what the level holds, execute
 * code of twice the level's size, read the data again. If that misses, code and
 * data share the level; if it does not, but misses after other data were read
 * instead, they do not. No counter of instruction misses is needed.
 *
 * What can fool it: an inclusive lower level that code fills evicts data from a
 * split level above, so the next level must be at least three times as large, or
 * the answer is left open. By the clock, code also evicts the data's
 * translations: several lines are read per page and share that cost. Another
 * thread of the core may evict data meanwhile: that code evicts most of them is
 * believed only if as much time on few lines leaves them in. A first TLB with
 * entries for data alone keeps pages that code puts out of the second: if they are
 * many, other data put them out of the first before. */
#include <math.h>

#include "contrast.h"
#include "one_line_a_page.h"
#include "sampler.h"
#include "table.h"
#include "translation.h"

static const struct {
    size_t lines;         /* of data, at most: enough to sample any level's sets */
    size_t dear_lines;    /* the same, where references take long */
    size_t few;           /* lines that evict nothing */
    uint32_t passes;      /* over foreign lines: under LRU, one evicts all data */
    uint32_t most_passes; /* a scan-resistant policy keeps data as long as others come only a few times */
} policy = {.lines = 4096, .dear_lines = 256, .few = 8, .passes = 2, .most_passes = 256};

struct context {
    const struct hwc_witness *witness;
    uint64_t spacing;   /* of data, and of code */
    size_t lines;       /* of data; of code four times as many */
    bool pages;         /* of a TLB: one line of each page, spread over the sets of the first cache */
    size_t kept_above;  /* lines of the data that a level above, of its own, could keep from being put out; 0 = few */
};

/* What is to evict the data: code or other data (much); and a few lines of the same kind that do not (little). */
struct foreign {
    struct hwc_arena arena, little_arena; /* separate: both are laid out at once */
    struct hwc_walk much, little;
};

struct parts {
    struct hwc_arena arena;
    struct hwc_walk data;
    struct hwc_walk aside; /* further data, which put those out of the level above */
    struct hwc_walk first; /* a few other lines, measured before the data: the first references after foreign lines
                              take longer in any case */
    struct foreign code, others;
};

static void close_foreign(struct hwc_lab *lab, struct foreign *foreign)
{
    hwc_walk_free(&foreign->much);
    hwc_walk_free(&foreign->little);
    hwc_close_arena(lab, &foreign->arena);
    hwc_close_arena(lab, &foreign->little_arena);
}

static void close_parts(struct hwc_lab *lab, struct parts *parts)
{
    hwc_walk_free(&parts->data);
    hwc_walk_free(&parts->aside);
    hwc_walk_free(&parts->first);
    close_foreign(lab, &parts->code);
    close_foreign(lab, &parts->others);
    hwc_close_arena(lab, &parts->arena);
}

/* Lay out `lines` lines from the i-th on. */
static int lay(struct hwc_lab *lab, const struct context *context, struct hwc_walk *walk, size_t i, size_t lines,
               struct hwc_error *error)
{
    if (context->pages)
        return hwc_walk_pages(lab, walk, lines, i * context->spacing, context->spacing, i, error);
    TRY(hwc_walk_sequence(walk, i * context->spacing, context->spacing, lines, error));
    hwc_walk_shuffle(walk, &lab->random);
    return HWC_OK;
}

static enum hwc_pages pages_of(const struct context *context, enum hwc_access access)
{
    if (access == HWC_FETCH)
        return HWC_CODE_PAGES;
    return context->pages ? HWC_SPARSE_PAGES : HWC_LARGE_PAGES;
}

static int open_arena(struct hwc_lab *lab, const struct context *context, enum hwc_access access, size_t lines,
                      struct hwc_arena *arena, struct hwc_error *error)
{
    return lab->machine->ops->arena_open(lab->machine, lines * context->spacing + lab->machine->page_bytes,
                                         pages_of(context, access), arena, error);
}

static int open_lines(struct hwc_lab *lab, const struct context *context, enum hwc_access access, size_t lines,
                      struct hwc_arena *arena, struct hwc_walk *walk, struct hwc_error *error)
{
    hwc_walk_init(walk);
    walk->access = access;
    walk->arena = arena;
    TRY(open_arena(lab, context, access, lines, arena, error));
    return lay(lab, context, walk, 0, lines, error);
}

/* Four times as many lines as the data: these are half of what the level holds. */
static int open_foreign(struct hwc_lab *lab, const struct context *context, enum hwc_access access,
                        struct foreign *foreign, struct hwc_error *error)
{
    TRY(open_lines(lab, context, access, 4 * context->lines, &foreign->arena, &foreign->much, error));
    return open_lines(lab, context, access, policy.few, &foreign->little_arena, &foreign->little, error);
}

/* This many more put those that are kept out of the level above. */
static size_t lines_aside(const struct context *context)
{
    return context->kept_above > 0 ? context->kept_above + context->kept_above / 4 + 1 : 0;
}

static size_t all_data(const struct context *context)
{
    return context->lines + lines_aside(context);
}

static int open_parts(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    *parts = (struct parts){0};
    hwc_walk_init(&parts->data);
    hwc_walk_init(&parts->aside);
    hwc_walk_init(&parts->first);
    TRY(open_arena(lab, context, HWC_LOAD, all_data(context) + policy.few, &parts->arena, error));
    TRY(lay(lab, context, &parts->data, 0, context->lines, error));
    if (context->kept_above > 0)
        TRY(lay(lab, context, &parts->aside, context->lines, lines_aside(context), error));
    TRY(lay(lab, context, &parts->first, all_data(context), policy.few, error));
    return open_foreign(lab, context, HWC_FETCH, &parts->code, error);
}

/* A question: how much of the data do so many passes over foreign lines evict? */
struct question {
    const struct context *context;
    const struct parts *parts;
    const struct foreign *foreign;
    uint32_t passes;
};

/* Passes over the data beforehand. Where foreign lines need many passes to evict
 * the data, the data need many to come back. */
static uint32_t settling(const struct question *question)
{
    return question->passes == policy.passes ? 2 : 4 * question->passes;
}

/* Read the data again, after `passes` passes over the lines `between`, if any. */
static struct hwc_experiment read_again(const struct question *question, const struct hwc_walk *between,
                                        uint32_t passes)
{
    const struct hwc_witness *witness = question->context->witness;
    const struct parts *parts = question->parts;
    struct hwc_experiment experiment = {.arena = &parts->arena, .event = hwc_event_of(witness), .apart = true};

    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &parts->data, settling(question)};
    if (parts->aside.count > 0)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &parts->aside, 1};
    if (between != NULL)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, between, passes};
    if (!hwc_counts_events(witness))
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, &parts->first, 1};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, &parts->data, 1};
    return experiment;
}

/* What share of the data do the foreign lines evict? */
static int share_put_out(struct hwc_lab *lab, const struct question *question, struct hwc_shares *shares,
                         struct hwc_error *error)
{
    const struct hwc_contrast contrast = {.witness = question->context->witness,
                                          .with = read_again(question, &question->foreign->much, question->passes),
                                          .without = read_again(question, NULL, 0),
                                          .references = question->context->lines};

    return hwc_measure_contrast(lab, &contrast, shares, error);
}

/* About how many passes over `little` take as long as those over `much`? At least as many references. */
static int find_little_passes(struct hwc_lab *lab, const struct question *question, uint32_t *passes,
                              struct hwc_error *error)
{
    const struct foreign *foreign = question->foreign;
    double as_many = (double)foreign->much.count / (double)foreign->little.count, as_long = 0;
    const struct hwc_experiment experiment = {
        .arena = &question->parts->arena,
        .event = HWC_NO_EVENT,
        .apart = true,
        .steps = 3,
        .step = {{HWC_RUN, &foreign->little, question->passes},
                 {HWC_MEASURE, &foreign->little, (uint32_t)ceil(as_many)},
                 {HWC_MEASURE, &foreign->much, 1}},
    };
    struct hwc_sample sample;

    TRY(hwc_lab_sample(lab, &experiment, &sample, error));
    if (lab->machine->has_clock && sample.reading[0].cycles > 0)
        as_long = as_many * sample.reading[1].cycles / sample.reading[0].cycles;
    *passes = (uint32_t)ceil(question->passes * fmax(as_long, as_many));
    return HWC_OK;
}

/* Do other threads evict the data in as much time? They only add misses, so a single reading without any, out of
 * several, shows that the foreign lines evicted the data. */
static int rule_out_others(struct hwc_lab *lab, const struct question *question, const struct hwc_shares *shares,
                           struct hwc_error *error)
{
    const struct hwc_witness *witness = question->context->witness;
    double lines = (double)question->context->lines, reading = 0;
    struct hwc_experiment experiment;
    uint32_t passes = 0;

    if (!lab->machine->interference)
        return HWC_OK;
    TRY(find_little_passes(lab, question, &passes, error));
    experiment = read_again(question, &question->foreign->little, passes);
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        TRY(hwc_weigh_once(lab, witness, &experiment, &reading, error));
        reading -= hwc_weight_of_hits(witness, lines) + fmax(shares->without, 0) * lines;
        if (hwc_judge_share(reading / lines) == HWC_SHARE_NONE)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "others put data out meanwhile");
}

/* Find how many passes over other data evict most of the data. If none do, it means nothing that code evicts little. */
static int find_passes(struct hwc_lab *lab, struct parts *parts, struct question *question, struct hwc_error *error)
{
    struct hwc_shares by_others;

    TRY(open_foreign(lab, question->context, HWC_LOAD, &parts->others, error));
    question->foreign = &parts->others;
    for (;; question->passes *= 4) {
        TRY(share_put_out(lab, question, &by_others, error));
        if (by_others.verdict == HWC_SHARE_MOST)
            break;
        if (question->passes * 4 > policy.most_passes)
            return hwc_fail(error, HWC_INCONCLUSIVE, "other data put %.0f %% of the data out, so code cannot be told",
                            100 * by_others.added);
    }
    question->foreign = &parts->code;
    return HWC_OK;
}

/* That code evicts little means something only if as many passes over other data evict most. */
static int find_whether_shared(struct hwc_lab *lab, struct parts *parts, struct question *question, bool *shared,
                               struct hwc_error *error)
{
    struct hwc_shares by_code;

    TRY(share_put_out(lab, question, &by_code, error));
    if (by_code.verdict != HWC_SHARE_MOST) {
        TRY(find_passes(lab, parts, question, error));
        TRY(share_put_out(lab, question, &by_code, error)); /* an adaptive level is now as the other data left it */
    }
    if (by_code.verdict == HWC_SHARE_BETWEEN)
        return hwc_fail(error, HWC_INCONCLUSIVE, "code puts %.0f %% of the data out, other data most",
                        100 * by_code.added);
    *shared = by_code.verdict == HWC_SHARE_MOST;
    return *shared ? rule_out_others(lab, question, &by_code, error) : HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct parts parts;
    struct question question = {.context = data, .parts = &parts, .foreign = &parts.code, .passes = policy.passes};
    bool shared = false;
    int status = open_parts(lab, question.context, &parts, error);

    if (status == HWC_OK)
        status = find_whether_shared(lab, &parts, &question, &shared, error);
    close_parts(lab, &parts);
    ballot->cast[0] = status == HWC_OK;
    ballot->value[0] = shared;
    return status;
}

/* Ballots that found the data where they were. */
static unsigned votes_for_apart(const struct hwc_finding *finding)
{
    unsigned votes = 0;

    for (unsigned i = 0; i < finding->rounds; i++)
        for (unsigned k = 0; k < finding->round[i].values; k++)
            votes += finding->round[i].value[k].value == 0 ? finding->round[i].value[k].votes : 0;
    return votes;
}

/* Others who put data out make a level look shared, and none makes it look apart. */
static void doubt_shared(const struct hwc_lab *lab, struct hwc_finding *finding)
{
    unsigned apart = votes_for_apart(finding);

    if (lab->machine->interference && finding->known && finding->value != 0 && apart > 0)
        hwc_finding_unknown(finding, HWC_WHY_UNDECIDED,
                            "data was put out in %u of %u ballots: code of one level with it would do so in all",
                            finding->alike, finding->alike + apart);
}

static int decide(struct hwc_lab *lab, struct hwc_reason reason, struct context *context, struct hwc_finding *finding,
                  struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;

    if (reason.text == NULL && !hwc_tells(witness))
        reason = hwc_inconclusive("the clock does not tell its hits from its misses");
    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    TRY(hwc_decide_by_vote(lab, measure, context, witness, finding, error));
    doubt_shared(lab, finding);
    return HWC_OK;
}

static int run_cache(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_level *this = &lab->known->level[level];
    struct context context = {.witness = &lab->witness[level], .spacing = this->fill_bytes};
    size_t most = hwc_references_are_dear(lab->machine) ? policy.dear_lines : policy.lines;
    /* By the clock, at least four lines share the translation of their page. */
    uint64_t longest = lab->machine->page_bytes / (hwc_counts_events(context.witness) ? 1 : 4);
    struct hwc_reason reason = HWC_NO_REASON;

    if (this->size_bytes == 0 || this->fill_bytes == 0)
        return decide(lab, hwc_depends("the level's geometry is not known"), &context, finding, error);
    if (context.spacing < UINT64_C(2) * HWC_CELL_BYTES)
        context.spacing = UINT64_C(2) * HWC_CELL_BYTES;
    while (this->size_bytes / 2 / context.spacing > most && context.spacing < longest)
        context.spacing *= 2;
    context.lines = (size_t)(this->size_bytes / 2 / context.spacing);
    if (context.lines < 2 * policy.few)
        reason = hwc_unavailable("the level is too small");
    if (level < lab->known->levels && lab->known->level[level + 1].size_bytes > 0 &&
        lab->known->level[level + 1].size_bytes < 3 * this->size_bytes)
        reason = hwc_unavailable("the next level is too small to hold the code that is to put data out of this one");
    return decide(lab, reason, &context, finding, error);
}

/* By the clock, a line that code evicted from the caches would pass for a page that it evicted from the TLB. */
static bool caches_hold(const struct hwc_lab *lab, const struct context *context)
{
    size_t lines = all_data(context) + 4 * context->lines; /* the data, and four times as much code */

    return hwc_counts(context->witness) || lab->known->levels < 2 || hwc_second_cache_holds(lab, lines, context->witness);
}

/* Pages of the data that the first level keeps: where it has entries for data alone, code does not put them out of it.
 * If they are so few that it would still be seen that code puts out most of the data, they do not matter. */
static size_t kept_by_first(const struct hwc_lab *lab, const struct context *context)
{
    const struct hwc_tlb *first = &lab->known->tlb[HWC_DTLB1];
    uint64_t each = first->page_bytes > context->spacing ? first->page_bytes / context->spacing : 1;
    size_t kept = (size_t)(first->entries * each);

    return (double)kept > hwc_share_bounds.none * (double)context->lines ? kept : 0;
}

static void use_pages(const struct hwc_lab *lab, unsigned level, size_t pages, struct context *context)
{
    context->lines = pages;
    context->kept_above = level > 1 ? kept_by_first(lab, context) : 0;
}

/* Three quarters of a level's pages surely fit. */
static bool level_holds(const struct hwc_tlb *tlb, const struct context *context)
{
    return all_data(context) <= tlb->entries * 3 / 4;
}

/* Choose how many pages of data are asked for. */
static struct hwc_reason choose_pages(const struct hwc_lab *lab, unsigned level, struct context *context)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[hwc_data_tlb(level)];

    if (tlb->entries < 4 * policy.few)
        return tlb->entries == 0 ? hwc_depends("the level's geometry is not known")
                                 : hwc_unavailable("the level is too small");
    use_pages(lab, level, (size_t)tlb->entries / 2, context);
    if ((!caches_hold(lab, context) || !level_holds(tlb, context)) && context->lines >= 4 * policy.few)
        use_pages(lab, level, context->lines / 2, context); /* code is as much as the level holds, still */
    if (!caches_hold(lab, context))
        return hwc_unavailable("the second cache does not hold the code that is to put data out of this level");
    if (!level_holds(tlb, context))
        return hwc_unavailable("the first level keeps too many of the pages that code is to put out of this one");
    return HWC_NO_REASON;
}

static int run_tlb(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    uint64_t page = lab->known->tlb[hwc_data_tlb(level)].page_bytes, least = lab->machine->page_bytes;
    struct context context = {.witness = &lab->structure_witness[hwc_data_tlb(level)],
                              .spacing = page > least ? page : least,
                              .pages = true};
    struct hwc_reason reason = choose_pages(lab, level, &context);

    return decide(lab, reason, &context, finding, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_cache(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_UNIFIED], error);
    for (unsigned i = 0; status == HWC_OK && i < profile->tlbs; i++)
        if (!profile->tlb[i].code && !profile->tlb[i].large)
            status = run_tlb(lab, profile->tlb[i].level, &profile->tlb[i].finding[HWC_TLB_UNIFIED], error);
    return status;
}

const struct hwc_probe hwc_probe_unified = {
    .name = "unified",
    .summary = "whether a cache level, or a TLB, is shared by data and code",
    .source = "Coleman and Davidson, ISPASS 2001, 3.6",
    .needs = {HWC_CACHE_SIZE}, /* and, of TLBs, whatever was found before */
    .provides = {HWC_CACHE_UNIFIED, HWC_TLB_UNIFIED},
    .run = run,
};
