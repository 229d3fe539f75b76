/* Split or unified: does executing code put data out of a cache level, or of a TLB?
 *
 * Method: AMP (ISPASS 2001, 3.6). Read a part of an array that the level
 * holds, execute code of twice its size, read the part again: where that
 * misses, code and data share the level; where it does not, but misses when
 * other data were read instead, they do not. A unified level needs no counter
 * of its own for instructions.
 *
 * What can fool it: an inclusive level below that code fills puts data out of
 * a split level above; twice a level's size is far less than the next, or the
 * answer is left open. By the clock, code also puts data's translations out:
 * several lines of a page are read, and share that. */
#include <math.h>

#include "least.h"
#include "steady_state.h"
#include "table.h"
#include "translation.h"

#define MOST_LINES 16384
#define MOST_DEAR_LINES 256
/* The share of the data that is put out: where it is most, and nobody else puts
 * any out, the level is shared; else it is held against the share that other data
 * put out, which must be so much for that, and of which next to nothing or nearly
 * all says something. */
#define MOST 0.4
#define SPLIT 0.25
#define UNIFIED 0.6
/* What others on the machine may put out meanwhile. */
#define BY_CHANCE 0.1
#define PASSES 2

struct context {
    const struct hwc_witness *witness;
    uint64_t spacing;   /* of data, and of code */
    size_t lines;       /* of data; of code four times as many */
    bool pages;         /* it is pages that are shared: a line of each, of all sets of a cache */
};

/* So few references show what it costs to come back from foreign lines at all. */
#define FEW ((size_t)8)

/* What is to put the data out: code, or other data. */
struct foreign {
    struct hwc_arena arena, little_arena; /* apart: both lie ready at once */
    struct hwc_walk much, little;
};

struct parts {
    struct hwc_arena arena;
    struct hwc_walk data, few;
    struct foreign code, others;
};

/* Between two readings of data: nothing, little for as long as much takes (of
 * which each reference may take longer), or much. */
enum between { NOTHING, LITTLE, MUCH };

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
    hwc_walk_free(&parts->few);
    close_foreign(lab, &parts->code);
    close_foreign(lab, &parts->others);
    hwc_close_arena(lab, &parts->arena);
}

static int lay(struct hwc_lab *lab, const struct context *context, struct hwc_walk *walk, size_t lines,
               struct hwc_error *error)
{
    int status;

    if (context->pages)
        return hwc_walk_pages(lab, walk, lines, 0, context->spacing, 0, error);
    status = hwc_walk_sequence(walk, 0, context->spacing, lines, error);
    hwc_walk_shuffle(walk, &lab->random);
    return status;
}

static enum hwc_pages pages_of(const struct context *context, enum hwc_access access)
{
    if (access == HWC_FETCH)
        return HWC_CODE_PAGES;
    return context->pages ? HWC_SPARSE_PAGES : HWC_LARGE_PAGES;
}

static uint64_t bytes_of(const struct hwc_lab *lab, const struct context *context, size_t lines)
{
    return lines * context->spacing + lab->machine->page_bytes;
}

static int open_part(struct hwc_lab *lab, const struct context *context, enum hwc_access access, size_t lines,
                     struct hwc_arena *arena, struct hwc_walk *walk, struct hwc_error *error)
{
    int status;

    hwc_walk_init(walk);
    walk->access = access;
    walk->arena = arena;
    status = lab->machine->ops->arena_open(lab->machine, bytes_of(lab, context, lines), pages_of(context, access), arena,
                                           error);
    return status == HWC_OK ? lay(lab, context, walk, lines, error) : status;
}

/* Twice what the level holds, of which the data are a half. */
static int open_foreign(struct hwc_lab *lab, const struct context *context, enum hwc_access access,
                        struct foreign *foreign, struct hwc_error *error)
{
    int status = open_part(lab, context, access, 4 * context->lines, &foreign->arena, &foreign->much, error);

    return status == HWC_OK ? open_part(lab, context, access, FEW, &foreign->little_arena, &foreign->little, error)
                            : status;
}

static int open_parts(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    int status;

    *parts = (struct parts){0};
    hwc_walk_init(&parts->data);
    hwc_walk_init(&parts->few);
    status = lab->machine->ops->arena_open(lab->machine, bytes_of(lab, context, context->lines),
                                           pages_of(context, HWC_LOAD), &parts->arena, error);
    if (status == HWC_OK)
        status = lay(lab, context, &parts->data, context->lines, error);
    if (status == HWC_OK)
        status = lay(lab, context, &parts->few, FEW, error);
    return status == HWC_OK ? open_foreign(lab, context, HWC_FETCH, &parts->code, error) : status;
}

