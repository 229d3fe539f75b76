/* What is counted: callgrind's totals, and the kernel's page faults. */
#include "stand_in.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define UNDER_CALLGRIND (RUNNING_ON_VALGRIND > 0)
#else
#define UNDER_CALLGRIND false
#define CALLGRIND_DUMP_STATS
#define CALLGRIND_TOGGLE_COLLECT
#endif

static double totals[CALLGRIND_COLUMNS];

/* The dump's last line has the totals: "totals: 1 2 3". */
static void add_totals(const char *path)
{
    char text[4096];
    FILE *file = stand_in_open(path, "r");
    char *at = NULL;

    if (file == NULL)
        return;
    while (fgets(text, sizeof text, file) != NULL)
        if (strncmp(text, "totals: ", 8) == 0)
            at = text + 8;
    for (int i = 0; at != NULL && i < CALLGRIND_COLUMNS; i++)
        totals[i] += strtod(at, &at);
    fclose(file);
    unlink(path);
}

/* The test names the file: --callgrind-out-file=DIRECTORY/callgrind. A dump sets callgrind's counts to zero. */
void stand_in_update_counts(void)
{
    static unsigned dumps;
    char base[4000], path[4096];

    if (!UNDER_CALLGRIND || !stand_in_path("/callgrind", base, sizeof base))
        return;
    CALLGRIND_DUMP_STATS;
    snprintf(path, sizeof path, "%s.%u", base, ++dumps);
    add_totals(path);
}

/* Up to 255 each time that somebody looks. */
static double count_of_neighbour(void)
{
    static uint32_t state = 1;
    static double sum;

    state = state * UINT32_C(1664525) + UINT32_C(1013904223);
    sum += state >> 24;
    return sum;
}

double stand_in_count_of_model(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, "modelled_count");
    double (*count)(const char *);

    memcpy(&count, &found, sizeof count);
    return found != NULL ? count(name) : -1;
}

double stand_in_count(enum column column)
{
    struct rusage usage;

    if (column == FAULTS)
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? (double)usage.ru_minflt : 0;
    if (column == NEIGHBOUR)
        return count_of_neighbour();
    return column < CALLGRIND_COLUMNS ? totals[column] : 0;
}

/* Callgrind starts without collecting: --collect-atstart=no. */
static bool collecting;

void stand_in_pause_counting(void)
{
    if (UNDER_CALLGRIND && collecting)
        CALLGRIND_TOGGLE_COLLECT;
    collecting = false;
}

void stand_in_go_on_counting(void)
{
    if (UNDER_CALLGRIND && !collecting)
        CALLGRIND_TOGGLE_COLLECT;
    collecting = true;
}
