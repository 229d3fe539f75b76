/* Page size: how much memory the system maps at a first touch.
 *
 * Claim: the power of two nearest to the bytes touched per page fault.
 *
 * Method: AMP's line size (ISPASS 2001, 3.1) with pages for lines: give the
 * pages back (the flush), touch a region in steps of at most a page, count
 * the kernel's page faults, and divide. The kernel counts them on every Linux.
 * Few faults bound the page size from below only: then a larger region is tried.
 *
 * What can fool it: a kernel that maps several pages at a fault (fault-around
 * of files, not used here; multi-size huge pages, which are reported as what
 * they are: the size that is mapped at once). */
#include <math.h>
#include <string.h>

#include "table.h"
#include "sampler.h"
#include "statistics.h"

/* A region takes at most one part in this many of the memory that may be used. */
#define SHARE_OF_MEMORY 4

struct context {
    enum hwc_pages pages;
    uint64_t region_bytes;
    uint64_t step_bytes;
};

/* This many faults show the size, even if the region begins within a page. */
#define FEWEST_FAULTS 4

/* The fewest faults, over the samples, of a pass over memory that was given back. */
static int count_faults(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double *least,
                        struct hwc_error *error)
{
    const struct hwc_experiment experiment = {.arena = arena,
                                              .event = HWC_PAGE_FAULT,
                                              .steps = 2,
                                              .step = {{HWC_RELEASE, NULL, 0}, {HWC_MEASURE, walk, 1}}};

    *least = INFINITY;
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        if (!sample.reading[0].counted)
            return hwc_fail(error, HWC_UNAVAILABLE, "page faults cannot be counted here");
        *least = fmin(*least, sample.reading[0].count);
    }
    if (*least < 1)
        return hwc_fail(error, HWC_UNAVAILABLE, "no page fault was counted");
    return HWC_OK;
}

static int fault_in(struct hwc_lab *lab, const struct context *context, double *faults, struct hwc_error *error)
{
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, context->region_bytes, context->pages, &arena, error));
    hwc_walk_init(&walk);
    status = hwc_walk_sequence(&walk, 0, context->step_bytes, (size_t)(context->region_bytes / context->step_bytes),
                               error);
    if (status == HWC_OK)
        status = count_faults(lab, &arena, &walk, faults, error);
    hwc_walk_free(&walk);
    lab->machine->ops->arena_close(lab->machine, &arena);
    return status;
}

/* Double the region, and the step, too, unless it would be longer than a page. */
static int enlarge(const struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    if (2 * context->region_bytes > lab->machine->max_arena_bytes / SHARE_OF_MEMORY)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "%llu MiB are mapped at less than %d faults; to try more takes more memory than may be used",
                        (unsigned long long)context->region_bytes >> 20, FEWEST_FAULTS);
    context->region_bytes *= 2;
    if (2 * context->step_bytes <= lab->machine->page_bytes)
        context->step_bytes *= 2;
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    double faults = 0;

    TRY(fault_in(lab, context, &faults, error));
    while (faults < FEWEST_FAULTS) {
        TRY(enlarge(lab, context, error));
        TRY(fault_in(lab, context, &faults, error));
    }
    ballot->cast[0] = true;
    ballot->value[0] = (int64_t)hwc_nearest_power_of_two((double)context->region_bytes / faults);
    return HWC_OK;
}

static int find(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_witness witness = hwc_by_event(HWC_PAGE_FAULT);
    struct hwc_event_source source;
    struct hwc_result result;

    lab->machine->ops->event_source(lab->machine, HWC_PAGE_FAULT, 0, &source);
    if (!source.available) {
        hwc_finding_unknown(finding, HWC_WHY_UNAVAILABLE, "page faults cannot be counted: %s", source.reason);
        return HWC_OK;
    }
    memcpy(witness.counter, source.counter, sizeof witness.counter);
    return hwc_finding_by_vote(lab, measure, context, &witness, finding, &result, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct context small = {HWC_BASE_PAGES, UINT64_C(1) << 20, 64};
    struct context large = {HWC_LARGE_PAGES, UINT64_C(16) << 20, 512};
    struct hwc_finding *page = &profile->memory.finding[HWC_MEMORY_PAGE_SIZE];
    struct hwc_finding *huge = &profile->memory.finding[HWC_MEMORY_HUGE_PAGE_SIZE];
    int status;

    if (small.region_bytes < 16 * lab->machine->page_bytes)
        small.region_bytes = 16 * lab->machine->page_bytes;
    status = find(lab, &small, page, error);
    if (status != HWC_OK)
        return status;
    if (large.region_bytes > lab->machine->max_arena_bytes / SHARE_OF_MEMORY) {
        hwc_finding_because(huge, hwc_unavailable("too little memory to look for one"));
        return HWC_OK;
    }
    status = find(lab, &large, huge, error);
    if (status == HWC_OK && huge->known && huge->value <= page->value)
        hwc_finding_because(huge, hwc_nothing_there("no larger page was to be had"));
    return status;
}

const struct hwc_probe hwc_probe_page_size = {
    .name = "page_size",
    .summary = "ordinary and huge page size, by the kernel's page faults",
    .source = "Coleman and Davidson, ISPASS 2001, 3.1 and 3.10",
    .provides = {HWC_MEMORY_PAGE_SIZE, HWC_MEMORY_HUGE_PAGE_SIZE},
    .run = run,
};
