/* The counter: misses of a pass in the steady state, the least of a few samples
 * (AMP, ISPASS 2001, 2.2): whatever else runs on the core only adds to a count. */
#include "meter.h"
#include "steady_state.h"

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    double misses = 0;

    TRY(hwc_meter_lay_out(&meter->walk, question, question->count, error));
    TRY(hwc_measure_by(meter->lab, meter->witness, question->arena, &meter->walk, question->samples, &misses, error));
    *estimate = (struct hwc_estimate){.value = misses, .samples = question->samples};
    *side = hwc_side_of(estimate, question->threshold);
    return HWC_OK;
}

const struct hwc_meter_ops hwc_meter_counter = {.name = "counter", .counts = true, .ask = ask};
