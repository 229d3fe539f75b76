#include "backend.h"

#include <stdio.h>
#include <string.h>

#include "tables.h"

extern const struct ctr_backend ctr_backend_papi;
extern const struct ctr_backend ctr_backend_perf;
extern const struct ctr_backend ctr_backend_callgrind;

const struct ctr_backend *const ctr_backends[] = {&ctr_backend_callgrind, &ctr_backend_papi, &ctr_backend_perf, NULL};

const struct ctr_backend *ctr_backend_by_name(const char *name)
{
    for (int i = 0; ctr_backends[i] != NULL; i++)
        if (strcmp(ctr_backends[i]->name, name) == 0)
            return ctr_backends[i];
    return NULL;
}

/* A way to count an event. The order: the user's, those in the family's table, the backend's own. */
struct way {
    const char *native; /* NULL: it has a raw code only */
    const char *raw;    /* the same in another spelling, for a library that does not know the name; or NULL */
    const char *quality;
};

static bool core_has(const struct ctr_core_pmu *core, const struct ctr_native *native)
{
    return native->listed == NULL || ctr_core_pmu_lists(core, native->listed);
}

static bool nth_way(const struct ctr_counters *counters, enum hwc_event event, unsigned n, struct way *way)
{
    const struct ctr_family *family = ctr_family_by_name(counters->backend->family(counters->session));

    for (unsigned i = 0; i < counters->user->count; i++)
        if (counters->user->mapping[i].event == event && n-- == 0) {
            *way = (struct way){counters->user->mapping[i].native, NULL, "named by the user"};
            return true;
        }
    for (const struct ctr_native *native = family != NULL ? family->natives : NULL;
         native != NULL && native->event != HWC_NO_EVENT; native++)
        if (native->event == event && core_has(&counters->core, native) && n-- == 0) {
            *way = (struct way){native->native, native->raw, native->quality};
            return true;
        }
    way->raw = NULL;
    way->quality = "";
    way->native = counters->backend->candidate(counters->session, event, n, &way->quality);
    return way->native != NULL;
}

/* By its name, or else by its code; `native` says which. */
static int attach(struct ctr_counters *counters, const struct way *way, const char **native, struct hwc_error *error)
{
    *native = way->native;
    if (way->native != NULL) {
        int status = counters->backend->attach(counters->session, way->native, error);
        if (status == HWC_OK || way->raw == NULL)
            return status;
    }
    *native = way->raw;
    return counters->backend->attach(counters->session, way->raw, error);
}

static const char *erratum_of(const struct ctr_counters *counters, const struct way *way)
{
    const char *family = counters->backend->family(counters->session);
    const char *why = way->native != NULL ? ctr_erratum(family, way->native) : NULL;

    return why != NULL || way->raw == NULL ? why : ctr_erratum(family, way->raw);
}

void ctr_source(struct ctr_counters *counters, enum hwc_event event, unsigned rank, struct hwc_event_source *source)
{
    struct way way;
    struct hwc_error error = {0};

    *source = (struct hwc_event_source){0};
    if (counters->backend == NULL) {
        hwc_write(source->reason, sizeof source->reason, "%s", counters->why_none);
        return;
    }
    snprintf(source->reason, sizeof source->reason, "no native counter is known for it here");
    for (unsigned n = 0; nth_way(counters, event, n, &way); n++) {
        const char *erratum = erratum_of(counters, &way);
        const char *native = way.native != NULL ? way.native : way.raw;
        bool named = strcmp(way.quality, "named by the user") == 0;
        if (erratum != NULL && !named) {
            hwc_write(source->reason, sizeof source->reason, "%s: %s", native, erratum);
            continue;
        }
        if (attach(counters, &way, &native, &error) != HWC_OK) {
            counters->attached = HWC_NO_EVENT;
            hwc_write(source->reason, sizeof source->reason, "%s: %s", native, error.message);
            continue;
        }
        counters->attached = event;
        snprintf(counters->native, sizeof counters->native, "%.120s", native);
        if (rank-- > 0)
            continue;
        source->available = true;
        source->reason[0] = '\0';
        snprintf(source->counter, sizeof source->counter, "%.120s", native);
        snprintf(source->quality, sizeof source->quality, "%.40s", way.quality);
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

static int open_backend(struct ctr_counters *counters, const struct ctr_backend *backend, int cpu,
                        struct hwc_error *error)
{
    int status = backend->open(&counters->session, cpu, error);

    counters->backend = status == HWC_OK ? backend : NULL;
    return status;
}

int ctr_open(struct ctr_counters *counters, const struct ctr_request *request, struct hwc_error *error)
{
    struct hwc_error refusal = {0};

    *counters = (struct ctr_counters){.user = request->user, .attached = HWC_NO_EVENT};
    ctr_find_core_pmu(request->cpu, &counters->core);
    if (strcmp(request->backend, "none") == 0) {
        hwc_write(counters->why_none, sizeof counters->why_none, "--counters=none asked for none");
        return HWC_OK;
    }
    if (strcmp(request->backend, "auto") != 0) {
        int status = open_backend(counters, ctr_backend_by_name(request->backend), request->cpu, error);
        if (status != HWC_OK)
            return hwc_context(error, "--counters=%s", request->backend);
        if (!counts_something(counters)) {
            struct hwc_event_source source;
            ctr_source(counters, HWC_L1D_LOAD_MISS, 0, &source);
            hwc_write(counters->why_none, sizeof counters->why_none, "%s", source.reason);
        }
        return HWC_OK;
    }
    for (int i = 0; ctr_backends[i] != NULL; i++) {
        struct hwc_event_source source;
        if (open_backend(counters, ctr_backends[i], request->cpu, &refusal) != HWC_OK) {
            if (strcmp(ctr_backends[i]->name, "perf") == 0 || counters->why_none[0] == '\0')
                hwc_write(counters->why_none, sizeof counters->why_none, "%s", refusal.message);
            continue;
        }
        if (counts_something(counters)) {
            counters->why_none[0] = '\0';
            return HWC_OK;
        }
        ctr_source(counters, HWC_L1D_LOAD_MISS, 0, &source);
        hwc_write(counters->why_none, sizeof counters->why_none, "%s", source.reason);
        if (counts_named(counters))
            return HWC_OK;
        ctr_close(counters);
    }
    return HWC_OK;
}

void ctr_close(struct ctr_counters *counters)
{
    if (counters->backend != NULL)
        counters->backend->close(counters->session);
    counters->backend = NULL;
    counters->session = NULL;
    counters->attached = HWC_NO_EVENT;
}
