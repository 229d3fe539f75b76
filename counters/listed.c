/* Counters by their own names: those that are named for a meaning, and any that the user names. */
#include "backend.h"

/* An event of which an audit uses no other source: what counts it is whatever it was told to. */
static const enum hwc_event slot = HWC_L4_MISS;

static void try_it(struct ctr_counters *counters, const struct ctr_opened *by, const char *name,
                   struct hwc_listed *listed)
{
    struct hwc_event_source *source = &listed->source;
    struct hwc_error error = {0};

    *listed = (struct hwc_listed){.slot = slot};
    hwc_write(source->counter, sizeof source->counter, "%s", name);
    source->backend = by->backend->name;
    if (by->backend->define != NULL)
        by->backend->define(by->session, name, listed);
    source->available = ctr_attach(counters, slot, by->backend->name, name, &error) == HWC_OK;
    if (!source->available)
        hwc_write(source->reason, sizeof source->reason, "%s", error.message);
}

static const char *name_of(const struct ctr_opened *opened, unsigned n)
{
    return opened->backend->listed != NULL ? opened->backend->listed(opened->session, n) : NULL;
}

bool ctr_listed(struct ctr_counters *counters, unsigned i, struct hwc_listed *listed)
{
    for (unsigned b = 0; b < counters->backends; b++) {
        const struct ctr_opened *opened = &counters->opened[b];
        const char *name = name_of(opened, i);
        unsigned n = 0;
        if (name != NULL) {
            try_it(counters, opened, name, listed);
            return true;
        }
        while (n < i && name_of(opened, n) != NULL)
            n++;
        i -= n;
    }
    return false;
}

void ctr_named(struct ctr_counters *counters, const char *name, struct hwc_listed *listed)
{
    struct hwc_listed first = {.slot = slot};

    hwc_write(first.source.counter, sizeof first.source.counter, "%s", name);
    hwc_write(first.source.reason, sizeof first.source.reason, "%s", counters->why_none);
    for (unsigned b = 0; b < counters->backends; b++) {
        try_it(counters, &counters->opened[b], name, listed);
        if (listed->source.available)
            return;
        if (b == 0)
            first = *listed;
    }
    *listed = first;
}
