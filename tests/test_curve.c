#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>

#include <cmocka.h>

#include "curve.h"
#include "random.h"

static void add_plateau(struct hwc_curve *curve, struct hwc_random *random, unsigned points, double cycles)
{
    for (unsigned i = 0; i < points; i++) {
        curve->bytes[curve->points] = 1024 * pow(2, (double)curve->points / 4);
        curve->cycles[curve->points++] = cycles * (1 + 0.01 * hwc_random_unit(random));
    }
}

static void ramps_do_not_count_as_levels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct hwc_curve curve = {0};
        struct hwc_plateau plateaus[HWC_MAX_PLATEAUS];
        struct hwc_random random;
        hwc_random_seed(&random, seed);
        add_plateau(&curve, &random, 6, 4);
        add_plateau(&curve, &random, 1, 8);
        add_plateau(&curve, &random, 10, 14);
        add_plateau(&curve, &random, 1, 20);
        add_plateau(&curve, &random, 1, 31);
        add_plateau(&curve, &random, 1, 43);
        add_plateau(&curve, &random, 8, 60);
        add_plateau(&curve, &random, 1, 120);
        add_plateau(&curve, &random, 9, 240);
        if (hwc_find_plateaus(&curve, plateaus) != 4)
            fail_msg("seed %llu: %zu plateaus", (unsigned long long)seed, hwc_find_plateaus(&curve, plateaus));
        assert_true(fabs(plateaus[1].cycles - 14) < 0.5);
        assert_true(plateaus[1].first_bytes == curve.bytes[7]);
        assert_true(plateaus[1].last_bytes == curve.bytes[16]);
    }
}

static void neighbours_of_one_height_are_one_level(void **state)
{
    struct hwc_curve curve = {0};
    struct hwc_plateau plateaus[HWC_MAX_PLATEAUS];
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, 1);
    add_plateau(&curve, &random, 5, 10);
    add_plateau(&curve, &random, 5, 11);
    add_plateau(&curve, &random, 5, 30);
    assert_int_equal(hwc_find_plateaus(&curve, plateaus), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramps_do_not_count_as_levels),
        cmocka_unit_test(neighbours_of_one_height_are_one_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
