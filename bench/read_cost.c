/* What one counter reading (start and stop around nothing) costs, each way that works here, in the least of some
 * rounds. Prints "way counter nanoseconds" a line; where a way does not work, "way - REASON".
 *
 *   read_cost [NATIVE]   a hardware counter; else page faults, which every Linux counts
 *
 * hwchar's own way through each backend comes first, then the others' by their own calls: PAPI started and stopped each
 * time, PAPI started once and read, and perf's read(). The last line is of the path by the mapped page, against two bare
 * instructions that read a counter; another instruction, the one that reads the clock, stands in its place, so that this
 * shows without a counter that user space may read. */
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "backend.h"
#include "perf_names.h"
#include "perf_open.h"
#include "seconds.h"

#ifdef HWC_HAVE_PAPI
#include <papi.h>
#endif

#define READINGS 2000
enum { ROUNDS = 25 };

struct way {
    bool (*read)(struct way *way); /* begin and end of a reading; false if it failed */
    struct ctr_counters *counters;
    int descriptor, set;
};

static double least_nanoseconds(struct way *way)
{
    double least = INFINITY;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = hwc_seconds(CLOCK_MONOTONIC);
        for (int i = 0; i < READINGS; i++)
            if (!way->read(way))
                return NAN;
        least = fmin(least, 1e9 * (hwc_seconds(CLOCK_MONOTONIC) - begin) / READINGS);
    }
    return least;
}

static void print(const char *name, const char *counter, struct way *way)
{
    double least = least_nanoseconds(way);

    if (isnan(least))
        printf("%s - it cannot be read\n", name);
    else
        printf("%s %s %.1f\n", name, counter, least);
}

static bool read_ours(struct way *way)
{
    struct ctr_reading reading;
    struct hwc_error error;

    return ctr_start(way->counters, &error) == HWC_OK && ctr_stop(way->counters, &reading, &error) == HWC_OK;
}

static void print_ours(const char *backend, const char *native)
{
    struct ctr_event_map map = {0};
    const struct ctr_request request = {.backend = backend, .cpu = 0, .user = &map};
    struct ctr_counters counters;
    struct way way = {.read = read_ours, .counters = &counters};
    struct hwc_error error = {0};
    int status = ctr_open(&counters, &request, &error);

    if (status == HWC_OK)
        status = ctr_attach(&counters, HWC_PAGE_FAULT, backend, native, &error);
    if (status == HWC_OK)
        print(backend, native, &way);
    else
        printf("%s - %s\n", backend, error.message);
    ctr_close(&counters);
}

static bool read_twice(struct way *way)
{
    uint64_t begin, end;

    return read(way->descriptor, &begin, sizeof begin) == sizeof begin &&
           read(way->descriptor, &end, sizeof end) == sizeof end;
}

static void print_read(const struct ctr_core_pmu *core, const char *native)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    struct way way = {.read = read_twice};
    struct hwc_error error = {0};
    bool kernel_too;
    int status = ctr_encode(core, native, &attributes, &error);

    if (status == HWC_OK)
        status = ctr_open_event(&attributes, core, CTR_NO_LEADER, &way.descriptor, &kernel_too, &error);
    if (status != HWC_OK) {
        printf("read() - %s\n", error.message);
        return;
    }
    print("read()", native, &way);
    close(way.descriptor);
}

#ifdef HWC_HAVE_PAPI
static bool start_and_stop(struct way *way)
{
    long long value;

    return PAPI_start(way->set) == PAPI_OK && PAPI_stop(way->set, &value) == PAPI_OK;
}

static bool read_set_twice(struct way *way)
{
    long long begin, end;

    return PAPI_read(way->set, &begin) == PAPI_OK && PAPI_read(way->set, &end) == PAPI_OK;
}

static void print_papi(const char *native)
{
    struct way way = {.set = PAPI_NULL};
    char name[HWC_NATIVE_NAME];
    long long ignored;

    snprintf(name, sizeof name, "%s", native);
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&way.set) != PAPI_OK ||
        PAPI_add_named_event(way.set, name) != PAPI_OK) {
        printf("PAPI_start - PAPI cannot add %s\n", native);
        return;
    }
    way.read = start_and_stop;
    print("PAPI_start", native, &way);
    way.read = read_set_twice;
    if (PAPI_start(way.set) == PAPI_OK)
        print("PAPI_read", native, &way);
    PAPI_stop(way.set, &ignored);
    PAPI_cleanup_eventset(way.set);
    PAPI_destroy_eventset(&way.set);
    PAPI_shutdown();
}
#else
static void print_papi(const char *native)
{
    (void)native;
    puts("PAPI_start - built without PAPI");
}
#endif

#ifdef __x86_64__
static uint64_t read_clock(uint32_t ignored)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : "c"(ignored));
    return (uint64_t)high << 32 | low;
}

static volatile double counted;

/* A reading as ctr_start and ctr_stop make it, with the other instruction. */
static void print_page_by_clock(void)
{
    struct perf_event_mmap_page page = {.index = 1, .pmc_width = 48};
    struct ctr_counters counters = {.user_page = {&page, 16}};
    struct ctr_reading reading = {0};
    struct hwc_error error;
    double bare = INFINITY, by_page = INFINITY;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t from = read_clock(0);
        for (int i = 0; i < READINGS; i++)
            counted = (double)(int64_t)(read_clock(0) - read_clock(1));
        bare = fmin(bare, (double)(read_clock(0) - from));
        from = read_clock(0);
        for (int i = 0; i < READINGS; i++)
            if (ctr_start_by(read_clock, &counters, &error) == HWC_OK &&
                ctr_stop_by(read_clock, &counters, &reading, &error) == HWC_OK)
                counted = reading.value;
        by_page = fmin(by_page, (double)(read_clock(0) - from));
    }
    printf("page rdtsc,not-rdpmc %.2f of two bare instructions, %.0f ticks\n", by_page / bare, bare / READINGS);
}
#else
static void print_page_by_clock(void)
{
}
#endif

int main(int argc, char **argv)
{
    const char *native = argc > 1 ? argv[1] : "minor-faults";
    const char *by_papi = argc > 1 ? argv[1] : "perf::MINOR-FAULTS";
    struct ctr_core_pmu core;

    ctr_find_core_pmu(0, &core);
    print_ours("papi", by_papi);
    print_ours("perf", native);
    print_papi(by_papi);
    print_read(&core, native);
    print_page_by_clock();
    return 0;
}
