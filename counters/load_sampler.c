#include "load_sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "load_source.h"
#include "perf_open.h"
#include "perf_terms.h"

/* Loads or operations from one sample to the next: a walk of a million references gives some thousand samples. */
enum { PEBS_PERIOD = 251, IBS_PERIOD = 4096, SPE_PERIOD = 1024 };
enum { RING_BYTES = 128 << 10, AUX_BYTES = 128 << 10, MOST_RECORD = 1024 };

struct ctr_sampler {
    const char *name;
    int descriptor, leader; /* leader: -1 = none */
    bool ibs, spe;
    size_t page_bytes, ring_bytes, aux_bytes;
    struct perf_event_mmap_page *page; /* the ring lies behind it */
    unsigned char *aux;
};

void ctr_sampler_close(struct ctr_sampler *sampler)
{
    if (sampler == NULL)
        return;
    if (sampler->aux != NULL)
        munmap(sampler->aux, sampler->aux_bytes);
    if (sampler->page != NULL)
        munmap(sampler->page, sampler->page_bytes + sampler->ring_bytes);
    if (sampler->descriptor >= 0)
        close(sampler->descriptor);
    if (sampler->leader >= 0)
        close(sampler->leader);
    free(sampler);
}

static int no_memory(struct hwc_error *error)
{
    return hwc_fail(error, HWC_UNAVAILABLE, "no memory for samples (kernel.perf_event_mlock_kb): %s", strerror(errno));
}

static int map_ring(struct ctr_sampler *sampler, struct hwc_error *error)
{
    void *page, *aux;

    sampler->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    sampler->ring_bytes = RING_BYTES > sampler->page_bytes ? RING_BYTES : sampler->page_bytes;
    page = mmap(NULL, sampler->page_bytes + sampler->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                sampler->descriptor, 0);
    if (page == MAP_FAILED)
        return no_memory(error);
    sampler->page = page;
    if (!sampler->spe)
        return HWC_OK;
    sampler->aux_bytes = AUX_BYTES > sampler->page_bytes ? AUX_BYTES : sampler->page_bytes;
    sampler->page->aux_offset = sampler->page_bytes + sampler->ring_bytes;
    sampler->page->aux_size = sampler->aux_bytes;
    aux = mmap(NULL, sampler->aux_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, sampler->descriptor,
               (off_t)sampler->page->aux_offset);
    if (aux == MAP_FAILED)
        return no_memory(error);
    sampler->aux = aux;
    return HWC_OK;
}

static int open_member(struct ctr_sampler *sampler, const struct ctr_core_pmu *core, const char *native,
                       struct perf_event_attr *attributes, struct hwc_error *error)
{
    bool kernel_too;

    TRY(ctr_encode_terms(core, native, attributes, error));
    return ctr_open_event(attributes, core, sampler->leader, &sampler->descriptor, &kernel_too, error);
}

/* From Sapphire Rapids on, another event leads the group. */
static int open_pebs(struct ctr_sampler *sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct perf_event_attr leader = {.size = sizeof leader, .disabled = 1}, attributes = {
        .size = sizeof attributes,
        .sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC,
        .sample_period = PEBS_PERIOD,
        .precise_ip = 2,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .exclude_guest = 1,
    };
    bool kernel_too;

    (void)cpu;
    if (!ctr_core_pmu_lists(core, "mem-loads"))
        return hwc_fail(error, HWC_UNAVAILABLE, "the kernel lists no event mem-loads for %s", core->name);
    if (ctr_core_pmu_lists(core, "mem-loads-aux")) {
        TRY(ctr_encode_terms(core, "cpu/mem-loads-aux/", &leader, error));
        TRY(ctr_open_event(&leader, core, CTR_NO_LEADER, &sampler->leader, &kernel_too, error));
        attributes.disabled = 0; /* the leader's state is the group's */
    }
    return open_member(sampler, core, "cpu/mem-loads/", &attributes, error);
}

static bool has_pmu(const char *name)
{
    char *type = ctr_device_line(name, "type");

    free(type);
    return type != NULL;
}

static int open_ibs(struct ctr_sampler *sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct perf_event_attr attributes = {
        .size = sizeof attributes, .sample_type = PERF_SAMPLE_RAW, .sample_period = IBS_PERIOD, .disabled = 1};

    (void)cpu;
    sampler->ibs = true;
    if (!has_pmu("ibs_op"))
        return hwc_fail(error, HWC_UNAVAILABLE, "the kernel shows no ibs_op");
    return open_member(sampler, core, "ibs_op/cnt_ctl=1/", &attributes, error);
}

static int open_spe(struct ctr_sampler *sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    struct perf_event_attr attributes = {.size = sizeof attributes, .sample_period = SPE_PERIOD, .disabled = 1};

    sampler->spe = true;
    for (int i = 0; i < 8; i++) {
        char name[32], native[64];
        char *mask;
        bool ours;
        snprintf(name, sizeof name, "arm_spe_%d", i);
        mask = ctr_device_line(name, "cpumask");
        ours = mask != NULL && ctr_holds_cpu(mask, cpu);
        free(mask);
        snprintf(native, sizeof native, "%s/load_filter=1/", name);
        if (ours)
            return open_member(sampler, core, native, &attributes, error);
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "the kernel shows no arm_spe_N for this CPU");
}

