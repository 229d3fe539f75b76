#include "options.h"

#include <getopt.h>
#include <string.h>

enum { MOST_OPTIONS = 40 };
/* The number of an option without a letter, for getopt, is NO_LETTER plus its index in the table. */
#define NO_LETTER 256

struct parser {
    struct option options[MOST_OPTIONS + 1];
    char letters[3 * MOST_OPTIONS + 2];
};

static int argument_of(const struct hwc_option *option)
{
    if (option->argument[0] == '\0')
        return no_argument;
    return option->argument[0] == '[' ? optional_argument : required_argument;
}

static void build(struct parser *parser)
{
    /* The colons that getopt wants after a letter. */
    static const size_t colons[] = {[no_argument] = 0, [required_argument] = 1, [optional_argument] = 2};
    char *end;

    *parser = (struct parser){.letters = ":"};
    end = parser->letters + 1;
    for (int i = 0; i < MOST_OPTIONS && hwc_option_table[i].name != NULL; i++) {
        const struct hwc_option *option = &hwc_option_table[i];
        int number = option->letter != 0 ? option->letter : NO_LETTER + i;
        parser->options[i] = (struct option){option->name, argument_of(option), NULL, number};
        if (option->letter == 0)
            continue;
        *end++ = (char)option->letter;
        memset(end, ':', colons[argument_of(option)]);
        end += colons[argument_of(option)];
    }
}

static const struct hwc_option *option_of(int number)
{
    const struct hwc_option *option = hwc_option_table;

    if (number >= NO_LETTER)
        return &hwc_option_table[number - NO_LETTER];
    while (option->letter != number)
        option++;
    return option;
}

static bool is_named(const struct hwc_options *options, const struct hwc_probe *probe)
{
    for (size_t i = 0; i < options->probes; i++)
        if (options->probe[i] == probe)
            return true;
    return false;
}

/* Is it the probe's name, or its group's? */
static bool means(const char *name, const struct hwc_probe *probe)
{
    return strcmp(name, probe->name) == 0 || (probe->group != NULL && strcmp(name, probe->group) == 0);
}

/* The probes of this name (NULL = all); returns how many there are. */
static size_t add_probes(struct hwc_options *options, const char *name)
{
    size_t found = 0;

    for (size_t i = 0; hwc_probes[i] != NULL; i++) {
        if (name != NULL && !means(name, hwc_probes[i]))
            continue;
        found++;
        if (!is_named(options, hwc_probes[i]) && options->probes < HWC_MAX_PROBES)
            options->probe[options->probes++] = hwc_probes[i];
    }
    return found;
}

static int take_probe(struct hwc_options *options, const char *name, struct hwc_error *error)
{
    if (add_probes(options, name) == 0)
        return hwc_fail(error, HWC_BAD_INPUT, "unknown probe \"%.200s\" (--list names them)", name);
    return HWC_OK;
}

static int refuse(int letter, char **argv, struct hwc_error *error)
{
    if (letter == ':')
        return hwc_fail(error, HWC_BAD_INPUT, "option %.200s needs a value", argv[optind - 1]);
    if (optopt != 0 && optopt < NO_LETTER)
        return hwc_fail(error, HWC_BAD_INPUT, "unknown option -%c (--help lists them)", optopt);
    return hwc_fail(error, HWC_BAD_INPUT, "unknown, ambiguous or misused option %.200s (--help lists them)",
                    argv[optind - 1]);
}

static int check_machine(const struct hwc_machine_request *request, bool all_kinds, struct hwc_error *error)
{
    if (request->machine_file == NULL)
        return HWC_OK;
    if (request->counters && strcmp(request->backend, "auto") != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--counters=%s: a simulated machine counts by itself", request->backend);
    if (request->event_map_file != NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "--event-map: a simulated machine has no native counters");
    if (request->overrides > 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--event: a simulated machine has no native counters");
    if (request->cpu >= 0 || all_kinds)
        return hwc_fail(error, HWC_BAD_INPUT, "--cpu: a simulated machine has none to choose from");
    return HWC_OK;
}

struct named_form {
    const char *name;
    const struct hwc_form *form;
};

/* Two forms would write to the same place. */
static int check_pair(const struct named_form *a, const struct named_form *b, struct hwc_error *error)
{
    const char *first = a->form->file, *second = b->form->file;

    if (!a->form->wanted || !b->form->wanted)
        return HWC_OK;
    if (first == NULL && second == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s and --%s: name a file for one of them", a->name, b->name);
    if (first != NULL && second != NULL && strcmp(first, second) == 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--%s and --%s: both name %.200s", a->name, b->name, first);
    return HWC_OK;
}

static int check_forms(const struct hwc_options *options, struct hwc_error *error)
{
    const struct hwc_form *export = options->export;
    const struct named_form forms[] = {{"json", &options->json},
                                       {"csv", &options->csv},
                                       {"html", &options->html},
                                       {"export=map", &export[HWC_EXPORT_MAP]},
                                       {"export=papi", &export[HWC_EXPORT_PAPI]},
                                       {"export=perf", &export[HWC_EXPORT_PERF]}};
    bool exports = false;

    if (options->csv.wanted && options->action == HWC_SHOW_EVENTS && !options->request.audits)
        return hwc_fail(error, HWC_BAD_INPUT, "--csv: it has findings, and --events asks for none; --json has them");
    if (options->html.wanted && options->request.audits)
        return hwc_fail(error, HWC_BAD_INPUT, "--html: it has no place for an audit; --json and --csv have");
    if (options->all_kinds && (options->csv.wanted || options->html.wanted))
        return hwc_fail(error, HWC_BAD_INPUT, "--%s: it holds one profile, and --cpu=all-kinds makes several; --json has "
                        "them all", options->csv.wanted ? "csv" : "html");
    if (options->validate && options->action == HWC_SHOW_EVENTS)
        return hwc_fail(error, HWC_BAD_INPUT, "--validate: it runs probes, and --events asks for none");
    for (int form = 0; form < HWC_EXPORTS; form++)
        exports = exports || options->export[form].wanted;
    if (exports && options->request.audits)
        return hwc_fail(error, HWC_BAD_INPUT, "--export: it has the events of --events without names of counters");
    if (exports && options->all_kinds)
        return hwc_fail(error, HWC_BAD_INPUT, "--export: it holds the events of one CPU, and --cpu=all-kinds runs on several");
    if (exports && options->request.machine_file != NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "--export: a simulated machine has no native counters");
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (size_t k = 0; k < i; k++)
            TRY(check_pair(&forms[k], &forms[i], error));
    return HWC_OK;
}

int hwc_options_parse(struct hwc_options *options, int argc, char **argv, struct hwc_error *error)
{
    struct parser parser;
    int number;

    *options = (struct hwc_options){.request = {.backend = "auto", .cpu = -1},
                                    .settings = {.votes = 8, .samples = 8, .seed = 1}};
    build(&parser);
    opterr = 0;
    while ((number = getopt_long(argc, argv, parser.letters, parser.options, NULL)) != -1) {
        const struct hwc_option *option;
        if (number == '?' || number == ':')
            return refuse(number, argv, error);
        option = option_of(number);
        TRY(option->take(options, option, optarg, error));
    }
    for (int i = optind; i < argc; i++)
        TRY(take_probe(options, argv[i], error));
    if (options->all)
        add_probes(options, NULL);
    TRY(check_machine(&options->request, options->all_kinds, error));
    return check_forms(options, error);
}
