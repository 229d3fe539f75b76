/* Counting the misses of a last level that cores share, by PMUs outside the cores.
 *
 * They count for the whole system, on one CPU of each package or complex, and what all cores do that share the cache:
 * the count of a walk is that of its own misses only as long as others miss little. So each reading is held against as
 * long a time, at most a millisecond, in which this program does nothing: where others miss then, the reading was
 * disturbed. AMD's PMU can leave out what other cores do, which is tried first. */
#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_pmu.h"
#include "identity.h"
#include "perf_reason.h"
#include "perf_terms.h"
#include "seconds.h"
#include "uncore_ways.h"

/* Of others, in a reading: a reference that hits the level takes ten nanoseconds or more, so a miss in four
 * microseconds is at most one in four hundred references. */
static const struct {
    double idle_seconds;   /* of the first look at what others do */
    double most_seconds;   /* of the look after each reading */
    double always, share;  /* misses, and of those counted */
    double a_second;
} allowed = {2e-3, 1e-3, 64, 0.02, 0.25e6};

struct counts {
    double value;
    bool whole;
    double at; /* seconds */
};

struct ctr_session {
    int cpu;
    struct ctr_core_pmu core;
    const char *family;
    struct ctr_unit unit[CTR_MOST_UNITS];
    int descriptor[CTR_MOST_UNITS]; /* of what is attached */
    unsigned attached;
    struct counts begin;
    char candidate[HWC_NATIVE_NAME];
    char remark[64];
};

static void detach(struct ctr_session *session)
{
    while (session->attached > 0)
        close(session->descriptor[--session->attached]);
}

static void close_session(struct ctr_session *session)
{
    detach(session);
    free(session);
}

static int refuse(const struct ctr_unit *unit, struct hwc_error *error)
{
    char reason[400];
    int refusal = errno;

    if (refusal == EACCES)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "%s counts what all cores do, and perf_event_paranoid is %d, which forbids that; sysctl "
                        "kernel.perf_event_paranoid=0, or CAP_PERFMON, allows it",
                        unit->name, ctr_perf_paranoid());
    ctr_perf_reason(refusal, ctr_perf_paranoid(), reason, sizeof reason);
    return hwc_fail(error, HWC_UNAVAILABLE, "%s: %s", unit->name, reason);
}

/* `terms`: with their slashes. */
static int open_unit(struct ctr_session *session, const struct ctr_unit *unit, const char *terms,
                     struct hwc_error *error)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .pinned = 1,
    };
    char native[HWC_NATIVE_NAME + sizeof unit->name];
    int descriptor;

    snprintf(native, sizeof native, "%s%s", unit->name, terms);
    TRY(ctr_encode_terms(&session->core, native, &attributes, error));
    descriptor = (int)syscall(SYS_perf_event_open, &attributes, -1, unit->cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0)
        return refuse(unit, error);
    session->descriptor[session->attached++] = descriptor;
    return HWC_OK;
}

static int open_units(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    const char *slash = ctr_is_of_terms(native) ? strchr(native, '/') : NULL;
    char kind[64];
    unsigned units;

    detach(session);
    if (slash == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "a counter of a shared cache is spelled PMU/terms/");
    snprintf(kind, sizeof kind, "%.*s", (int)(slash - native), native);
    units = ctr_find_units(kind, session->cpu, session->unit);
    if (units == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "there is no PMU %s here that counts for all CPUs", kind);
    for (unsigned i = 0; i < units; i++)
        TRY(open_unit(session, &session->unit[i], slash, error));
    return HWC_OK;
}

static int add_up(const struct ctr_session *session, struct counts *counts, struct hwc_error *error)
{
    struct {
        uint64_t value, enabled, running;
    } one;

    *counts = (struct counts){.whole = true, .at = hwc_seconds(CLOCK_MONOTONIC)};
    for (unsigned i = 0; i < session->attached; i++) {
        ssize_t got = read(session->descriptor[i], &one, sizeof one);
        if (got == 0)
            return hwc_fail(error, HWC_UNAVAILABLE, "%s: its counters are taken by others", session->unit[i].name);
        if (got != (ssize_t)sizeof one)
            return hwc_fail(error, HWC_SYSTEM, "reading a counter: %s", strerror(errno));
        counts->value += (double)one.value;
        counts->whole = counts->whole && one.running == one.enabled;
    }
    return HWC_OK;
}

/* What is counted while this program does nothing, for so long from a reading on. */
static int count_idle(const struct ctr_session *session, const struct counts *begin, double seconds, double *value,
                      struct hwc_error *error)
{
    struct counts end;

