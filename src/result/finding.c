#include "finding.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *hwc_why_name(enum hwc_why why)
{
    static const char *const names[HWC_WHYS] = {"", "unavailable", "inconclusive", "undecided", "depends", "nothing"};
    return names[why];
}

/* A ballot that abstains found no evidence: where most abstain, evidence is missing rather than contradictory. */
static enum hwc_why why_undecided(const struct hwc_result *result)
{
    return 2 * result->given < result->votes ? HWC_WHY_INCONCLUSIVE : HWC_WHY_UNDECIDED;
}

void hwc_finding_from_result(struct hwc_finding *finding, const struct hwc_result *result,
                             const struct hwc_witness *witness, double seconds)
{
    finding->asked = true;
    finding->seconds = seconds;
    finding->alike = result->alike;
    finding->votes = result->votes;
    finding->rounds = result->rounds;
    memcpy(finding->round, result->round, sizeof finding->round);
    finding->known = result->decided;
    finding->value = (double)result->value;
    finding->witness = witness->kind;
    finding->why = result->decided ? HWC_WHY_NOT_SAID : why_undecided(result);
    hwc_write(finding->reason, sizeof finding->reason, "%s", result->decided ? "" : result->reason);
    if (witness->kind == HWC_COUNTER) {
        hwc_write(finding->counter, sizeof finding->counter, "%s", witness->counter);
        hwc_write(finding->event, sizeof finding->event, "%s", hwc_event_name(witness->event));
    }
}

int hwc_findings_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                         unsigned questions, struct hwc_finding *const *findings, struct hwc_result *results,
                         struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    int status;

    memset(results, 0, questions * sizeof *results);
    status = hwc_vote(lab, measure, context, questions, results, error);
    for (unsigned q = 0; status == HWC_OK && q < questions; q++)
        hwc_finding_from_result(findings[q], &results[q], witness, hwc_lab_elapsed(lab) - started);
    return hwc_findings_settle(status, findings, questions, error);
}

int hwc_finding_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                        struct hwc_finding *finding, struct hwc_result *result, struct hwc_error *error)
{
    return hwc_findings_by_vote(lab, measure, context, witness, 1, &finding, result, error);
}

int hwc_decide_by_vote(struct hwc_lab *lab, hwc_measure measure, void *context, const struct hwc_witness *witness,
                       struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_result ignored;

    return hwc_finding_by_vote(lab, measure, context, witness, finding, &ignored, error);
}

double hwc_in_hundredths(double value)
{
    return round(value * 100) / 100;
}

void hwc_finding_by_clock(struct hwc_finding *finding, double value)
{
    *finding = (struct hwc_finding){
        .asked = true, .known = true, .witness = HWC_CLOCK, .alike = 1, .votes = 1, .value = value};
}

void hwc_finding_cycles(struct hwc_finding *finding, double cycles)
{
    hwc_finding_by_clock(finding, hwc_in_hundredths(cycles));
}

void hwc_finding_by_system(struct hwc_finding *finding, double value)
{
    hwc_finding_by_clock(finding, value);
    finding->witness = HWC_SYSTEM_WITNESS;
}

void hwc_finding_nanoseconds(struct hwc_finding *finding, double cycles, double cycles_per_ns)
{
    if (cycles_per_ns > 0)
        finding->nanoseconds = hwc_in_hundredths(cycles / cycles_per_ns);
}

void hwc_finding_between(struct hwc_finding *finding, double low, double high, const char *reason)
{
    *finding = (struct hwc_finding){.witness = HWC_CLOCK, .has_interval = true, .low = low, .high = high};
    hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%s", reason);
}

void hwc_finding_unknown(struct hwc_finding *finding, enum hwc_why why, const char *format, ...)
{
    va_list arguments;

    finding->asked = true;
    finding->known = false;
    finding->why = why;
    va_start(arguments, format);
    hwc_write_list(finding->reason, sizeof finding->reason, format, arguments);
    va_end(arguments);
}

void hwc_finding_because(struct hwc_finding *finding, struct hwc_reason reason)
{
    hwc_finding_unknown(finding, reason.why, "%s", reason.text);
}

void hwc_finding_failed(struct hwc_finding *finding, const struct hwc_error *error)
{
    hwc_finding_unknown(finding, error->status == HWC_INCONCLUSIVE ? HWC_WHY_INCONCLUSIVE : HWC_WHY_UNAVAILABLE, "%s",
                        error->message);
}

void hwc_findings_because(struct hwc_finding *const *findings, unsigned count, struct hwc_reason reason)
{
    for (unsigned i = 0; i < count; i++)
        hwc_finding_because(findings[i], reason);
}

void hwc_findings_failed(struct hwc_finding *const *findings, unsigned count, const struct hwc_error *error)
{
    for (unsigned i = 0; i < count; i++)
        hwc_finding_failed(findings[i], error);
}

int hwc_findings_settle(int status, struct hwc_finding *const *findings, unsigned count, const struct hwc_error *error)
{
    if (!hwc_came_to_nothing(status))
        return status;
    hwc_findings_failed(findings, count, error);
    return HWC_OK;
}
