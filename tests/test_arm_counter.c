/* Which AArch64 instructions the stand-in for the kernel takes for readings of a counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stand_in/arm_counter.h"

/* As binutils assembles them. */
static void readings_of_counters_have_their_index(void **state)
{
    static const struct {
        uint32_t code, index;
    } readings[] = {
        {0xd53be800, 0},  /* mrs x0, pmevcntr0_el0 */
        {0xd53be8e3, 7},  /* mrs x3, pmevcntr7_el0 */
        {0xd53be908, 8},  /* mrs x8, pmevcntr8_el0 */
        {0xd53bebdf, 30}, /* mrs xzr, pmevcntr30_el0 */
        {0xd53b9d1e, 31}, /* mrs x30, pmccntr_el0 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        uint32_t index;
        assert_true(reads_arm_counter(readings[i].code, &index));
        assert_int_equal(index, readings[i].index);
    }
}

/* Those whose fields are as near to a reading's as can be, and any with 31 where its number would be. */
static void other_instructions_are_none(void **state)
{
    static const uint32_t others[] = {
        0xd53bebe0, /* the number 31, which no counter has */
        0xd53bec00, /* mrs x0, pmevtyper0_el0 */
        0xd51be800, /* msr pmevcntr0_el0, x0 */
        0xd53b9d20, /* mrs x0, pmxevtyper_el0 */
        0xd53be040, /* mrs x0, cntvct_el0 */
        0xf94003e0, /* ldr x0, [sp] */
        0xd65f03c0, /* ret */
        0xaa1f03e0, /* mov x0, xzr */
    };

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        uint32_t index;
        assert_false(reads_arm_counter(others[i], &index));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_of_counters_have_their_index),
        cmocka_unit_test(other_instructions_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
