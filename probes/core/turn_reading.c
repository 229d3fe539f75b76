#include "turn_reading.h"

#include <string.h>

#include "quiet_core.h"
#include "statistics.h"

enum { FEWEST = 5, TRIES = 300 };

static const struct {
    size_t executed; /* instructions in a sample: those of a loop's begin and end are few of them */
    size_t additions;
    double wait_seconds; /* before a sample: pauses of a busy sibling are longer than a sample takes */
    double most_seconds; /* of a probe: beside somebody who hardly pauses it gives up */
    double alike;        /* quartiles within this factor are one value */
} policy = {.executed = 40000, .additions = 64, .wait_seconds = 0.002, .most_seconds = 4, .alike = 1.04};

static bool took_long(const struct hwc_lab *lab)
{
    return hwc_lab_elapsed(lab) - lab->probe_started > policy.most_seconds;
}

int hwc_read_by_clock(struct hwc_body_time *time, const struct hwc_round_of *round, size_t rounds, unsigned samples,
                      struct hwc_turn_reading *reading, struct hwc_error *error)
{
    struct hwc_body body = {.line = round->line,
                            .stretches = 1,
                            .stretch = {{.kinds = round->kinds, .count = rounds * round->kinds}}};
    uint32_t turns = (uint32_t)(policy.executed / body.stretch[0].count) + 2;
    double cycles[HWC_SAMPLES_OF_ROUNDS] = {0};
    unsigned readings = 0;

    memcpy(body.stretch[0].kind, round->kind, round->kinds * sizeof round->kind[0]);
    for (unsigned i = 0; i < TRIES && readings < samples && !took_long(time->lab); i++) {
        bool alone = hwc_is_alone(time->lab, policy.wait_seconds);
        TRY(hwc_time_turn(time, &body, turns, false, &cycles[readings], error));
        readings += alone && hwc_is_alone(time->lab, 0);
    }
    if (readings < FEWEST)
        return hwc_fail(error, HWC_INCONCLUSIVE, "another thread works on this core");
    reading->cycles = hwc_median(cycles, readings) / (double)rounds; /* sorts */
    reading->low = cycles[readings / 4] / (double)rounds;
    reading->high = cycles[readings - 1 - readings / 4] / (double)rounds;
    return HWC_OK;
}

int hwc_read_rounds(struct hwc_body_time *time, const struct hwc_round_of *round, size_t rounds,
                    struct hwc_turn_reading *reading, struct hwc_error *error)
{
    const struct hwc_round_of addition = HWC_ROUND_OF(HWC_OP_ADD_CHAIN);
    struct hwc_turn_reading added = {0}, taken = {0};

    TRY(hwc_read_by_clock(time, &addition, policy.additions, HWC_SAMPLES_OF_ROUNDS, &added, error));
    TRY(hwc_read_by_clock(time, round, rounds, HWC_SAMPLES_OF_ROUNDS, &taken, error));
    *reading = (struct hwc_turn_reading){taken.cycles / added.cycles, taken.low / added.cycles,
                                         taken.high / added.cycles};
    return HWC_OK;
}

void hwc_set_cycles_between(struct hwc_finding *finding, double low, double high, const char *reason)
{
    hwc_finding_between(finding, hwc_in_hundredths(low), hwc_in_hundredths(high), reason);
}

void hwc_set_reading(struct hwc_finding *finding, const struct hwc_turn_reading *reading)
{
    if (reading->high <= policy.alike * reading->low)
        hwc_finding_cycles(finding, reading->cycles);
    else
        hwc_set_cycles_between(finding, reading->low, reading->high, "it takes longer at one time than at another");
}

void hwc_set_said(struct hwc_finding *finding, enum hwc_said said, const char *neither)
{
    if (said == HWC_SAID_NEITHER)
        hwc_finding_because(finding, hwc_inconclusive(neither));
    else
        hwc_finding_by_clock(finding, said == HWC_SAID_YES);
}
