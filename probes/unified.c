/* Split or unified: does executing code put data out of a cache level, or of a TLB?
 *
 * Method: AMP (ISPASS 2001, 3.6). Read a part of an array that the level
 * holds, execute code of twice its size, read the part again: where that
 * misses, code and data share the level. A unified level needs no counter of
 * its own for instructions.
 *
 * What can fool it: an inclusive level below that code fills puts data out of
 * a split level above; twice a level's size is far less than the next, or the
 * answer is left open. By the clock, code also puts data's translations out:
 * several lines of a page are read, and share that. */
#include <math.h>

#include "table.h"
#include "translation.h"

#define MOST_LINES 16384
#define MOST_LINES_WHEN_SLOW 1024
/* Misses of the second reading by its references: no more are left to chance, and no fewer are shared. */
#define SPLIT 0.1
#define UNIFIED 0.4

struct context {
    const struct hwc_witness *witness;
    uint64_t spacing;   /* of data, and of code */
    size_t lines;       /* of data; of code four times as many */
    bool pages;         /* it is pages that are shared: a line of each, of all sets of a cache */
};

/* So few references show what it costs to come back from foreign code at all. */
#define FEW ((size_t)8)
#define CODE_PASSES 2

struct parts {
    struct hwc_arena data_arena, code_arena;
    struct hwc_walk data, few;
    struct hwc_walk code, little_code;
};

/* Between two readings of data: nothing, little code for as long as much takes, or much. */
enum between { NOTHING, LITTLE_CODE, MUCH_CODE };

static void close_parts(struct hwc_lab *lab, struct parts *parts)
{
    hwc_walk_free(&parts->data);
    hwc_walk_free(&parts->few);
    hwc_walk_free(&parts->code);
    hwc_walk_free(&parts->little_code);
    if (parts->data_arena.handle != NULL)
        lab->machine->ops->arena_close(lab->machine, &parts->data_arena);
    if (parts->code_arena.handle != NULL)
        lab->machine->ops->arena_close(lab->machine, &parts->code_arena);
}

static int lay(struct hwc_lab *lab, const struct context *context, struct hwc_walk *walk, size_t lines,
               struct hwc_error *error)
{
    int status = HWC_OK;

    for (size_t i = 0; i < lines && status == HWC_OK; i++)
        status = hwc_walk_append(walk, i * context->spacing + (context->pages ? hwc_spread(lab, i) : 0), error);
    hwc_walk_shuffle(walk, &lab->random);
    return status;
}

static int open_parts(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    uint64_t bytes = context->lines * context->spacing + lab->machine->page_bytes;
    int status;

    *parts = (struct parts){0};
    hwc_walk_init(&parts->data);
    hwc_walk_init(&parts->few);
    hwc_walk_init(&parts->code);
    hwc_walk_init(&parts->little_code);
    parts->code.access = parts->little_code.access = HWC_FETCH;
    parts->code.arena = parts->little_code.arena = &parts->code_arena;
    status = lab->machine->ops->arena_open(lab->machine, bytes, context->pages ? HWC_SPARSE_PAGES : HWC_LARGE_PAGES,
                                           &parts->data_arena, error);
    if (status == HWC_OK)
        status = lab->machine->ops->arena_open(lab->machine, 4 * bytes, HWC_CODE_PAGES, &parts->code_arena, error);
    if (status == HWC_OK)
        status = lay(lab, context, &parts->data, context->lines, error);
    if (status == HWC_OK)
        status = lay(lab, context, &parts->few, FEW, error);
    if (status == HWC_OK)
        status = lay(lab, context, &parts->little_code, FEW, error);
    return status == HWC_OK ? lay(lab, context, &parts->code, 4 * context->lines, error) : status;
}

/* The least of a few second readings. */
static int read_again(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                      const struct hwc_walk *data, enum between between, double *least, struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;
    struct hwc_experiment experiment = {.arena = &parts->data_arena,
                                        .event = witness->kind == HWC_COUNTER ? witness->event : HWC_NO_EVENT};
    /* One pass is short, and disturbed as often as not. */
    unsigned samples = witness->kind == HWC_COUNTER || lab->machine->slow ? 2 : 3 * lab->settings.samples;

    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, data, 2};
    if (between == MUCH_CODE)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &parts->code, CODE_PASSES};
    if (between == LITTLE_CODE)
        experiment.step[experiment.steps++] = (struct hwc_step){
            HWC_RUN, &parts->little_code, CODE_PASSES * (uint32_t)(parts->code.count / FEW)};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, data, 1};

    *least = INFINITY;
    for (unsigned i = 0; i < samples; i++) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        *least = fmin(*least, hwc_weigh_reading(witness, &sample.reading[0]));
    }
    return HWC_OK;
}

