#include "by_both.h"

#include <stdlib.h>
#include <string.h>

#include "validate.h"

/* What both runs have in common. */
struct both {
    const struct hwc_machine_request *request;
    const struct hwc_settings *settings;
    const volatile sig_atomic_t *stop;
    const struct hwc_probe *const *probes;
    size_t count;
    hwc_progress_callback progress;
    void *context;
    struct hwc_documented documented;
    bool counters, clock; /* that the machine has */
};

static bool was_run(int status)
{
    return status == HWC_OK || status == HWC_INTERRUPTED;
}

/* One of the runs: with counters or, by the records of the former, the clock's. *profile is set if it came to an end,
 * or was interrupted. */
static int run_once(struct both *both, const struct hwc_event_record *records, struct hwc_profile **profile,
                    struct hwc_error *error)
{
    struct hwc_session *session = NULL;
    int status = hwc_session_open(&session, both->request, both->settings, both->stop, error);

    if (status == HWC_OK && records == NULL) {
        both->counters = hwc_session_has(session, HWC_COUNTER);
        both->clock = hwc_session_has(session, HWC_CLOCK);
    } else if (status == HWC_OK) {
        status = hwc_session_count_beside(session, records, error);
    }
    if (status == HWC_OK && both->counters && both->clock)
        hwc_session_halve_budget(session);
    if (status == HWC_OK)
        status = hwc_session_run(session, both->probes, both->count, both->progress, both->context, error);
    if (session != NULL && was_run(status))
        *profile = hwc_session_take_profile(session, &both->documented);
    hwc_session_close(session);
    return status;
}

static bool has_note(const struct hwc_notes *notes, const char *text)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return true;
    return false;
}

static void add_notes(struct hwc_notes *notes, const struct hwc_notes *of_clock)
{
    for (unsigned i = 0; i < of_clock->count; i++)
        if (!has_note(notes, of_clock->text[i]))
            hwc_note(notes, "by the clock alone: %s", of_clock->text[i]);
}

/* Curves and matrices belong to the profile: one that took none itself takes the clock's. */
static void take_curves(struct hwc_profile *profile, struct hwc_profile *clock)
{
    if (profile->curves.count == 0) {
        hwc_curves_free(&profile->curves);
        profile->curves = clock->curves;
        clock->curves = (struct hwc_curves){0};
    }
    if (profile->matrices.count == 0) {
        hwc_matrices_free(&profile->matrices);
        profile->matrices = clock->matrices;
        clock->matrices = (struct hwc_matrices){0};
    }
}

/* `clock` is NULL if the profile is by the clock already. */
static int join(const struct both *both, struct hwc_profile *profile, struct hwc_profile *clock,
                struct hwc_error *error)
{
    TRY(hwc_validate(profile, clock, &both->documented, error));
    if (clock != NULL) {
        add_notes(&profile->notes, &clock->notes);
        take_curves(profile, clock);
    }
    return HWC_OK;
}

/* A run that was interrupted, or that nobody can make, has found nothing. */
static int run_clock(struct both *both, int ran, const struct hwc_profile *counted, struct hwc_profile **clock,
                     struct hwc_error *error)
{
    if (ran == HWC_OK && both->clock)
        ran = run_once(both, counted->event, clock, error);
    if (*clock == NULL && was_run(ran))
        *clock = calloc(1, sizeof **clock);
    return *clock == NULL && was_run(ran) ? hwc_fail(error, HWC_NO_MEMORY, "no memory for a profile") : ran;
}

int hwc_run_by_both(struct hwc_profile **profile, const struct hwc_machine_request *request,
                    const struct hwc_settings *settings, const volatile sig_atomic_t *stop,
                    const struct hwc_probe *const *probes, size_t count, hwc_progress_callback progress, void *context,
                    struct hwc_error *error)
{
    struct both both = {request, settings, stop, probes, count, progress, context, .clock = true};
    struct hwc_profile *clock = NULL;
    int status, joined;

    *profile = NULL;
    status = run_once(&both, NULL, profile, error);
    if (*profile == NULL)
        return status;
    if (both.counters)
        status = run_clock(&both, status, *profile, &clock, error);
    joined = was_run(status) ? join(&both, *profile, clock, error) : status;
    if (!was_run(status) || joined != HWC_OK) {
        hwc_profile_free(*profile);
        *profile = NULL;
        status = joined;
    }
    hwc_profile_free(clock);
    return status;
}
