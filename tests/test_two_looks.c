/* Places that differ are told from drift and from noise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "two_looks.h"

enum { PLACES = 16, DRAWS = 2000 };

/* Slices that lie up to this many cycles apart; noise, and drift from the first reading to the last. */
struct drawn {
    double mean, apart, noise, drift;
};

static bool look_twice(const struct drawn *drawn, struct hwc_random *random)
{
    double looks[2][PLACES], slice[PLACES];

    for (unsigned i = 0; i < PLACES; i++)
        slice[i] = drawn->apart * (hwc_random_unit(random) - 0.5);
    for (unsigned i = 0; i < 2 * PLACES; i++) {
        unsigned place = i < PLACES ? i : 2 * PLACES - 1 - i;
        looks[i / PLACES][place] = drawn->mean + slice[place] + drawn->noise * hwc_random_normal(random) +
                                   drawn->drift * i / (2 * PLACES);
    }
    return hwc_places_differ(looks[0], looks[1], PLACES);
}

static unsigned count(struct drawn drawn, uint64_t seed)
{
    struct hwc_random random;
    unsigned differ = 0;

    hwc_random_seed(&random, seed);
    for (unsigned i = 0; i < DRAWS; i++) {
        drawn.mean = 20 + 80 * hwc_random_unit(&random);
        differ += look_twice(&drawn, &random);
    }
    print_message("seed %llu: apart %.0f, noise %.1f, drift %.0f: %u of %d differ\n", (unsigned long long)seed,
                  drawn.apart, drawn.noise, drawn.drift, differ, DRAWS);
    return differ;
}

static void noise_and_drift_are_no_difference(void **state)
{
    (void)state;
    assert_int_equal(count((struct drawn){.noise = 0.2}, 1), 0);
    assert_true(count((struct drawn){.noise = 4}, 2) <= DRAWS / 1000);
    assert_true(count((struct drawn){.noise = 1, .drift = 20}, 3) <= DRAWS / 100);
}

static void slices_are_seen_through_drift(void **state)
{
    (void)state;
    assert_true(count((struct drawn){.apart = 28, .noise = 0.5}, 4) > 0.95 * DRAWS);
    assert_true(count((struct drawn){.apart = 28, .noise = 0.5, .drift = 4}, 5) > 0.9 * DRAWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_and_drift_are_no_difference),
        cmocka_unit_test(slices_are_seen_through_drift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
