/* A session: a machine is opened, probes run on it, and a profile results.
 *
 * It neither prints nor exits: progress goes to a callback, and setting a flag
 * stops it. The command line measures only through this interface; it is meant to
 * become a library. */
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
    const char *core_kind;    /* the name of its kind of core, and a quiet CPU of that kind will do; NULL = `cpu` alone */
    bool allow_hugetlb;
    const char *compiler;       /* NULL = the one that is found */
    const char *compiler_flags; /* NULL = "-O2" */
    bool counters;            /* prefer them to the clock */
    const char *backend;      /* "auto", or a name */
    const char *event_map_file; /* NULL = none */
    bool audits;              /* counters will be audited by their own names */
    unsigned overrides;
    struct hwc_override override[HWC_MAX_OVERRIDES];
};

struct hwc_progress {
    const struct hwc_probe *probe; /* that begins; NULL = the run has ended */
    size_t index, count;           /* it is the index-th of so many, from 0 */
    double seconds;                /* since the session was opened */
};

typedef void (*hwc_progress_callback)(void *context, const struct hwc_progress *progress);

struct hwc_session;

/* Open the machine; the calling thread is bound to a CPU until the session is
 * closed. `stop` (NULL = never) is borrowed: once it is not 0, whatever is
 * running ends with HWC_INTERRUPTED. If this fails there is nothing to close. */
int hwc_session_open(struct hwc_session **session, const struct hwc_machine_request *request,
                     const struct hwc_settings *settings, const volatile sig_atomic_t *stop, struct hwc_error *error);

/* Test every event that the machine can count with references whose misses are
 * known. Does nothing without counters. A run does this first by itself. */
int hwc_session_qualify(struct hwc_session *session, struct hwc_error *error);

/* How many events the core's PMU counts at once, and who may hold another counter; "" if that is not known. To be asked
 * before any event is counted: what is attached takes a counter. */
void hwc_session_free_counters(const struct hwc_session *session, char text[HWC_MESSAGE]);

/* Audit the counters of these names, or, if there is none, all that are named for their meanings. */
int hwc_session_audit(struct hwc_session *session, const char *const *names, unsigned count, struct hwc_error *error);

/* Before it runs: let the clock answer although the machine was opened with its counters. By the records of a run with
 * these, their events count in the clock's own walks (own_walks.h). */
int hwc_session_count_beside(struct hwc_session *session, const struct hwc_event_record records[HWC_EVENT_COUNT],
                             struct hwc_error *error);

/* Run these probes (none = all) and those that they need, but none twice. What
 * was found before a failure, or before HWC_INTERRUPTED, is in the profile. */
int hwc_session_run(struct hwc_session *session, const struct hwc_probe *const *probes, size_t count,
                    hwc_progress_callback progress, void *context, struct hwc_error *error);

/* What was found so far. Owned by the session; valid until it runs again or is closed. */
const struct hwc_profile *hwc_session_profile(struct hwc_session *session);

/* The same, but the caller's to free (hwc_profile_free); the session can only be closed then. Also what is documented. */
struct hwc_profile *hwc_session_take_profile(struct hwc_session *session, struct hwc_documented *documented);

/* Can it ask counters, or the clock? */
bool hwc_session_has(const struct hwc_session *session, enum hwc_witness_kind witness);

/* Let it spend half of what it may, before it runs: another one spends the rest. */
void hwc_session_halve_budget(struct hwc_session *session);

/* Does nothing for NULL. */
void hwc_session_close(struct hwc_session *session);

#endif
