#include "sampler.h"

#include "quiet_core.h"

/* A disturbed sample is taken again, unless it is long. If every try is disturbed, the last one is accepted, marked as
 * disturbed. So is a sample in a pause of others that ended meanwhile; but of these the last one counts. */
#define MOST_TRIES 5

/* A counter that failed may count again the next time. */
static void heed_counter(struct hwc_lab *lab, enum hwc_event event, const struct hwc_sample *sample, int status,
                         const struct hwc_error *error)
{
    bool stopped = status != HWC_OK && sample->stopped;

    if (event == HWC_NO_EVENT || (status != HWC_OK && !stopped))
        return;
    lab->stopped[event] = stopped;
    if (stopped)
        hwc_write(lab->why_stopped, sizeof lab->why_stopped, "%s", error->message);
}

int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    uint64_t references = hwc_references_of(experiment);
    int most = hwc_is_long(experiment) ? 1 : MOST_TRIES;

    if (hwc_lab_overdrawn(lab))
        return hwc_fail(error, HWC_INCONCLUSIVE, HWC_BUDGET_SPENT);
    for (int tries = 0; tries < most; tries++) {
        bool is_short = most > 1, pause = is_short && hwc_seize_pause(lab), lasted;
        int status = lab->machine->ops->play(lab->machine, experiment, sample, error);
        heed_counter(lab, experiment->event, sample, status, error);
        if (status != HWC_OK)
            return status;
        lab->references += references;
        lab->samples_taken++;
        lasted = pause && hwc_pause_goes_on(lab);
        lab->company.samples_beside += is_short && !lasted;
        if (!sample->disturbed && lasted == pause)
            return HWC_OK;
        lab->samples_disturbed += sample->disturbed;
    }
    return HWC_OK;
}

int hwc_lab_run(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, uint32_t passes,
                struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, walk, passes}}};
    struct hwc_sample ignored;

    return hwc_lab_sample(lab, &experiment, &ignored, error);
}
