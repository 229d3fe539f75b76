#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static int take_action(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                       struct hwc_error *error)
{
    (void)argument;
    (void)error;
    options->action = option->action;
    return HWC_OK;
}

static int add_name(struct hwc_audit_request *audit, char *name, const struct hwc_option *option,
                    struct hwc_error *error)
{
    if (name[0] == '\0' || strlen(name) >= HWC_NATIVE_NAME)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: a counter's name is empty or has more than %d characters",
                        option->name, HWC_NATIVE_NAME - 1);
    if (audit->names == HWC_MOST_NAMES)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: more than %d counters", option->name, HWC_MOST_NAMES);
    audit->name[audit->names++] = name;
    return HWC_OK;
}

/* Commas part names, except between the slashes of cpu/event=0xd1,umask=0x08/. */
static int split_names(struct hwc_audit_request *audit, const struct hwc_option *option, struct hwc_error *error)
{
    bool in_terms = false;
    char *name = audit->text;

    for (char *c = audit->text; *c != '\0'; c++) {
        in_terms ^= *c == '/';
        if (*c != ',' || in_terms)
            continue;
        *c = '\0';
        TRY(add_name(audit, name, option, error));
        name = c + 1;
    }
    return add_name(audit, name, option, error);
}

static int take_events(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                       struct hwc_error *error)
{
    struct hwc_audit_request *audit = &options->audit;

    options->action = HWC_SHOW_EVENTS;
    options->request.counters = true;
    if (argument == NULL)
        return HWC_OK;
    options->request.audits = true;
    audit->names = 0;
    if (strcmp(argument, "presets") == 0)
        return HWC_OK;
    if (strlen(argument) >= sizeof audit->text)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: too many names", option->name);
    memcpy(audit->text, argument, strlen(argument) + 1);
    return split_names(audit, option, error);
}

static int take_flag(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                     struct hwc_error *error)
{
    (void)argument;
    (void)error;
    *(bool *)((char *)options + option->member) = true;
    return HWC_OK;
}

/* It asks both witnesses, so it asks the counters. */
static int take_validate(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                         struct hwc_error *error)
{
    (void)option;
    (void)argument;
    (void)error;
    options->validate = options->request.counters = true;
    return HWC_OK;
}

static int take_text(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                     struct hwc_error *error)
{
    (void)error;
    *(const char **)((char *)options + option->member) = argument;
    return HWC_OK;
}

static int take_command(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                        struct hwc_error *error)
{
    if (argument[strspn(argument, " \t")] == '\0')
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: the compiler has no name", option->name);
    return take_text(options, option, argument, error);
}

/* A map of counters is there to be counted with. */
static int take_event_map(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                          struct hwc_error *error)
{
    (void)option;
    (void)error;
    options->request.event_map_file = argument;
    options->request.counters = true;
    return HWC_OK;
}

static int take_form(struct hwc_form *form, const struct hwc_option *option, const char *argument,
                     struct hwc_error *error)
{
    *form = (struct hwc_form){.wanted = true, .file = argument};
    if (argument != NULL && argument[0] == '\0')
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: the file has no name", option->name);
    return HWC_OK;
}

static int take_output(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                       struct hwc_error *error)
{
    return take_form((struct hwc_form *)((char *)options + option->member), option, argument, error);
}

/* FORM or FORM=FILE. Events are tested first, so it asks for that. */
static int take_export(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                       struct hwc_error *error)
{
    size_t length = strcspn(argument, "=");

    for (int form = 0; form < HWC_EXPORTS; form++) {
        const char *name = hwc_export_name((enum hwc_export)form);
        if (strlen(name) != length || strncmp(argument, name, length) != 0)
            continue;
        options->action = HWC_SHOW_EVENTS;
        options->request.counters = true;
        return take_form(&options->export[form], option, argument[length] == '=' ? argument + length + 1 : NULL, error);
    }
    return hwc_fail(error, HWC_BAD_INPUT, "--%s: unknown form \"%.200s\": map, papi or perf", option->name, argument);
}

static int whole_number(const struct hwc_option *option, const char *text, long long low, long long high,
                        long long *value, struct hwc_error *error)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < low || *value > high)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: \"%.200s\" is no whole number from %lld to %lld", option->name,
                        text, low, high);
    return HWC_OK;
}

