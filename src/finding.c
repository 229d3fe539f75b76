#include "finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

int hwc_findings_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                         unsigned questions, const char *const *units, struct hwc_finding *const *findings,
                         struct hwc_result *results, struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    int status;

    memset(results, 0, questions * sizeof *results);
    status = hwc_vote(lab, measure, context, questions, results, error);
    if (hwc_came_to_nothing(status)) {
        hwc_findings_unknown(findings, questions, "%s", error->message);
        return HWC_OK;
    }
    for (unsigned q = 0; status == HWC_OK && q < questions; q++)
        hwc_finding_from_result(findings[q], &results[q], units[q], witness, hwc_lab_elapsed(lab) - started);
    return status;
}

int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        const char *unit, struct hwc_finding *finding, struct hwc_result *result,
                        struct hwc_error *error)
{
    return hwc_findings_by_vote(lab, measure, context, witness, 1, &unit, &finding, result, error);
}

int hwc_decide_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                       struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_result ignored;
    int status = hwc_finding_by_vote(lab, measure, context, witness, "", finding, &ignored, error);

    finding->boolean = true;
    return status;
}

static void set_unknown(struct hwc_finding *finding, const char *format, va_list arguments)
{
    finding->asked = true;
    finding->known = false;
    vsnprintf(finding->reason, sizeof finding->reason, format, arguments);
}

void hwc_finding_cycles(struct hwc_finding *finding, double cycles)
{
    *finding = (struct hwc_finding){.asked = true, .known = true, .unit = "cycles", .witness = HWC_CLOCK};
    finding->value = round(cycles * 100) / 100;
    finding->alike = finding->votes = 1;
}

void hwc_finding_unknown(struct hwc_finding *finding, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_unknown(finding, format, arguments);
    va_end(arguments);
}

void hwc_findings_unknown(struct hwc_finding *const *findings, unsigned count, const char *format, ...)
{
    for (unsigned i = 0; i < count; i++) {
        va_list arguments;
        va_start(arguments, format);
        set_unknown(findings[i], format, arguments);
        va_end(arguments);
    }
}
