/* What a probe found, taken back: lists that have grown meanwhile, and moved, are as long as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "take_back.h"

static void nothing(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n, (void)experiment, (void)sample;
}

static void add_matrices(struct hwc_profile *profile, unsigned count)
{
    struct hwc_error error = {0};
    struct hwc_matrix *matrix;

    for (unsigned i = 0; i < count; i++)
        assert_int_equal(hwc_matrix_add(&profile->matrices, "pairs", 2, &matrix, &error), HWC_OK);
}

static void what_was_found_before_stays(void **state)
{
    static struct hwc_profile profile;
    struct hwc_found_before *before;
    struct fake_machine fake;

    (void)state;
    fake_machine_open(&fake, nothing, NULL);
    add_matrices(&profile, 1);
    hwc_know_levels(&fake.lab, 1);
    before = hwc_remember_found(&fake.lab, &profile);
    assert_non_null(before);
    add_matrices(&profile, 40); /* the list moves */
    profile.caches = 3;
    hwc_know_levels(&fake.lab, 3);
    hwc_note(&fake.lab.notes, "found");
    hwc_take_back(before, &fake.lab, &profile);
    free(before);
    assert_int_equal(profile.matrices.count, 1);
    assert_non_null(hwc_matrix_find(&profile.matrices, "pairs"));
    add_matrices(&profile, 1);
    assert_int_equal(profile.matrices.count, 2);
    assert_int_equal(profile.caches, 0);
    assert_int_equal(fake.lab.known->levels, 1);
    assert_int_equal(fake.lab.notes.count, 0);
    hwc_profile_close(&profile);
    fake_machine_close(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_found_before_stays)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
