/* A PAPI SDE provider for tests: the major faults of the process, as the kernel counts them, as "sde:::kernel::MAJFLT".
 * PAPI's own perf::MAJOR-FAULTS needs a CPU that its libpfm4 knows. */
#include <sys/resource.h>

#include <sde_lib.h>

static long long count(void *unused)
{
    struct rusage usage;

    (void)unused;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_majflt : -1;
}

__attribute__((constructor)) static void publish(void)
{
    papi_sde_register_counter_cb(papi_sde_init("kernel"), "MAJFLT", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                                 count, NULL);
}
