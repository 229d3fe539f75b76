/* Counting by callgrind's cache model, when this program runs under
 *
 *   valgrind --tool=callgrind --cache-sim=yes --collect-atstart=no ...
 *
 * The model runs all the time. One client request switches the collection of
 * its costs on or off, so that only what happens between start and stop is
 * collected; another dumps the costs to a file, whose "totals:" line is the
 * count. Valgrind's options name the file; it is removed once it is read. */
#include "backend.h"

extern const struct ctr_backend ctr_backend_callgrind;

#ifdef HWC_HAVE_CALLGRIND

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <valgrind/callgrind.h>

#include "parts.h"

enum { MAX_COLUMNS = 16 };

struct ctr_session {
    char base[4096]; /* dumps are base.1, base.2, ... */
    unsigned dumps;
    unsigned columns;
    char column[MAX_COLUMNS][16];
    double total[MAX_COLUMNS];
    bool plus; /* the attached counter is a sum of two columns */
    unsigned first, second;
    struct hwc_documented documented;
};

/* Under Valgrind, /proc/self/cmdline has the client's arguments only;
 * /proc/thread-self/cmdline still has Valgrind's, too. */
static void find_base(struct ctr_session *session)
{
    static const char option[] = "--callgrind-out-file=";
    char arguments[16384];
    FILE *file = fopen("/proc/thread-self/cmdline", "r");
    size_t length = file != NULL ? fread(arguments, 1, sizeof arguments - 1, file) : 0;

    if (file != NULL)
        fclose(file);
    arguments[length] = '\0';
    snprintf(session->base, sizeof session->base, "callgrind.out.%ld", (long)getpid());
    for (size_t at = 0; at < length; at += strlen(arguments + at) + 1) {
        const char *name = arguments + at;
        const char *percent;
        if (strncmp(name, option, strlen(option)) != 0)
            continue;
        name += strlen(option);
        percent = strstr(name, "%p");
        if (percent != NULL)
            snprintf(session->base, sizeof session->base, "%.*s%ld%s", (int)(percent - name), name, (long)getpid(),
                     percent + 2);
        else
            snprintf(session->base, sizeof session->base, "%.4000s", name);
    }
}

/* "desc: D1 cache: 32768 B, 64 B, 8-way associative" */
static void read_geometry(struct ctr_session *session, const char *line)
{
    struct hwc_documented *documented = &session->documented;
    char name[4];
    unsigned long long size, line_bytes, ways;

    if (sscanf(line, "desc: %3s cache: %llu B, %llu B, %llu-way", name, &size, &line_bytes, &ways) != 4 ||
        documented->caches >= 3)
        return;
    documented->cache[documented->caches++] = (struct hwc_documented_cache){
        .level = strcmp(name, "LL") == 0 ? 2 : 1,
        .data = strcmp(name, "I1") != 0,
        .instruction = strcmp(name, "D1") != 0,
        .line_bytes = line_bytes,
        .size_bytes = size,
        .ways = ways,
    };
}

static void read_columns(struct ctr_session *session, const char *names)
{
    session->columns = 0;
    while (session->columns < MAX_COLUMNS) {
        int used = 0;
        if (sscanf(names, "%15s%n", session->column[session->columns], &used) != 1)
            return;
        names += used;
        session->columns++;
    }
}

static void read_totals(struct ctr_session *session, char *values)
{
    for (unsigned i = 0; i < session->columns; i++)
        session->total[i] = strtod(values, &values);
}

/* Dump the costs, read the header and totals of the dump, remove it. */
static int dump(struct ctr_session *session, bool with_geometry, struct hwc_error *error)
{
    char path[4200];
    char line[4096];
    FILE *file;

    CALLGRIND_DUMP_STATS;
    snprintf(path, sizeof path, "%s.%u", session->base, ++session->dumps);
    file = fopen(path, "r");
    if (file == NULL)
        return hwc_fail(error, HWC_UNAVAILABLE, "callgrind's dump %.300s cannot be read: %s", path, strerror(errno));
    memset(session->total, 0, sizeof session->total);
    while (fgets(line, sizeof line, file) != NULL) {
        if (with_geometry && strncmp(line, "desc: ", 6) == 0)
            read_geometry(session, line);
        else if (strncmp(line, "events: ", 8) == 0)
            read_columns(session, line + 8);
        else if (strncmp(line, "totals: ", 8) == 0)
            read_totals(session, line + 8);
    }
    fclose(file);
    unlink(path);
    return HWC_OK;
}

static bool find_column(const struct ctr_session *session, const char *name, unsigned *column)
{
    for (*column = 0; *column < session->columns; (*column)++)
        if (strcmp(session->column[*column], name) == 0)
            return true;
    return false;
}

/* Switch collection off if it was on from the start: then some work is counted. */
static int settle_collection(struct ctr_session *session, struct hwc_error *error)
{
    unsigned instructions;
    volatile unsigned work = 0;
    int status;

    while (work < 1000)
        work++;
    status = dump(session, true, error);
    if (status == HWC_OK && find_column(session, "Ir", &instructions) && session->total[instructions] > 0)
        CALLGRIND_TOGGLE_COLLECT;
    return status;
}

