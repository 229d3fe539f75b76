#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "description.h"
#include "native.h"
#include "qualify.h"
#include "schedule.h"
#include "simulated.h"

static int open_machine(const struct hwc_options *options, struct hwc_machine **machine, struct hwc_profile *profile,
                        struct hwc_error *error)
{
    struct native_request request = {
        .cpu = options->cpu,
        .allow_hugetlb = options->allow_hugetlb,
        .counters = options->counters,
        .backend = options->backend,
        .event_map_file = options->event_map_file,
        .overrides = options->overrides,
    };
    struct sim_description *description;
    int status;

    if (options->machine_file == NULL) {
        for (unsigned i = 0; i < options->overrides; i++)
            request.override[i] =
                (struct native_override){options->override[i].event, options->override[i].native};
        return native_machine_open(machine, &request, &profile->host, error);
    }
    if (options->counters && strcmp(options->backend, "auto") != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--counters=%s: a simulated machine counts by itself", options->backend);
    if (options->overrides > 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--event: a simulated machine has no native counters");
    if (options->cpu >= 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--cpu: a simulated machine has none to choose from");
    description = malloc(sizeof *description);
    if (description == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a machine description");
    status = sim_description_read(options->machine_file, description, error);
    if (status == HWC_OK) {
        snprintf(profile->host.cpu_model, sizeof profile->host.cpu_model, "%.120s", description->name);
        snprintf(profile->host.arch, sizeof profile->host.arch, "simulated");
        status = sim_machine_open(machine, description, options->settings.seed, error);
    }
    free(description);
    return status;
}

static void describe_run(struct hwc_profile *profile)
{
    struct hwc_host *host = &profile->host;
    struct utsname system;
    struct tm local;
    time_t seconds = time(NULL);
    char zone[16];

    if (uname(&system) == 0) {
        snprintf(host->name, sizeof host->name, "%.120s", system.nodename);
        snprintf(host->kernel, sizeof host->kernel, "%.60s %.60s", system.sysname, system.release);
        if (host->arch[0] == '\0')
            snprintf(host->arch, sizeof host->arch, "%.30s", system.machine);
    }
    if (localtime_r(&seconds, &local) != NULL) {
        strftime(host->time, sizeof host->time, "%Y-%m-%dT%H:%M:%S", &local);
        strftime(zone, sizeof zone, "%z", &local); /* +hhmm; RFC 3339 wants a colon */
        snprintf(host->time + strlen(host->time), sizeof host->time - strlen(host->time), "%.3s:%.2s", zone, zone + 3);
    }
}

static void report_progress(const struct hwc_probe *probe)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Khwchar: %s...", probe != NULL ? probe->name : "");
    if (isatty(STDERR_FILENO) && probe == NULL)
        fputs("\r\033[K", stderr);
}

static void witness_by_clock(struct hwc_lab *lab)
{
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++)
        if (lab->witness[level].kind == HWC_NO_WITNESS && lab->machine->has_clock)
            lab->witness[level] = (struct hwc_witness){.kind = HWC_CLOCK, .factor = 1.0};
    for (int i = 0; i < HWC_STRUCTURES; i++)
        if (lab->structure_witness[i].kind == HWC_NO_WITNESS && lab->machine->has_clock)
            lab->structure_witness[i] = (struct hwc_witness){.kind = HWC_CLOCK, .factor = 1.0};
}

static int run_probes(const struct hwc_options *options, struct hwc_lab *lab, struct hwc_profile *profile,
                      struct hwc_error *error)
{
    struct hwc_schedule schedule;
    int status = hwc_schedule(hwc_probes, options->probe, options->probes, &schedule, error);

    if (status == HWC_OK && options->counters)
        status = hwc_qualify_events(lab, profile->event, error);
    if (options->counters && status == HWC_OK)
        profile->events = HWC_EVENT_COUNT;
    if (status != HWC_OK || options->action == HWC_SHOW_EVENTS)
        return status;
    witness_by_clock(lab);
    for (size_t i = 0; status == HWC_OK && i < schedule.count; i++) {
        report_progress(schedule.probe[i]);
        lab->probe_started = hwc_lab_elapsed(lab);
        status = schedule.probe[i]->run(lab, profile, error);
    }
    report_progress(NULL);
    return status;
}

static void gather_notes(struct hwc_lab *lab, const struct hwc_options *options, struct hwc_profile *profile)
{
    char text[256];

    for (unsigned i = 0; lab->machine->ops->note(lab->machine, i, text, sizeof text); i++)
        hwc_note(&profile->notes, "%s", text);
    for (unsigned i = 0; i < lab->notes.count; i++)
        hwc_note(&profile->notes, "%s", lab->notes.text[i]);
    if (lab->samples_dropped > 0)
        hwc_note(&profile->notes, "%llu of %llu samples were disturbed and dropped",
                 (unsigned long long)lab->samples_dropped, (unsigned long long)lab->samples_taken);
    if (options->settings.quick)
        hwc_note(&profile->notes, "a quick run: %u votes of %u samples", options->settings.votes,
                 options->settings.samples);
    hwc_note(&profile->notes, "seed %llu, %.1f s", (unsigned long long)options->settings.seed, hwc_lab_elapsed(lab));
}

int hwc_plan_run(const struct hwc_options *options, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_machine *machine = NULL;
    struct hwc_lab *lab;
    int status;

    memset(profile, 0, sizeof *profile);
    profile->host.cpu = -1;
    hwc_write(profile->version, sizeof profile->version, "%s", HWC_VERSION);
    status = open_machine(options, &machine, profile, error);
    if (status != HWC_OK)
        return status;
    describe_run(profile);
    snprintf(profile->backend, sizeof profile->backend, "%s", options->counters ? machine->counter_backend : "none");
    if (options->counters && machine->counter_reason != NULL)
        snprintf(profile->backend_reason, sizeof profile->backend_reason, "%s", machine->counter_reason);
    lab = malloc(sizeof *lab);
    if (lab == NULL) {
        machine->ops->close(machine);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    }
    status = hwc_lab_open(lab, machine, &options->settings, error);
    if (status == HWC_OK)
        status = run_probes(options, lab, profile, error);
    profile->interrupted = status == HWC_INTERRUPTED;
    hwc_profile_document(profile, &machine->documented);
    gather_notes(lab, options, profile);
    hwc_lab_close(lab);
    free(lab);
    machine->ops->close(machine);
    return status;
}