/* What much code between two readings of the data adds to the second, and what
 * as much time does: a neighbour on the sibling thread puts data out, too. */
static int added_by_code(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                         const struct hwc_walk *data, double *by_code, double *by_time, struct hwc_error *error)
{
    double reading[3] = {0};
    int status = HWC_OK;

    for (int between = NOTHING; status == HWC_OK && between <= MUCH_CODE; between++)
        status = read_again(lab, context, parts, data, (enum between)between, &reading[between], error);
    *by_time = reading[LITTLE_CODE] - reading[NOTHING];
    *by_code = reading[MUCH_CODE] - reading[LITTLE_CODE];
    return status;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct parts parts;
    double added = 0, to_few = 0, meanwhile = 0, ignored, share;
    int status = open_parts(lab, context, &parts, error);

    if (status == HWC_OK)
        status = added_by_code(lab, context, &parts, &parts.data, &added, &meanwhile, error);
    if (status == HWC_OK && context->witness->kind != HWC_COUNTER)
        status = added_by_code(lab, context, &parts, &parts.few, &to_few, &ignored, error);
    close_parts(lab, &parts);
    if (status != HWC_OK)
        return status;
    if (meanwhile > SPLIT * (double)context->lines + FEW)
        return hwc_fail(error, HWC_UNAVAILABLE, "others put data out meanwhile");
    share = (added - to_few) / (double)(context->lines - (context->witness->kind != HWC_COUNTER ? FEW : 0));
    if (share > SPLIT && share < UNIFIED)
        return hwc_fail(error, HWC_UNAVAILABLE, "code puts %.0f %% of the data out: neither none nor most", 100 * share);
    ballot->cast[0] = true;
    ballot->value[0] = share >= UNIFIED;
    return HWC_OK;
}

static int decide(struct hwc_lab *lab, const char *reason, struct context *context, struct hwc_finding *finding,
                  struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;

    if (reason == NULL && witness->kind != HWC_COUNTER && witness->miss_cycles <= witness->hit_cycles)
        reason = "the clock does not tell its hits from its misses";
    if (reason == NULL)
        return hwc_decide_by_vote(lab, measure, context, witness, finding, error);
    hwc_finding_unknown(finding, "%s", reason);
    return HWC_OK;
}

static int run_cache(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_level *this = &lab->level[level];
    struct context context = {.witness = &lab->witness[level], .spacing = this->fill_bytes};
    size_t most = lab->machine->slow ? MOST_LINES_WHEN_SLOW : MOST_LINES;
    const char *reason = NULL;

    if (this->size_bytes == 0 || this->fill_bytes == 0)
        return decide(lab, "the level's geometry is not known", &context, finding, error);
    if (context.spacing < UINT64_C(2) * HWC_CELL_BYTES)
        context.spacing = UINT64_C(2) * HWC_CELL_BYTES;
    while (this->size_bytes / 2 / context.spacing > most && context.spacing < lab->machine->page_bytes / 4)
        context.spacing *= 2;
    context.lines = (size_t)(this->size_bytes / 2 / context.spacing);
    if (context.lines < 2 * FEW)
        reason = "the level is too small";
    if (level < lab->levels && lab->level[level + 1].size_bytes > 0 &&
        lab->level[level + 1].size_bytes < 3 * this->size_bytes)
        reason = "the next level is too small to hold the code that is to put data out of this one";
    return decide(lab, reason, &context, finding, error);
}

static int run_tlb(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_tlb *tlb = &lab->tlb[level];
    struct context context = {.witness = &lab->other[level == 1 ? HWC_DTLB1 : HWC_DTLB2],
                              .spacing = tlb->page_bytes > lab->machine->page_bytes ? tlb->page_bytes
                                                                                    : lab->machine->page_bytes,
                              .lines = (size_t)tlb->entries / 2,
                              .pages = true};
    const char *reason = NULL;

    if (tlb->entries < 4 * FEW)
        reason = tlb->entries == 0 ? "the level's geometry is not known" : "the level is too small";
    return decide(lab, reason, &context, finding, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_cache(lab, level, &profile->cache[level - 1].unified, error);
    for (unsigned i = 0; status == HWC_OK && i < profile->tlbs; i++)
        if (!profile->tlb[i].code)
            status = run_tlb(lab, profile->tlb[i].level, &profile->tlb[i].unified, error);
    return status;
}

const struct hwc_probe hwc_probe_unified = {
    .name = "unified",
    .summary = "whether a cache level, or a TLB, is shared by data and code",
    .source = "Coleman and Davidson, ISPASS 2001, 3.6",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