/* A question: what do so many passes over foreign lines do to the data? */
struct question {
    const struct context *context;
    const struct parts *parts;
    const struct foreign *foreign;
    uint32_t passes;
};

/* Passes over the data before. Where foreign lines need many passes to put them
 * out, they need as many to come back. */
static uint32_t settling(const struct question *question)
{
    return question->passes == PASSES ? 2 : 4 * question->passes;
}

/* Cycles of a pass over foreign lines, about. */
static int time_pass(struct hwc_lab *lab, const struct hwc_walk *walk, double *cycles, struct hwc_error *error)
{
    return hwc_measure_by(lab, &hwc_by_clock, walk->arena, walk, 1, cycles, error);
}

/* How many passes over little take as long as those over much do? Without a clock, as many references. */
static int find_little_passes(struct hwc_lab *lab, const struct question *question, uint32_t *passes,
                              struct hwc_error *error)
{
    const struct foreign *foreign = question->foreign;
    double much = (double)foreign->much.count, little = (double)foreign->little.count;
    int status = HWC_OK;

    if (lab->machine->has_clock) {
        status = time_pass(lab, &foreign->much, &much, error);
        if (status == HWC_OK)
            status = time_pass(lab, &foreign->little, &little, error);
    }
    *passes = (uint32_t)ceil(question->passes * fmax(much / fmax(little, 1), (double)foreign->much.count / FEW));
    return status;
}

/* A second reading of data. */
static int read_again(struct hwc_lab *lab, const struct question *question, const struct hwc_walk *data,
                      enum between between, uint32_t little_passes, double *reading, struct hwc_error *error)
{
    const struct hwc_witness *witness = question->context->witness;
    const struct foreign *foreign = question->foreign;
    struct hwc_experiment experiment = {.arena = &question->parts->arena,
                                        .event = hwc_event_of(witness),
                                        .apart = true};

    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, data, settling(question)};
    if (between == MUCH)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &foreign->much, question->passes};
    if (between == LITTLE)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &foreign->little, little_passes};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, data, 1};
    return hwc_weigh_least(lab, witness, &experiment, 1, reading, error);
}

/* Readings of each; and from how many misses on two differ. */
#define FEWEST 3
#define ALIKE 0.5

static bool all_settled(const struct hwc_least least[3])
{
    return hwc_least_settled(&least[0], ALIKE) && hwc_least_settled(&least[1], ALIKE) &&
           hwc_least_settled(&least[2], ALIKE);
}

/* What much between two readings of the data adds to the second, and what as
 * much time does: a neighbour on the sibling thread puts data out, too. The
 * least of each of a few, taken in turn: neighbours come and go. */
static int added_by(struct hwc_lab *lab, const struct question *question, const struct hwc_walk *data,
                    uint32_t little_passes, double *by_much, double *by_time, struct hwc_error *error)
{
    unsigned most = 3 * lab->settings.samples;
    struct hwc_least least[3] = {{0}};

    for (unsigned i = 0; i < FEWEST || (i < most && !all_settled(least)); i++)
        for (int between = NOTHING; between <= MUCH; between++) {
            double reading = 0;
            TRY(read_again(lab, question, data, (enum between)between, little_passes, &reading, error));
            hwc_least_add(&least[between], reading);
        }
    *by_time = least[LITTLE].value - least[NOTHING].value;
    *by_much = least[MUCH].value - least[LITTLE].value;
    return HWC_OK;
}

/* Which share of the data is put out? */
static int share_put_out(struct hwc_lab *lab, const struct question *question, double *share, struct hwc_error *error)
{
    bool counter = !hwc_goes_by_time(question->context->witness);
    size_t lines = question->context->lines;
    double added = 0, to_few = 0, meanwhile = 0, ignored;
    uint32_t little_passes = 0;
    int status = find_little_passes(lab, question, &little_passes, error);

    if (status == HWC_OK)
        status = added_by(lab, question, &question->parts->data, little_passes, &added, &meanwhile, error);
    if (status == HWC_OK && !counter)
        status = added_by(lab, question, &question->parts->few, little_passes, &to_few, &ignored, error);
    if (status != HWC_OK)
        return status;
    if (meanwhile > BY_CHANCE * (double)lines + FEW)
        return hwc_fail(error, HWC_UNAVAILABLE, "others put data out meanwhile");
    *share = (added - to_few) / (double)(lines - (counter ? 0 : FEW));
    return HWC_OK;
}

/* A policy that resists scans keeps the data from anything that comes a few
 * times: so many passes over other data do put them out. */
#define MOST_PASSES 256

static int find_passes(struct hwc_lab *lab, struct parts *parts, struct question *question, double *by_others,
                       struct hwc_error *error)
{
    int status = open_foreign(lab, question->context, HWC_LOAD, &parts->others, error);

