/* The CPU that we run on, behind the core's machine interface.
 *
 * Opening pins the calling thread to one CPU; closing restores its affinity. */
#ifndef HWC_NATIVE_H
#define HWC_NATIVE_H

#include <stdbool.h>

#include "error.h"
#include "event.h"
#include "machine.h"
#include "host_record.h"

enum { NATIVE_MAX_OVERRIDES = 32 };

struct native_override {
    enum hwc_event event;
    const char *native;
};

struct native_request {
    int cpu; /* -1 = choose a quiet one */
    bool any_of_kind; /* or any of the same kind of core as `cpu` */
    bool allow_hugetlb;
    const char *compiler;       /* NULL = the one that is found */
    const char *compiler_flags; /* NULL = "-O2" */
    bool counters;       /* false: no backend is opened; page faults are still counted */
    const char *backend; /* "auto", or a name */
    const char *event_map_file;
    bool audits;         /* counters will be asked for by their own names */
    unsigned overrides;
    struct native_override override[NATIVE_MAX_OVERRIDES];
};

int native_machine_open(struct hwc_machine **machine, const struct native_request *request, struct hwc_host *host,
                        struct hwc_error *error);

#endif