static int take_cpu(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                    struct hwc_error *error)
{
    long long number;

    options->all_kinds = strcmp(argument, "all-kinds") == 0;
    if (options->all_kinds) {
        options->request.cpu = -1;
        return HWC_OK;
    }
    TRY(whole_number(option, argument, 0, 65535, &number, error));
    options->request.cpu = (int)number;
    return HWC_OK;
}

static int take_seed(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                     struct hwc_error *error)
{
    long long number;

    TRY(whole_number(option, argument, 0, INT64_MAX, &number, error));
    options->settings.seed = (uint64_t)number;
    return HWC_OK;
}

static int take_votes(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                      struct hwc_error *error)
{
    long long number;

    TRY(whole_number(option, argument, 1, HWC_MAX_VOTES / 3, &number, error));
    options->settings.votes = (unsigned)number;
    options->settings.all_votes = true;
    return HWC_OK;
}

static int take_samples(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                        struct hwc_error *error)
{
    long long number;

    TRY(whole_number(option, argument, 2, 1000, &number, error));
    options->settings.samples = (unsigned)number;
    return HWC_OK;
}

static int take_budget(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                       struct hwc_error *error)
{
    char *end;
    double seconds = strtod(argument, &end);

    if (end == argument || *end != '\0' || !isfinite(seconds) || seconds <= 0 || seconds > 1e6)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: \"%.200s\" is no number of seconds", option->name, argument);
    options->settings.budget_seconds = seconds;
    return HWC_OK;
}

static int take_quick(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                      struct hwc_error *error)
{
    (void)option;
    (void)argument;
    (void)error;
    options->settings.quick = true;
    options->settings.votes = 4;
    options->settings.samples = 4;
    return HWC_OK;
}

static int take_backend(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                        struct hwc_error *error)
{
    static const char *const known[] = {"auto", "papi", "perf", "uncore", "callgrind", "none"};

    options->request.counters = true;
    if (argument == NULL)
        return HWC_OK;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(argument, known[i]) == 0) {
            options->request.backend = known[i];
            return HWC_OK;
        }
    return hwc_fail(error, HWC_BAD_INPUT, "--%s: unknown backend \"%.200s\": auto, papi, perf, uncore, callgrind or none",
                    option->name, argument);
}

static int take_override(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                         struct hwc_error *error)
{
    struct hwc_machine_request *request = &options->request;
    size_t length = strcspn(argument, "=");
    char name[64];
    enum hwc_event event;

    if (argument[length] == '\0' || argument[length + 1] == '\0' || length >= sizeof name)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: \"%.200s\" is not of the form EVENT=NATIVE", option->name,
                        argument);
    memcpy(name, argument, length);
    name[length] = '\0';
    event = hwc_event_by_name(name);
    if (event == HWC_NO_EVENT)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: unknown event \"%s\" (--events lists them)", option->name, name);
    if (request->overrides == HWC_MAX_OVERRIDES)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: more than %d", option->name, HWC_MAX_OVERRIDES);
    request->override[request->overrides++] = (struct hwc_override){event, argument + length + 1};
    request->counters = true;
    return HWC_OK;
}

#define MEMBER(name) .member = offsetof(struct hwc_options, name)

