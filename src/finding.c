#include "finding.h"

#include <stdarg.h>
#include <stdio.h>

void hwc_finding_from_result(struct hwc_finding *finding, const struct hwc_result *result, const char *unit,
                             const struct hwc_witness *witness, double seconds)
{
    finding->asked = true;
    finding->unit = unit;
    finding->seconds = seconds;
    finding->alike = result->alike;
    finding->votes = result->votes;
    finding->known = result->decided;
    finding->integral = true;
    finding->value = (double)result->value;
    finding->witness = witness->kind;
    if (!result->decided)
        snprintf(finding->reason, sizeof finding->reason, "%s", result->reason);
    if (witness->kind == HWC_COUNTER) {
        snprintf(finding->counter, sizeof finding->counter, "%s", witness->counter);
        snprintf(finding->event, sizeof finding->event, "%s", hwc_event_name(witness->event));
    }
}

int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        const char *unit, struct hwc_finding *finding, struct hwc_result *result,
                        struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    int status;

    *result = (struct hwc_result){0};
    status = hwc_vote(lab, measure, context, 1, result, error);
    if (status == HWC_UNAVAILABLE || status == HWC_NO_MEMORY) {
        hwc_finding_unknown(finding, "%s", error->message);
        return HWC_OK;
    }
    if (status == HWC_OK)
        hwc_finding_from_result(finding, result, unit, witness, hwc_lab_elapsed(lab) - started);
    return status;
}

void hwc_finding_unknown(struct hwc_finding *finding, const char *format, ...)
{
    va_list arguments;

    finding->asked = true;
    finding->known = false;
    va_start(arguments, format);
    vsnprintf(finding->reason, sizeof finding->reason, format, arguments);
    va_end(arguments);
}
