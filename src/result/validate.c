#include "validate.h"

#include <stdlib.h>

/* A witness's answer to a finding, or why there is none. */
struct sides {
    const struct hwc_finding *with_counters, *by_clock; /* of the two runs; NULL = not asked there */
    bool counters;                                      /* there were some */
};

static bool is_answer(const struct hwc_finding *finding, enum hwc_witness_kind witness)
{
    return finding != NULL && hwc_finding_is_told(finding) && finding->witness == witness;
}

static bool is_silent(const struct hwc_finding *finding)
{
    return finding != NULL && !hwc_finding_is_told(finding);
}

static void leave_out_alternatives(struct hwc_finding *finding)
{
    finding->alternatives = NULL;
}

static void not_by_clock(struct hwc_finding *finding)
{
    hwc_finding_because(finding, hwc_unavailable("it is counted in any case: the clock is not asked"));
}

/* The page size is counted in each run, by the kernel. */
static void clock_side(const struct sides *sides, struct hwc_finding *side)
{
    *side = (struct hwc_finding){0};
    if (is_answer(sides->by_clock, HWC_CLOCK) || is_silent(sides->by_clock))
        *side = *sides->by_clock;
    else if (is_answer(sides->with_counters, HWC_CLOCK))
        *side = *sides->with_counters;
    else if (sides->by_clock != NULL || sides->with_counters != NULL)
        not_by_clock(side);
    if (side->known || side->asked)
        return;
    hwc_finding_because(side, hwc_unavailable("the clock was not asked"));
}

static const char *why_not_counted(const struct sides *sides, enum hwc_value_kind kind)
{
    if (!sides->counters)
        return "there are no counters";
    if (kind == HWC_VALUE_CYCLES || kind == HWC_VALUE_RATE || kind == HWC_VALUE_FREQUENCY)
        return "counters count no time";
    return "no event that can be believed counts it";
}

/* Where no event was believed the clock answered in the run with counters, too: that is no counter's answer. */
static void counter_side(const struct sides *sides, enum hwc_value_kind kind, struct hwc_finding *side)
{
    *side = (struct hwc_finding){0};
    if (is_answer(sides->with_counters, HWC_COUNTER) || (sides->counters && is_silent(sides->with_counters)))
        *side = *sides->with_counters;
    else if (is_answer(sides->by_clock, HWC_COUNTER))
        *side = *sides->by_clock;
    else
        hwc_finding_because(side, hwc_unavailable(why_not_counted(sides, kind)));
}

static const struct hwc_finding *finding_of(const struct hwc_profile *profile, const struct hwc_place *place,
                                            enum hwc_field_id field)
{
    const struct hwc_record *record = place->record, *found;

    if (profile == NULL)
        return NULL;
    found = hwc_profile_find((struct hwc_profile *)(uintptr_t)profile, place->group, record->level, record->code,
                             record->large);
    return found != NULL && found->finding[field].asked ? &found->finding[field] : NULL;
}

/* Where the counter did not answer, the profile's finding becomes the clock's, and also where the evidence supports that. */
static void let_stand(struct hwc_record *record, enum hwc_field_id field, const struct hwc_finding *clock,
                      const struct hwc_verdict *verdict)
{
    struct hwc_finding *finding = &record->finding[field];
    bool has_none = !finding->known && !(finding->has_interval && !clock->known);

    if (verdict->supports != HWC_SUPPORTS_CLOCK && finding->asked && !has_none)
        return;
    if (!hwc_finding_is_told(clock))
        return;
    *finding = *clock;
    finding->counted = (struct hwc_walk_counts){0}; /* that stays with the clock's answer */
    if (clock->alternatives == NULL || clock->alternatives == record->policies)
        return;
    hwc_write(record->policies, sizeof record->policies, "%s", clock->alternatives);
    finding->alternatives = record->policies;
}

static void add_row(struct hwc_profile *profile, const struct hwc_profile *clock, const struct hwc_place *place,
                    enum hwc_field_id field)
{
    const struct hwc_record *record = place->record;
    struct hwc_validation *validation = profile->validation;
    struct hwc_validated *row = &validation->row[validation->rows];
    struct sides sides = {finding_of(validation->counters ? profile : NULL, place, field),
                          finding_of(validation->counters ? clock : profile, place, field), validation->counters};

    if (validation->rows == HWC_MOST_VALIDATED || (sides.with_counters == NULL && sides.by_clock == NULL))
        return;
    validation->rows++;
    *row = (struct hwc_validated){.group = place->group, .level = record->level, .code = record->code,
                                  .large = record->large, .field = field};
    counter_side(&sides, hwc_fields[field].kind, &row->counter);
    clock_side(&sides, &row->clock);
    hwc_judge_row(&hwc_fields[field], &row->counter, &row->clock, &row->verdict);
    let_stand(hwc_profile_find(profile, place->group, record->level, record->code, record->large), field, &row->clock,
              &row->verdict);
    leave_out_alternatives(&row->counter);
    leave_out_alternatives(&row->clock);
}

static void copy_record(struct hwc_record *record, const struct hwc_record *from)
{
    *record = *from;
    for (int field = 0; field < HWC_FIELDS; field++)
        if (record->finding[field].alternatives != NULL)
            record->finding[field].alternatives = record->policies;
}

/* Add the records that only the clock has. */
static void add_records(struct hwc_profile *profile, const struct hwc_profile *clock)
{
    for (; profile->caches < clock->caches; profile->caches++)
        copy_record(&profile->cache[profile->caches], &clock->cache[profile->caches]);
    for (; profile->code_caches < clock->code_caches; profile->code_caches++)
        copy_record(&profile->code_cache[profile->code_caches], &clock->code_cache[profile->code_caches]);
    for (; profile->btbs < clock->btbs; profile->btbs++)
        copy_record(&profile->btb[profile->btbs], &clock->btb[profile->btbs]);
    for (unsigned i = 0; i < clock->tlbs && profile->tlbs < HWC_MAX_TLBS; i++)
        if (hwc_profile_find(profile, HWC_OF_TLB, clock->tlb[i].level, clock->tlb[i].code, clock->tlb[i].large) == NULL)
            copy_record(&profile->tlb[profile->tlbs++], &clock->tlb[i]);
}

int hwc_validate(struct hwc_profile *profile, const struct hwc_profile *clock, const struct hwc_documented *documented,
                 struct hwc_error *error)
{
    struct hwc_place place;

    profile->validation = calloc(1, sizeof *profile->validation);
    if (profile->validation == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a validation");
    profile->validation->counters = clock != NULL;
    if (clock != NULL)
        add_records(profile, clock);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        if (place.group != HWC_OF_INSTRUCTION) /* nothing counts these, and nothing is documented of them */
            HWC_EACH_FIELD(field, place.group)
                add_row(profile, clock, &place, field);
    hwc_explain(profile, documented);
    return HWC_OK;
}
