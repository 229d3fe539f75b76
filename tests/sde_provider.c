/* A PAPI SDE provider for tests: publishes callgrind's simulated totals as
 * software-defined events "sde:::callgrind::D1mr" and so on.
 *
 * Preloaded into an unmodified program under valgrind, it gives PAPI's SDE
 * component counters to read: each reading dumps callgrind's costs, adds the
 * dump's totals to a running sum, and zeroes callgrind's counters. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sde_lib.h>
#include <valgrind/callgrind.h>

#define COLUMNS 9

static const char *const names[COLUMNS] = {"Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"};
static long long totals[COLUMNS];
static int dumps;

static void add_totals(const char *path)
{
    static char text[4096];
    int file = open(path, O_RDONLY);
    off_t size;
    ssize_t got;
    char *at;

    if (file < 0)
        return;
    size = lseek(file, 0, SEEK_END);
    got = pread(file, text, sizeof text - 1, size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0);
    close(file);
    unlink(path);
    if (got < 0)
        return;
    text[got] = '\0';
    at = strstr(text, "totals: ");
    if (at == NULL)
        return;
    at += strlen("totals: ");
    for (int i = 0; i < COLUMNS; i++)
        totals[i] += strtoll(at, &at, 10);
}

static long long read_column(void *column)
{
    char path[512];
    const char *base = getenv("SDE_PROVIDER_BASE");

    CALLGRIND_DUMP_STATS;
    snprintf(path, sizeof path, "%s.%d", base != NULL ? base : "callgrind.out", ++dumps);
    add_totals(path);
    CALLGRIND_ZERO_STATS;
    return totals[(long)column];
}

__attribute__((constructor)) static void publish(void)
{
    papi_handle_t handle;

    if (!RUNNING_ON_VALGRIND)
        return;
    handle = papi_sde_init("callgrind");
    for (long i = 0; i < COLUMNS; i++)
        papi_sde_register_counter_cb(handle, names[i], PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, read_column,
                                     (void *)i);
}
