#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

void hwc_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
}

static int by_integer(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void hwc_sort_integers(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, by_integer);
}

bool hwc_is_in_sorted(uint64_t value, const uint64_t *sorted, size_t count)
{
    return bsearch(&value, sorted, count, sizeof value, by_integer) != NULL;
}

double hwc_median(double *values, size_t count)
{
    hwc_sort(values, count);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

static double mean_near(const double *values, size_t count, double middle, double reach)
{
    double sum = 0;
    size_t near = 0;

    for (size_t i = 0; i < count; i++)
        if (fabs(values[i] - middle) <= reach) {
            sum += values[i];
            near++;
        }
    return near > 0 ? sum / (double)near : middle;
}

double hwc_mean_near_median(double *values, size_t count, double reach)
{
    return mean_near(values, count, hwc_median(values, count), reach);
}

double hwc_mean_near_quarter(double *values, size_t count, double share)
{
    hwc_sort(values, count);
    return mean_near(values, count, values[count / 4], share * values[count / 4]);
}

bool hwc_most_agree(double *values, size_t count, double width, double share, double *value)
{
    size_t begin = 0, most = 0;

    hwc_sort(values, count);
    for (size_t first = 0, beyond = 0; first < count; first++) {
        while (beyond < count && values[beyond] - values[first] <= width)
            beyond++;
        if (beyond - first > most) {
            most = beyond - first;
            begin = first;
        }
    }
    *value = hwc_median(values + begin, most);
    return (double)most >= share * (double)count;
}

double hwc_chance_of_at_least(unsigned count, unsigned trials, double each)
{
    double chance = 0, ways = 1; /* to choose k of them */

    for (unsigned k = 0; k <= trials; k++) {
        if (k >= count)
            chance += ways * pow(each, k) * pow(1 - each, trials - k);
        ways *= (double)(trials - k) / (k + 1);
    }
    return chance;
}

double hwc_poisson_at_least(unsigned count, double mean)
{
    double term = exp(-mean), fewer = 0;

    for (unsigned n = 0; n < count; n++) {
        fewer += term;
        term *= mean / (n + 1);
    }
    return fmax(0, 1 - fewer);
}

uint64_t hwc_nearest_power_of_two(double value)
{
    double exponent = floor(log2(value) + 0.5);
    return exponent <= 0 ? 1 : UINT64_C(1) << (unsigned)exponent;
}
