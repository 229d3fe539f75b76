/* The counter middle layer: one header for all backends.
 *
 * A backend counts one event at a time, on the calling thread, between start
 * and stop. Nothing is multiplexed: different events are counted in separate
 * runs. A reading tells whether its counter ran all the time; if not, the
 * sample is dropped, never scaled. */
#ifndef HWC_COUNTERS_BACKEND_H
#define HWC_COUNTERS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core_pmu.h"
#include "error.h"
#include "event.h"
#include "event_map.h"
#include "machine.h"
#include "user_page.h"

struct ctr_session; /* a backend's own */

struct ctr_reading {
    double value;
    bool whole; /* the counter ran from start to stop */
};

struct ctr_backend {
    const char *name;
    /* HWC_UNAVAILABLE, with one sentence that says what to do, if it cannot run here. */
    int (*open)(struct ctr_session **session, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error);
    void (*close)(struct ctr_session *session);
    /* Attach a native counter in place of the one attached before. A hardware
     * counter is started and stopped once: one that is listed may not be available. */
    int (*attach)(struct ctr_session *session, const char *native, struct hwc_error *error);
    /* Leave nothing attached. NULL = that costs nothing. */
    void (*detach)(struct ctr_session *session);
    int (*start)(struct ctr_session *session, struct hwc_error *error);
    int (*stop)(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error);
    /* The backend's own candidates for an event, besides the user's and the
     * tables', best first: i = 0, 1, ...; NULL when there are none left. */
    const char *(*candidate)(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality);
    /* The i-th counter that has a name for its meaning: PAPI's presets, the kernel's generic events. NULL = none left.
     * The function may be NULL. */
    const char *(*listed)(struct ctr_session *session, unsigned i);
    /* What the counter of this name is made of, and what its maker says of it; leaves empty what is not known. May be
     * NULL. */
    void (*define)(struct ctr_session *session, const char *native, struct hwc_listed *listed);
    /* The family whose event table applies ("skx", "arm_n1"), or NULL. */
    const char *(*family)(struct ctr_session *session);
    /* What else the attached counter counts, in a few words; NULL = nothing. The function may be NULL. */
    const char *(*remark)(struct ctr_session *session);
    /* Where the attached counter is read without the kernel; no page if it cannot be. The function may be NULL. */
    struct ctr_user_page (*user_page)(struct ctr_session *session);
    /* Does it count on a cache model, not on the machine's caches? Then fills in the model's geometry. May be NULL. */
    bool (*documented)(struct ctr_session *session, struct hwc_documented *documented);
};

/* All backends, in the order in which `auto` tries them; ends with NULL. */
extern const struct ctr_backend *const ctr_backends[];

const struct ctr_backend *ctr_backend_by_name(const char *name);

enum { CTR_MOST_BACKENDS = 4 };

struct ctr_opened {
    const struct ctr_backend *backend;
    struct ctr_session *session;
};

/* The open backends, best first, and the counter that is attached to one of them. */
struct ctr_counters {
    unsigned backends; /* 0 = nothing is counted */
    struct ctr_opened opened[CTR_MOST_BACKENDS];
    const struct ctr_opened *by; /* which has a counter attached; NULL = none */
    const struct ctr_event_map *user; /* borrowed */
    struct ctr_core_pmu core;
    enum hwc_event attached;
    char native[HWC_NATIVE_NAME];
    char why_none[HWC_MESSAGE];
    /* Of what is attached, where it is read without the kernel. */
    struct ctr_user_page user_page;
    struct ctr_user_reading begin;
    bool begun_by_page;
};

struct ctr_request {
    const char *backend; /* "auto", or a name */
    int cpu;
    const struct ctr_event_map *user;
    bool keep_all; /* "auto" keeps each backend that opens: counters will be asked for by their own names */
};

/* Open the backend that was asked for, or for "auto" all that can really count
 * cache misses: what one cannot count, the next may. It is no error if "auto" finds
 * none: `why_none` says in one line why, and what would help. */
int ctr_open(struct ctr_counters *counters, const struct ctr_request *request, struct hwc_error *error);
void ctr_close(struct ctr_counters *counters);

/* Find the rank-th way to count the event, from 0, among those that can be attached. Each is tried by attaching it;
 * `by`, `attached` and `native` say what is left attached. */
void ctr_source(struct ctr_counters *counters, enum hwc_event event, unsigned rank, struct hwc_event_source *source);

/* The i-th of all backends' counters that have names for their meanings, and the counter of this name of the first
 * backend that can count it: whether it can be attached, and by whom. */
bool ctr_listed(struct ctr_counters *counters, unsigned i, struct hwc_listed *listed);
void ctr_named(struct ctr_counters *counters, const char *name, struct hwc_listed *listed);

/* Attach a backend's native counter for an event, in place of what is attached; nothing is done if it already is. */
int ctr_attach(struct ctr_counters *counters, enum hwc_event event, const char *backend, const char *native,
               struct hwc_error *error);

/* Of what is attached. In line, and the page first: a call through a pointer would be measured, too. `instruction`: as
 * in ctr_read_page_by. */
static inline __attribute__((always_inline)) int ctr_start_by(uint64_t (*instruction)(uint32_t),
                                                              struct ctr_counters *counters, struct hwc_error *error)
{
    counters->begun_by_page = counters->user_page.page != NULL &&
                              ctr_read_page_by(instruction, counters->user_page.page, &counters->begin);
    return counters->begun_by_page ? HWC_OK : counters->by->backend->start(counters->by->session, error);
}

static inline __attribute__((always_inline)) int ctr_stop_by(uint64_t (*instruction)(uint32_t),
                                                             const struct ctr_counters *counters,
                                                             struct ctr_reading *reading, struct hwc_error *error)
{
    struct ctr_user_reading end = counters->begin;

    if (!counters->begun_by_page)
        return counters->by->backend->stop(counters->by->session, reading, error);
    reading->whole = ctr_read_page_by(instruction, counters->user_page.page, &end);
    reading->value = ctr_counted_between(&counters->user_page, &counters->begin, &end);
    return HWC_OK;
}

static inline int ctr_start(struct ctr_counters *counters, struct hwc_error *error)
{
    return ctr_start_by(ctr_read_pmc, counters, error);
}

static inline int ctr_stop(const struct ctr_counters *counters, struct ctr_reading *reading, struct hwc_error *error)
{
    return ctr_stop_by(ctr_read_pmc, counters, reading, error);
}

#endif