    while (hwc_seconds(CLOCK_MONOTONIC) < begin->at + seconds)
        ;
    TRY(add_up(session, &end, error));
    *value = end.value - begin->value;
    return HWC_OK;
}

static int start(struct ctr_session *session, struct hwc_error *error)
{
    return add_up(session, &session->begin, error);
}

static int stop(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error)
{
    struct counts end;
    double took, looked, others;

    TRY(add_up(session, &end, error));
    took = end.at - session->begin.at;
    looked = took < allowed.most_seconds ? took : allowed.most_seconds;
    TRY(count_idle(session, &end, looked, &others, error));
    others *= took / looked;
    reading->value = end.value - session->begin.value;
    reading->whole = session->begin.whole && end.whole &&
                     (others <= allowed.always || others <= allowed.share * reading->value ||
                      others <= allowed.a_second * took);
    return HWC_OK;
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    double idle = 0;
    int status = open_units(session, native, error);

    if (status == HWC_OK)
        status = start(session, error);
    if (status == HWC_OK)
        status = count_idle(session, &session->begin, allowed.idle_seconds, &idle, error);
    if (status != HWC_OK) {
        detach(session);
        return status;
    }
    snprintf(session->remark, sizeof session->remark, "%.0f in an idle ms", 1e-3 * idle / allowed.idle_seconds);
    return HWC_OK;
}

/* In how many ways its kind of PMU counts it here: by the terms alone, and before that by `own`, which leaves out other
 * cores, where the PMU can. */
static unsigned count_ways(struct ctr_session *session, const struct ctr_uncore_way *way, char *own, size_t size)
{
    struct ctr_place place;

    own[0] = '\0';
    if (!ctr_is_uncore_way_of(way, session->family) || ctr_find_units(way->kind, session->cpu, session->unit) == 0)
        return 0;
    if (ctr_find_place(session->cpu, &place))
        ctr_own_terms(session->unit[0].name, &place, own, size);
    return own[0] != '\0' ? 2 : 1;
}

static const char *candidate(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality)
{
    for (const struct ctr_uncore_way *way = ctr_uncore_ways; way->kind != NULL; way++) {
        char own[96];
        unsigned ways = way->event == event ? count_ways(session, way, own, sizeof own) : 0;
        bool alone = ways == 2 && i == 0;
        if (i < ways) {
            snprintf(session->candidate, sizeof session->candidate, "%s/%s%s/", way->kind, way->terms,
                     alone ? own : "");
            *quality = alone ? "this core's requests" : way->quality;
            return session->candidate;
        }
        i -= ways;
    }
    return NULL;
}

static bool is_any(struct ctr_session *session)
{
    for (const struct ctr_uncore_way *way = ctr_uncore_ways; way->kind != NULL; way++)
        if (ctr_find_units(way->kind, session->cpu, session->unit) > 0)
            return true;
    return false;
}

/* Before anything is counted: are there such PMUs, and may they be used? The user may know codes for a CPU that we do
 * not know. */
static int try_any(struct ctr_session *session, struct hwc_error *error)
{
    const char *quality, *native;
    bool tried = false;

    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        for (unsigned i = 0; (native = candidate(session, (enum hwc_event)event, i, &quality)) != NULL; i++) {
            int status = open_units(session, native, error);
            detach(session);
            tried = true;
            if (status == HWC_OK)
                return HWC_OK;
        }
    if (tried)
        return HWC_UNAVAILABLE; /* error says why the last, plainest one was refused */
    if (is_any(session))
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE, "the kernel shows no PMU of a cache that cores share");
}

static int open_session(struct ctr_session **out, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct ctr_session *session = calloc(1, sizeof *session);
    int status;

    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    session->cpu = cpu;
    session->core = *core;
    session->family = ctr_cpu_family(cpu, core);
    status = try_any(session, error);
    if (status != HWC_OK) {
        close_session(session);
        return status;
    }
    *out = session;
    return HWC_OK;
}

static const char *remark(struct ctr_session *session)
{
    return session->remark;
}

static const char *family(struct ctr_session *session)
{
    (void)session;
    return NULL; /* the cores' tables are not of these PMUs */
}

extern const struct ctr_backend ctr_backend_uncore;
const struct ctr_backend ctr_backend_uncore = {
    .name = "uncore",
    .open = open_session,
    .close = close_session,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .candidate = candidate,
    .family = family,
    .remark = remark,
};
