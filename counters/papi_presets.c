#include "papi_presets.h"

#ifdef HWC_HAVE_PAPI

#include <papi.h>
#include <stdio.h>
#include <string.h>

/* Counts *i down by the events of a kind that there are, until it names one. */
static bool nth_of(int first, int modifier, unsigned *i, int *code)
{
    int got;

    *code = first;
    got = PAPI_enum_event(code, PAPI_ENUM_FIRST);
    if (got == PAPI_OK && modifier != PAPI_ENUM_EVENTS && PAPI_query_event(*code) != PAPI_OK)
        got = PAPI_enum_event(code, modifier);
    for (; got == PAPI_OK; got = PAPI_enum_event(code, modifier))
        if ((*i)-- == 0)
            return true;
    return false;
}

bool ctr_papi_preset(unsigned i, char name[HWC_NATIVE_NAME])
{
    char text[PAPI_HUGE_STR_LEN] = "";
    int code;

    if (!nth_of((int)PAPI_PRESET_MASK, PAPI_PRESET_ENUM_AVAIL, &i, &code) &&
        !nth_of((int)PAPI_UE_MASK, PAPI_ENUM_EVENTS, &i, &code))
        return false;
    if (PAPI_event_code_to_name(code, text) != PAPI_OK || strlen(text) >= HWC_NATIVE_NAME)
        text[0] = '\0';
    memcpy(name, text, strlen(text) + 1);
    return true;
}

/* "A + B", "A - B", or PAPI's own word for what it does with them. */
static void write_terms(const PAPI_event_info_t *info, char *text, size_t size)
{
    const char *between = strcmp(info->derived, "DERIVED_ADD") == 0   ? " + "
                          : strcmp(info->derived, "DERIVED_SUB") == 0 ? " - "
                                                                      : ", ";
    bool plain = strcmp(info->derived, "NOT_DERIVED") == 0 || strcmp(between, ", ") != 0;
    size_t used = 0;

    if (!plain)
        used = (size_t)snprintf(text, size, "%s%s%s of ", info->derived, info->postfix[0] != '\0' ? " " : "",
                                info->postfix);
    for (unsigned i = 0; i < info->count && i < PAPI_MAX_INFO_TERMS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? between : "", info->name[i]);
}

void ctr_papi_define(const char *native, struct hwc_listed *listed)
{
    char name[HWC_NATIVE_NAME]; /* PAPI 5 takes no const one */
    PAPI_event_info_t info;
    int code;

    snprintf(name, sizeof name, "%s", native);
    if (PAPI_event_name_to_code(name, &code) != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK)
        return;
    hwc_write(listed->description, sizeof listed->description, "%s", info.long_descr);
    if (IS_PRESET((int)info.event_code) || IS_USER_DEFINED((int)info.event_code))
        write_terms(&info, listed->definition, sizeof listed->definition);
}

#endif
