/* Events as the kernel keeps them: opened on a PMU, on it or not, in error. */
#include "stand_in.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Indices that no CPU has; Arm's have a register each. */
#ifdef __aarch64__
enum { FIRST_INDEX = 0 };
#else
enum { FIRST_INDEX = 0x40000000 };
#endif
enum { MOST_DESCRIPTORS = 1024, PAGE = 4096, SAMPLED = 1 << 20, PMC_BITS = 48 };

enum state { CLOSED, OFF, ON, IN_ERROR };

struct event {
    enum state state;
    struct perf_event_attr attributes;
    const struct pmu *pmu;             /* NULL = the kernel's own event */
    const struct counted_event *what;  /* NULL = it counts nothing */
    struct perf_event_mmap_page *page;
    int leader;                        /* -1 = it leads */
    int next;                          /* of its group; -1 = it is the last */
    double at_enable, before;          /* counts when it was enabled, and those until then */
    uint64_t enabled_at, enabled_before;
    unsigned readings, readings_alive; /* in all, and since it was enabled */
};

static struct event events[MOST_DESCRIPTORS];

bool stand_in_has_event(int descriptor)
{
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS && events[descriptor].state != CLOSED;
}

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* On its PMU: this CPU is one of the PMU's. */
static bool is_here(const struct event *event)
{
    return event->pmu == NULL || event->pmu->uncore || stand_in_holds_cpu(event->pmu->cpus, sched_getcpu());
}

static double count_of(const struct event *event, unsigned term)
{
    const struct counted_event *what = event->what;

    if (what->column[term] == READINGS)
        return event->readings;
    if (what->column[term] == MICROSECONDS)
        return 1e-3 * (double)now();
    return what->column[term] == MODEL ? stand_in_count_of_model(what->name[term]) : stand_in_count(what->column[term]);
}

static double weigh(const struct event *event)
{
    const struct counted_event *what = event->what;
    double sum = what != NULL && !event->attributes.exclude_kernel ? what->kernel * event->readings : 0;

    if (event->pmu == NULL)
        return stand_in_count(FAULTS);
    for (unsigned i = 0; what != NULL && i < what->terms; i++)
        sum += what->factor[i] * count_of(event, i);
    return sum;
}

static bool goes_by_callgrind(const struct event *event)
{
    bool does = false;

    for (unsigned i = 0; event->what != NULL && i < event->what->terms; i++)
        does = does || event->what->column[i] < CALLGRIND_COLUMNS;
    return does;
}

static uint64_t value_of(struct event *event)
{
    if (event->state == ON && goes_by_callgrind(event))
        stand_in_update_counts();
    return (uint64_t)(event->before + (event->state == ON && is_here(event) ? weigh(event) - event->at_enable : 0));
}

static unsigned free_counters(const struct pmu *pmu)
{
    unsigned used = pmu->taken;

    for (int i = 0; i < MOST_DESCRIPTORS; i++)
        used += events[i].state == ON && events[i].pmu == pmu;
    return used < pmu->counters ? pmu->counters - used : 0;
}

static bool may_be_read(const struct event *event)
{
    const struct pmu *pmu = event->pmu;

    return pmu != NULL && pmu->rdpmc && (event->attributes.config1 & pmu->asks) == pmu->asks;
}

/* The counter's value is the page's offset and what the instruction gives, and so must be their sum. */
static void show_on_page(struct event *event)
{
    struct perf_event_mmap_page *page = event->page;
    bool on = event->state == ON && may_be_read(event) && is_here(event);

    page->lock++;
    page->cap_user_rdpmc = may_be_read(event);
    page->pmc_width = PMC_BITS;
    page->index = on ? (uint32_t)(FIRST_INDEX + (event - events)) : 0;
    page->offset = on ? INT64_C(1) << (PMC_BITS - 1) : (int64_t)value_of(event);
    page->lock++;
}

static void disable(struct event *event, enum state state);

/* A group counts whole or not at all. */
static void find_no_counter(struct event *event)
{
    event->state = event->attributes.pinned ? IN_ERROR : OFF;
    if (event->leader >= 0)
        disable(&events[event->leader], events[event->leader].attributes.pinned ? IN_ERROR : OFF);
}

/* As a pinned event that finds no counter, one is in error until it is enabled. */
static void enable(struct event *event)
{
    if (event->state == ON)
        return;
    stand_in_note(ENABLED);
    if (event->state == IN_ERROR && event->what != NULL && event->what->stays)
        return;
    if (event->pmu != NULL && is_here(event) && free_counters(event->pmu) == 0) {
        find_no_counter(event);
        return;
    }
    event->state = ON;
    event->readings_alive = 0;
    event->enabled_at = now();
    if (goes_by_callgrind(event))
        stand_in_update_counts();
    event->at_enable = weigh(event);
    show_on_page(event);
}

