#include "profile.h"

#include <stdio.h>
#include <stdlib.h>

void hwc_profile_close(struct hwc_profile *profile)
{
    hwc_curves_free(&profile->curves);
    hwc_matrices_free(&profile->matrices);
    hwc_audits_free(&profile->audits);
    free(profile->instruction);
    profile->instruction = NULL;
    profile->instructions = 0;
    free(profile->validation);
    profile->validation = NULL;
}

struct hwc_record *hwc_profile_add_instruction(struct hwc_profile *profile, const char *name, const char *type)
{
    unsigned count = profile->instructions;
    struct hwc_record *list = count < HWC_MAX_INSTRUCTIONS
                                  ? realloc(profile->instruction, (count + 1) * sizeof *list)
                                  : NULL;

    if (list == NULL)
        return NULL;
    profile->instruction = list;
    profile->instructions++;
    list[count] = (struct hwc_record){.level = count + 1};
    hwc_write(list[count].name, sizeof list[count].name, "%s", name);
    hwc_write(list[count].type, sizeof list[count].type, "%s", type);
    return &list[count];
}

bool hwc_profile_place(const struct hwc_profile *profile, unsigned i, struct hwc_place *place)
{
    const struct {
        enum hwc_group group;
        unsigned count;
        const struct hwc_record *records;
    } lists[] = {
        {HWC_OF_CACHE, profile->caches, profile->cache},
        {HWC_OF_CODE_CACHE, profile->code_caches, profile->code_cache},
        {HWC_OF_TLB, profile->tlbs, profile->tlb},
        {HWC_OF_BTB, profile->btbs, profile->btb},
        {HWC_OF_MEMORY, 1, &profile->memory},
        {HWC_OF_CORE, 1, &profile->core},
        {HWC_OF_INSTRUCTION, profile->instructions, profile->instruction},
    };

    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        if (i < lists[list].count) {
            *place = (struct hwc_place){lists[list].group, &lists[list].records[i]};
            return true;
        }
        i -= lists[list].count;
    }
    return false;
}

void hwc_profile_free(struct hwc_profile *profile)
{
    if (profile != NULL)
        hwc_profile_close(profile);
    free(profile);
}

static bool is_of(const struct hwc_record *record, unsigned level, bool code, bool large)
{
    return record->level == level && record->code == code && record->large == large;
}

struct hwc_record *hwc_profile_find(struct hwc_profile *profile, enum hwc_group group, unsigned level, bool code,
                                    bool large)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        if (place.group == group && is_of(place.record, level, code, large))
            return (struct hwc_record *)(uintptr_t)place.record; /* of a profile that may be written to */
    return NULL;
}

const struct hwc_validated *hwc_profile_validated(const struct hwc_profile *profile, const struct hwc_place *place,
                                                  enum hwc_field_id field)
{
    for (unsigned i = 0; profile->validation != NULL && i < profile->validation->rows; i++) {
        const struct hwc_validated *row = &profile->validation->row[i];
        if (row->field == field && row->group == place->group &&
            is_of(place->record, row->level, row->code, row->large))
            return row;
    }
    return NULL;
}

const char *hwc_place_name(const struct hwc_place *place, char name[HWC_PLACE_NAME])
{
    static const char *const names[HWC_GROUPS] = {
        [HWC_OF_CACHE] = "L", [HWC_OF_CODE_CACHE] = "L",   [HWC_OF_TLB] = "TLB",
        [HWC_OF_BTB] = "BTB", [HWC_OF_MEMORY] = "memory", [HWC_OF_CORE] = "core",
        [HWC_OF_INSTRUCTION] = "instruction",
    };
    const struct hwc_record *record = place->record;
    const char *before = place->group != HWC_OF_TLB ? "" : record->code ? "I" : "D";
    const char *behind = record->large ? " large" : place->group == HWC_OF_CODE_CACHE ? "i" : "";
    char level[8] = "";

    if (place->group == HWC_OF_INSTRUCTION && record->name[0] != '\0') {
        snprintf(name, HWC_PLACE_NAME, "%.15s %.7s", record->name, record->type);
        return name;
    }
    if (record->level > 0)
        snprintf(level, sizeof level, "%u", record->level % 1000);
    if (place->group == HWC_OF_CACHE && record->level == 1)
        behind = "d"; /* level 1 only: later levels usually hold code, too */
    snprintf(name, HWC_PLACE_NAME, "%s%s%s%s", before, names[place->group], level, behind);
    return name;
}

const char *hwc_validated_place(const struct hwc_validated *row, char name[HWC_PLACE_NAME])
{
    const struct hwc_record record = {.level = row->level, .code = row->code, .large = row->large};
    const struct hwc_place place = {row->group, &record};

    return hwc_place_name(&place, name);
}