static const struct way {
    const char *name;
    int (*open)(struct ctr_sampler *sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error);
    const char *pmu; /* NULL: the core's own */
} ways[] = {{"PEBS", open_pebs, NULL}, {"IBS", open_ibs, "ibs_op"}, {"SPE", open_spe, "arm_spe_0"}};

static int open_way(struct ctr_sampler **out, const struct way *way, int cpu, const struct ctr_core_pmu *core,
                    struct hwc_error *error)
{
    struct ctr_sampler *sampler = calloc(1, sizeof *sampler);
    int status;

    if (sampler == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    sampler->name = way->name;
    sampler->descriptor = sampler->leader = -1;
    status = way->open(sampler, cpu, core, error);
    if (status == HWC_OK)
        status = map_ring(sampler, error);
    if (status != HWC_OK) {
        ctr_sampler_close(sampler);
        return status == HWC_UNAVAILABLE ? hwc_context(error, "%s", way->name) : status;
    }
    *out = sampler;
    return HWC_OK;
}

int ctr_sampler_open(struct ctr_sampler **sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].pmu != NULL ? has_pmu(ways[i].pmu) : ctr_core_pmu_lists(core, "mem-loads"))
            return open_way(sampler, &ways[i], cpu, core, error);
    return hwc_fail(error, HWC_UNAVAILABLE,
                    "the kernel offers no sampling of loads here: no mem-loads (PEBS), ibs_op (IBS) or arm_spe (SPE); a "
                    "virtual machine has them where its hypervisor passes them through");
}

int ctr_sampler_start(struct ctr_sampler *sampler, struct hwc_error *error)
{
    int descriptor = sampler->leader >= 0 ? sampler->leader : sampler->descriptor;

    if (ioctl(descriptor, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s cannot be started: %s", sampler->name, strerror(errno));
    return HWC_OK;
}

/* Of the memory that is asked about. */
struct range {
    uint64_t from, bytes;
};

static void add(const struct ctr_load *load, const struct range *range, struct hwc_served *served)
{
    if (load->address - range->from < range->bytes)
        served->loads[load->server]++;
}

/* A record may go on at the beginning of the ring. */
static void copy_out(const struct ctr_sampler *sampler, uint64_t at, unsigned char *to, size_t bytes)
{
    const unsigned char *ring = (const unsigned char *)sampler->page + sampler->page_bytes;

    for (size_t i = 0; i < bytes; i++)
        to[i] = ring[(at + i) % sampler->ring_bytes];
}

static void take_record(const struct ctr_sampler *sampler, const unsigned char *record, size_t size,
                        const struct range *range, struct hwc_served *served)
{
    struct perf_event_header header;
    struct ctr_load load;
    uint64_t lost[2]; /* an identity, and how many */

    memcpy(&header, record, sizeof header);
    if (header.type == PERF_RECORD_SAMPLE && ctr_load_of_sample(record, size, sampler->ibs, &load))
        add(&load, range, served);
    if (header.type == PERF_RECORD_LOST && size >= sizeof header + sizeof lost) {
        memcpy(lost, record + sizeof header, sizeof lost);
        served->lost += lost[1];
    }
}

static void take_ring(const struct ctr_sampler *sampler, const struct range *range, struct hwc_served *served)
{
    uint64_t head = __atomic_load_n(&sampler->page->data_head, __ATOMIC_ACQUIRE), tail = sampler->page->data_tail;
    unsigned char record[MOST_RECORD];
    struct perf_event_header header;

    while (head - tail >= sizeof header) {
        copy_out(sampler, tail, (unsigned char *)&header, sizeof header);
        if (header.size < sizeof header || header.size > head - tail)
            break;
        if (header.size <= sizeof record) {
            copy_out(sampler, tail, record, header.size);
            take_record(sampler, record, header.size, range, served);
        }
        tail += header.size;
    }
    __atomic_store_n(&sampler->page->data_tail, head, __ATOMIC_RELEASE);
}

static void take_records(const struct ctr_sampler *sampler, size_t from, size_t to, const struct range *range,
                         struct hwc_served *served)
{
    struct ctr_load load;

    while (ctr_next_load_of_spe(sampler->aux, to, &from, &load))
        add(&load, range, served);
}

/* Of a record that goes on at the beginning, nothing is taken. */
static void take_aux(const struct ctr_sampler *sampler, const struct range *range, struct hwc_served *served)
{
    uint64_t head = __atomic_load_n(&sampler->page->aux_head, __ATOMIC_ACQUIRE), tail = sampler->page->aux_tail;
    size_t from = tail % sampler->aux_bytes, to = head % sampler->aux_bytes;

    if (head != tail && to <= from) {
        take_records(sampler, from, sampler->aux_bytes, range, served);
        from = 0;
    }
    take_records(sampler, from, to, range, served);
    __atomic_store_n(&sampler->page->aux_tail, head, __ATOMIC_RELEASE);
}

int ctr_sampler_stop(struct ctr_sampler *sampler, const void *from, uint64_t bytes, struct hwc_served *served,
                     struct hwc_error *error)
{
    const struct range range = {(uint64_t)(uintptr_t)from, bytes};
    int descriptor = sampler->leader >= 0 ? sampler->leader : sampler->descriptor;

    if (ioctl(descriptor, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) != 0)
        return hwc_fail(error, HWC_SYSTEM, "%s cannot be stopped: %s", sampler->name, strerror(errno));
    served->by = sampler->name;
    if (sampler->spe)
        take_aux(sampler, &range, served);
    take_ring(sampler, &range, served);
    return HWC_OK;
}
