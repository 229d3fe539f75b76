/* What one counter reading (start and stop around nothing) costs through each
 * backend that counts here. Prints "backend native nanoseconds" a line; where a
 * backend cannot count, "backend - REASON".
 *
 *   read_cost [NATIVE]   a hardware counter to attach; else page faults, which every Linux counts
 */
#include <math.h>
#include <stdio.h>

#include "backend.h"
#include "seconds.h"

#define READINGS 2000
#define ROUNDS 9

static int time_readings(const struct ctr_backend *backend, struct ctr_session *session, double *least,
                         struct hwc_error *error)
{
    *least = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = hwc_seconds(CLOCK_MONOTONIC);
        for (int i = 0; i < READINGS; i++) {
            struct ctr_reading reading;
            int status = backend->start(session, error);
            if (status == HWC_OK)
                status = backend->stop(session, &reading, error);
            if (status != HWC_OK)
                return status;
        }
        *least = fmin(*least, 1e9 * (hwc_seconds(CLOCK_MONOTONIC) - begin) / READINGS);
    }
    return HWC_OK;
}

static void print_cost(const struct ctr_backend *backend, const struct ctr_core_pmu *core, const char *native)
{
    struct ctr_session *session = NULL;
    struct hwc_error error = {0};
    double ns = 0;
    int status = backend->open(&session, -1, core, &error);

    if (status == HWC_OK) {
        status = backend->attach(session, native, &error);
        if (status == HWC_OK)
            status = time_readings(backend, session, &ns, &error);
        backend->close(session);
    }
    if (status == HWC_OK)
        printf("%s %s %.1f\n", backend->name, native, ns);
    else
        printf("%s - %s\n", backend->name, error.message);
}

int main(int argc, char **argv)
{
    struct ctr_core_pmu core;

    ctr_find_core_pmu(0, &core);
    for (int i = 0; ctr_backends[i] != NULL; i++) {
        const char *name = ctr_backends[i]->name;
        bool papi = name[0] == 'p' && name[1] == 'a';
        if (name[0] == 'c')
            continue; /* callgrind counts only under valgrind */
        print_cost(ctr_backends[i], &core, argc > 1 ? argv[1] : papi ? "perf::MINOR-FAULTS" : "minor-faults");
    }
    return 0;
}
