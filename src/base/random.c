#include "random.h"

#include <math.h>

static uint64_t rotate_left(uint64_t value, int by)
{
    return (value << by) | (value >> (64 - by));
}

void hwc_random_seed(struct hwc_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        random->state[i] = z ^ (z >> 31);
    }
}

uint64_t hwc_random_next(struct hwc_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t hwc_random_below(struct hwc_random *random, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t value;

    do
        value = hwc_random_next(random);
    while (value >= limit);
    return value % bound;
}

double hwc_random_unit(struct hwc_random *random)
{
    return (double)(hwc_random_next(random) >> 11) * 0x1.0p-53;
}

double hwc_random_normal(struct hwc_random *random)
{
    double radius = sqrt(-2.0 * log(1.0 - hwc_random_unit(random)));
    return radius * cos(6.283185307179586 * hwc_random_unit(random));
}

void hwc_random_shuffle(struct hwc_random *random, uint64_t *values, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)hwc_random_below(random, i);
        uint64_t kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}
