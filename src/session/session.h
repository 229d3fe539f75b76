/* A session: a machine is opened, probes run on it, a profile comes of it.
 *
 * It prints nothing and ends nothing: how far it is goes to a callback, and who
 * wants it to stop sets a flag. The command line uses nothing else; a library
 * will be this. */
#ifndef HWC_SESSION_H
#define HWC_SESSION_H

#include <signal.h>
#include <stdbool.h>

#include "error.h"
#include "event.h"
#include "probe.h"
#include "profile.h"
#include "settings.h"

enum { HWC_MAX_OVERRIDES = 32 };

/* A native counter that the user names for an event. */
struct hwc_override {
    enum hwc_event event;
    const char *native; /* borrowed */
};

/* Which machine. All text is borrowed. */
struct hwc_machine_request {
    const char *machine_file; /* of a simulated machine; NULL = the one that this runs on */
    int cpu;                  /* -1 = a quiet one */
    bool allow_hugetlb;
    bool counters;            /* ask them before the clock */
    const char *backend;      /* "auto", or which */
    const char *event_map_file; /* NULL = none */
    unsigned overrides;
    struct hwc_override override[HWC_MAX_OVERRIDES];
};

struct hwc_progress {
    const struct hwc_probe *probe; /* that begins; NULL = all are done */
    size_t index, count;           /* it is the index-th of so many, from 0 */
    double seconds;                /* since the session was opened */
};

typedef void (*hwc_progress_callback)(void *context, const struct hwc_progress *progress);

struct hwc_session;

/* Open the machine; the calling thread is bound to a CPU until the session is
 * closed. `stop` (NULL = never) is borrowed: from when it is not 0 on, what runs
 * ends with HWC_INTERRUPTED. Where this fails there is nothing to close. */
int hwc_session_open(struct hwc_session **session, const struct hwc_machine_request *request,
                     const struct hwc_settings *settings, const volatile sig_atomic_t *stop, struct hwc_error *error);

/* Hold every event that the machine can count against references whose misses
 * are known; with counters only. A run does this first by itself. */
int hwc_session_qualify(struct hwc_session *session, struct hwc_error *error);

/* Run these probes (none = all) and those that they need, but none twice. What
 * was found before a fault, or before HWC_INTERRUPTED, is in the profile. */
int hwc_session_run(struct hwc_session *session, const struct hwc_probe *const *probes, size_t count,
                    hwc_progress_callback progress, void *context, struct hwc_error *error);

/* What was found so far: the session's, good until it runs again or is closed. */
const struct hwc_profile *hwc_session_profile(struct hwc_session *session);

/* NULL is nothing to close. */
void hwc_session_close(struct hwc_session *session);

#endif
