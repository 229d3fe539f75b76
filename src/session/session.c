#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "budget.h"
#include "counted_walks.h"
#include "doctor.h"
#include "event_levels.h"
#include "open_machine.h"
#include "qualify.h"
#include "quiet_core.h"
#include "schedule.h"
#include "seconds.h"
#include "stopped_counters.h"
#include "take_back.h"

struct hwc_session {
    struct hwc_machine *machine;
    struct hwc_lab lab;
    struct hwc_profile *profile; /* NULL once it was taken */
    bool counters, qualified;
    size_t done; /* probes that ran */
    const struct hwc_probe *did[HWC_MAX_PROBES];
    double seconds[HWC_MAX_PROBES]; /* that each of them took */
    bool spent[HWC_MAX_PROBES];     /* the budget ended it, or was spent before */
};

/* RFC 3339 wants a colon in the zone, which strftime writes as +hhmm. */
static void write_time(char *text, size_t size)
{
    time_t seconds = time(NULL);
    char date[32], zone[8];
    struct tm local;

    if (localtime_r(&seconds, &local) == NULL)
        return;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local);
    strftime(zone, sizeof zone, "%z", &local);
    hwc_write(text, size, "%s%.3s:%s", date, zone, strlen(zone) > 3 ? zone + 3 : "00");
}

static void describe_host(struct hwc_host *host)
{
    struct utsname system;

    write_time(host->time, sizeof host->time);
    if (uname(&system) != 0)
        return;
    hwc_write(host->name, sizeof host->name, "%s", system.nodename);
    hwc_write(host->kernel, sizeof host->kernel, "%s %s", system.sysname, system.release);
    if (host->arch[0] == '\0')
        hwc_write(host->arch, sizeof host->arch, "%s", system.machine);
}

static void describe(struct hwc_profile *profile, const struct hwc_machine *machine, bool counters)
{
    const char *reason = counters && machine->counter_reason != NULL ? machine->counter_reason : "";

    describe_host(&profile->host);
    hwc_write(profile->version, sizeof profile->version, "%s", HWC_VERSION);
    hwc_write(profile->backend, sizeof profile->backend, "%s", counters ? machine->counter_backend : "none");
    hwc_write(profile->backend_reason, sizeof profile->backend_reason, "%s", reason);
}

/* Of a machine that is there: in place of the first refusal, all that is known of it. */
static void diagnose(struct hwc_profile *profile, const struct hwc_machine_request *request)
{
    struct ctr_facts facts;

    if (profile->backend_reason[0] == '\0' || request->machine_file != NULL || strcmp(request->backend, "none") == 0 ||
        strcmp(request->backend, "callgrind") == 0)
        return;
    ctr_find_facts(profile->host.cpu, profile->host.hypervisor, &facts);
    ctr_diagnose(&facts, profile->backend_reason, sizeof profile->backend_reason);
}

void hwc_session_free_counters(const struct hwc_session *session, char text[HWC_MESSAGE])
{
    const struct hwc_host *host = &session->profile->host;
    const char *backend = session->machine->counter_backend;
    struct ctr_facts facts;

    text[0] = '\0';
    if (!session->counters || (strcmp(backend, "papi") != 0 && strcmp(backend, "perf") != 0))
        return;
    ctr_find_facts(host->cpu, host->hypervisor, &facts);
    ctr_diagnose_well(&facts, text, HWC_MESSAGE);
}

/* Of a quick run on a machine that is there. On a simulated one, seconds say nothing of the machine. */
static const double quick_seconds = 1.9;

int hwc_session_open(struct hwc_session **session, const struct hwc_machine_request *request,
                     const struct hwc_settings *settings, const volatile sig_atomic_t *stop, struct hwc_error *error)
{
    struct hwc_session *opened = calloc(1, sizeof *opened);
    double begun = hwc_seconds(CLOCK_MONOTONIC); /* to open the machine takes part of a budget, too */
    int status;

    *session = NULL;
    if (opened != NULL)
        opened->profile = calloc(1, sizeof *opened->profile);
    if (opened == NULL || opened->profile == NULL) {
        free(opened);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a session");
    }
    opened->counters = request->counters;
    status = hwc_open_machine(&opened->machine, request, settings->seed, &opened->profile->host, error);
    if (status == HWC_OK) {
        opened->machine->stop = stop;
        status = hwc_lab_open(&opened->lab, opened->machine, settings, error);
        opened->lab.started = begun;
        if (settings->quick && settings->budget_seconds == 0 && opened->machine->live)
            opened->lab.settings.budget_seconds = quick_seconds;
    }
    if (status != HWC_OK) {
        hwc_session_close(opened);
        return status;
    }
    describe(opened->profile, opened->machine, opened->counters);
    diagnose(opened->profile, request);
    if (request->core_kind != NULL)
        hwc_write(opened->profile->host.core_kind, sizeof opened->profile->host.core_kind, "%s", request->core_kind);
    *session = opened;
    return HWC_OK;
}

