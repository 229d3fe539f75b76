#include "estimate.h"

#include <math.h>
#include <stddef.h>

void hwc_tally_add(struct hwc_tally *tally, double reading)
{
    double before = reading - tally->mean;

    tally->readings++;
    tally->mean += before / tally->readings;
    tally->squares += before * (reading - tally->mean);
}

struct hwc_estimate hwc_tally_mean(const struct hwc_tally *tally, double resolution)
{
    double n = tally->readings;
    double variance = tally->squares / (n - 1) + resolution * resolution / 12;

    return (struct hwc_estimate){
        .value = tally->mean, .error = sqrt(variance / n), .samples = tally->readings, .disturbed = tally->disturbed};
}

/* Two-sided 0.1 % points of Student's distribution, by degrees of freedom; between two entries the larger applies. */
static const struct {
    unsigned freedom;
    double bound;
} points[] = {{1, 636.6}, {2, 31.60}, {3, 12.92}, {4, 8.610}, {5, 6.869},  {6, 5.959},  {7, 5.408},   {8, 5.041},
              {9, 4.781}, {10, 4.587}, {12, 4.318}, {15, 4.073}, {20, 3.850}, {30, 3.646}, {60, 3.460}, {120, 3.373}};

double hwc_student_bound(unsigned readings)
{
    double bound = points[0].bound;

    for (size_t i = 0; i < sizeof points / sizeof points[0] && points[i].freedom < readings; i++)
        bound = points[i].bound;
    return bound;
}
