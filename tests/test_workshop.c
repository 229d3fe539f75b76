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
#include "workshop.h"

static const struct hwc_core_type f64 = {.name = "f64", .element = "double", .floating = true, .root = "sqrt"};

enum { PATH_BYTES = 64 };

/* TMPDIR of a test. */
struct place {
    char path[PATH_BYTES];
};

static struct place begin(const char *name)
{
    struct place place;

    snprintf(place.path, sizeof place.path, "/tmp/%s-XXXXXX", name);
    assert_non_null(mkdtemp(place.path));
    assert_int_equal(setenv("TMPDIR", place.path, 1), 0);
    return place;
}

/* Nothing is left in it. */
static void end(const struct place *place)
{
    assert_int_equal(rmdir(place->path), 0);
    unsetenv("TMPDIR");
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
    struct place place = begin("a blank");

    (void)state;
    assert_made(NULL);
    end(&place);
}

static void flags_may_be_long_and_many(void **state)
{
    enum { MANY = 2000 };
    struct place place = begin("flags");
    char *flags = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&flags, &size);

    (void)state;
    assert_non_null(stream);
    for (size_t i = 0; i < MANY; i++)
        fputs("-DX ", stream);
    fputs("-O2", stream);
    assert_int_equal(fclose(stream), 0);
    assert_made(flags);
    free(flags);
    end(&place);
}

static void the_ends_of_compilers_are_learned_where_those_of_children_are_ignored(void **state)
{
    struct place place = begin("ignored");

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    assert_made(NULL);
    assert_true(signal(SIGCHLD, SIG_DFL) == SIG_IGN);
    end(&place);
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
    struct place place = begin("first");
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
    end(&place);
}

/* Its directory is gone before the second preparation. */
static void what_could_not_be_compiled_keeps_its_reason(void **state)
{
    struct place place = begin("gone");
    struct nano_workshop *workshop = nano_workshop_open(NULL, NULL, NULL);
    const struct hwc_nano nano = addition(3);
    char command[2 * PATH_BYTES];
    struct hwc_error error;
    unsigned handle;

    (void)state;
    prepare(workshop, 2);
    snprintf(command, sizeof command, "rm -r %s/*", place.path);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    assert_int_equal(nano_prepare(workshop, &nano, 1, &handle, &error), HWC_UNAVAILABLE);
    assert_non_null(strstr(error.message, "cannot be written to"));
    assert_int_equal(nano_prepare(workshop, &nano, 1, &handle, &error), HWC_OK);
    assert_false(nano_code_of(workshop, handle)->runs);
    assert_non_null(strstr(nano_code_of(workshop, handle)->reason, "cannot be written to"));
    nano_workshop_close(workshop);
    end(&place);
}

static void a_keeper_that_was_killed_ends_nothing(void **state)
{
    struct place place = begin("keeper");
    struct nano_directory directory;
    struct hwc_error error;
    siginfo_t ended;

    (void)state;
    assert_int_equal(nano_directory_open(&directory, &error), HWC_OK);
    assert_true(directory.keeper >= 0);
    assert_int_equal(kill(directory.keeper_pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)directory.keeper_pid, &ended, WEXITED | WNOWAIT), 0);
    nano_directory_in_use(&directory, (const pid_t[]){1}, 1);
    nano_directory_close(&directory);
    end(&place);
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
    struct place place = begin("hangs");
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
    end(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_may_have_a_blank_in_its_name),
        cmocka_unit_test(flags_may_be_long_and_many),
        cmocka_unit_test(the_ends_of_compilers_are_learned_where_those_of_children_are_ignored),
        cmocka_unit_test(code_meets_no_page_fault_when_it_is_executed_first),
        cmocka_unit_test(what_could_not_be_compiled_keeps_its_reason),
        cmocka_unit_test(a_keeper_that_was_killed_ends_nothing),
        cmocka_unit_test(a_compiler_that_hangs_does_so_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