int hwc_session_count_beside(struct hwc_session *session, const struct hwc_event_record records[HWC_EVENT_COUNT],
                             struct hwc_error *error)
{
    session->counters = false;
    return hwc_set_onlookers(&session->lab, records, error);
}

static int replace_stopped(struct hwc_session *session, struct hwc_error *error)
{
    while (hwc_has_any_stopped(&session->lab, session->profile->event))
        TRY(hwc_replace_stopped(&session->lab, session->profile->event, error));
    return HWC_OK;
}

int hwc_session_qualify(struct hwc_session *session, struct hwc_error *error)
{
    if (!session->counters || session->qualified)
        return HWC_OK;
    TRY(hwc_qualify_events(&session->lab, session->profile->event, error));
    TRY(hwc_check_event_levels(&session->lab, session->profile->event, NULL, error));
    TRY(replace_stopped(session, error));
    session->profile->events = HWC_EVENT_COUNT;
    session->qualified = true;
    return HWC_OK;
}

static bool any_counted(const struct hwc_audits *audits)
{
    for (unsigned i = 0; i < audits->count; i++)
        if (audits->counter[i].counted)
            return true;
    return false;
}

/* Where there are no counters, a row for each that there might be tells less than why there are none. */
int hwc_session_audit(struct hwc_session *session, const char *const *names, unsigned count, struct hwc_error *error)
{
    struct hwc_audits *audits = &session->profile->audits;
    int status = hwc_audit_all(&session->lab, names, count, audits, error);

    if (any_counted(audits)) {
        session->profile->backend_reason[0] = '\0';
    } else if (count == 0 && session->profile->backend_reason[0] != '\0') {
        hwc_audits_free(audits);
        hwc_write(session->profile->backend, sizeof session->profile->backend, "none");
    }
    return status;
}

static void let_clock_answer_for(struct hwc_witness *witness)
{
    if (witness->kind != HWC_NO_WITNESS)
        return;
    witness->kind = HWC_CLOCK;
    witness->factor = 1.0;
}

/* Where no counter is believed, the clock answers, if there is one. */
static void let_clock_answer(struct hwc_lab *lab)
{
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL && lab->machine->has_clock; level++)
        let_clock_answer_for(&lab->witness[level]);
    for (int i = 0; i < HWC_STRUCTURES && lab->machine->has_clock; i++)
        let_clock_answer_for(&lab->structure_witness[i]);
}

static bool did(const struct hwc_session *session, const struct hwc_probe *probe)
{
    for (size_t i = 0; i < session->done; i++)
        if (session->did[i] == probe)
            return true;
    return false;
}

/* What comes to nothing because the budget is spent is no failure. */
static int run_within_budget(struct hwc_session *session, const struct hwc_probe *probe, double share, bool *spent,
                             struct hwc_error *error)
{
    struct hwc_lab *lab = &session->lab;
    int status = HWC_OK;

    lab->probe_ends = 0;
    if (!hwc_lab_overdrawn(lab)) {
        lab->probe_ends = hwc_lab_elapsed(lab) + share * hwc_lab_seconds_left(lab);
        status = probe->run(lab, session->profile, error);
    }
    *spent = hwc_lab_overdrawn(lab);
    if (!*spent)
        return status;
    hwc_say_spent(probe, session->profile);
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* Whose counter stopped counting meanwhile came to nothing: it runs once more, by another counter or the clock. */
static int run_counting(struct hwc_session *session, const struct hwc_probe *probe, double share, bool *spent,
                        struct hwc_error *error)
{
    struct hwc_lab *lab = &session->lab;

