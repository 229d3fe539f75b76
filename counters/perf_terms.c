#include "perf_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 512 };

/* The fields of the attributes that a PMU's format names. */
struct fields {
    const char *pmu;
    uint64_t config, config1, config2;
};

static uint64_t *field_of(struct fields *fields, const char *name)
{
    return strcmp(name, "config") == 0    ? &fields->config
           : strcmp(name, "config1") == 0 ? &fields->config1
           : strcmp(name, "config2") == 0 ? &fields->config2
                                          : NULL;
}

/* Put a value's bits, lowest first, in bits such as "0-7,32-35" of a field. False if the value has more bits. */
static bool place(uint64_t value, const char *bits, uint64_t *field)
{
    while (*bits >= '0' && *bits <= '9') {
        char *end;
        unsigned long low = strtoul(bits, &end, 10), high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        for (unsigned long bit = low; bit <= high && bit < 64; bit++) {
            *field = (*field & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
            value >>= 1;
        }
        bits = *end == ',' ? end + 1 : "";
    }
    return value == 0;
}

/* `format`: "config:0-7". */
static int set_by_format(struct fields *fields, const char *format, const char *term, uint64_t value,
                         struct hwc_error *error)
{
    const char *colon = strchr(format, ':');
    char name[16];
    uint64_t *field;

    snprintf(name, sizeof name, "%.*s", colon != NULL ? (int)(colon - format) : 0, format);
    field = field_of(fields, name);
    if (colon == NULL || field == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s's format of %.40s is not understood: %.60s", fields->pmu, term,
                        format);
    if (!place(value, colon + 1, field))
        return hwc_fail(error, HWC_UNAVAILABLE, "%.40s=%#llx is too large for %s: it has bits %.60s", term,
                        (unsigned long long)value, fields->pmu, colon + 1);
    return HWC_OK;
}

static int set_terms(struct fields *fields, const char *text, bool is_event, struct hwc_error *error);

/* An event that the kernel names is spelled by terms in its file. */
static int set_named(struct fields *fields, const char *term, bool in_event, struct hwc_error *error)
{
    char file[96];
    char *text;
    int status;

    snprintf(file, sizeof file, "events/%.80s", term);
    text = in_event ? NULL : ctr_device_line(fields->pmu, file);
    if (text == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s has no term and no event %.60s", fields->pmu, term);
    status = set_terms(fields, text, true, error);
    free(text);
    return status;
}

/* `number`: the text of the value; NULL = there is none, and the term is a flag or an event's name. */
static int set_term(struct fields *fields, const char *term, const char *number, bool in_event,
                    struct hwc_error *error)
{
    char file[96], *end = NULL, *format;
    uint64_t value = number != NULL ? strtoull(number, &end, 0) : 1;
    int status;

    if (number != NULL && (end == number || *end != '\0'))
        return hwc_fail(error, HWC_UNAVAILABLE, "%.60s=%.60s: not a number", term, number);
    if (number != NULL && field_of(fields, term) != NULL) {
        *field_of(fields, term) = value;
        return HWC_OK;
    }
    snprintf(file, sizeof file, "format/%.80s", term);
    format = ctr_device_line(fields->pmu, file);
    if (format == NULL)
        return set_named(fields, term, in_event || number != NULL, error);
    status = set_by_format(fields, format, term, value, error);
    free(format);
    return status;
}

static int set_terms(struct fields *fields, const char *text, bool in_event, struct hwc_error *error)
{
    char copy[MOST_TEXT], *rest;

    if (strlen(text) >= sizeof copy)
        return hwc_fail(error, HWC_UNAVAILABLE, "more than %d characters of terms", MOST_TEXT - 1);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *term = strtok_r(copy, ",", &rest); term != NULL; term = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(term, '=');
        if (equals != NULL)
            *equals = '\0';
        TRY(set_term(fields, term, equals != NULL ? equals + 1 : NULL, in_event, error));
    }
    return HWC_OK;
}

bool ctr_is_of_terms(const char *native)
{
    const char *slash = strchr(native, '/');

    return slash != NULL && strchr(slash + 1, '/') != NULL;
}

/* The kernel schedules an event of another kind of core's PMU nowhere on this CPU, and it would count nothing. */
static int find_type(const struct ctr_core_pmu *core, const char *pmu, uint32_t *type, struct hwc_error *error)
{
    char *line = ctr_device_line(pmu, "type"), *cpus = ctr_device_line(pmu, "cpus");
    bool elsewhere = cpus != NULL && strcmp(pmu, core->name) != 0;

    if (line != NULL)
        *type = (uint32_t)strtoul(line, NULL, 10);
    free(cpus);
    free(line);
    if (line == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "there is no PMU %.60s here; this CPU's is %s", pmu, core->name);
    if (elsewhere)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.60s is the PMU of other CPUs; this CPU's is %s", pmu, core->name);
    return HWC_OK;
}

int ctr_encode_terms(const struct ctr_core_pmu *core, const char *native, struct perf_event_attr *attributes,
                     struct hwc_error *error)
{
    char copy[MOST_TEXT], *terms, *after;
    struct fields fields = {.pmu = copy};

    if (strlen(native) >= sizeof copy)
        return hwc_fail(error, HWC_UNAVAILABLE, "more than %d characters", MOST_TEXT - 1);
    snprintf(copy, sizeof copy, "%s", native);
    terms = strchr(copy, '/');
    *terms++ = '\0';
    after = strchr(terms, '/');
    *after++ = '\0';
    if (*after != '\0' && strcmp(after, "u") != 0 && strcmp(after, ":u") != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "\"%.40s\" after the terms: only user mode, u, is counted", after);
    if (strcmp(copy, "cpu") == 0)
        fields.pmu = core->name;
    TRY(find_type(core, fields.pmu, &attributes->type, error));
    TRY(set_terms(&fields, terms, false, error));
    attributes->config = fields.config;
    attributes->config1 = fields.config1;
    attributes->config2 = fields.config2;
    return HWC_OK;
}
