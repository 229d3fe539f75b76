/* The latencies once more, at the end of a run.
 *
 * Claim: as that of latencies.c.
 *
 * Method: the same, when all else was measured. Whoever shares the core or a
 * level slows all that a look sees for as long as he works, which may be all of a
 * look: its votes are alike then. What two looks that lie the rest of the run
 * apart agree on is not of a moment. Where one of them told nothing, the other
 * counts; where they contradict each other, they bound the latency at most. From
 * what memory takes nothing is taken off that others could make too long: there
 * the lesser counts.
 *
 * What can fool it: others who work all the time. */
#include <stdlib.h>

#include "latencies.h"
#include "miss_penalty.h"
#include "table.h"
#include "two_latencies.h"

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_profile *again = calloc(1, sizeof *again);
    unsigned notes = lab->notes.count;
    int status;

    if (again == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a second look at latencies");
    again->caches = profile->caches;
    status = hwc_time_latencies(lab, again, error);
    lab->notes.count = notes; /* the first look's are said once */
    for (unsigned i = 0; i < profile->caches && status == HWC_OK; i++)
        hwc_join_latencies(&profile->cache[i].finding[HWC_CACHE_LATENCY], &again->cache[i].finding[HWC_CACHE_LATENCY]);
    if (status == HWC_OK) {
        hwc_lesser_latency(&profile->memory.finding[HWC_MEMORY_LATENCY], &again->memory.finding[HWC_MEMORY_LATENCY]);
        hwc_report_penalties(lab->machine->cycles_off, profile);
    }
    hwc_profile_close(again);
    free(again);
    return status;
}

const struct hwc_probe hwc_probe_latency_again = {
    .name = "latency_again",
    .summary = "the latencies once more, at the end of a run: whether they were of a moment",
    .source = "Yotov et al., SIGMETRICS 2005, 4.1.1 and 4.2",
    .needs = {HWC_CACHE_LATENCY},
    .provides = {HWC_CACHE_LATENCY, HWC_CACHE_MISS_PENALTY, HWC_MEMORY_LATENCY},
    .run = run,
};
