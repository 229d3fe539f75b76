#include "budget.h"

static bool has(const struct hwc_schedule *schedule, const struct hwc_probe *probe)
{
    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->probe[i] == probe)
            return true;
    return false;
}

int hwc_basics_first(const struct hwc_probe *const *table, struct hwc_schedule *schedule, struct hwc_error *error)
{
    const struct hwc_probe *basic[HWC_MAX_PROBES];
    struct hwc_schedule first;
    size_t basics = 0;

    for (size_t i = 0; i < schedule->count; i++)
        if (schedule->probe[i]->basic)
            basic[basics++] = schedule->probe[i];
    if (basics == 0)
        return HWC_OK;
    TRY(hwc_schedule(table, basic, basics, &first, error));
    for (size_t i = 0; i < schedule->count; i++)
        if (!has(&first, schedule->probe[i]))
            first.probe[first.count++] = schedule->probe[i];
    *schedule = first;
    return HWC_OK;
}

/* While basic probes are to come, half is kept for them. */
double hwc_budget_share(const struct hwc_schedule *schedule, size_t index)
{
    for (size_t i = index + 1; i < schedule->count; i++)
        if (schedule->probe[i]->basic)
            return 0.5;
    return 1;
}

static void say_spent_of(const struct hwc_probe *probe, enum hwc_group group, struct hwc_record *record)
{
    HWC_EACH_FIELD(id, group)
        if (hwc_probe_provides(probe, id) && !record->finding[id].asked)
            hwc_finding_unknown(&record->finding[id], HWC_WHY_UNAVAILABLE, HWC_BUDGET_SPENT);
}

void hwc_say_spent(const struct hwc_probe *probe, struct hwc_profile *profile)
{
    for (unsigned i = 0; i < profile->caches; i++)
        say_spent_of(probe, HWC_OF_CACHE, &profile->cache[i]);
    for (unsigned i = 0; i < profile->code_caches; i++)
        say_spent_of(probe, HWC_OF_CODE_CACHE, &profile->code_cache[i]);
    for (unsigned i = 0; i < profile->tlbs; i++)
        say_spent_of(probe, HWC_OF_TLB, &profile->tlb[i]);
    for (unsigned i = 0; i < profile->btbs; i++)
        say_spent_of(probe, HWC_OF_BTB, &profile->btb[i]);
    say_spent_of(probe, HWC_OF_MEMORY, &profile->memory);
    say_spent_of(probe, HWC_OF_CORE, &profile->core);
}