    question->foreign = &parts->others;
    for (; status == HWC_OK; question->passes *= 4) {
        status = share_put_out(lab, question, by_others, error);
        if (status == HWC_OK && *by_others >= MOST)
            break;
        if (status == HWC_OK && question->passes * 4 > MOST_PASSES)
            status = hwc_fail(error, HWC_UNAVAILABLE, "other data put %.0f %% of the data out, so code cannot be told",
                              100 * *by_others);
    }
    question->foreign = &parts->code;
    return status;
}

/* Code that puts little out says something where other data put out more. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct parts parts;
    struct question question = {.context = data, .parts = &parts, .foreign = &parts.code, .passes = PASSES};
    double by_code = 0, by_others = MOST;
    int status = open_parts(lab, question.context, &parts, error);

    if (status == HWC_OK)
        status = share_put_out(lab, &question, &by_code, error);
    if (status == HWC_OK && by_code < MOST) {
        status = find_passes(lab, &parts, &question, &by_others, error);
        if (status == HWC_OK) /* as many passes as the others', and an adaptive level as they left it */
            status = share_put_out(lab, &question, &by_code, error);
    }
    close_parts(lab, &parts);
    if (status != HWC_OK)
        return status;
    if (by_code > SPLIT * by_others && by_code < UNIFIED * by_others)
        return hwc_fail(error, HWC_UNAVAILABLE, "code puts %.0f %% of the data out, other data %.0f %%", 100 * by_code,
                        100 * by_others);
    ballot->cast[0] = true;
    ballot->value[0] = by_code >= UNIFIED * by_others;
    return HWC_OK;
}

static int decide(struct hwc_lab *lab, struct hwc_reason reason, struct context *context, struct hwc_finding *finding,
                  struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;

    if (reason.text == NULL && !hwc_tells(witness))
        reason = hwc_inconclusive("the clock does not tell its hits from its misses");
    if (reason.text == NULL)
        return hwc_decide_by_vote(lab, measure, context, witness, finding, error);
    hwc_finding_because(finding, reason);
    return HWC_OK;
}

static int run_cache(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_level *this = &lab->known->level[level];
    struct context context = {.witness = &lab->witness[level], .spacing = this->fill_bytes};
    size_t most = hwc_references_are_dear(lab->machine) ? MOST_DEAR_LINES : MOST_LINES;
    struct hwc_reason reason = HWC_NO_REASON;

    if (this->size_bytes == 0 || this->fill_bytes == 0)
        return decide(lab, hwc_depends("the level's geometry is not known"), &context, finding, error);
    if (context.spacing < UINT64_C(2) * HWC_CELL_BYTES)
        context.spacing = UINT64_C(2) * HWC_CELL_BYTES;
    while (this->size_bytes / 2 / context.spacing > most && context.spacing < lab->machine->page_bytes / 4)
        context.spacing *= 2;
    context.lines = (size_t)(this->size_bytes / 2 / context.spacing);
    if (context.lines < 2 * FEW)
        reason = hwc_unavailable("the level is too small");
    if (level < lab->known->levels && lab->known->level[level + 1].size_bytes > 0 &&
        lab->known->level[level + 1].size_bytes < 3 * this->size_bytes)
        reason = hwc_unavailable("the next level is too small to hold the code that is to put data out of this one");
    return decide(lab, reason, &context, finding, error);
}

/* By the clock a line that code put out of the caches would pass for a page that it put out of the TLB. */
static bool caches_hold(const struct hwc_lab *lab, const struct context *context)
{
    const struct hwc_level *second = &lab->known->level[2];
    size_t lines = 5 * context->lines; /* the data, and four times as much code */

    return hwc_counts(context->witness) || second->size_bytes == 0 || second->fill_bytes == 0 ||
           lines <= second->size_bytes / second->fill_bytes;
}

static int run_tlb(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[hwc_data_tlb(level)];
    struct context context = {.witness = &lab->structure_witness[hwc_data_tlb(level)],
                              .spacing = tlb->page_bytes > lab->machine->page_bytes ? tlb->page_bytes
                                                                                    : lab->machine->page_bytes,
                              .lines = (size_t)tlb->entries / 2,
                              .pages = true};
    struct hwc_reason reason = HWC_NO_REASON;

    if (tlb->entries < 4 * FEW)
        reason = tlb->entries == 0 ? hwc_depends("the level's geometry is not known")
                                   : hwc_unavailable("the level is too small");
    else if (!caches_hold(lab, &context))
        reason = hwc_unavailable("the second cache does not hold the code that is to put data out of this level");
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
    .needs = {HWC_CACHE_SIZE}, /* and of TLBs says what was found before */
    .provides = {HWC_CACHE_UNIFIED, HWC_TLB_UNIFIED},
    .run = run,
};