static void disable(struct event *event, enum state state)
{
    if (event->state == ON && event->attributes.sample_period > 0 && event->pmu != NULL && event->pmu->places > 0)
        stand_in_put_samples(event->page, event->pmu);
    if (event->state == ON) {
        event->before = (double)value_of(event);
        event->enabled_before += now() - event->enabled_at;
    }
    event->state = state;
    show_on_page(event);
}

static void for_group(int descriptor, bool group, bool on)
{
    for (int i = 0; i < MOST_DESCRIPTORS; i++)
        if (stand_in_has_event(i) && (i == descriptor || (group && events[i].leader == descriptor))) {
            if (on)
                enable(&events[i]);
            else
                disable(&events[i], OFF);
        }
}

void stand_in_enable(int descriptor, bool group)
{
    for_group(descriptor, group, true);
}

void stand_in_disable(int descriptor, bool group)
{
    stand_in_note(DISABLED);
    for_group(descriptor, group, false);
}

void stand_in_reset(int descriptor)
{
    struct event *event = &events[descriptor];

    stand_in_note(RESET);
    (void)value_of(event);
    event->before = 0;
    event->at_enable = weigh(event);
}

/* Another took its counter. */
static bool has_died(struct event *event)
{
    bool dies = event->attributes.pinned && event->what != NULL && event->what->dies > 0 &&
                event->readings_alive >= event->what->dies;

    if (dies && event->state == ON)
        disable(event, IN_ERROR);
    return event->state == IN_ERROR;
}

static uint64_t read_one(struct event *event)
{
    event->readings++;
    event->readings_alive++;
    return value_of(event);
}

static size_t put_identity(const struct event *event, uint64_t *words)
{
    words[0] = (uint64_t)(event - events);
    return event->attributes.read_format & PERF_FORMAT_ID ? 1 : 0;
}

