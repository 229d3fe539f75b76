/* Counting by perf_event_open.
 *
 * One event on this thread, in user mode only. It is pinned, so that a counter
 * that is not available shows as an error, not as a multiplexed estimate. It is
 * read through the mapped page where the kernel allows it (user_page.h), otherwise
 * by read(). Two counters that add up to an event are a group, which counts whole
 * or not at all. On a hybrid machine, the PMU is that of the CPU that the thread is
 * pinned to. */
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
#include "parts.h"
#include "perf_names.h"
#include "perf_open.h"
#include "processor.h"

/* As PERF_FORMAT_GROUP lays it out. */
struct reading {
    uint64_t counters, enabled, running, value[CTR_MOST_PARTS];
};

struct ctr_session {
    unsigned counters; /* attached; the first leads the group */
    int descriptor[CTR_MOST_PARTS];
    struct perf_event_mmap_page *page; /* NULL if it cannot be mapped, or there are several counters */
    bool kernel_too; /* the attached counter counts the kernel's mode, too */
    struct ctr_core_pmu core;
    const char *family;
    struct reading begin;
};

static void detach(struct ctr_session *session)
{
    if (session->page != NULL)
        munmap(session->page, (size_t)sysconf(_SC_PAGESIZE));
    session->page = NULL;
    session->kernel_too = false;
    while (session->counters > 0)
        close(session->descriptor[--session->counters]);
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

    TRY(ctr_open_event(&probe, core, CTR_NO_LEADER, &descriptor, &kernel_too, error));
    close(descriptor);
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
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
    size_t size = offsetof(struct reading, value) + session->counters * sizeof reading->value[0];
    ssize_t got = read(session->descriptor[0], reading, size);

    *revived = got == 0 && ioctl(session->descriptor[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0;
    if (*revived)
        got = read(session->descriptor[0], reading, size);
    if (got == 0)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "the counter could not be scheduled: held by the NMI watchdog or another profiler");
    if (got != (ssize_t)size)
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

    reading->value = 0;
    for (unsigned i = 0; status == HWC_OK && i < session->counters; i++)
        reading->value += (double)(end.value[i] - session->begin.value[i]);
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
    void *page = MAP_FAILED;

    if (session->counters == 1)
        page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, session->descriptor[0], 0);
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

/* One more counter, in the group of the first, which alone may be pinned. */
static int add(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP,
    };
    bool is_first = session->counters == 0, kernel_too;

    TRY(ctr_encode(&session->core, native, &attributes, error));
    attributes.pinned = is_first;
    TRY(ctr_open_event(&attributes, &session->core, is_first ? CTR_NO_LEADER : session->descriptor[0],
                       &session->descriptor[session->counters], &kernel_too, error));
    session->kernel_too = session->kernel_too || kernel_too;
    session->counters++;
    return HWC_OK;
}

static int attach_parts(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME];
    unsigned parts = ctr_parts(native, part);

    if (parts == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "not one counter, nor two with a + between");
    for (unsigned i = 0; i < parts; i++)
        TRY(add(session, part[i], error));
    map_page(session);
    return try_it(session, error);
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    int status;

    detach(session);
    status = attach_parts(session, native, error);
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
static void define_part(struct ctr_session *session, const char *native, char *text, size_t size)
{
    struct perf_event_attr attributes = {.size = sizeof attributes};
    struct hwc_error ignored;
    int used;

    if (ctr_encode(&session->core, native, &attributes, &ignored) != HWC_OK)
        return;
    if (attributes.type == PERF_TYPE_HW_CACHE) {
        snprintf(text, size, "the kernel's choice for generic cache event 0x%llx",
                 (unsigned long long)attributes.config & UINT32_MAX);
        return;
    }
    used = ctr_write_terms(attributes.type == session->core.type ? session->core.name : "kernel", &attributes, text,
                           size);
    if (used < (int)size)
        snprintf(text + used, size - (size_t)used, "/");
}

static void define(struct ctr_session *session, const char *native, struct hwc_listed *listed_as)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME];
    unsigned parts = ctr_parts(native, part);
    char *text = listed_as->definition;

    for (unsigned i = 0; i < parts; i++) {
        size_t used = strlen(text);
        if (i > 0)
            used += (size_t)snprintf(text + used, sizeof listed_as->definition - used, " + ");
        if (used < sizeof listed_as->definition)
            define_part(session, part[i], text + used, sizeof listed_as->definition - used);
    }
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
