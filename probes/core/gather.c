/* Gathers.
 *
 * Claim: a gather of eight or sixteen integers of 32 bits from one line of the first level can begin every so many
 * cycles.
 *
 * Method: gathers that wait for none before them, in a loop: each has a result register that was cleared, and all its
 * lanes.
 *
 * What can fool it: where lanes come from more lines, a gather may take longer.
 *
 * Source: Abel and Reineke, uops.info, ASPLOS 2019; beside Yotov et al., QEST 2005. */
#include "table.h"
#include "turn_reading.h"

enum { GATHERS = 15, ROUNDS = 4 };

#define FIVE(op) op, op, op, op, op

static const struct width {
    enum hwc_field_id field;
    struct hwc_round_of round;
} widths[] = {
    {HWC_CORE_GATHER, HWC_ROUND_OF(HWC_OP_INDICES, FIVE(HWC_OP_GATHER), FIVE(HWC_OP_GATHER), FIVE(HWC_OP_GATHER))},
    {HWC_CORE_GATHER_WIDE, HWC_ROUND_OF(HWC_OP_INDICES_WIDE, FIVE(HWC_OP_GATHER_WIDE), FIVE(HWC_OP_GATHER_WIDE),
                                        FIVE(HWC_OP_GATHER_WIDE))},
};

static int measure_width(struct hwc_body_time *time, const struct width *width, struct hwc_finding *finding,
                         struct hwc_error *error)
{
    struct hwc_turn_reading reading = {0};
    int status = hwc_read_rounds(time, &width->round, ROUNDS, &reading, error);

    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    TRY(status);
    reading = (struct hwc_turn_reading){reading.cycles / GATHERS, reading.low / GATHERS, reading.high / GATHERS};
    hwc_set_reading(finding, &reading);
    return HWC_OK;
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    for (unsigned i = 0; i < sizeof widths / sizeof widths[0]; i++)
        TRY(measure_width(time, &widths[i], &core->finding[widths[i].field], error));
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_gather, 1, measure, profile, error);
}

const struct hwc_probe hwc_probe_gather = {
    .name = "gather",
    .summary = "how often gathers of eight and sixteen integers can begin",
    .source = "beside Yotov et al., QEST 2005; Abel and Reineke, ASPLOS 2019",
    .provides = {HWC_CORE_GATHER, HWC_CORE_GATHER_WIDE},
    .on_request = true,
    .group = "core",
    .run = run,
};
