#include "load_source.h"

#include <linux/perf_event.h>
#include <string.h>

static uint32_t word(const unsigned char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t double_word(const unsigned char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static enum hwc_server server_by_number(unsigned number)
{
    switch (number) {
    case PERF_MEM_LVLNUM_L1: return HWC_SERVED_L1;
    case PERF_MEM_LVLNUM_L2: return HWC_SERVED_L2;
    case PERF_MEM_LVLNUM_L3: return HWC_SERVED_L3;
    case PERF_MEM_LVLNUM_L4: return HWC_SERVED_L4;
    case PERF_MEM_LVLNUM_LFB: return HWC_SERVED_FILLING;
    case PERF_MEM_LVLNUM_ANY_CACHE: return HWC_SERVED_ELSEWHERE;
    case PERF_MEM_LVLNUM_RAM: case PERF_MEM_LVLNUM_PMEM: return HWC_SERVED_MEMORY;
    default: return HWC_SERVED_UNKNOWN;
    }
}

/* Kernels before 4.14 have no numbers. */
static enum hwc_server server_by_bits(unsigned bits)
{
    const unsigned memory = PERF_MEM_LVL_LOC_RAM | PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2;

    return bits & PERF_MEM_LVL_L1                               ? HWC_SERVED_L1
           : bits & PERF_MEM_LVL_LFB                            ? HWC_SERVED_FILLING
           : bits & PERF_MEM_LVL_L2                             ? HWC_SERVED_L2
           : bits & PERF_MEM_LVL_L3                             ? HWC_SERVED_L3
           : bits & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) ? HWC_SERVED_ELSEWHERE
           : bits & memory                                      ? HWC_SERVED_MEMORY
                                                                : HWC_SERVED_UNKNOWN;
}

static bool is_cache(enum hwc_server server)
{
    return server <= HWC_SERVED_L4;
}

bool ctr_server_of_data_source(uint64_t data_source, enum hwc_server *server)
{
    const union perf_mem_data_src source = {.val = data_source};

    if ((source.mem_op & PERF_MEM_OP_LOAD) == 0)
        return false;
    *server = source.mem_lvl_num != 0 && source.mem_lvl_num != PERF_MEM_LVLNUM_NA
                  ? server_by_number(source.mem_lvl_num)
                  : server_by_bits(source.mem_lvl);
    if ((source.mem_lvl & PERF_MEM_LVL_MISS) != 0 && is_cache(*server))
        *server = HWC_SERVED_UNKNOWN; /* it missed what is named, and no more is known */
    else if (is_cache(*server) && source.mem_remote)
        *server = HWC_SERVED_ELSEWHERE;
    return true;
}

/* Places of the registers behind the capabilities, and their bits: the kernel's asm/amd-ibs.h. */
enum { IBS_DATA2 = 3, IBS_DATA3 = 4, IBS_ADDRESS = 5, IBS_REGISTERS = 6, IBS_EXTENDED_SOURCE = 1 << 11 };
enum { IBS_LOAD = 1 << 0, IBS_L1_MISS = 1 << 7, IBS_FILLING = 1 << 16, IBS_HAS_ADDRESS = 1 << 17,
       IBS_L2_MISS = 1 << 20 };

/* DataSrc of family 19h from model 10h on has two bits more, and other meanings. */
static enum hwc_server server_beyond_l2(uint64_t data2, bool extended)
{
    static const enum hwc_server plain[8] = {
        [0] = HWC_SERVED_UNKNOWN,   [1] = HWC_SERVED_UNKNOWN, [2] = HWC_SERVED_L3,      [3] = HWC_SERVED_MEMORY,
        [4] = HWC_SERVED_ELSEWHERE, [5] = HWC_SERVED_UNKNOWN, [6] = HWC_SERVED_UNKNOWN, [7] = HWC_SERVED_UNKNOWN};
    unsigned source = (unsigned)(data2 & 7);

    if (!extended)
        return plain[source];
    source |= (unsigned)(data2 >> 6 & 3) << 3;
    return source == 1                                ? HWC_SERVED_L3
           : source == 2 || source == 5               ? HWC_SERVED_ELSEWHERE
           : source == 3 || source == 6 || source == 8 ? HWC_SERVED_MEMORY
                                                      : HWC_SERVED_UNKNOWN;
}

bool ctr_load_of_ibs(const unsigned char *raw, size_t size, struct ctr_load *load)
{
    const unsigned char *registers = raw + sizeof(uint32_t);
    uint64_t data3;

    if (size < sizeof(uint32_t) + IBS_REGISTERS * sizeof(uint64_t))
        return false;
    data3 = double_word(registers + IBS_DATA3 * sizeof(uint64_t));
    if ((data3 & IBS_LOAD) == 0 || (data3 & IBS_HAS_ADDRESS) == 0)
        return false;
    load->address = double_word(registers + IBS_ADDRESS * sizeof(uint64_t));
    load->server = (data3 & IBS_L1_MISS) == 0   ? HWC_SERVED_L1
                   : (data3 & IBS_FILLING) != 0 ? HWC_SERVED_FILLING
                   : (data3 & IBS_L2_MISS) == 0
                       ? HWC_SERVED_L2
                       : server_beyond_l2(double_word(registers + IBS_DATA2 * sizeof(uint64_t)),
                                          (word(raw) & IBS_EXTENDED_SOURCE) != 0);
    return true;
}

/* Packets: a header of one byte, or of two if it is 001000xx, then 1, 2, 4 or 8 bytes. */
enum { SPE_PAD = 0x00, SPE_END = 0x01, SPE_TIME = 0x71, SPE_EXTENDED = 0x20, SPE_ALIGNMENT = 0x00 };
enum { SPE_EVENTS = 0x42, SPE_SOURCE = 0x43, SPE_LOAD_OR_STORE = 0x49, SPE_ADDRESS = 0xb0, SPE_DATA_ADDRESS = 2 };
enum { SPE_L1_REFILL = 1 << 3, SPE_LAST_ACCESS = 1 << 8, SPE_LAST_MISS = 1 << 9, SPE_ELSEWHERE = 1 << 10 };

struct spe_record {
    bool is_load, has_address, has_source;
    uint64_t address, events, source;
};

/* As Neoverse's manuals have it. */
static enum hwc_server server_of_spe_source(uint64_t source)
{
    switch (source) {
    case 0x0: return HWC_SERVED_L1;
    case 0x8: return HWC_SERVED_L2;
    case 0xa: case 0xb: return HWC_SERVED_L3; /* the cluster's, or the system's where clusters have none */
    case 0x9: case 0xc: case 0xd: return HWC_SERVED_ELSEWHERE;
    case 0xe: return HWC_SERVED_MEMORY;
    default: return HWC_SERVED_UNKNOWN;
    }
}

static enum hwc_server server_of_spe_events(uint64_t events)
{
    return events & SPE_ELSEWHERE     ? HWC_SERVED_ELSEWHERE
           : events & SPE_LAST_MISS   ? HWC_SERVED_MEMORY
           : events & SPE_LAST_ACCESS ? HWC_SERVED_L3
           : events & SPE_L1_REFILL   ? HWC_SERVED_L2
                                      : HWC_SERVED_L1;
}

static uint64_t payload(const unsigned char *at, size_t size)
{
    uint64_t value = 0;

    for (size_t i = size; i > 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

static void note_packet(struct spe_record *record, unsigned header, unsigned index, uint64_t value)
{
    if ((header & 0xcf) == SPE_EVENTS)
        record->events = value;
    if ((header & 0xcf) == SPE_SOURCE) {
        record->source = value;
        record->has_source = true;
    }
    if (header == SPE_LOAD_OR_STORE)
        record->is_load = (value & 1) == 0;
    if ((header & 0xf8) == SPE_ADDRESS && index == SPE_DATA_ADDRESS) {
        record->address = value & ((UINT64_C(1) << 56) - 1); /* the top byte is a tag */
        record->has_address = true;
    }
}

/* Bytes of the packet; 0 = it is not whole. *ends: the record ends with it. */
static size_t take_packet(const unsigned char *at, size_t size, size_t offset, struct spe_record *record, bool *ends)
{
    bool extended = (at[0] & 0xfc) == SPE_EXTENDED;
    unsigned header = extended && size > 1 ? at[1] : at[0], index = header & 7;
    size_t heads = extended ? 2 : 1, bytes = (size_t)1 << (header >> 4 & 3);

    *ends = at[0] == SPE_END || at[0] == SPE_TIME;
    if (at[0] == SPE_PAD || at[0] == SPE_END)
        return 1;
    if (extended && size > 1 && at[1] == SPE_ALIGNMENT) {
        size_t to = (size_t)2 << (at[0] & 0xf);
        return to - offset % to;
    }
    if (heads + bytes > size)
        return 0;
    note_packet(record, header, extended ? index | (at[0] & 3u) << 3 : index, payload(at + heads, bytes));
    return heads + bytes;
}

bool ctr_next_load_of_spe(const unsigned char *bytes, size_t size, size_t *at, struct ctr_load *load)
{
    struct spe_record record = {0};

    while (*at < size) {
        bool ends;
        size_t taken = take_packet(bytes + *at, size - *at, *at, &record, &ends);
        if (taken == 0)
            return false;
        *at += taken;
        if (ends && record.is_load && record.has_address) {
            load->address = record.address;
            load->server = record.has_source ? server_of_spe_source(record.source)
                                             : server_of_spe_events(record.events);
            return true;
        }
        if (ends)
            record = (struct spe_record){0};
    }
    return false;
}

bool ctr_load_of_sample(const unsigned char *record, size_t size, bool ibs, struct ctr_load *load)
{
    const unsigned char *body = record + sizeof(struct perf_event_header);
    size_t rest = size - sizeof(struct perf_event_header);

    if (ibs) {
        size_t raw = rest >= sizeof(uint32_t) ? word(body) : 0;
        return raw <= rest - sizeof(uint32_t) && ctr_load_of_ibs(body + sizeof(uint32_t), raw, load);
    }
    if (rest < 2 * sizeof(uint64_t))
        return false;
    load->address = double_word(body);
    return ctr_server_of_data_source(double_word(body + sizeof(uint64_t)), &load->server);
}
