/* Counting by perf_event_open.
 *
 * One event on this thread, in user mode only. It is pinned, so that a counter
 * that is not available shows as an error, not as a multiplexed estimate. It is
 * read by rdpmc through the mapped page where the kernel allows it (the protocol
 * of linux/perf_event.h), otherwise by read(). Native names are encoded by
 * libpfm4; "rNNNN" is raw; the kernel's generic cache events come last. On a
 * hybrid machine, the PMU is that of the CPU that the thread is pinned to. */
#include "backend.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_pmu.h"
#include "identity.h"
#include "perf_reason.h"
#include "processor.h"
#include "tables.h"

#ifdef HWC_HAVE_PFM
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#endif

struct reading {
    uint64_t value, enabled, running;
};

struct ctr_session {
    int descriptor;
    struct perf_event_mmap_page *page; /* NULL if it cannot be mapped */
    bool by_rdpmc;
    uint32_t core_type; /* the attribute type of raw events on this CPU's PMU */
    const char *family;
    struct reading begin;
    uint64_t begin_rdpmc;
};

static int open_event(struct perf_event_attr *attributes)
{
    return (int)syscall(SYS_perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A PMU without filters answers EINVAL to any exclude bit. */
static int open_with_or_without_filters(struct perf_event_attr *attributes)
{
    int descriptor = open_event(attributes);

    if (descriptor >= 0 || errno != EINVAL)
        return descriptor;
    attributes->exclude_kernel = attributes->exclude_hv = 0;
    attributes->exclude_guest = attributes->exclude_host = 0;
    return open_event(attributes);
}

#ifdef HWC_HAVE_PFM
static const char *present_family(void)
{
    pfm_pmu_info_t info = {.size = sizeof info};

    for (const struct ctr_family *family = ctr_families; family->name != NULL; family++)
        for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
            info.size = sizeof info;
            if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && info.is_present &&
                strcmp(info.name, family->name) == 0)
                return family->name;
        }
    return NULL;
}

static int encode_by_pfm(const char *native, struct perf_event_attr *attributes, struct hwc_error *error)
{
    pfm_perf_encode_arg_t argument = {.attr = attributes, .size = sizeof argument};
    int status = pfm_get_os_event_encoding(native, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);

    if (status != PFM_SUCCESS)
        return hwc_fail(error, HWC_UNAVAILABLE, "libpfm4: %s", pfm_strerror(status));
    return HWC_OK;
}
#else
static const char *present_family(void)
{
    return NULL;
}

static int encode_by_pfm(const char *native, struct perf_event_attr *attributes, struct hwc_error *error)
{
    (void)native;
    (void)attributes;
    return hwc_fail(error, HWC_UNAVAILABLE, "this hwchar was built without libpfm4 and knows no names");
}
#endif

#define CACHE(id, op, result) ((id) | (PERF_COUNT_HW_CACHE_OP_##op << 8) | (PERF_COUNT_HW_CACHE_RESULT_##result << 16))

/* The kernel's own names, as `perf list` spells them. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
    enum hwc_event event;
} generic[] = {
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1D, READ, MISS), HWC_L1D_LOAD_MISS},
    {"L1-dcache-store-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1D, WRITE, MISS), HWC_L1D_STORE_MISS},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_L1I, READ, MISS), HWC_L1I_MISS},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_LL, READ, MISS), HWC_L3_LOAD_MISS},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_DTLB, READ, MISS), HWC_DTLB2_MISS},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(PERF_COUNT_HW_CACHE_ITLB, READ, MISS), HWC_ITLB2_MISS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, HWC_PAGE_FAULT},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, HWC_PAGE_FAULT},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, HWC_NO_EVENT},
};

#define GENERIC (sizeof generic / sizeof generic[0])

static int encode(const struct ctr_session *session, const char *native, struct perf_event_attr *attributes,
                  struct hwc_error *error)
{
    char *end;
    int status;

    for (size_t i = 0; i < GENERIC; i++)
        if (strcmp(native, generic[i].name) == 0) {
            attributes->type = generic[i].type;
            attributes->config = generic[i].config;
            return HWC_OK;
        }
    attributes->type = session->core_type;
    if (native[0] == 'r') {
        attributes->config = strtoull(native + 1, &end, 16);
        if (end != native + 1 && *end == '\0')
            return HWC_OK;
    }
    status = encode_by_pfm(native, attributes, error);
    if (status == HWC_OK && attributes->type == PERF_TYPE_RAW)
        attributes->type = session->core_type;
    return status;
}

static void detach(struct ctr_session *session)
{
    if (session->page != NULL)
        munmap(session->page, (size_t)sysconf(_SC_PAGESIZE));
    if (session->descriptor >= 0)
        close(session->descriptor);
    session->page = NULL;
    session->descriptor = -1;
    session->by_rdpmc = false;
}

static void close_session(struct ctr_session *session)
{
    detach(session);
    free(session);
}

static int open_session(struct ctr_session **out, int cpu, struct hwc_error *error)
{
    struct perf_event_attr probe = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof probe,
                                    .config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    struct ctr_session *session;
    struct ctr_core_pmu core;
    int descriptor = open_event(&probe);

    if (descriptor < 0) {
        char reason[400];
        ctr_perf_reason(errno, ctr_perf_paranoid(), reason, sizeof reason);
        return hwc_fail(error, HWC_UNAVAILABLE, "%s", reason);
    }
    close(descriptor);
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    session->descriptor = -1;
    ctr_find_core_pmu(cpu, &core);
    session->core_type = core.type;
#ifdef HWC_HAVE_PFM
    pfm_initialize();
#endif
    session->family = ctr_cpu_family(cpu);
    if (session->family == NULL)
        session->family = present_family();
    *out = session;
    return HWC_OK;
}

/* False if the counter is not on the PMU now: then the value means nothing. */
static bool read_by_rdpmc(const struct perf_event_mmap_page *page, uint64_t *value)
{
    uint32_t sequence, index;
    uint64_t count;

    do {
        sequence = *(volatile const uint32_t *)&page->lock;
        __asm__ volatile("" ::: "memory");
        index = page->index;
        count = (uint64_t)page->offset;
        if (page->cap_user_rdpmc && index != 0) {
            unsigned unused = 64u - page->pmc_width;
            count += (uint64_t)((int64_t)(ctr_read_pmc(index - 1) << unused) >> unused);
        }
        __asm__ volatile("" ::: "memory");
    } while (*(volatile const uint32_t *)&page->lock != sequence);
    *value = count;
    return page->cap_user_rdpmc && index != 0;
}

