#include "witness.h"

const char *hwc_witness_name(enum hwc_witness_kind kind)
{
    static const char *const names[] = {"none", "counter", "clock", "system"};
    return names[kind];
}

enum hwc_event hwc_structure_event(enum hwc_structure structure)
{
    static const enum hwc_event events[HWC_STRUCTURES] = {
        [HWC_L1I] = HWC_L1I_MISS,      [HWC_L2I] = HWC_L2I_MISS,     [HWC_DTLB1] = HWC_DTLB_MISS,
        [HWC_DTLB2] = HWC_DTLB2_MISS, [HWC_ITLB1] = HWC_ITLB_MISS, [HWC_ITLB2] = HWC_ITLB2_MISS,
    };

    return events[structure];
}

void hwc_ask_witness(const struct hwc_witness *witness, struct hwc_experiment *experiment)
{
    bool counter = witness->kind == HWC_COUNTER;

    experiment->event = counter ? witness->event : HWC_NO_EVENT;
    experiment->slower_than = counter ? 0 : witness->slow_cycles;
}

const struct hwc_witness hwc_by_clock = {.kind = HWC_CLOCK};

double hwc_weigh_reading(const struct hwc_witness *witness, const struct hwc_reading *reading)
{
    return witness->kind == HWC_COUNTER ? reading->count / witness->factor
                                        : reading->cycles / hwc_added_by_miss(witness);
}

double hwc_weight_of_hits(const struct hwc_witness *witness, double hits)
{
    return hwc_counts_events(witness) ? 0 : hits * witness->hit_cycles / hwc_added_by_miss(witness);
}

double hwc_count_reading(const struct hwc_witness *witness, const struct hwc_reading *reading)
{
    bool slow = witness->kind != HWC_COUNTER && witness->slow_cycles > 0;

    return slow ? reading->slow : hwc_weigh_reading(witness, reading);
}
