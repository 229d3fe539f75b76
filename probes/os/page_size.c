/* Page size: how much memory the system maps at one first touch.
 *
 * Claim: the power of two nearest to bytes touched over pages faulted in.
 *
 * Method: AMP's line size (ISPASS 2001, 3.1) with pages for lines: give the
 * pages back (the flush), touch every cell-sized step of a region, count the
 * kernel's page faults, divide. The kernel counts them on every Linux.
 *
 * What can fool it: a kernel that maps several pages at a fault (fault-around
 * of files, not used here; multi-size huge pages, which it then reports as
 * what they are: the size that is mapped at once). */
#include <math.h>
#include <string.h>

#include "table.h"
#include "sampler.h"
#include "statistics.h"

struct context {
    enum hwc_pages pages;
    uint64_t region_bytes;
    uint64_t step_bytes;
};

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct hwc_arena arena;
    struct hwc_walk walk;
    double least = INFINITY;
    int status = lab->machine->ops->arena_open(lab->machine, context->region_bytes, context->pages, &arena, error);

    if (status != HWC_OK)
        return status;
    hwc_walk_init(&walk);
    status = hwc_walk_sequence(&walk, 0, context->step_bytes, (size_t)(context->region_bytes / context->step_bytes),
                               error);
    for (unsigned i = 0; status == HWC_OK && i < lab->settings.samples; i++) {
        struct hwc_experiment experiment = {.arena = &arena,
                                            .event = HWC_PAGE_FAULT,
                                            .steps = 2,
                                            .step = {{HWC_RELEASE, NULL, 0}, {HWC_MEASURE, &walk, 1}}};
        struct hwc_sample sample;
        status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status == HWC_OK && !sample.reading[0].counted)
            status = hwc_fail(error, HWC_UNAVAILABLE, "page faults cannot be counted here");
        if (status == HWC_OK)
            least = fmin(least, sample.reading[0].count);
    }
    hwc_walk_free(&walk);
    lab->machine->ops->arena_close(lab->machine, &arena);
    if (status == HWC_OK && least < 1)
        return hwc_fail(error, HWC_UNAVAILABLE, "no page fault was counted");
    if (status == HWC_OK) {
        ballot->cast[0] = true;
        ballot->value[0] = (int64_t)hwc_nearest_power_of_two((double)context->region_bytes / least);
    }
    return status;
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
    if (large.region_bytes > lab->machine->max_arena_bytes / 4) {
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
