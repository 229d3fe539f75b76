/* The man page, in mdoc: prose, and texts from the tables. */
#include <string.h>

#include "help.h"
#include "options.h"

/* In mdoc, a backslash begins an escape, a double quote ends an argument, and a hyphen becomes another character. */
static size_t put_word(FILE *stream, const char *word, size_t bytes)
{
    size_t written = 0;

    for (size_t i = 0; i < bytes; i++) {
        const char *escape = word[i] == '\\' ? "\\e" : word[i] == '"' ? "\\(dq" : word[i] == '-' ? "\\-" : NULL;
        if (escape != NULL)
            fputs(escape, stream);
        else
            fputc(word[i], stream);
        written += escape != NULL ? strlen(escape) : 1;
    }
    return written;
}

#define LINE 72

/* Put text on lines of its own, with a new line for each sentence, as mdoc wants it. A period or an apostrophe at the
 * beginning of a line would be a request. */
static void put_prose(FILE *stream, const char *text)
{
    size_t column = 0;

    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        bool ends = text[bytes] == '\0' || (bytes > 0 && text[bytes - 1] == '.');
        if (column > 0 && column + bytes > LINE) {
            fputc('\n', stream);
            column = 0;
        }
        if (column > 0)
            column += (size_t)fprintf(stream, " ");
        else if (*text == '.' || *text == '\'')
            fputs("\\&", stream);
        column += put_word(stream, text, bytes);
        if (ends) {
            fputc('\n', stream);
            column = 0;
        }
        text += bytes + strspn(text + bytes, " ");
    }
}

static void put_option(FILE *stream, const struct hwc_option *option)
{
    const char *argument = option->argument;

    fputs(".It ", stream);
    if (option->letter != 0)
        fprintf(stream, "Fl %c , ", option->letter);
    fprintf(stream, "Fl \\-%s", option->name);
    if (argument[0] == '[')
        fprintf(stream, " Ns Op = Ns Ar %.*s", (int)strcspn(argument + 2, "]"), argument + 2);
    else if (argument[0] == '=')
        fprintf(stream, " Ns = Ns Ar %s", argument + 1);
    fputc('\n', stream);
    put_prose(stream, option->help);
    if (option->manual != NULL) {
        fputs(".Pp\n", stream);
        put_prose(stream, option->manual);
    }
}

static void put_options(FILE *stream)
{
    fputs(".Bl -tag -width Ds\n", stream);
    for (const struct hwc_option *option = hwc_option_table; option->name != NULL; option++)
        if (option->help != NULL)
            put_option(stream, option);
    fputs(".El\n", stream);
}

static void put_probes(FILE *stream)
{
    fputs(".Bl -tag -width Ds\n", stream);
    for (size_t i = 0; hwc_probes[i] != NULL; i++) {
        fprintf(stream, ".It Cm %s\n", hwc_probes[i]->name);
        put_prose(stream, hwc_probes[i]->summary);
        fputs(".Pp\n", stream);
        if (hwc_probes[i]->on_request)
            put_prose(stream, "It runs only when it is named, or with --all.");
        if (hwc_probes[i]->group != NULL)
            fprintf(stream, "The name\n.Cm %s\nstands for it and others.\n", hwc_probes[i]->group);
        put_prose(stream, hwc_probes[i]->source);
    }
    fputs(".El\n", stream);
}

static void put_events(FILE *stream)
{
    fputs(".Bl -tag -width l1d_store_missXX -compact\n", stream);
    for (int i = 0; i < HWC_EVENT_COUNT; i++) {
        fprintf(stream, ".It Cm %s\n", hwc_event_name((enum hwc_event)i));
        put_prose(stream, hwc_event_summary((enum hwc_event)i));
    }
    fputs(".El\n", stream);
}

