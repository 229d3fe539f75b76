#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "audit_report.h"
#include "by_both.h"
#include "core_kinds.h"
#include "curve_table.h"
#include "fold.h"
#include "help.h"
#include "interrupt.h"
#include "output.h"
#include "profile_csv.h"
#include "profile_html.h"
#include "profile_json.h"
#include "profile_schema.h"
#include "profile_text.h"

#define USUAL_WIDTH 100
#define LEAST_WIDTH 40

static unsigned width_of_output(void)
{
    const char *columns = getenv("COLUMNS");
    unsigned long width = columns != NULL ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;

    if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0 || width > 10000)
        return USUAL_WIDTH;
    return width < LEAST_WIDTH ? LEAST_WIDTH : (unsigned)width;
}

/* Longer lines are hard to read. */
static unsigned width_of_text(void)
{
    const unsigned most = 120, width = width_of_output();

    return width < most ? width : most;
}

/* Shown on a terminal, and only between probes: nothing is written while one measures. */
static void show_progress(void *context, const struct hwc_progress *progress)
{
    (void)context;
    if (progress->probe != NULL)
        fprintf(stderr, "\r\033[Khwchar: %s (%zu of %zu, %.0f s)", progress->probe->name, progress->index + 1,
                progress->count, progress->seconds);
    else
        fputs("\r\033[K", stderr);
}

struct outputs {
    struct hwc_output json, csv, html, export[HWC_EXPORTS];
    bool list;       /* JSON is an array of profiles */
    unsigned listed; /* so many are in it */
};

