/* What a reference takes where a level above serves some, and about as many of any number n of lines that are visited in
 * turn: t(n) = latency - constant / n. Pure. */
#ifndef HWC_SERVED_ABOVE_H
#define HWC_SERVED_ABOVE_H

static const struct {
    double alike;           /* times that differ by less than this share are the same: nothing is served above */
    double most_correction; /* a larger share means misses of another kind, or that much is served above */
} hwc_served_above = {.alike = 0.01, .most_correction = 0.05};

/* The latency, by the times of so large a part of the lines and of all. */
static inline double hwc_latency_of_rest(double part, double of_part, double of_all)
{
    return (of_all - part * of_part) / (1 - part);
}

#endif
