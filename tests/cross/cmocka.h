/* What unit tests use of cmocka, for architectures that cmocka is not installed
 * for. A test that fails ends the program. */
#ifndef HWC_TESTS_CROSS_CMOCKA_H
#define HWC_TESTS_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

static jmp_buf to_next_test;

#define cmocka_unit_test(test) {#test, test}
#define print_message printf
#define skip() longjmp(to_next_test, 1)

#define assert_true(holds)                                                       \
    do {                                                                         \
        if (!(holds)) {                                                          \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #holds);         \
            exit(1);                                                             \
        }                                                                        \
    } while (0)
#define assert_int_equal(a, b) assert_true((unsigned long long)(a) == (unsigned long long)(b))
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_null(pointer) assert_true((pointer) == NULL)
#define assert_non_null(pointer) assert_true((pointer) != NULL)

#define cmocka_run_group_tests(tests, set_up, tear_down) run_tests((tests), sizeof(tests) / sizeof(tests)[0])

static inline int run_tests(const struct CMUnitTest *tests, size_t count)
{
    for (volatile size_t i = 0; i < count; i++) {
        void *state = NULL;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        if (setjmp(to_next_test) == 0)
            tests[i].run(&state);
        else
            printf("skipped\n");
    }
    return 0;
}

#endif