static int read_counter(struct ctr_session *session, struct reading *reading, struct hwc_error *error)
{
    ssize_t got = read(session->descriptor, reading, sizeof *reading);

    /* A pinned counter that could not be scheduled reads as end of file. */
    if (got == 0)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "the counter could not be scheduled: held by the NMI watchdog or another profiler");
    if (got != (ssize_t)sizeof *reading)
        return hwc_fail(error, HWC_SYSTEM, "reading a counter: %s", strerror(errno));
    return HWC_OK;
}

static int start(struct ctr_session *session, struct hwc_error *error)
{
    int status;

    if (session->by_rdpmc && read_by_rdpmc(session->page, &session->begin_rdpmc))
        return HWC_OK;
    status = read_counter(session, &session->begin, error);
    session->begin_rdpmc = UINT64_MAX;
    return status;
}

static int stop(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error)
{
    struct reading end;
    int status;

    if (session->begin_rdpmc != UINT64_MAX) {
        uint64_t value;
        reading->whole = read_by_rdpmc(session->page, &value);
        reading->value = (double)(value - session->begin_rdpmc);
        return HWC_OK;
    }
    status = read_counter(session, &end, error);
    reading->value = (double)(end.value - session->begin.value);
    reading->whole = status == HWC_OK && end.running - session->begin.running == end.enabled - session->begin.enabled;
    return status;
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    struct ctr_reading reading;
    void *page;
    int status;

    detach(session);
    status = encode(session, native, &attributes, error);
    if (status != HWC_OK)
        return status;
    attributes.pinned = 1;
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    session->descriptor = open_with_or_without_filters(&attributes);
    if (session->descriptor < 0) {
        char reason[400];
        ctr_perf_reason(errno, ctr_perf_paranoid(), reason, sizeof reason);
        return hwc_fail(error, HWC_UNAVAILABLE, "%s", reason);
    }
    page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, session->descriptor, 0);
    session->page = page != MAP_FAILED ? page : NULL;
    session->by_rdpmc = ctr_can_read_pmc() && session->page != NULL && session->page->cap_user_rdpmc;
    session->begin_rdpmc = UINT64_MAX;
    status = start(session, error);
    if (status == HWC_OK)
        status = stop(session, &reading, error);
    if (status != HWC_OK)
        detach(session);
    return status;
}

static const char *candidate(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality)
{
    *quality = event == HWC_PAGE_FAULT ? "kernel" : "kernel's generic event";
    for (size_t k = 0; k < GENERIC; k++)
        if (ctr_counts_on(session->family, generic[k].name, generic[k].event) == event && i-- == 0)
            return generic[k].name;
    return NULL;
}

static const char *family(struct ctr_session *session)
{
    return session->family;
}

extern const struct ctr_backend ctr_backend_perf;
const struct ctr_backend ctr_backend_perf = {
    .name = "perf",
    .open = open_session,
    .close = close_session,
    .attach = attach,
    .start = start,
    .stop = stop,
    .candidate = candidate,
    .family = family,
};
