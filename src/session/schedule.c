#include "schedule.h"

/* The arrays are indexed as the table is. */
struct plan {
    const struct hwc_probe *const *table;
    size_t probes;
    bool wanted[HWC_MAX_PROBES];
    bool scheduled[HWC_MAX_PROBES];
};

bool hwc_probe_provides(const struct hwc_probe *probe, enum hwc_field_id field)
{
    for (int i = 0; i < HWC_MAX_NEEDS && probe->provides[i] != HWC_NO_FIELD; i++)
        if (probe->provides[i] == field)
            return true;
    return false;
}

/* Returns the number of probes if none provides the field. */
static size_t provider_of(const struct plan *plan, enum hwc_field_id field)
{
    size_t i = 0;

    while (i < plan->probes && !hwc_probe_provides(plan->table[i], field))
        i++;
    return i;
}

static int want(struct plan *plan, size_t probe, struct hwc_error *error)
{
    const enum hwc_field_id *needs = plan->table[probe]->needs;

    if (plan->wanted[probe])
        return HWC_OK;
    plan->wanted[probe] = true;
    for (int i = 0; i < HWC_MAX_NEEDS && needs[i] != HWC_NO_FIELD; i++) {
        size_t provider = provider_of(plan, needs[i]);
        if (provider == plan->probes)
            return hwc_fail(error, HWC_SYSTEM, "%s needs %s, which no probe provides", plan->table[probe]->name,
                            hwc_fields[needs[i]].id);
        TRY(want(plan, provider, error));
    }
    return HWC_OK;
}

static bool is_ready(const struct plan *plan, size_t probe)
{
    const enum hwc_field_id *needs = plan->table[probe]->needs;

    for (int i = 0; i < HWC_MAX_NEEDS && needs[i] != HWC_NO_FIELD; i++)
        if (!plan->scheduled[provider_of(plan, needs[i])])
            return false;
    return plan->wanted[probe] && !plan->scheduled[probe];
}

static bool schedule_next(struct plan *plan, struct hwc_schedule *schedule)
{
    for (size_t i = 0; i < plan->probes; i++) {
        if (!is_ready(plan, i))
            continue;
        plan->scheduled[i] = true;
        schedule->probe[schedule->count++] = plan->table[i];
        return true;
    }
    return false;
}

static bool is_asked(const struct hwc_probe *probe, const struct hwc_probe *const *asked, size_t count)
{
    size_t i = 0;

    while (i < count && asked[i] != probe)
        i++;
    return count == 0 ? !probe->on_request : i < count;
}

int hwc_schedule(const struct hwc_probe *const *table, const struct hwc_probe *const *asked, size_t count,
                 struct hwc_schedule *schedule, struct hwc_error *error)
{
    struct plan plan = {.table = table};

    schedule->count = 0;
    while (plan.probes < HWC_MAX_PROBES && table[plan.probes] != NULL)
        plan.probes++;
    for (size_t i = 0; i < plan.probes; i++)
        if (is_asked(table[i], asked, count))
            TRY(want(&plan, i, error));
    while (schedule_next(&plan, schedule))
        continue;
    for (size_t i = 0; i < plan.probes; i++)
        if (plan.wanted[i] && !plan.scheduled[i])
            return hwc_fail(error, HWC_SYSTEM, "%s and what it needs need each other", table[i]->name);
    return HWC_OK;
}