static size_t put_times(const struct event *event, uint64_t *words)
{
    uint64_t enabled = event->enabled_before + (event->state == ON ? now() - event->enabled_at : 0);
    size_t count = 0;

    if (event->attributes.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        words[count++] = enabled;
    if (event->attributes.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        words[count++] = !is_here(event) ? 0 : event->pmu != NULL && event->pmu->multiplexed ? enabled / 2 : enabled;
    return count;
}

static size_t read_group(int leader, uint64_t *words, size_t most)
{
    size_t count = 1;

    words[0] = 0;
    count += put_times(&events[leader], words + count);
    for (int i = leader; i >= 0 && count + 2 <= most; i = events[i].next) {
        words[0]++;
        words[count++] = read_one(&events[i]);
        count += put_identity(&events[i], words + count);
    }
    return count;
}

size_t stand_in_read_event(int descriptor, uint64_t *words, size_t most)
{
    struct event *event = &events[descriptor];
    size_t count;

    if (has_died(event)) {
        stand_in_note(ENDED);
        return 0;
    }
    stand_in_note(READ);
    if (event->attributes.read_format & PERF_FORMAT_GROUP)
        return read_group(descriptor, words, most);
    words[0] = read_one(event);
    count = 1 + put_times(event, words + 1);
    return count + put_identity(event, words + count);
}

uint64_t stand_in_read_pmc(uint32_t index)
{
    struct event *event = &events[(index - FIRST_INDEX + 1) % MOST_DESCRIPTORS];

    stand_in_note(READ_BY_PMC);
    event->readings++;
    return (value_of(event) - (UINT64_C(1) << (PMC_BITS - 1))) & ((UINT64_C(1) << PMC_BITS) - 1);
}

static const struct pmu *pmu_of(const struct perf_event_attr *attributes)
{
    const struct stand_in_machine *machine = stand_in_machine();
    bool extended = attributes->type == PERF_TYPE_HW_CACHE || attributes->type == PERF_TYPE_HARDWARE;
    uint32_t type = extended ? (uint32_t)(attributes->config >> 32) : attributes->type;

    for (unsigned i = 0; i < machine->pmus; i++)
        if (machine->pmu[i].type == type || (i == 0 && (type == PERF_TYPE_RAW || (extended && type == 0))))
            return &machine->pmu[i];
    return NULL;
}

static const struct counted_event *find_event(const struct perf_event_attr *attributes, const struct pmu *pmu)
{
    const struct stand_in_machine *machine = stand_in_machine();
    bool generic = attributes->type == PERF_TYPE_HW_CACHE;
    uint64_t config = generic ? (uint32_t)attributes->config : attributes->config;

    for (unsigned i = 0; i < machine->events; i++) {
        const struct counted_event *event = &machine->event[i];
        if (&machine->pmu[event->pmu] == pmu && event->generic == generic && event->config == config &&
            event->config1 == (attributes->config1 & ~pmu->asks))
            return event;
    }
    return NULL;
}

/* 0, or the errno of a PMU's driver. */
static int refusal_of(const struct perf_event_attr *attributes, const struct pmu *pmu,
                      const struct counted_event *what)
{
    bool excludes = attributes->exclude_user || attributes->exclude_kernel || attributes->exclude_hv ||
                    attributes->exclude_guest || attributes->exclude_host;

    if (pmu == NULL || (attributes->type == PERF_TYPE_HW_CACHE && what == NULL))
        return ENOENT;
    if ((pmu->strict && what == NULL && attributes->type != PERF_TYPE_HARDWARE) ||
        (pmu->filters == FILTERS_NONE && excludes) ||
        (pmu->filters == FILTERS_NOT_GUEST && attributes->exclude_guest))
        return EINVAL;
    return pmu->filters == FILTERS_GUEST_ALWAYS && !attributes->exclude_guest ? EOPNOTSUPP : 0;
}

/* A PMU outside the cores leaves nothing out, counts on CPUs of its mask, and for no thread. */
static int refusal_of_uncore(const struct perf_event_attr *attributes, const struct pmu *pmu, int cpu)
{
    if (cpu < 0 || !stand_in_holds_cpu(pmu->cpus, cpu) || attributes->exclude_kernel || attributes->exclude_guest ||
        (pmu->strict && find_event(attributes, pmu) == NULL))
        return EINVAL;
    return stand_in_machine()->paranoid > 0 ? EACCES : 0;
}

static int refuse(const struct perf_event_attr *attributes, int cpu)
{
    int paranoid = stand_in_machine()->paranoid;
    const struct pmu *pmu = pmu_of(attributes);

    if (pmu != NULL && pmu->uncore)
        return refusal_of_uncore(attributes, pmu, cpu);
    if (paranoid > 2 || (paranoid > 1 && !attributes->exclude_kernel))
        return EACCES;
    return attributes->type == PERF_TYPE_SOFTWARE ? 0 : refusal_of(attributes, pmu, find_event(attributes, pmu));
}

/* Behind the page lies the ring for samples. */
static size_t page_bytes(const struct perf_event_attr *attributes)
{
    return attributes->sample_period > 0 ? SAMPLED : PAGE;
}

void stand_in_map_ring(int descriptor, size_t bytes)
{
    struct perf_event_mmap_page *page = events[descriptor].page;

    if (page == NULL) /* the stand-in maps it itself */
        return;
    page->data_offset = PAGE;
    page->data_size = bytes;
}

/* A reading goes through the group's events alone: it is to touch few lines, as a cache model looks on. */
static void join(int leader, int descriptor)
{
    int last = leader;

    if (leader < 0)
        return;
    while (events[last].next >= 0)
        last = events[last].next;
    events[last].next = descriptor;
}

static void leave(int descriptor)
{
    int before = events[descriptor].leader;

    while (before >= 0 && events[before].next != descriptor)
        before = events[before].next;
    if (before >= 0)
        events[before].next = events[descriptor].next;
}

int stand_in_open_event(const struct perf_event_attr *attributes, int cpu, int leader)
{
    int refused = refuse(attributes, cpu);
    int descriptor = refused != 0 ? -1 : memfd_create("event", MFD_CLOEXEC);
    bool own = attributes->type == PERF_TYPE_SOFTWARE;
    size_t bytes = page_bytes(attributes);
    struct event *event = &events[descriptor < 0 ? 0 : descriptor];

    if (refused != 0 || descriptor < 0 || descriptor >= MOST_DESCRIPTORS || ftruncate(descriptor, (off_t)bytes) != 0)
        return refused != 0 ? -refused : -EMFILE;
    *event = (struct event){.state = OFF, .attributes = *attributes, .leader = leader, .next = -1};
    join(leader, descriptor);
    event->pmu = own ? NULL : pmu_of(attributes);
    event->what = own ? NULL : find_event(attributes, event->pmu);
    event->page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    show_on_page(event);
    if (!attributes->disabled)
        enable(event);
    return descriptor;
}

void stand_in_close_event(int descriptor)
{
    leave(descriptor);
    munmap(events[descriptor].page, page_bytes(&events[descriptor].attributes));
    events[descriptor].state = CLOSED;
}
