#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One table makes the parser and the help. */
struct row {
    const char *name;
    int letter; /* the short option, or a number above 255 */
    int argument;
    const char *placeholder;
    const char *help;
};

enum {
    OPT_EVENTS = 256,
    OPT_EVENT,
    OPT_EVENT_MAP,
    OPT_CPU,
    OPT_SEED,
    OPT_VOTES,
    OPT_SAMPLES,
    OPT_BUDGET,
    OPT_QUICK,
    OPT_HUGETLB,
    OPT_LIST,
    OPT_VERSION,
};

static const struct row rows[] = {
    {"counters", 'c', optional_argument, "[=BACKEND]",
     "ask the counters first: auto, papi, perf or callgrind; without this, the clock"},
    {"events", OPT_EVENTS, no_argument, "", "which event each counter would use here, and whether it can be believed"},
    {"event", OPT_EVENT, required_argument, "=EVENT=NATIVE", "use this native counter for an event (repeatable)"},
    {"event-map", OPT_EVENT_MAP, required_argument, "=FILE", "native counters for events, from a JSON file"},
    {"machine", 'm', required_argument, "=FILE", "a simulated machine instead of this one"},
    {"cpu", OPT_CPU, required_argument, "=N", "run on this CPU (default: a quiet one)"},
    {"seed", OPT_SEED, required_argument, "=N", "seed of all random orders (default: 1)"},
    {"votes", OPT_VOTES, required_argument, "=N", "votes on each value (default: 8)"},
    {"samples", OPT_SAMPLES, required_argument, "=N", "samples that a vote takes the minimum of (default: 8)"},
    {"budget", OPT_BUDGET, required_argument, "=SECONDS", "end votes early after this time, but wait so long for others"},
    {"quick", OPT_QUICK, no_argument, "", "4 votes of 4 samples"},
    {"hugetlb", OPT_HUGETLB, no_argument, "", "memory may come from the hugetlb pools (2 MiB, 1 GiB)"},
    {"json", 'j', optional_argument, "[=FILE]", "write the profile as JSON, to standard output or a file"},
    {"list", OPT_LIST, no_argument, "", "list the probes"},
    {"help", 'h', no_argument, "", "this text"},
    {"version", OPT_VERSION, no_argument, "", "the version"},
};

#define ROWS (sizeof rows / sizeof rows[0])

void hwc_print_help(void)
{
    puts("usage: hwchar [options] [probe...]\n\n"
         "Measures the memory hierarchy of this machine, and says for each value how it\n"
         "knows. Runs all probes when none is named.\n");
    for (size_t i = 0; i < ROWS; i++) {
        char names[64];
        if (rows[i].letter < 256)
            snprintf(names, sizeof names, "-%c, --%s%s", rows[i].letter, rows[i].name, rows[i].placeholder);
        else
            snprintf(names, sizeof names, "    --%s%s", rows[i].name, rows[i].placeholder);
        printf("  %-27s %s\n", names, rows[i].help);
    }
    puts("\nExit status: 0 done; 2 bad usage or input; 3 not available here; 130 interrupted.");
}

void hwc_print_list(void)
{
    for (size_t i = 0; hwc_probes[i] != NULL; i++)
        printf("%-12s %s\n             %s\n", hwc_probes[i]->name, hwc_probes[i]->summary, hwc_probes[i]->source);
}

static int whole_number(const char *option, const char *text, long long low, long long high, long long *value,
                        struct hwc_error *error)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *value < low || *value > high)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: \"%.40s\" is no whole number from %lld to %lld", option, text, low,
                        high);
    return HWC_OK;
}

static int take_backend(struct hwc_options *options, const char *name, struct hwc_error *error)
{
    static const char *const known[] = {"auto", "papi", "perf", "callgrind", "none"};

    options->counters = true;
    if (name == NULL)
        return HWC_OK;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0) {
            options->backend = known[i];
            return HWC_OK;
        }
    return hwc_fail(error, HWC_BAD_INPUT, "--counters: unknown backend \"%.40s\": auto, papi, perf, callgrind or none",
                    name);
}

static int take_override(struct hwc_options *options, char *text, struct hwc_error *error)
{
    char name[64];
    const char *equals = strchr(text, '=');
    enum hwc_event event;

    if (equals == NULL || equals[1] == '\0' || (size_t)(equals - text) >= sizeof name)
        return hwc_fail(error, HWC_BAD_INPUT, "--event: \"%.60s\" is not of the form EVENT=NATIVE", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    event = hwc_event_by_name(name);
    if (event == HWC_NO_EVENT)
        return hwc_fail(error, HWC_BAD_INPUT, "--event: unknown event \"%s\" (--events lists them)", name);
    if (options->overrides == HWC_MAX_OVERRIDES)
        return hwc_fail(error, HWC_BAD_INPUT, "--event: more than %d", HWC_MAX_OVERRIDES);
    options->override[options->overrides++] = (struct hwc_override){event, equals + 1};
    options->counters = true;
    return HWC_OK;
}

static int take_budget(struct hwc_options *options, const char *text, struct hwc_error *error)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(seconds) || seconds <= 0 || seconds > 1e6)
        return hwc_fail(error, HWC_BAD_INPUT, "--budget: \"%.40s\" is no number of seconds", text);
    options->settings.budget_seconds = seconds;
    return HWC_OK;
}

