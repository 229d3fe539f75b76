/* How a simulated machine counts an event: by itself. */
#include "sources.h"

#include <stdio.h>
#include <string.h>

#include "counts.h"

void sim_event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                      struct hwc_event_source *source)
{
    const struct sim_machine *machine = (const struct sim_machine *)base;

    *source = (struct hwc_event_source){0};
    if (rank > 0) {
        snprintf(source->reason, sizeof source->reason, "a model counts an event in one way only");
    } else if (!sim_has_subject(machine, event)) {
        snprintf(source->reason, sizeof source->reason, "the machine file has no %s of level %u",
                 sim_event_of_tlb(event) ? "TLB" : "cache", sim_event_level(event));
    } else if (machine->description.event[event].state == SIM_ABSENT) {
        snprintf(source->reason, sizeof source->reason, "the machine file says that it is absent");
    } else {
        source->available = true;
        snprintf(source->counter, sizeof source->counter, "simulated:%s", hwc_event_name(event));
        snprintf(source->quality, sizeof source->quality, "model");
    }
}

void sim_use_source(struct hwc_machine *base, enum hwc_event event, const struct hwc_event_source *source)
{
    (void)source;
    ((struct sim_machine *)base)->counts[event] = true;
}

static const char prefix[] = "simulated:";

/* Events of references: the audit's walks fault no page, and put nothing dirty out. */
static bool is_audited(const struct sim_machine *machine, enum hwc_event event)
{
    return event != HWC_PAGE_FAULT && event != HWC_MAJOR_FAULT && !hwc_is_writeback(event) &&
           sim_has_subject(machine, event);
}

static void list_event(struct hwc_machine *base, enum hwc_event event, struct hwc_listed *listed)
{
    *listed = (struct hwc_listed){.slot = event};
    sim_event_source(base, event, 0, &listed->source);
    snprintf(listed->source.counter, sizeof listed->source.counter, "%s%s", prefix, hwc_event_name(event));
    hwc_write(listed->description, sizeof listed->description, "%s", hwc_event_summary(event));
}

bool sim_listed(struct hwc_machine *base, unsigned i, struct hwc_listed *listed)
{
    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        if (is_audited((const struct sim_machine *)base, (enum hwc_event)event) && i-- == 0) {
            list_event(base, (enum hwc_event)event, listed);
            return true;
        }
    return false;
}

void sim_named(struct hwc_machine *base, const char *name, struct hwc_listed *listed)
{
    enum hwc_event event = hwc_event_by_name(strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name);

    if (event != HWC_NO_EVENT) {
        list_event(base, event, listed);
        return;
    }
    *listed = (struct hwc_listed){.slot = HWC_NO_EVENT};
    hwc_write(listed->source.counter, sizeof listed->source.counter, "%s", name);
    snprintf(listed->source.reason, sizeof listed->source.reason, "a simulated machine has no such counter");
}
