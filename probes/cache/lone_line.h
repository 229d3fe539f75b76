/* One line, read twice in a row after something was done: did it have to come from
 * beyond a level? The second reading finds it in the first level, and is what
 * reading costs. */
#ifndef HWC_LONE_LINE_H
#define HWC_LONE_LINE_H

#include "lab.h"

/* Misses at the witness's level by a sample's first two readings: about 0 or 1, more by the clock if the line came from
 * farther than the next level. */
static inline double hwc_weigh_lone_line(const struct hwc_lab *lab, const struct hwc_witness *witness,
                                         const struct hwc_sample *sample)
{
    double reading = hwc_count_reading(witness, &sample->reading[0]) - hwc_count_reading(witness, &sample->reading[1]);

    if (!hwc_goes_by_time(witness))
        return reading;
    return reading - hwc_weight_of_hits(witness, 1) * (1 - lab->witness[1].hit_cycles / witness->hit_cycles);
}

#endif
