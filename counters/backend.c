#include "backend.h"

#include <stdio.h>
#include <string.h>

#include "tables.h"

extern const struct ctr_backend ctr_backend_papi;
extern const struct ctr_backend ctr_backend_perf;
extern const struct ctr_backend ctr_backend_callgrind;
extern const struct ctr_backend ctr_backend_uncore;

const struct ctr_backend *const ctr_backends[] = {&ctr_backend_callgrind, &ctr_backend_papi, &ctr_backend_perf,
                                                  &ctr_backend_uncore, NULL};

const struct ctr_backend *ctr_backend_by_name(const char *name)
{
    for (int i = 0; ctr_backends[i] != NULL; i++)
        if (strcmp(ctr_backends[i]->name, name) == 0)
            return ctr_backends[i];
    return NULL;
}

/* A way to count an event. */
struct way {
    const struct ctr_opened *by;
    const char *native; /* NULL: it has a raw code only */
    const char *raw;    /* the same in another spelling, for a library that does not know the name; or NULL */
    const char *quality;
};

static const char by_user[] = "named by the user";

/* Each of these finds the n-th way, or counts n down by those that it has. */
static bool nth_of_user(const struct ctr_counters *counters, enum hwc_event event, unsigned *n, struct way *way)
{
    const struct ctr_event_map *user = counters->user;

    for (unsigned i = 0; i < user->count; i++)
        for (unsigned b = 0; user->mapping[i].event == event && b < counters->backends; b++)
            if ((*n)-- == 0) {
                *way = (struct way){&counters->opened[b], user->mapping[i].native, NULL, by_user};
                return true;
            }
    return false;
}

static bool core_has(const struct ctr_core_pmu *core, const struct ctr_native *native)
{
    return native->listed == NULL || ctr_core_pmu_lists(core, native->listed);
}

static const char *family_of(const struct ctr_opened *opened)
{
    return opened->backend->family(opened->session);
}

static bool nth_of_table(const struct ctr_counters *counters, enum hwc_event event, unsigned *n, struct way *way)
{
    for (unsigned b = 0; b < counters->backends; b++) {
        const struct ctr_family *family = ctr_family_by_name(family_of(&counters->opened[b]));
        const struct ctr_native *native = family != NULL ? family->natives : NULL;
        for (; native != NULL && native->event != HWC_NO_EVENT; native++)
            if (native->event == event && core_has(&counters->core, native) && (*n)-- == 0) {
                *way = (struct way){&counters->opened[b], native->native, native->raw, native->quality};
                return true;
            }
    }
    return false;
}

static bool nth_of_backends(const struct ctr_counters *counters, enum hwc_event event, unsigned *n, struct way *way)
{
    for (unsigned b = 0; b < counters->backends; b++) {
        const struct ctr_opened *opened = &counters->opened[b];
        *way = (struct way){.by = opened, .quality = ""};
        for (unsigned i = 0;; i++) {
            way->native = opened->backend->candidate(opened->session, event, i, &way->quality);
            if (way->native == NULL)
                break;
            if ((*n)-- == 0)
                return true;
        }
    }
    return false;
}

/* The order: the user's, those in the family's table, the backends' own. */
static bool nth_way(const struct ctr_counters *counters, enum hwc_event event, unsigned n, struct way *way)
{
    return nth_of_user(counters, event, &n, way) || nth_of_table(counters, event, &n, way) ||
           nth_of_backends(counters, event, &n, way);
}

/* Nothing stays attached, and takes none of the PMU's places. */
static void leave(struct ctr_counters *counters)
{
    const struct ctr_opened *by = counters->by;

    if (by != NULL && by->backend->detach != NULL)
        by->backend->detach(by->session);
    counters->by = NULL;
    counters->attached = HWC_NO_EVENT;
    counters->user_page = (struct ctr_user_page){0};
}