    memset(lab->stopped, 0, sizeof lab->stopped);
    for (;;) {
        struct hwc_found_before *before = session->counters ? hwc_remember_found(lab, session->profile) : NULL;
        bool again;
        int status;
        lab->probe_started = hwc_lab_elapsed(lab);
        lab->probe_waited = lab->company.waited;
        status = run_within_budget(session, probe, share, spent, error);
        again = before != NULL && (status == HWC_OK || hwc_came_to_nothing(status)) && !*spent &&
                hwc_has_any_stopped(lab, session->profile->event);
        if (again)
            hwc_take_back(before, lab, session->profile);
        free(before);
        if (!again)
            return status;
        TRY(replace_stopped(session, error));
        let_clock_answer(lab);
    }
}

static int run_probe(struct hwc_session *session, const struct hwc_probe *probe, double share, struct hwc_error *error)
{
    double started = hwc_lab_elapsed(&session->lab);
    size_t i = session->done++;
    int status;

    session->did[i] = probe;
    status = run_counting(session, probe, share, &session->spent[i], error);
    session->seconds[i] = hwc_lab_elapsed(&session->lab) - started;
    return status;
}

int hwc_session_run(struct hwc_session *session, const struct hwc_probe *const *probes, size_t count,
                    hwc_progress_callback progress, void *context, struct hwc_error *error)
{
    struct hwc_progress now = {0};
    struct hwc_schedule schedule;
    int status;

    TRY(hwc_schedule(hwc_probes, probes, count, &schedule, error));
    if (session->lab.settings.budget_seconds > 0)
        TRY(hwc_basics_first(hwc_probes, &schedule, error));
    TRY(hwc_session_qualify(session, error));
    let_clock_answer(&session->lab);
    status = HWC_OK;
    now.count = schedule.count;
    for (; status == HWC_OK && now.index < schedule.count; now.index++) {
        now.probe = schedule.probe[now.index];
        now.seconds = hwc_lab_elapsed(&session->lab);
        if (did(session, now.probe))
            continue;
        if (progress != NULL)
            progress(context, &now);
        status = run_probe(session, now.probe, hwc_budget_share(&schedule, now.index), error);
    }
    now.probe = NULL;
    now.seconds = hwc_lab_elapsed(&session->lab);
    if (progress != NULL)
        progress(context, &now);
    return status;
}

/* Probes that took less of the run than this share are not named. */
static const double worth_naming = 0.02;

/* "data_cache 7.1, tlb 4.0": what most of a run's time went into, if there is more than one. */
static void list_longest(const struct hwc_session *session, double all, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < session->done && session->done > 1; i++)
        if (session->seconds[i] > worth_naming * all && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s %.1f", used > 0 ? ", " : "", session->did[i]->name,
                                     session->seconds[i]);
}

/* Which probes the budget was too short for. */
static void note_budget(const struct hwc_session *session, struct hwc_notes *notes)
{
    char names[640];
    size_t used = 0;

    for (size_t i = 0; i < session->done; i++)
        if (session->spent[i] && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                     session->did[i]->name);
    if (used > 0)
        hwc_note(notes, "the budget of %g s ended these, or left them out: %s", session->lab.settings.budget_seconds,
                 names);
}

static void note_time(const struct hwc_session *session, struct hwc_notes *notes)
{
    unsigned long long seed = session->lab.settings.seed;
    double seconds = hwc_lab_elapsed(&session->lab);
    char longest[512];

    list_longest(session, seconds, longest, sizeof longest);
    if (longest[0] != '\0')
        hwc_note(notes, "seed %llu, %.1f s (%s)", seed, seconds, longest);
    else
        hwc_note(notes, "seed %llu, %.1f s", seed, seconds);
}

static void note_company(const struct hwc_lab *lab, struct hwc_notes *notes)
{
    if (hwc_in_company(lab))
        hwc_note(notes, "another thread was at work on this core at %.0f %% of the looks: %.1f s went by waiting for it; "
                        "an idle machine takes less long", 100.0 * (double)lab->company.met / (double)lab->company.looks,
                 lab->company.waited);
}

static void gather_notes(const struct hwc_session *session, struct hwc_notes *notes)
{
    const struct hwc_lab *lab = &session->lab;
    const struct hwc_settings *settings = &lab->settings;
    char text[sizeof notes->text[0]];

    notes->count = 0;
    for (unsigned i = 0; lab->machine->ops->note(lab->machine, i, text, sizeof text); i++)
        hwc_note(notes, "%s", text);
    for (unsigned i = 0; i < lab->notes.count; i++)
        hwc_note(notes, "%s", lab->notes.text[i]);
    note_company(lab, notes);
    if (lab->samples_disturbed > 0)
        hwc_note(notes, "%llu of %llu samples were disturbed", (unsigned long long)lab->samples_disturbed,
                 (unsigned long long)lab->samples_taken);
    if (settings->quick)
        hwc_note(notes, "a quick run: %u votes of %u samples", settings->votes, settings->samples);
    note_budget(session, notes);
    note_time(session, notes);
}

const struct hwc_profile *hwc_session_profile(struct hwc_session *session)
{
    hwc_profile_document(session->profile, &session->machine->documented);
    gather_notes(session, &session->profile->notes);
    return session->profile;
}

struct hwc_profile *hwc_session_take_profile(struct hwc_session *session, struct hwc_documented *documented)
{
    struct hwc_profile *profile = session->profile;

    hwc_session_profile(session);
    hwc_profile_take_walks(profile, &session->lab);
    *documented = session->machine->documented;
    session->profile = NULL;
    return profile;
}

bool hwc_session_has(const struct hwc_session *session, enum hwc_witness_kind witness)
{
    const struct hwc_machine *machine = session->machine;

    return witness == HWC_COUNTER ? session->counters && machine->counter_reason == NULL : machine->has_clock;
}

void hwc_session_halve_budget(struct hwc_session *session)
{
    session->lab.settings.budget_seconds /= 2;
}

void hwc_session_close(struct hwc_session *session)
{
    if (session == NULL)
        return;
    hwc_lab_close(&session->lab);
    if (session->machine != NULL)
        session->machine->ops->close(session->machine);
    hwc_profile_free(session->profile);
    free(session);
}
