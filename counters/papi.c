/* Counting by PAPI's low-level interface: presets, native events, SDE events.
 *
 * Without a PMU, PAPI still initialises and lists hundreds of events; only
 * adding and starting an event proves that it is available. One event set holds
 * one event, or two that add up to one: sets cannot mix components, and nothing is
 * multiplexed. */
#include "backend.h"

extern const struct ctr_backend ctr_backend_papi;

#ifdef HWC_HAVE_PAPI

#include <fcntl.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "identity.h"
#include "papi_alike.h"
#include "papi_presets.h"
#include "parts.h"
#include "perf_reason.h"
#include "tables.h"

struct ctr_session {
    int set;
    bool running;
    unsigned events; /* in the set */
    long long begin[CTR_MOST_PARTS];
    const char *family;
    char listed[HWC_NATIVE_NAME]; /* the name that was listed last */
    const char *alike; /* the family whose names stand for codes; NULL: none do */
};

/* PAPI's initialisation ends the process when it runs out of file descriptors. */
static bool enough_descriptors(void)
{
    int taken[8];
    int count = 0;

    while (count < 8 && (taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        count++;
    for (int i = 0; i < count; i++)
        close(taken[i]);
    return count == 8;
}

static int open_session(struct ctr_session **out, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct ctr_session *session;
    const char *family = ctr_cpu_family(cpu, core);
    const char *alike;
    int version;

    if (!enough_descriptors())
        return hwc_fail(error, HWC_UNAVAILABLE, "too few file descriptors for PAPI; raise ulimit -n");
    alike = ctr_papi_force_alike(family);
    version = PAPI_library_init(PAPI_VER_CURRENT);
    if (alike != NULL)
        unsetenv("LIBPFM_FORCE_PMU");
    if (version != PAPI_VER_CURRENT)
        return hwc_fail(error, HWC_UNAVAILABLE, "PAPI does not initialise: %s",
                        version > 0 ? "its library is of another version than its header" : PAPI_strerror(version));
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    session->set = PAPI_NULL;
    session->family = family;
    session->alike = alike;
    *out = session;
    return HWC_OK;
}

static void detach(struct ctr_session *session)
{
    long long ignored[CTR_MOST_PARTS];

    if (session->set == PAPI_NULL)
        return;
    if (session->running)
        PAPI_stop(session->set, ignored);
    session->running = false;
    session->events = 0;
    PAPI_cleanup_eventset(session->set);
    PAPI_destroy_eventset(&session->set);
    session->set = PAPI_NULL;
}

static void close_session(struct ctr_session *session)
{
    detach(session);
    free(session);
    PAPI_shutdown();
}

/* Most CPUs have a few of PAPI's presets. */
static bool is_no_preset_here(const char *native)
{
    char name[HWC_NATIVE_NAME];
    int code = 0;

    snprintf(name, sizeof name, "%s", native);
    return strncmp(name, "PAPI_", 5) == 0 &&
           (PAPI_event_name_to_code(name, &code) != PAPI_OK || PAPI_query_event(code) != PAPI_OK);
}

/* PAPI's error codes say little; the component's reason for being off, or the kernel's setting, says more. */
static int refuse(const char *native, int code, struct hwc_error *error)
{
    int component = PAPI_get_component_index(strncmp(native, "sde:", 4) == 0 ? "sde" : "perf_event");
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;

    if (info != NULL && info->disabled && info->disabled_reason[0] != '\0')
        return hwc_fail(error, HWC_UNAVAILABLE, "PAPI's %s component is off: %.160s", info->short_name,
                        info->disabled_reason);
    if (is_no_preset_here(native))
        return hwc_fail(error, HWC_UNAVAILABLE, "PAPI does not define this preset for the CPU");
    if (code == PAPI_ENOEVNT || code == PAPI_ENOEVST)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "PAPI does not know the name, or the PMU does not count it (a virtual machine has few events, or "
                        "none)");
    if (code == PAPI_EPERM)
        return hwc_fail(error, HWC_UNAVAILABLE, "PAPI is not permitted to count (perf_event_paranoid is %d, or seccomp)",
                        ctr_perf_paranoid());
    return hwc_fail(error, HWC_UNAVAILABLE, "PAPI: %s", PAPI_strerror(code));
}

/* The set runs all the time: a reading is one call, and no system call where PAPI reads the counter by an instruction;
 * PAPI_start and PAPI_stop are several. */
static int read_set(struct ctr_session *session, long long *values, struct hwc_error *error)
{
    int code = PAPI_read(session->set, values);

    return code == PAPI_OK ? HWC_OK : hwc_fail(error, HWC_UNAVAILABLE, "PAPI_read: %s", PAPI_strerror(code));
}

static int start(struct ctr_session *session, struct hwc_error *error)
{
    return read_set(session, session->begin, error);
}

static int stop(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error)
{
    long long end[CTR_MOST_PARTS] = {0};
    int status = read_set(session, end, error);

    *reading = (struct ctr_reading){.whole = true};
    for (unsigned i = 0; i < session->events; i++) {
        reading->value += (double)(end[i] - session->begin[i]);
        reading->whole = reading->whole && end[i] >= session->begin[i];
    }
    return status;
}

static int fill_set(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME]; /* PAPI 5 takes no const ones */
    unsigned parts = ctr_parts(native, part);

    if (parts == 0)
        return refuse(native, PAPI_ENOEVNT, error);
    for (session->events = 0; session->events < parts; session->events++) {
        int code = PAPI_add_named_event(session->set, part[session->events]);
        if (code != PAPI_OK)
            return refuse(part[session->events], code, error);
    }
    return HWC_OK;
}

