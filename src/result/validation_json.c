#include "validation_json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "finding_read.h"

static json_t *supported_json(enum hwc_supported supported)
{
    const char *name = hwc_supported_name(supported);

    return name != NULL ? json_string(name) : json_null();
}

json_t *hwc_verdict_json(struct hwc_json_writer *writer, const struct hwc_verdict *verdict)
{
    json_t *json = json_object();

    hwc_json_set(writer, json, "says", json_string(hwc_says_name(verdict->says)));
    hwc_json_set(writer, json, "supports", supported_json(verdict->supports));
    hwc_json_set(writer, json, "why", hwc_json_words(verdict->why));
    return json;
}

/* A share to a hundredth of a per cent. */
static json_t *share_json(double share)
{
    return hwc_json_number(round(share * 1e4) / 1e4);
}

json_t *hwc_walks_json(struct hwc_json_writer *writer, const struct hwc_walk_counts *counted)
{
    json_t *json = json_object();

    hwc_json_set(writer, json, "event", json_string(hwc_event_name(counted->event)));
    hwc_json_set(writer, json, "fit", hwc_json_number(counted->fit));
    hwc_json_set(writer, json, "fit_missed", share_json(counted->fit_missed));
    hwc_json_set(writer, json, "more", hwc_json_number(counted->more));
    hwc_json_set(writer, json, "more_missed", share_json(counted->more_missed));
    hwc_json_set(writer, json, "bears_out", json_boolean(hwc_bears_out(counted)));
    return json;
}

static int read_walks(struct hwc_object *object, struct hwc_walk_counts *counted, struct hwc_error *error)
{
    const char *event;
    bool follows; /* from the shares */

    TRY(hwc_take_string(object, "event", true, &event, error));
    counted->event = hwc_event_by_name(event);
    if (counted->event == HWC_NO_EVENT)
        return hwc_object_fault(object, "event", error, "is \"%s\", which is no event", event);
    TRY(hwc_take_number(object, "fit", 0, DBL_MAX, -1, &counted->fit, error));
    TRY(hwc_take_number(object, "fit_missed", 0, DBL_MAX, -1, &counted->fit_missed, error));
    TRY(hwc_take_number(object, "more", 0, DBL_MAX, -1, &counted->more, error));
    TRY(hwc_take_number(object, "more_missed", 0, DBL_MAX, -1, &counted->more_missed, error));
    TRY(hwc_take_boolean(object, "bears_out", false, &follows, error));
    counted->any = true;
    return hwc_object_close(object, error);
}

int hwc_walks_read(struct hwc_object *finding, struct hwc_walk_counts *counted, struct hwc_error *error)
{
    json_t *json = hwc_object_take(finding, "walks");
    struct hwc_object object;
    char where[HWC_WHERE];

    if (json == NULL)
        return HWC_OK;
    hwc_write(where, sizeof where, "%s.walks", finding->where);
    TRY(hwc_object_open(&object, json, where, error));
    return read_walks(&object, counted, error);
}

json_t *hwc_differences_json(struct hwc_json_writer *writer, const struct hwc_validation *validation)
{
    json_t *json = json_object(), *list = json_array();

    for (unsigned i = 0; i < validation->differences; i++) {
        const struct hwc_difference *difference = &validation->difference[i];
        json_t *item = json_object();
        hwc_json_set(writer, item, "of", hwc_json_words(difference->of));
        hwc_json_set(writer, item, "cause", json_string(hwc_cause_name(difference->cause)));
        hwc_json_set(writer, item, "supports", supported_json(difference->supports));
        hwc_json_set(writer, item, "why", hwc_json_words(difference->why));
        hwc_json_append(writer, list, "differences", item);
    }
    hwc_json_set(writer, json, "counters", json_boolean(validation->counters));
    hwc_json_set(writer, json, "differences", list);
    return json;
}

static int take_supported(struct hwc_object *object, enum hwc_supported *supported, struct hwc_error *error)
{
    const char *names[HWC_SUPPORTED] = {NULL};
    int choice;

    *supported = HWC_SUPPORTS_NONE;
    if (json_is_null(json_object_get(object->json, "supports"))) {
        hwc_object_take(object, "supports");
        return HWC_OK;
    }
    for (int i = HWC_SUPPORTS_NONE + 1; i < HWC_SUPPORTED; i++)
        names[i - 1] = hwc_supported_name((enum hwc_supported)i);
    TRY(hwc_take_choice(object, "supports", names, -1, &choice, error));
    *supported = (enum hwc_supported)(choice + 1);
    return HWC_OK;
}

int hwc_verdict_read(struct hwc_object *finding, struct hwc_verdict *verdict, struct hwc_error *error)
{
    static const char *const says[] = {"agree", "differ", "undecided", NULL};
    struct hwc_object object;
    char where[HWC_WHERE];
    int choice;

    hwc_write(where, sizeof where, "%s.verdict", finding->where);
    TRY(hwc_object_open(&object, hwc_object_take(finding, "verdict"), where, error));
    TRY(hwc_take_choice(&object, "says", says, -1, &choice, error));
    verdict->says = (enum hwc_says)choice;
    TRY(take_supported(&object, &verdict->supports, error));
    TRY(hwc_take_text(&object, "why", true, verdict->why, sizeof verdict->why, error));
    return hwc_object_close(&object, error);
}

static int read_difference(json_t *json, const char *where, struct hwc_difference *difference, struct hwc_error *error)
{
    const char *causes[HWC_CAUSES + 1] = {NULL};
    struct hwc_object object;
    int cause;

    for (int i = 0; i < HWC_CAUSES; i++)
        causes[i] = hwc_cause_name((enum hwc_cause)i);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_text(&object, "of", true, difference->of, sizeof difference->of, error));
    TRY(hwc_take_choice(&object, "cause", causes, -1, &cause, error));
    difference->cause = (enum hwc_cause)cause;
    TRY(take_supported(&object, &difference->supports, error));
    TRY(hwc_take_text(&object, "why", true, difference->why, sizeof difference->why, error));
    return hwc_object_close(&object, error);
}

int hwc_differences_read(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    json_t *json = hwc_object_take(top, "validation"), *list;
    struct hwc_object object;
    char where[HWC_WHERE];

    if (json == NULL)
        return HWC_OK;
    profile->validation = calloc(1, sizeof *profile->validation);
    if (profile->validation == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a validation");
    TRY(hwc_object_open(&object, json, "validation", error));
    TRY(hwc_take_boolean(&object, "counters", false, &profile->validation->counters, error));
    list = hwc_object_take(&object, "differences");
    if (!json_is_array(list) || json_array_size(list) > HWC_MOST_DIFFERENCES)
        return hwc_object_fault(&object, "differences", error, "must be a list of %d at most", HWC_MOST_DIFFERENCES);
    for (unsigned i = 0; i < json_array_size(list); i++) {
        hwc_write(where, sizeof where, "validation.differences[%u]", i);
        TRY(read_difference(json_array_get(list, i), where, &profile->validation->difference[i], error));
        profile->validation->differences++;
    }
    return hwc_object_close(&object, error);
}
