#include "spelling.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "perf_names.h"

bool ctr_perf_spelling(const struct ctr_core_pmu *core, const char *native, const char *label, char *text, size_t size)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    struct hwc_error ignored;
    int used;

    if (ctr_encode(core, native, &attributes, &ignored) != HWC_OK)
        return false;
    if (attributes.type == PERF_TYPE_HW_CACHE || attributes.type == PERF_TYPE_SOFTWARE)
        return strstr(native, "::") == NULL && snprintf(text, size, "%s:u", native) < (int)size;
    if (attributes.type != core->type)
        return false;
    used = ctr_write_terms(core->name, &attributes, text, size);
    return used < (int)size && used + snprintf(text + used, size - (size_t)used, ",name=%s/u", label) < (int)size;
}

static bool is_code(const char *native)
{
    return native[0] == 'r' && native[1] != '\0' && strspn(native + 1, "0123456789abcdef") == strlen(native) - 1;
}

static bool is_generic(const char *native)
{
    for (unsigned i = 0; ctr_generic_name(i) != NULL; i++)
        if (strcmp(ctr_generic_name(i), native) == 0)
            return true;
    return false;
}

bool ctr_papi_spelling(const char *native, char *text, size_t size)
{
    int length = -1;

    if (strstr(native, "::") != NULL)
        length = snprintf(text, size, "%s", native);
    else if (is_code(native))
        length = snprintf(text, size, "perf_raw::%s", native);
    else if (is_generic(native)) {
        length = snprintf(text, size, "perf::%s", native);
        for (char *c = text; *c != '\0'; c++) /* but for the PMU's name */
            *c = c - text < 6 ? *c : (char)toupper((unsigned char)*c);
    }
    return length >= 0 && (size_t)length < size;
}
