/* The workshop, with a compiler: what it makes in directories and of commands that are unlike the usual ones, what it
 * says of a compiler that hangs, and that the code's first execution is its own time. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "operations.h"
#include "program.h"
#include "workshop.h"

static const struct hwc_core_type f64 = {.name = "f64", .element = "double", .floating = true, .root = "sqrt"};

enum { PATH_BYTES = 64 };

/* A test's TMPDIR, with a blank in its name, is its state. Its end is reached by tests that skip, too. */
static int begin(void **state)
{
    static char path[PATH_BYTES];

    snprintf(path, sizeof path, "/tmp/a blank-XXXXXX");
    *state = mkdtemp(path);
    return *state != NULL ? setenv("TMPDIR", path, 1) : -1;
}

/* Nothing is left in it. */
static int end(void **state)
{
    unsetenv("TMPDIR");
    signal(SIGCHLD, SIG_DFL);
    return rmdir(*state);
}

static struct hwc_nano addition(unsigned variables)
{
    return hwc_nano_of(hwc_find_operation("add", &f64), &f64, variables, 1);
}

/* Skips where there is no compiler. */
static unsigned prepare(struct nano_workshop *workshop, unsigned variables)
{
    const struct hwc_nano nano = addition(variables);
    struct hwc_error error;
    unsigned handle;

    assert_non_null(workshop);
    if (nano_prepare(workshop, &nano, 1, &handle, &error) == HWC_OK)
        return handle;
    nano_workshop_close(workshop);
    if (strstr(error.message, "there is no C compiler") == NULL)
        fail_msg("%s", error.message);
    print_message("skipped: %s\n", error.message);
    skip();
    return 0;
}

static void assert_made(const char *flags)
{
    struct nano_workshop *workshop = nano_workshop_open(NULL, flags, NULL);
    unsigned handle = prepare(workshop, 2);

    if (!nano_code_of(workshop, handle)->runs)
        fail_msg("%s", nano_code_of(workshop, handle)->reason);
    assert_true(nano_code_of(workshop, handle)->assembled);
    nano_workshop_close(workshop);
}

static void a_directory_may_have_a_blank_in_its_name(void **state)
{
    (void)state;
    assert_made(NULL);
}

static void flags_may_be_long_and_many(void **state)
{
    enum { MANY = 2000 };
    static const char flag[] = "-DX ";
    const size_t length = sizeof flag - 1;
    char flags[MANY * sizeof flag];

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        memcpy(flags + i * length, flag, length);
    memcpy(flags + MANY * length, "-O2", sizeof "-O2");
    assert_made(flags);
}

static void the_ends_of_compilers_are_learned_where_those_of_children_are_ignored(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_made(NULL);
    assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

/* Else the fault would pass for the translation of code (core.c), as it takes as long. */
static void code_meets_no_page_fault_when_it_is_executed_first(void **state)
{
    struct nano_workshop *workshop = nano_workshop_open(NULL, NULL, NULL);
    nano_function *function = nano_function_of(workshop, prepare(workshop, 1));
    long before;

    (void)state;
    assert_non_null(function);
    faults();
    before = faults();
    function(1);
    assert_int_equal(faults(), before);
    nano_workshop_close(workshop);
}

/* Its directory is gone before the second preparation. */
static void what_could_not_be_compiled_keeps_its_reason(void **state)
{
    struct nano_workshop *workshop = nano_workshop_open(NULL, NULL, NULL);
    const struct hwc_nano nano = addition(3);
    char command[2 * PATH_BYTES];
    struct hwc_error error;
    unsigned handle;

    prepare(workshop, 2);
    snprintf(command, sizeof command, "rm -r '%s'/*", (const char *)*state);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    assert_int_equal(nano_prepare(workshop, &nano, 1, &handle, &error), HWC_UNAVAILABLE);
    assert_non_null(strstr(error.message, "cannot be written to"));
    assert_int_equal(nano_prepare(workshop, &nano, 1, &handle, &error), HWC_OK);
    assert_false(nano_code_of(workshop, handle)->runs);
    assert_non_null(strstr(nano_code_of(workshop, handle)->reason, "cannot be written to"));
    nano_workshop_close(workshop);
}

static void a_keeper_that_was_killed_ends_nothing(void **state)
{
    struct nano_directory directory;
    struct hwc_error error;
    siginfo_t ended;

    (void)state;
    assert_int_equal(nano_directory_open(&directory, &error), HWC_OK);
    assert_true(directory.keeper >= 0);
    assert_int_equal(kill(directory.keeper_pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)directory.keeper_pid, &ended, WEXITED | WNOWAIT), 0);
    nano_directory_in_use(&directory, (const pid_t[]){1}, 1, false);
    nano_directory_close(&directory);
}

/* As if this process were killed before it could say which process it has started. */
static void what_was_about_to_be_started_ends_too(void **state)
{
    struct nano_directory directory;
    char temporary[NANO_PATH + 16], *words[] = {"sleep", "86397", NULL}, *environment[] = {temporary, NULL};
    const struct nano_program program = {.words = words, .environment = environment, .input = -1};
    struct hwc_error error;
    int status = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(nano_directory_open(&directory, &error), HWC_OK);
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", directory.path);
    nano_directory_in_use(&directory, NULL, 0, true);
    assert_int_equal(nano_spawn(&program, &pid), 0);
    close(directory.keeper);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(waitpid(directory.keeper_pid, NULL, 0), directory.keeper_pid);
}

/* Those that were begun have a file for their messages. */
static unsigned begun(const struct nano_directory *directory, const struct nano_unit *units, unsigned count)
{
    unsigned found = 0;
    char path[NANO_PATH];

    for (unsigned i = 0; i < count; i++) {
        nano_file(directory, units[i].name, "log", path);
        found += access(path, F_OK) == 0;
    }
    return found;
}

/* None is begun any more: each would take its time to be given up. */
static void a_compiler_that_hangs_does_so_once(void **state)
{
    enum { UNITS = 60 };
    struct nano_unit units[UNITS] = {0};
    struct nano_directory directory;
    const struct nano_compiler compiler = {.command = "yes --", .flags = "", .patience = 0.3};
    struct hwc_error error;

    (void)state;
    assert_int_equal(nano_directory_open(&directory, &error), HWC_OK);
    for (unsigned i = 0; i < UNITS; i++)
        snprintf(units[i].name, sizeof units[i].name, "%u", i);
    assert_int_equal(nano_compile(&compiler, &directory, units, UNITS, &error), HWC_OK);
    assert_int_equal(begun(&directory, units, UNITS), nano_jobs());
    for (unsigned i = 0; i < UNITS; i++)
        assert_non_null(strstr(units[i].reason, "did not end within 0.3 s"));
    nano_directory_close(&directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_directory_may_have_a_blank_in_its_name, begin, end),
        cmocka_unit_test_setup_teardown(flags_may_be_long_and_many, begin, end),
        cmocka_unit_test_setup_teardown(the_ends_of_compilers_are_learned_where_those_of_children_are_ignored, begin,
                                        end),
        cmocka_unit_test_setup_teardown(code_meets_no_page_fault_when_it_is_executed_first, begin, end),
        cmocka_unit_test_setup_teardown(what_could_not_be_compiled_keeps_its_reason, begin, end),
        cmocka_unit_test_setup_teardown(a_keeper_that_was_killed_ends_nothing, begin, end),
        cmocka_unit_test_setup_teardown(what_was_about_to_be_started_ends_too, begin, end),
        cmocka_unit_test_setup_teardown(a_compiler_that_hangs_does_so_once, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
