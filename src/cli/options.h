/* The command line, parsed. */
#ifndef HWC_OPTIONS_H
#define HWC_OPTIONS_H

#include <stdbool.h>

#include "error.h"
#include "lab.h"
#include "probe.h"
#include "schedule.h"

#define HWC_MAX_OVERRIDES 32

/* --event EVENT=NATIVE */
struct hwc_override {
    enum hwc_event event;
    const char *native; /* borrowed from argv */
};

enum hwc_action { HWC_RUN_PROBES, HWC_SHOW_EVENTS, HWC_SHOW_LIST, HWC_SHOW_HELP, HWC_SHOW_VERSION };

struct hwc_options {
    enum hwc_action action;
    bool counters;
    const char *backend; /* "auto" unless named */
    const char *machine_file;
    const char *event_map_file;
    bool json;
    const char *json_file; /* NULL = standard output */
    int cpu;               /* -1 = choose */
    bool allow_hugetlb;
    struct hwc_settings settings;
    unsigned overrides;
    struct hwc_override override[HWC_MAX_OVERRIDES];
    unsigned probes;
    const struct hwc_probe *probe[HWC_MAX_PROBES];
};

/* HWC_BAD_INPUT with one line that names the option. Strings are borrowed from argv. */
int hwc_options_parse(struct hwc_options *options, int argc, char **argv, struct hwc_error *error);

void hwc_print_help(void);
void hwc_print_list(void);

#endif