static int attach_to(struct ctr_counters *counters, const struct ctr_opened *opened, enum hwc_event event,
                     const char *native, struct hwc_error *error)
{
    const struct ctr_opened by = *opened;

    leave(counters);
    if (strlen(native) >= sizeof counters->native)
        return hwc_fail(error, HWC_UNAVAILABLE, "the name has more than %d characters", HWC_NATIVE_NAME - 1);
    TRY(by.backend->attach(by.session, native, error));
    counters->by = opened;
    counters->attached = event;
    if (by.backend->user_page != NULL)
        counters->user_page = by.backend->user_page(by.session);
    snprintf(counters->native, sizeof counters->native, "%s", native);
    return HWC_OK;
}

static const struct ctr_opened *opened_as(const struct ctr_counters *counters, const char *name)
{
    for (unsigned i = 0; i < counters->backends; i++)
        if (strcmp(counters->opened[i].backend->name, name) == 0)
            return &counters->opened[i];
    return NULL;
}

int ctr_attach(struct ctr_counters *counters, enum hwc_event event, const char *backend, const char *native,
               struct hwc_error *error)
{
    const struct ctr_opened *opened = opened_as(counters, backend);

    if (opened == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s is not open", backend);
    if (counters->attached == event && counters->by == opened && strcmp(counters->native, native) == 0)
        return HWC_OK;
    return attach_to(counters, opened, event, native, error);
}

/* By its name, or else by its code; `native` says which. */
static int attach_way(struct ctr_counters *counters, enum hwc_event event, const struct way *way, const char **native,
                      struct hwc_error *error)
{
    *native = way->native;
    if (way->native != NULL) {
        int status = attach_to(counters, way->by, event, way->native, error);
        if (status == HWC_OK || way->raw == NULL)
            return status;
    }
    *native = way->raw;
    return attach_to(counters, way->by, event, way->raw, error);
}

static const char *erratum_of(const struct way *way)
{
    const char *family = family_of(way->by);
    const char *why = way->native != NULL ? ctr_erratum(family, way->native) : NULL;

    return why != NULL || way->raw == NULL ? why : ctr_erratum(family, way->raw);
}

/* Try a way by attaching it, or say why not; `native` says by which name. */
static int try_way(struct ctr_counters *counters, enum hwc_event event, const struct way *way, const char **native,
                   struct hwc_error *error)
{
    const char *erratum = way->quality != by_user ? erratum_of(way) : NULL;

    *native = way->native != NULL ? way->native : way->raw;
    if (erratum != NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s", erratum);
    return attach_way(counters, event, way, native, error);
}

static void refuse(struct hwc_event_source *source, const char *native, const char *cause)
{
    hwc_write(source->reason, sizeof source->reason, "%s: %s", native, cause);
    source->cause_at = strlen(native) + strlen(": ");
}

static void describe(const struct ctr_counters *counters, const struct way *way, struct hwc_event_source *source)
{
    const struct ctr_backend *backend = way->by->backend;
    const char *remark = backend->remark != NULL ? backend->remark(way->by->session) : NULL;

    source->available = true;
    source->reason[0] = '\0';
    source->cause_at = 0;
    source->backend = backend->name;
    snprintf(source->counter, sizeof source->counter, "%s", counters->native);
    hwc_write(source->quality, sizeof source->quality, "%s%s%s", way->quality, remark != NULL ? "; " : "",
              remark != NULL ? remark : "");
}

void ctr_source(struct ctr_counters *counters, enum hwc_event event, unsigned rank, struct hwc_event_source *source)
{
    const char *native;
    struct hwc_error error;
    struct way way;

    *source = (struct hwc_event_source){0};
    if (counters->backends == 0) {
        hwc_write(source->reason, sizeof source->reason, "%s", counters->why_none);
        return;
    }
    snprintf(source->reason, sizeof source->reason, "no native counter is known for it here; --event=EVENT=COUNTER names one");
    for (unsigned n = 0; nth_way(counters, event, n, &way); n++)
        if (try_way(counters, event, &way, &native, &error) != HWC_OK) {
            if (n == 0) /* it would have been the best */
                refuse(source, native, error.message);
        } else if (rank-- == 0) {
            describe(counters, &way, source);
            return;
        }
}

/* Can any cache-miss event be attached? */
static bool counts_something(struct ctr_counters *counters)
{
    struct hwc_event_source source;

    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++)
        for (const enum hwc_event *event = hwc_data_miss_events(level); *event != HWC_NO_EVENT; event++) {
            ctr_source(counters, *event, 0, &source);
            if (source.available)
                return true;
        }
    return false;
}

/* What the user named is wanted even if no cache miss can be counted. */
static bool counts_named(struct ctr_counters *counters)
{
    struct hwc_event_source source;

    for (unsigned i = 0; i < counters->user->count; i++) {
        ctr_source(counters, counters->user->mapping[i].event, 0, &source);
        if (source.available)
            return true;
    }
    return false;
}

/* Open one backend alone. *counts: it counts something; if not, `why_none` says why not. */
static int open_backend(struct ctr_counters *counters, const struct ctr_backend *backend, int cpu, bool *counts,
                        struct hwc_error *error)
{
    struct hwc_event_source source;

