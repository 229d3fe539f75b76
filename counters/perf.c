/* Counting by perf_event_open.
 *
 * One event on this thread, in user mode only. It is pinned, so that a counter
 * that is not available shows as an error, not as a multiplexed estimate. It is
 * read through the mapped page where the kernel allows it (user_page.h), otherwise
 * by read(). On a hybrid machine, the PMU is
 * that of the CPU that the thread is pinned to. */
#include "backend.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core_pmu.h"
#include "identity.h"
#include "perf_names.h"
#include "perf_open.h"
#include "processor.h"

struct reading {
    uint64_t value, enabled, running;
};

struct ctr_session {
    int descriptor;
    struct perf_event_mmap_page *page; /* NULL if it cannot be mapped */
    bool kernel_too; /* the attached counter counts the kernel's mode, too */
    struct ctr_core_pmu core;
    const char *family;
    struct reading begin;
};

static void detach(struct ctr_session *session)
{
    if (session->page != NULL)
        munmap(session->page, (size_t)sysconf(_SC_PAGESIZE));
    if (session->descriptor >= 0)
        close(session->descriptor);
    session->page = NULL;
    session->descriptor = -1;
}

static void close_session(struct ctr_session *session)
{
    detach(session);
    free(session);
}

static int open_session(struct ctr_session **out, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct perf_event_attr probe = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof probe, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN};
    struct ctr_session *session;
    int descriptor;
    bool kernel_too;

    TRY(ctr_open_event(&probe, core, &descriptor, &kernel_too, error));
    close(descriptor);
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    session->descriptor = -1;
    session->core = *core;
    session->family = ctr_cpu_family(cpu, core);
    if (session->family == NULL)
        session->family = ctr_pfm_family();
    *out = session;
    return HWC_OK;
}

/* A pinned counter that could not be scheduled reads as end of file until it is enabled again, though who took its
 * counter may be gone. *revived: it did not count until now. */
static int read_counter(struct ctr_session *session, struct reading *reading, bool *revived, struct hwc_error *error)
{
    ssize_t got = read(session->descriptor, reading, sizeof *reading);

    *revived = got == 0 && ioctl(session->descriptor, PERF_EVENT_IOC_ENABLE, 0) == 0;
    if (*revived)
        got = read(session->descriptor, reading, sizeof *reading);
    if (got == 0)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "the counter could not be scheduled: held by the NMI watchdog or another profiler");
    if (got != (ssize_t)sizeof *reading)
        return hwc_fail(error, HWC_SYSTEM, "reading a counter: %s", strerror(errno));
    return HWC_OK;
}

static int start(struct ctr_session *session, struct hwc_error *error)
{
    bool revived;

    return read_counter(session, &session->begin, &revived, error);
}

static int stop(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error)
{
    struct reading end;
    bool revived;
    int status = read_counter(session, &end, &revived, error);

    reading->value = (double)(end.value - session->begin.value);
    reading->whole = status == HWC_OK && !revived &&
                     end.running - session->begin.running == end.enabled - session->begin.enabled;
    return status;
}

/* The kernel says that it counts, and yet it never ran: on this CPU, its PMU is another. */
static int try_it(struct ctr_session *session, struct hwc_error *error)
{
    struct ctr_reading ignored;
    struct reading now = {0};
    bool revived;

    TRY(start(session, error));
    TRY(stop(session, &ignored, error));
    TRY(read_counter(session, &now, &revived, error));
    if (now.enabled > 0 && now.running == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "the kernel counts it on other CPUs, not on this one, whose PMU is %s",
                        session->core.name);
    return HWC_OK;
}

static void map_page(struct ctr_session *session)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, session->descriptor, 0);

    session->page = page != MAP_FAILED ? page : NULL;
}

/* Whether the kernel allows it, and how wide the counter is, does not change while it is open. */
static struct ctr_user_page user_page(struct ctr_session *session)
{
    const struct perf_event_mmap_page *page = session->page;

    if (!ctr_can_read_pmc() || page == NULL || !page->cap_user_rdpmc)
        return (struct ctr_user_page){0};
    return (struct ctr_user_page){.page = page, .unused_bits = 64u - page->pmc_width};
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    int status;

    detach(session);
    TRY(ctr_encode(&session->core, native, &attributes, error));
    attributes.pinned = 1;
    TRY(ctr_open_event(&attributes, &session->core, &session->descriptor, &session->kernel_too, error));
    map_page(session);
    status = try_it(session, error);
    if (status != HWC_OK)
        detach(session);
    return status;
}

static const char *candidate(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality)
{
    *quality = event == HWC_PAGE_FAULT ? "kernel" : "kernel's generic event";
    return ctr_kernel_name(session->family, event, i);
}

static const char *listed(struct ctr_session *session, unsigned i)
{
    (void)session;
    return ctr_generic_name(i);
}

/* Which native event the kernel counts for a generic one is in its source alone. */
static void define(struct ctr_session *session, const char *native, struct hwc_listed *listed_as)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    struct hwc_error ignored;
    char *text = listed_as->definition;
    int used;

    if (ctr_encode(&session->core, native, &attributes, &ignored) != HWC_OK)
        return;
    if (attributes.type == PERF_TYPE_HW_CACHE) {
        snprintf(text, sizeof listed_as->definition, "the kernel's choice for generic cache event 0x%llx",
                 (unsigned long long)attributes.config & UINT32_MAX);
        return;
    }
    used = ctr_write_terms(attributes.type == session->core.type ? session->core.name : "kernel", &attributes, text,
                           sizeof listed_as->definition);
    if (used < (int)sizeof listed_as->definition)
        snprintf(text + used, sizeof listed_as->definition - (size_t)used, "/");
}

static const char *remark(struct ctr_session *session)
{
    return session->kernel_too ? "kernel mode, too" : NULL;
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
    .detach = detach,
    .start = start,
    .stop = stop,
    .candidate = candidate,
    .listed = listed,
    .define = define,
    .family = family,
    .remark = remark,
    .user_page = user_page,
};
