/* The parsed command line. One table drives parsing, --help and the man page. */
#ifndef HWC_OPTIONS_H
#define HWC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "export.h"
#include "schedule.h"
#include "session.h"

enum hwc_action {
    HWC_RUN_PROBES,
    HWC_SHOW_EVENTS,
    HWC_SHOW_LIST,
    HWC_SHOW_HELP,
    HWC_SHOW_VERSION,
    HWC_SHOW_SCHEMA,
    HWC_SHOW_MANUAL,
    HWC_ACTIONS
};

enum { HWC_MOST_NAMES = 64, HWC_NAMES_TEXT = 8192 };

/* Counters that --events names; none = all that are named for their meanings. */
struct hwc_audit_request {
    unsigned names;
    const char *name[HWC_MOST_NAMES]; /* in text */
    char text[HWC_NAMES_TEXT];
};

/* A format that the profile is written in. */
struct hwc_form {
    bool wanted;
    const char *file; /* NULL = standard output */
};

/* Text is borrowed from argv. */
struct hwc_options {
    enum hwc_action action;
    struct hwc_machine_request request;
    struct hwc_settings settings;
    struct hwc_audit_request audit;
    struct hwc_form json, csv, html;
    struct hwc_form export[HWC_EXPORTS]; /* of events that can be believed */
    bool all_kinds; /* of cores: a run on each */
    bool verbose;
    bool validate;
    bool all; /* probes: those on request, too */
    size_t probes; /* named; 0 = all */
    const struct hwc_probe *probe[HWC_MAX_PROBES];
};

struct hwc_option {
    const char *name;
    int letter;           /* the short option; 0 = none */
    const char *argument; /* "" = none, "=FILE" = required, "[=FILE]" = optional */
    const char *help;     /* one line; NULL = not for users */
    const char *manual;   /* further text of the man page; NULL = none */
    int (*take)(struct hwc_options *options, const struct hwc_option *option, const char *argument,
                struct hwc_error *error);
    size_t member;          /* offset of the member that it sets, if it only sets one */
    enum hwc_action action; /* the action that it asks for, if it asks for one */
};

/* Ends with a row without a name. */
extern const struct hwc_option hwc_option_table[];

/* HWC_BAD_INPUT with a one-line message that names the option. */
int hwc_options_parse(struct hwc_options *options, int argc, char **argv, struct hwc_error *error);

#endif