    counters->backends = 0;
    TRY(backend->open(&counters->opened[0].session, cpu, &counters->core, error));
    counters->opened[0].backend = backend;
    counters->backends = 1;
    *counts = counts_something(counters);
    if (*counts)
        return HWC_OK;
    ctr_source(counters, HWC_L1D_LOAD_MISS, 0, &source);
    hwc_write(counters->why_none, sizeof counters->why_none, "%s", source.reason);
    return HWC_OK;
}

/* What is attached stays with the one that it is taken from: it goes first. */
static void take_over(struct ctr_counters *all, struct ctr_counters *one)
{
    leave(one);
    all->opened[all->backends++] = one->opened[0];
}

/* A cache model counts all that there is. */
static bool is_enough(const struct ctr_counters *counters)
{
    return counters->backends > 0 && counters->opened[0].backend->documented != NULL;
}

static void open_all(struct ctr_counters *counters, const struct ctr_request *request)
{
    bool any = false;

    for (int i = 0; ctr_backends[i] != NULL && !is_enough(counters); i++) {
        struct ctr_counters one = {.user = counters->user, .core = counters->core, .attached = HWC_NO_EVENT};
        struct hwc_error refusal = {0};
        bool counts = false;
        if (open_backend(&one, ctr_backends[i], request->cpu, &counts, &refusal) != HWC_OK) {
            if (strcmp(ctr_backends[i]->name, "perf") == 0 || counters->why_none[0] == '\0')
                hwc_write(counters->why_none, sizeof counters->why_none, "%s", refusal.message);
            continue;
        }
        if (!counts)
            hwc_write(counters->why_none, sizeof counters->why_none, "%s", one.why_none);
        if (counts || request->keep_all || counts_named(&one))
            take_over(counters, &one);
        else
            ctr_close(&one);
        any |= counts;
    }
    if (any)
        counters->why_none[0] = '\0';
}

int ctr_open(struct ctr_counters *counters, const struct ctr_request *request, struct hwc_error *error)
{
    bool counts;

    *counters = (struct ctr_counters){.user = request->user, .attached = HWC_NO_EVENT};
    if (strcmp(request->backend, "none") == 0) {
        hwc_write(counters->why_none, sizeof counters->why_none, "--counters=none asked for none");
        return HWC_OK;
    }
    ctr_find_core_pmu(request->cpu, &counters->core);
    if (strcmp(request->backend, "auto") != 0) {
        int status = open_backend(counters, ctr_backend_by_name(request->backend), request->cpu, &counts, error);
        return status == HWC_OK ? HWC_OK : hwc_context(error, "--counters=%s", request->backend);
    }
    open_all(counters, request);
    return HWC_OK;
}

void ctr_close(struct ctr_counters *counters)
{
    for (unsigned i = 0; i < counters->backends; i++)
        counters->opened[i].backend->close(counters->opened[i].session);
    counters->backends = 0;
    counters->by = NULL;
    counters->attached = HWC_NO_EVENT;
    counters->user_page = (struct ctr_user_page){0};
}