typedef int (*writer)(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

static int write_form(const struct hwc_form *form, struct hwc_output *output, writer write_it,
                      const struct hwc_profile *profile, struct hwc_error *error)
{
    if (!form->wanted)
        return HWC_OK;
    TRY(write_it(profile, form->file != NULL ? output->stream : stdout, error));
    return form->file != NULL ? hwc_output_commit(output, error) : HWC_OK;
}

static FILE *stream_of_json(const struct hwc_options *options, const struct outputs *outputs)
{
    return options->json.file != NULL ? outputs->json.stream : stdout;
}

static int write_json(const struct hwc_options *options, struct outputs *outputs, writer write_it,
                      const struct hwc_profile *profile, struct hwc_error *error)
{
    if (!outputs->list || !options->json.wanted)
        return write_form(&options->json, &outputs->json, write_it, profile, error);
    fputs(outputs->listed++ == 0 ? "[\n" : ",\n", stream_of_json(options, outputs));
    return write_it(profile, stream_of_json(options, outputs), error);
}

static int open_form(const struct hwc_form *form, struct hwc_output *output, struct hwc_error *error)
{
    return form->file != NULL ? hwc_output_open(output, form->file, error) : HWC_OK;
}

static bool takes_output(const struct hwc_form *form)
{
    return form->wanted && form->file == NULL;
}

static int flush_output(struct hwc_error *error)
{
    if (fflush(stdout) != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "standard output cannot be written");
    return HWC_OK;
}

static int write_exports(const struct hwc_options *options, struct outputs *outputs, const struct hwc_profile *profile,
                         struct hwc_error *error)
{
    for (int i = 0; i < HWC_EXPORTS; i++) {
        const struct hwc_form *form = &options->export[i];
        if (!form->wanted)
            continue;
        TRY(hwc_export_events(profile, (enum hwc_export)i, form->file != NULL ? outputs->export[i].stream : stdout,
                              error));
        if (form->file != NULL)
            TRY(hwc_output_commit(&outputs->export[i], error));
    }
    return HWC_OK;
}

/* Does a form take the place of the text? */
static bool text_is_replaced(const struct hwc_options *options)
{
    bool replaced = takes_output(&options->json) || takes_output(&options->csv);

    for (int i = 0; i < HWC_EXPORTS; i++)
        replaced = replaced || takes_output(&options->export[i]);
    return replaced;
}

static bool is_named(const struct hwc_options *options, const char *probe)
{
    for (size_t i = 0; i < options->probes; i++)
        if (strcmp(options->probe[i]->name, probe) == 0)
            return true;
    return false;
}

/* Those of probes that were named, or all. */
static int write_curves(const struct hwc_options *options, const struct hwc_curves *curves, unsigned width,
                        struct hwc_error *error)
{
    for (size_t i = 0; i < curves->count; i++)
        if (options->verbose || is_named(options, curves->curve[i]->name))
            TRY(hwc_curve_write_table(curves->curve[i], width, stdout, error));
    return HWC_OK;
}

static void write_text(const struct hwc_options *options, const struct hwc_profile *profile,
                       const struct hwc_text_style *style)
{
    if (profile->audits.asked)
        hwc_audit_write_text(profile, style, stdout);
    else if (options->action == HWC_SHOW_EVENTS)
        hwc_events_write_text(profile, style, stdout);
    else
        hwc_profile_write_text(profile, style, stdout);
}

static int report(const struct hwc_options *options, struct outputs *outputs, const struct hwc_profile *profile,
                  struct hwc_error *error)
{
    bool events = options->action == HWC_SHOW_EVENTS;
    const struct hwc_text_style style = {.width = width_of_text(), .verbose = options->verbose};

    TRY(write_json(options, outputs, events ? hwc_events_write_json : hwc_profile_write_json, profile, error));
    TRY(write_form(&options->csv, &outputs->csv, options->request.audits ? hwc_audit_write_csv : hwc_profile_write_csv,
                   profile, error));
    TRY(write_form(&options->html, &outputs->html, hwc_profile_write_html, profile, error));
    TRY(write_exports(options, outputs, profile, error));
    if (text_is_replaced(options))
        return flush_output(error);
    write_text(options, profile, &style);
    TRY(write_curves(options, &profile->curves, width_of_output(), error));
    return flush_output(error);
}

static void say(FILE *stream, unsigned width, const char *head, const char *text)
{
    struct hwc_fold fold = {.stream = stream, .width = width};

    hwc_fold_paragraph(&fold, head, text);
}

static void say_no_counters(const struct hwc_profile *profile)
{
    say(stderr, USUAL_WIDTH, "hwchar:", profile->backend_reason);
}

static bool shows_events(const struct hwc_options *options)
{
    return options->action == HWC_SHOW_EVENTS && !text_is_replaced(options);
}

/* After an interrupt, what was found before it is still written. */
static int report_run(const struct hwc_options *options, int ran, const struct hwc_profile *profile,
                      struct outputs *outputs, struct hwc_error *error)
{
    TRY(report(options, outputs, profile, error));
    if (ran == HWC_INTERRUPTED)
        return hwc_fail(error, HWC_INTERRUPTED, "interrupted; what was found so far is written out");
    return HWC_OK;
}

static hwc_progress_callback progress_shown(void)
{
    return isatty(STDERR_FILENO) ? show_progress : NULL;
}

static int run_and_report(const struct hwc_options *options, struct hwc_session *session, struct outputs *outputs,
                          struct hwc_error *error)
{
    const struct hwc_profile *profile;
    char free_counters[HWC_MESSAGE] = "";
    int ran;

    if (shows_events(options))
        hwc_session_free_counters(session, free_counters);
    if (options->request.audits)
        ran = hwc_session_audit(session, options->audit.name, options->audit.names, error);
    else if (options->action == HWC_SHOW_EVENTS)
        ran = hwc_session_qualify(session, error);
    else
        ran = hwc_session_run(session, options->probe, options->probes, progress_shown(), NULL, error);
    if (ran != HWC_OK && ran != HWC_INTERRUPTED)
        return ran;
    profile = hwc_session_profile(session);
    if (options->action == HWC_RUN_PROBES)
        say_no_counters(profile);
    say(stdout, width_of_text(), "", free_counters);
    return report_run(options, ran, profile, outputs, error);
}

static int run_one(const struct hwc_options *options, struct outputs *outputs, struct hwc_error *error)
{
    struct hwc_session *session = NULL;
    int status = hwc_session_open(&session, &options->request, &options->settings, hwc_interrupt_catch(), error);

    if (status == HWC_OK)
        status = run_and_report(options, session, outputs, error);
    hwc_session_close(session);
    return status;
}

static int validate(const struct hwc_options *options, struct outputs *outputs, struct hwc_error *error)
{
    struct hwc_profile *profile = NULL;
    int status = hwc_run_by_both(&profile, &options->request, &options->settings, hwc_interrupt_catch(),
                                 options->probe, options->probes, progress_shown(), NULL, error);

    if (profile == NULL)
        return status;
    say_no_counters(profile);
    status = report_run(options, status, profile, outputs, error);
    if (status == HWC_OK && profile->validation->differences > 0)
        status = HWC_DIFFERENCE;
    hwc_profile_free(profile);
    return status;
}

static int run_once(const struct hwc_options *options, struct outputs *outputs, struct hwc_error *error)
{
    return options->validate ? validate(options, outputs, error) : run_one(options, outputs, error);
}

/* A run that failed leaves those before it. */
static int end_list(const struct hwc_options *options, struct outputs *outputs, struct hwc_error *error)
{
    if (outputs->listed == 0)
        return HWC_OK;
    fputs("]\n", stream_of_json(options, outputs));
    return options->json.file != NULL ? hwc_output_commit(&outputs->json, error) : flush_output(error);
}

static int run_on(const struct hwc_options *options, const struct hwc_core_kind *kind, unsigned kinds,
                  struct outputs *outputs, struct hwc_error *error)
{
    struct hwc_options of_kind = *options;

    of_kind.request.cpu = kind->cpu;
    of_kind.request.core_kind = kind->name;
    of_kind.settings.budget_seconds /= kinds;
    if (!takes_output(&options->json))
        printf("%s: %u CPU%s\n\n", kind->name, kind->cpus, kind->cpus == 1 ? "" : "s");
    return run_once(&of_kind, outputs, error);
}

/* A run on each kind of core. That one differs keeps none from being run. */
static int run_on_all(const struct hwc_options *options, struct outputs *outputs, struct hwc_error *error)
{
    struct hwc_core_kind kinds[HWC_MOST_KINDS];
    unsigned count = hwc_core_kinds(kinds);
    bool differ = false;
    int status = HWC_OK;

    outputs->list = true;
    for (unsigned i = 0; i < count && status == HWC_OK; i++) {
        if (i > 0 && !takes_output(&options->json))
            putchar('\n');
        status = run_on(options, &kinds[i], count, outputs, error);
        differ |= status == HWC_DIFFERENCE;
        status = status == HWC_DIFFERENCE ? HWC_OK : status;
    }
    TRY(end_list(options, outputs, error));
    return status == HWC_OK && differ ? HWC_DIFFERENCE : status;
}

/* Files are opened first: a path that cannot be written to is refused before anything is measured. */
static int run(const struct hwc_options *options, struct hwc_error *error)
{
    struct outputs outputs = {0};
    int status = open_form(&options->json, &outputs.json, error);

    if (status == HWC_OK)
        status = open_form(&options->csv, &outputs.csv, error);
    if (status == HWC_OK)
        status = open_form(&options->html, &outputs.html, error);
    for (int i = 0; status == HWC_OK && i < HWC_EXPORTS; i++)
        status = open_form(&options->export[i], &outputs.export[i], error);
    if (status == HWC_OK)
        status = options->all_kinds ? run_on_all(options, &outputs, error) : run_once(options, &outputs, error);
    hwc_output_abandon(&outputs.json);
    hwc_output_abandon(&outputs.csv);
    hwc_output_abandon(&outputs.html);
    for (int i = 0; i < HWC_EXPORTS; i++)
        hwc_output_abandon(&outputs.export[i]);
    return status;
}

static int list(const struct hwc_options *options, struct hwc_error *error)
{
    (void)options;
    hwc_print_list(stdout);
    return flush_output(error);
}

static int help(const struct hwc_options *options, struct hwc_error *error)
{
    (void)options;
    hwc_print_help(stdout);
    return flush_output(error);
}

static int version(const struct hwc_options *options, struct hwc_error *error)
{
    (void)options;
    printf("hwchar %s\n", HWC_VERSION);
    return flush_output(error);
}

static int schema(const struct hwc_options *options, struct hwc_error *error)
{
    (void)options;
    TRY(hwc_profile_write_schema(stdout, error));
    return flush_output(error);
}

static int manual(const struct hwc_options *options, struct hwc_error *error)
{
    (void)options;
    hwc_print_manual(stdout);
    return flush_output(error);
}

int hwc_command(const struct hwc_options *options, struct hwc_error *error)
{
    static int (*const commands[HWC_ACTIONS])(const struct hwc_options *, struct hwc_error *) = {
        [HWC_RUN_PROBES] = run,     [HWC_SHOW_EVENTS] = run,   [HWC_SHOW_LIST] = list,     [HWC_SHOW_HELP] = help,
        [HWC_SHOW_VERSION] = version, [HWC_SHOW_SCHEMA] = schema, [HWC_SHOW_MANUAL] = manual,
    };

    return commands[options->action](options, error);
}