static int take(struct hwc_options *options, int letter, char *argument, struct hwc_error *error)
{
    long long number = 0;
    int status = HWC_OK;

    switch (letter) {
    case 'c':
        return take_backend(options, argument, error);
    case OPT_EVENTS:
        options->action = HWC_SHOW_EVENTS;
        options->counters = true;
        break;
    case OPT_EVENT:
        return take_override(options, argument, error);
    case OPT_EVENT_MAP:
        options->event_map_file = argument;
        break;
    case 'm':
        options->machine_file = argument;
        break;
    case OPT_CPU:
        status = whole_number("cpu", argument, 0, 65535, &number, error);
        options->cpu = (int)number;
        break;
    case OPT_SEED:
        status = whole_number("seed", argument, 0, INT64_MAX, &number, error);
        options->settings.seed = (uint64_t)number;
        break;
    case OPT_VOTES:
        status = whole_number("votes", argument, 1, HWC_MAX_VOTES / 3, &number, error);
        options->settings.votes = (unsigned)number;
        break;
    case OPT_SAMPLES:
        status = whole_number("samples", argument, 2, 1000, &number, error);
        options->settings.samples = (unsigned)number;
        break;
    case OPT_BUDGET:
        return take_budget(options, argument, error);
    case OPT_QUICK:
        options->settings.quick = true;
        options->settings.votes = 4;
        options->settings.samples = 4;
        break;
    case OPT_HUGETLB:
        options->allow_hugetlb = true;
        break;
    case 'j':
        options->json = true;
        options->json_file = argument;
        if (argument != NULL && *argument == '\0')
            status = hwc_fail(error, HWC_BAD_INPUT, "--json: the file has no name");
        break;
    case OPT_LIST:
        options->action = HWC_SHOW_LIST;
        break;
    case 'h':
        options->action = HWC_SHOW_HELP;
        break;
    case OPT_VERSION:
        options->action = HWC_SHOW_VERSION;
        break;
    default:
        break;
    }
    return status;
}

static int take_probe(struct hwc_options *options, const char *name, struct hwc_error *error)
{
    for (size_t i = 0; hwc_probes[i] != NULL; i++) {
        if (strcmp(name, hwc_probes[i]->name) != 0)
            continue;
        if (options->probes < HWC_MAX_PROBES)
            options->probe[options->probes++] = hwc_probes[i];
        return HWC_OK;
    }
    return hwc_fail(error, HWC_BAD_INPUT, "unknown probe \"%.60s\" (--list names them)", name);
}

int hwc_options_parse(struct hwc_options *options, int argc, char **argv, struct hwc_error *error)
{
    struct option table[ROWS + 1] = {0};
    char letters[2 * ROWS + 8] = ":";
    int letter;

    *options = (struct hwc_options){.backend = "auto", .cpu = -1, .settings = {.votes = 8, .samples = 8, .seed = 1}};
    for (size_t i = 0; i < ROWS; i++) {
        table[i] = (struct option){rows[i].name, rows[i].argument, NULL, rows[i].letter};
        if (rows[i].letter < 256)
            snprintf(letters + strlen(letters), sizeof letters - strlen(letters), "%c%s", rows[i].letter,
                     rows[i].argument == required_argument   ? ":"
                     : rows[i].argument == optional_argument ? "::"
                                                             : "");
    }
    opterr = 0;
    while ((letter = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        int status;
        if (letter == '?' && optopt != 0 && optopt < 256)
            return hwc_fail(error, HWC_BAD_INPUT, "unknown option -%c (--help lists them)", optopt);
        if (letter == '?')
            return hwc_fail(error, HWC_BAD_INPUT, "unknown, ambiguous or misused option %.60s (--help lists them)",
                            argv[optind - 1]);
        if (letter == ':')
            return hwc_fail(error, HWC_BAD_INPUT, "option %.60s needs a value", argv[optind - 1]);
        status = take(options, letter, optarg, error);
        if (status != HWC_OK)
            return status;
    }
    for (int i = optind; i < argc; i++) {
        int status = take_probe(options, argv[i], error);
        if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}
