/* Samples of loads, in the formats of PEBS, IBS and SPE: each time that sampling stops, some for every memory that the
 * program mapped lately, as if it had read the beginning of it. Where its loads came from, the file `machine` says. */
#include "stand_in.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose.h"

enum { MAPPINGS = 32, EACH = 64, LINE = 64, PAGE = 4096, LARGE = 2 << 20, MOST_RECORD = 128 };

static struct {
    uintptr_t from, to;
} mapped[MAPPINGS];
static unsigned mappings;

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset)
{
    NEXT(void *, mmap, void *, size_t, int, int, int, off_t);
    void *got = next(at, bytes, protection, flags, descriptor, offset);

    if (got != MAP_FAILED && descriptor < 0) {
        mapped[mappings % MAPPINGS].from = (uintptr_t)got;
        mapped[mappings++ % MAPPINGS].to = (uintptr_t)got + bytes;
    }
    if (got != MAP_FAILED && stand_in_has_event(descriptor) && offset == 0)
        stand_in_map_ring(descriptor, bytes - PAGE);
    return got;
}

/* What is written goes behind the head, and from the end on to the beginning. */
static void put(unsigned char *area, size_t size, uint64_t *head, const void *what, size_t bytes)
{
    size_t at = *head % size, room = size - at, first = bytes < room ? bytes : room;

    memcpy(area + at, what, first);
    memcpy(area, (const unsigned char *)what + first, bytes - first);
    *head += bytes;
}

static uint64_t pebs_source(enum place place)
{
    static const uint64_t sources[PLACES] = {
        PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVLNUM, L1), PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVLNUM, L2),
        PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVLNUM, L3), PERF_MEM_S(LVL, LOC_RAM) | PERF_MEM_S(LVLNUM, RAM)};

    return sources[place] | PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT);
}

static void put_pebs(unsigned char *ring, size_t size, uint64_t *head, uint64_t address, enum place place)
{
    struct {
        struct perf_event_header header;
        uint64_t address, source;
    } record = {{PERF_RECORD_SAMPLE, 0, sizeof record}, address, pebs_source(place)};

    put(ring, size, head, &record, sizeof record);
}

/* Zen 4's registers: operation control, address, data, data 2 with the source, data 3, and the addresses of the data. */
static void put_ibs(unsigned char *ring, size_t size, uint64_t *head, uint64_t address, enum place place)
{
    static const uint64_t data3[PLACES] = {0, 1 << 7, 1 << 7 | 1 << 20, 1 << 7 | 1 << 20};
    enum { REGISTERS = 64 }; /* bytes */
    const struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, sizeof header + 8 + REGISTERS};
    const uint32_t size_and_capabilities[2] = {4 + REGISTERS, 1 << 11};
    const uint64_t registers[8] = {0, 0, 0, place == AT_L3 ? 1 : 3, data3[place] | 1 << 0 | 1 << 17, address, 0, 0};

    put(ring, size, head, &header, sizeof header);
    put(ring, size, head, size_and_capabilities, sizeof size_and_capabilities);
    put(ring, size, head, registers, sizeof registers);
}

static void put_spe(unsigned char *area, size_t size, uint64_t *head, uint64_t address, enum place place)
{
    static const unsigned char sources[PLACES] = {0x0, 0x8, 0xb, 0xe};
    unsigned char record[] = {0x49, 0, 0xb2, 0, 0, 0, 0, 0, 0, 0, 0, 0x43, sources[place], 0x01};

    memcpy(record + 3, &address, sizeof address);
    put(area, size, head, record, sizeof record);
}

static void put_one(struct perf_event_mmap_page *page, const struct pmu *pmu, uint64_t address, enum place place)
{
    unsigned char *ring = (unsigned char *)page + PAGE;

    if (strncmp(pmu->name, "arm_spe", 7) == 0)
        put_spe((unsigned char *)page + page->aux_offset, page->aux_size, (uint64_t *)&page->aux_head, address, place);
    else if (strcmp(pmu->name, "ibs_op") == 0)
        put_ibs(ring, page->data_size, (uint64_t *)&page->data_head, address, place);
    else
        put_pebs(ring, page->data_size, (uint64_t *)&page->data_head, address, place);
}

static bool has_room(const struct perf_event_mmap_page *page)
{
    return page->data_head - page->data_tail + MOST_RECORD < page->data_size &&
           (page->aux_size == 0 || page->aux_head - page->aux_tail + MOST_RECORD < page->aux_size);
}

/* A mapping may begin before what lies in it, to which large pages are aligned. */
static void put_of_mapping(struct perf_event_mmap_page *page, const struct pmu *pmu, unsigned which, enum place place)
{
    uintptr_t at = mapped[which].from;

    for (unsigned i = 0; i < 3 && at < mapped[which].to; i++) {
        for (unsigned k = 0; k < EACH && has_room(page); k++)
            put_one(page, pmu, at + (uintptr_t)(k % (PAGE / LINE)) * LINE, place);
        at = (at + LARGE) & ~(uintptr_t)(LARGE - 1);
    }
}

void stand_in_put_samples(struct perf_event_mmap_page *page, const struct pmu *pmu)
{
    static unsigned stops;
    enum place place = pmu->place[stops < pmu->places ? stops : pmu->places - 1];

    stops++;
    for (unsigned back = 1; page->data_size > 0 && back <= mappings && back <= MAPPINGS; back++)
        put_of_mapping(page, pmu, (mappings - back) % MAPPINGS, place);
}