static void close_session(struct ctr_session *session)
{
    free(session);
}

static int open_session(struct ctr_session **out, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct ctr_session *session;
    unsigned column;
    int status;

    (void)cpu;
    (void)core;
    if (!RUNNING_ON_VALGRIND)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "not running under callgrind: start it as valgrind --tool=callgrind --cache-sim=yes "
                        "--collect-atstart=no hwchar --counters=callgrind");
    session = calloc(1, sizeof *session);
    if (session == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    find_base(session);
    status = settle_collection(session, error);
    if (status == HWC_OK && !find_column(session, "D1mr", &column))
        status = hwc_fail(error, HWC_UNAVAILABLE, "callgrind simulates no cache: add --cache-sim=yes");
    if (status != HWC_OK) {
        close_session(session);
        return status;
    }
    snprintf(session->documented.source, sizeof session->documented.source, "callgrind's options");
    *out = session;
    return HWC_OK;
}

static int attach(struct ctr_session *session, const char *native, struct hwc_error *error)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME];
    unsigned parts = ctr_parts(native, part);

    session->plus = parts == 2;
    if (parts < 1 || !find_column(session, part[0], &session->first) ||
        (session->plus && !find_column(session, part[1], &session->second)))
        return hwc_fail(error, HWC_UNAVAILABLE, strstr(native, "dm") != NULL
                                                    ? "callgrind looks at no write-backs: add --simulate-wb=yes"
                                                    : "callgrind has no such column");
    return HWC_OK;
}

static int start(struct ctr_session *session, struct hwc_error *error)
{
    (void)session;
    (void)error;
    CALLGRIND_TOGGLE_COLLECT;
    return HWC_OK;
}

static int stop(struct ctr_session *session, struct ctr_reading *reading, struct hwc_error *error)
{
    int status;

    CALLGRIND_TOGGLE_COLLECT;
    status = dump(session, false, error);
    reading->whole = true;
    reading->value = session->total[session->first] + (session->plus ? session->total[session->second] : 0);
    return status;
}

static const char *candidate(struct ctr_session *session, enum hwc_event event, unsigned i, const char **quality)
{
    static const char *const natives[HWC_EVENT_COUNT] = {
        [HWC_L1D_LOAD_MISS] = "D1mr", [HWC_L1D_STORE_MISS] = "D1mw", [HWC_L1D_MISS] = "D1mr+D1mw",
        [HWC_L1I_MISS] = "I1mr",      [HWC_L2_LOAD_MISS] = "DLmr",   [HWC_L2_MISS] = "DLmr+DLmw",
        [HWC_L2_WRITEBACK] = "DLdmr+DLdmw",
    };

    (void)session;
    *quality = "model";
    return i == 0 ? natives[event] : NULL;
}

/* What the model counts of references, and its sums that are events. Write-backs are there only if they are asked for. */
static const char *list(struct ctr_session *session, unsigned i)
{
    static const char *const natives[] = {"Dr",   "Dw",        "D1mr", "D1mw",      "D1mr+D1mw",
                                          "DLmr", "DLmw", "DLmr+DLmw", "I1mr", "ILmr"};

    (void)session;
    return i < sizeof natives / sizeof natives[0] ? natives[i] : NULL;
}

static void define(struct ctr_session *session, const char *native, struct hwc_listed *listed)
{
    static const struct {
        const char *column, *meaning;
    } meanings[] = {
        {"Dr", "data reads"},
        {"Dw", "data writes"},
        {"D1mr", "data reads that miss the first cache"},
        {"D1mw", "data writes that miss the first cache"},
        {"DLmr", "data reads that miss the last cache"},
        {"DLmw", "data writes that miss the last cache"},
        {"I1mr", "instruction fetches that miss the first cache"},
        {"ILmr", "instruction fetches that miss the last cache"},
    };

    (void)session;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (strcmp(meanings[i].column, native) == 0)
            hwc_write(listed->description, sizeof listed->description, "%s", meanings[i].meaning);
}

static const char *family(struct ctr_session *session)
{
    (void)session;
    return NULL;
}

static bool documented(struct ctr_session *session, struct hwc_documented *copy)
{
    *copy = session->documented;
    return true;
}

const struct ctr_backend ctr_backend_callgrind = {
    .name = "callgrind",
    .open = open_session,
    .close = close_session,
    .attach = attach,
    .start = start,
    .stop = stop,
    .candidate = candidate,
    .listed = list,
    .define = define,
    .family = family,
    .documented = documented,
};

#else /* without callgrind's header */

static int open_session(struct ctr_session **session, int cpu, const struct ctr_core_pmu *core,
                        struct hwc_error *error)
{
    (void)session;
    (void)cpu;
    (void)core;
    return hwc_fail(error, HWC_UNAVAILABLE, "this hwchar was built without callgrind's header (valgrind)");
}

const struct ctr_backend ctr_backend_callgrind = {.name = "callgrind", .open = open_session};

#endif