const struct hwc_option hwc_option_table[] = {
    {"counters", 'c', "[=BACKEND]", "ask the counters first: auto, papi, perf, uncore or callgrind; without this, the clock",
     "Where none can be used, a paragraph says why and what would help, and the clock answers; but to name one that "
     "cannot be used is an error.",
     .take = take_backend},
    {"validate", 0, "", "by the counters, by the clock and as documented, side by side",
     "The probes run by each of both witnesses, on a machine opened afresh. The report begins with what differs, what the "
     "evidence supports, and why; -v has a row for each finding, with what was counted in the clock's own walks. The "
     "exit status is 1 if anything differs. Where there are no counters, the clock is held against what is documented.",
     .take = take_validate},
    {"all", 0, "", "all probes, those on request too", NULL, .take = take_flag, MEMBER(all)},
    {"events", 0, "[=COUNTER,...]", "which counter each event would use, and whether it can be believed",
     "Each event is held against references whose misses are known beforehand: it is trusted, biased (by a stable "
     "factor, which is corrected), rejected or absent. --events=presets audits PAPI's presets and the kernel's generic "
     "events instead, and --events=COUNTER,... any counters by their names: what each counts of references in random, "
     "strided and sequential order and of stores, where that rises, and whether it means what its name says.",
     .take = take_events},
    {"export", 0, "=FORM[=FILE]", "events that can be believed, for others: map, papi or perf (repeatable)",
     "map: an event map. papi: a file for PAPI_USER_EVENTS_FILE; its events are HWCHAR_L1D_LOAD_MISS and so on. perf: a "
     "line for perf stat -e \"$(cat FILE)\". It tests the events as --events does, and without FILE writes to standard "
     "output in place of the text.", .take = take_export},
    {"event", 0, "=EVENT=NATIVE", "use this native counter for an event (repeatable)",
     "A name of PAPI, libpfm4 or the kernel, a raw code (r08d1), or terms as perf takes them "
     "(cpu/event=0xd1,umask=0x08/); or it is two of these with a + between, whose counts add up. It has up to 255 "
     "characters.", .take = take_override},
    {"event-map", 0, "=FILE", "native counters for events, from a JSON file", "See EVENT MAPS.",
     .take = take_event_map},
    {"machine", 'm', "=FILE", "a simulated machine instead of this one", NULL, .take = take_text,
     MEMBER(request.machine_file)},
    {"cpu", 0, "=N", "run on this CPU (default: a quiet one), or once on each kind of core (all-kinds)",
     "With all-kinds, each kind of core that this process may use has a run of its own, on a quiet CPU of the kind, and a "
     "profile of its own: a heading in the text, an element of an array in JSON. A machine with one kind has one.",
     .take = take_cpu},
    {"seed", 0, "=N", "seed of all random orders (default: 1)", NULL, .take = take_seed},
    {"votes", 0, "=N", "votes on each value (default: 8)",
     "By default, the first six are enough on a live machine if all of them agree and nobody else was seen at work; a number "
     "that is given is held in full. Where fewer than three quarters of them agree, up to twice as many more are held; where that does not settle it, "
     "the value is unknown.",
     .take = take_votes},
    {"samples", 0, "=N", "samples that a vote takes the minimum of (default: 8)", NULL, .take = take_samples},
    {"budget", 0, "=SECONDS", "take no longer than this: sizes and latencies come first",
     "What it is too short for is unknown, and a note names it. A longer one also lets slow searches take minutes.",
     .take = take_budget},
    {"quick", 0, "", "4 votes of 4 samples, and two seconds", "Simulated machines have as long as they need.",
     .take = take_quick},
    {"cc", 0, "=COMPILER", "the C compiler that code to be timed is made by (default: cc)",
     "Only probes of the core have code compiled. Words behind the first one are arguments.", .take = take_command,
     MEMBER(request.compiler)},
    {"cflags", 0, "=FLAGS", "its flags (default: -O2)", NULL, .take = take_text, MEMBER(request.compiler_flags)},
    {"hugetlb", 0, "", "memory may come from the hugetlb pools (2 MiB, 1 GiB)", NULL, .take = take_flag,
     MEMBER(request.allow_hugetlb)},
    {"json", 'j', "[=FILE]", "write the profile as JSON, to standard output or a file",
     "With a file the text goes to standard output all the same. A file is put in its place when it is whole.",
     .take = take_output, MEMBER(json)},
    {"csv", 0, "[=FILE]", "write a row for each finding as CSV, to standard output or a file", NULL, .take = take_output,
     MEMBER(csv)},
    {"html", 0, "=FILE", "write one page with drawings, curves and all evidence",
     "It needs no network and no script. With --events it has the counters alone.", .take = take_output, MEMBER(html)},
    {"verbose", 'v', "", "a row for each finding: votes, witness, and why it is unknown", NULL,
     .take = take_flag, MEMBER(verbose)},
    {"list", 0, "", "list the probes", NULL, .take = take_action, .action = HWC_SHOW_LIST},
    {"schema", 0, "", "print the JSON schema of profiles", NULL, .take = take_action, .action = HWC_SHOW_SCHEMA},
    {"man", 0, "", NULL, NULL, .take = take_action, .action = HWC_SHOW_MANUAL},
    {"help", 'h', "", "this text", NULL, .take = take_action, .action = HWC_SHOW_HELP},
    {"version", 0, "", "the version", NULL, .take = take_action, .action = HWC_SHOW_VERSION},
    {0},
};