static const char head[] =
    ".Dd November 23, 2026\n"
    ".Dt HWCHAR 1\n"
    ".Os\n"
    ".Sh NAME\n"
    ".Nm hwchar\n"
    ".Nd measure the memory hierarchy of a machine\n"
    ".Sh SYNOPSIS\n"
    ".Nm\n"
    ".Op Ar option ...\n"
    ".Op Ar probe ...\n"
    ".Sh DESCRIPTION\n"
    ".Nm\n"
    "measures what the caches, TLBs and branch target buffers of a machine\n"
    "really are, from user space, and says for each value how it knows.\n"
    "It asks one question many times, namely what fraction of a walk's\n"
    "references miss at a level, and two witnesses can answer: an event\n"
    "counter, and the clock.\n"
    "A value that is not known is given as unknown, with the reason.\n"
    "All probes run when none is named, but those on request; what a probe\n"
    "needs to know is measured before it.\n"
    ".Sh OPTIONS\n";

static const char output[] =
    ".Sh OUTPUT\n"
    "The text has a line for each level, and one for what is unknown and\n"
    "what would help.\n"
    "It says how many votes agree on a value where not all do, and what the\n"
    "system documents where that differs from what was measured.\n"
    ".Pp\n"
    "The JSON form is described by the schema that\n"
    ".Nm Fl \\-schema\n"
    "prints.\n"
    "Each finding has its value, unit, witness, the votes that agree, and\n"
    "what it cost in seconds; or the value null, a reason, and its kind:\n"
    ".Cm unavailable\n"
    "(it cannot be asked on this machine),\n"
    ".Cm inconclusive\n"
    "(it was asked, and the evidence is not there),\n"
    ".Cm undecided\n"
    "(the votes disagree),\n"
    ".Cm depends\n"
    "(it hangs on another finding that is unknown) or\n"
    ".Cm nothing\n"
    "(there is no such thing).\n"
    ".Cm low\n"
    "and\n"
    ".Cm high\n"
    "are the interval in which the value lies, where that is known.\n"
    ".Pp\n"
    "The HTML form is one page for people: the hierarchy drawn to scale,\n"
    "what differs from what is documented, every curve, and every finding\n"
    "with its evidence.\n"
    ".Sh EVENT MAPS\n"
    "A file for\n"
    ".Fl \\-event\\-map\n"
    "names native counters for events; earlier ones are tried first:\n"
    ".Bd -literal -offset indent\n"
    "{\"schema\": \"hwchar-events/1\",\n"
    " \"events\": {\"l1d_load_miss\": \"skx::MEM_LOAD_RETIRED:L1_MISS\",\n"
    "            \"l2_miss\": [\"r10d1\", \"LLC-load-misses\"]}}\n"
    ".Ed\n"
    ".Pp\n"
    "The events are:\n"
    ".Pp\n";

static const char end[] =
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds -compact\n"
    ".It 0\n"
    "done; values may be unknown all the same\n"
    ".It 1\n"
    "a validation found a difference\n"
    ".It 2\n"
    "bad usage or bad input\n"
    ".It 3\n"
    "what was asked for is not available here\n"
    ".It 130\n"
    "interrupted; what was found so far is written out\n"
    ".El\n"
    ".Sh EXAMPLES\n"
    "This machine, by the clock, and with its counters:\n"
    ".Bd -literal -offset indent\n"
    "hwchar\n"
    "hwchar \\-\\-counters \\-\\-json=profile.json \\-\\-html=report.html\n"
    ".Ed\n"
    ".Pp\n"
    "The caches that callgrind models, exactly:\n"
    ".Bd -literal -offset indent\n"
    "valgrind \\-\\-tool=callgrind \\-\\-cache\\-sim=yes \\-\\-collect\\-atstart=no \\e\n"
    "    hwchar \\-\\-counters=callgrind data_cache\n"
    ".Ed\n";

void hwc_print_manual(FILE *stream)
{
    fputs(head, stream);
    put_options(stream);
    fputs(".Sh PROBES\n", stream);
    put_probes(stream);
    fputs(output, stream);
    put_events(stream);
    fputs(end, stream);
}