static int run_set(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    struct ctr_reading reading;
    int code = PAPI_create_eventset(&session->set);

    if (code != PAPI_OK)
        return refuse(native, code, error);
    TRY(fill_set(session, native, error));
    code = PAPI_start(session->set);
    if (code != PAPI_OK)
        return hwc_fail(error, HWC_UNAVAILABLE, "PAPI_start: %s", PAPI_strerror(code));
    session->running = true;
    TRY(start(session, error));
    return stop(session, &reading, error);
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    const char *alike = session->alike != NULL ? ctr_name_of_code(session->alike, native) : NULL;
    int status;

    detach(session);
    status = run_set(session, alike != NULL ? alike : native, error);
    if (status != HWC_OK)
        detach(session);
    return status;
}

static const char *candidate(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality)
{
    static const struct {
        enum hwc_event event;
        const char *name;
    } presets[] = {
        {HWC_L1D_LOAD_MISS, "PAPI_L1_LDM"}, {HWC_L1D_STORE_MISS, "PAPI_L1_STM"}, {HWC_L1D_MISS, "PAPI_L1_DCM"},
        {HWC_L1D_MISS, "PAPI_L1_TCM"},      {HWC_L1I_MISS, "PAPI_L1_ICM"},       {HWC_L2_LOAD_MISS, "PAPI_L2_LDM"},
        {HWC_L2_MISS, "PAPI_L2_DCM"},       {HWC_L2_MISS, "PAPI_L2_TCM"},        {HWC_L2I_MISS, "PAPI_L2_ICM"},
        {HWC_L3_LOAD_MISS, "PAPI_L3_LDM"},  {HWC_L3_MISS, "PAPI_L3_DCM"},        {HWC_L3_MISS, "PAPI_L3_TCM"},
        {HWC_DTLB2_MISS, "PAPI_TLB_DM"},    {HWC_ITLB2_MISS, "PAPI_TLB_IM"},     {HWC_PAGE_FAULT, "perf::MINOR-FAULTS"},
        {HWC_PAGE_FAULT, "perf::PAGE-FAULTS"},
    };

    *quality = event == HWC_PAGE_FAULT ? "kernel" : "PAPI preset";
    for (size_t k = 0; k < sizeof presets / sizeof presets[0]; k++)
        if (ctr_counts_on(session->family, presets[k].name, presets[k].event) == event && i-- == 0)
            return presets[k].name;
    return NULL;
}

static const char *list(struct ctr_session *session, unsigned i)
{
    return ctr_papi_preset(i, session->listed) ? session->listed : NULL;
}

static void define(struct ctr_session *session, const char *native, struct hwc_listed *listed)
{
    (void)session;
    ctr_papi_define(native, listed);
}

static const char *family(struct ctr_session *session)
{
    return session->family;
}

const struct ctr_backend ctr_backend_papi = {
    .name = "papi",
    .open = open_session,
    .close = close_session,
    .attach = attach,
    .detach = detach,
    .start = start,
    .stop = stop,
    .candidate = candidate,
    .listed = list,
    .define = define,
    .family = family,
};

#ifdef __SANITIZE_ADDRESS__
/* The leak sanitizer asks this. PAPI 7.0 does not free all that it notes of native events that are looked up by name. */
#define FOR_SANITIZER __attribute__((visibility("default")))
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

FOR_SANITIZER const char *__lsan_default_suppressions(void)
{
    return "leak:libpapi";
}

FOR_SANITIZER const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif

#else /* without PAPI */

static int open_session(struct ctr_session **session, int cpu, const struct ctr_core_pmu *core,
                        struct hwc_error *error)
{
    (void)session;
    (void)cpu;
    (void)core;
    return hwc_fail(error, HWC_UNAVAILABLE, "this hwchar was built without PAPI (libpapi-dev)");
}

const struct ctr_backend ctr_backend_papi = {.name = "papi", .open = open_session};

#endif
