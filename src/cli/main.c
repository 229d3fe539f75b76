/* The command line: parse, run, report, exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "profile_json.h"
#include "profile_text.h"

enum { EXIT_DONE = 0, EXIT_BAD_INPUT = 2, EXIT_UNAVAILABLE = 3, EXIT_INTERRUPTED = 130 };

static int exit_status(int status)
{
    switch (status) {
    case HWC_OK:
        return EXIT_DONE;
    case HWC_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case HWC_BAD_INPUT:
        return EXIT_BAD_INPUT;
    default:
        return EXIT_UNAVAILABLE;
    }
}

/* One line, whatever bytes came in with the fault. */
static int complain(const struct hwc_error *error)
{
    fputs("hwchar: ", stderr);
    for (const char *c = error->message; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' || *c == 127 ? '?' : *c, stderr);
    fputc('\n', stderr);
    return exit_status(error->status);
}

static int write_profile(const struct hwc_options *options, const struct hwc_profile *profile,
                         struct hwc_output *output, struct hwc_error *error)
{
    bool events = options->action == HWC_SHOW_EVENTS;
    FILE *stream = output->stream != NULL ? output->stream : stdout;
    int status = HWC_OK;

    if (options->json)
        status = events ? hwc_events_write_json(profile, stream, error) : hwc_profile_write_json(profile, stream, error);
    if (status == HWC_OK && output->stream != NULL)
        status = hwc_output_commit(output, error);
    if (status == HWC_OK && (!options->json || options->json_file != NULL)) {
        if (events)
            hwc_report_events(profile, stdout);
        else
            hwc_report_text(profile, stdout);
    }
    if (status == HWC_OK && fflush(stdout) != 0)
        status = hwc_fail(error, HWC_BAD_INPUT, "standard output cannot be written");
    return status;
}

static int run(const struct hwc_options *options, struct hwc_error *error)
{
    struct hwc_profile *profile = malloc(sizeof *profile);
    struct hwc_output output = {0};
    int ran, written;

    if (profile == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    if (options->json_file != NULL && hwc_output_open(&output, options->json_file, error) != HWC_OK) {
        free(profile);
        return error->status;
    }
    hwc_interrupt_catch();
    ran = hwc_plan_run(options, profile, error);
    if (ran != HWC_OK && ran != HWC_INTERRUPTED) {
        hwc_output_abandon(&output);
        free(profile);
        return ran;
    }
    if (profile->backend_reason[0] != '\0' && options->action == HWC_RUN_PROBES)
        fprintf(stderr, "hwchar: no counters: %s\n", profile->backend_reason);
    written = write_profile(options, profile, &output, error);
    hwc_output_abandon(&output);
    free(profile);
    if (written == HWC_OK && ran == HWC_INTERRUPTED)
        return hwc_fail(error, HWC_INTERRUPTED, "interrupted; what was found so far is written out");
    return written;
}

int main(int argc, char **argv)
{
    struct hwc_options options;
    struct hwc_error error = {0};

    if (hwc_options_parse(&options, argc, argv, &error) != HWC_OK)
        return complain(&error);
    switch (options.action) {
    case HWC_SHOW_HELP:
        hwc_print_help();
        return EXIT_DONE;
    case HWC_SHOW_LIST:
        hwc_print_list();
        return EXIT_DONE;
    case HWC_SHOW_VERSION:
        printf("hwchar %s\n", HWC_VERSION);
        return EXIT_DONE;
    default:
        break;
    }
    if (run(&options, &error) != HWC_OK)
        return complain(&error);
    return EXIT_DONE;
}
