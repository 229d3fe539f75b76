/* Descriptions of simulated machines: the JSON form "hwchar-machine/1"
 * (docs/machine.schema.json), read into values. A file that names another as its
 * "base" has all that the other has, but for the keys that it gives itself.
 *
 * Sizes are in bytes, latencies in core cycles. A level's latency is the
 * load-to-use latency of a reference that the level serves. */
#ifndef HWC_SIM_DESCRIPTION_H
#define HWC_SIM_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"
#include "error.h"
#include "event.h"

enum sim_kind { SIM_DATA, SIM_INSTRUCTION, SIM_UNIFIED };
enum sim_inclusion { SIM_NINE, SIM_INCLUSIVE, SIM_EXCLUSIVE };
enum sim_prefetch { SIM_NO_PREFETCH, SIM_NEXT_LINE, SIM_LINE_PAIR, SIM_STRIDE, SIM_STREAM, SIM_REGION,
                    SIM_PREFETCHES };

/* Two loads of a pair cannot go together where they are to one bank, but to different lines. */
struct sim_banks {
    unsigned number; /* 0 = loads never conflict */
    uint64_t width_bytes; /* the bank after it is as many bytes on */
    double cost_cycles;   /* that a conflict adds to a pair */
    bool by_way; /* each way has banks of its own: lines of different ways do not conflict */
};

struct sim_level {
    unsigned level;
    enum sim_kind kind;
    struct sim_cache_shape shape;
    unsigned sector_lines; /* lines in the aligned group that one miss fills; 1 = the line alone */
    double latency_cycles;
    double bytes_per_cycle; /* of a stream that this level serves; 0 = not given */
    struct sim_banks banks;
    bool write_allocate;
    bool write_back; /* keeps stored data until the line is evicted; else passes every store on */
    bool bypassed_by_float;
    enum sim_inclusion inclusion;
    unsigned shared_by; /* CPUs, of consecutive numbers; the thread's own is 0 */
};

struct sim_tlb {
    unsigned level;
    enum sim_kind kind;
    struct sim_table table;
    uint64_t page_bytes; /* 0 = any */
    uint64_t index_page_bytes; /* the set is that of the page of this size, as entries may also be of such; 0 = page_bytes */
    unsigned sub_pages; /* parts of an entry's page that are filled one by one; 1 = filled as a whole */
};

/* What page-table walks find without waiting: a cache of the entries of one level of the tables. */
struct sim_page_walk_cache {
    struct sim_table table; /* fully associative; a miss adds its cycles to the walk */
    uint64_t covers_bytes;  /* of addresses, that what an entry holds translates */
};

/* A cache of decoded instructions. */
struct sim_decoded_shape {
    struct sim_table table; /* entries = 0: the machine has no such cache */
    uint64_t line_bytes;
    unsigned instructions;  /* per entry, at most */
};

enum sim_event_state { SIM_EXACT, SIM_ABSENT };

struct sim_event {
    enum sim_event_state state;
    double factor; /* counts per event; 1 = exact, 0 = it is dead */
    bool counts_prefetch;
    bool counts_other; /* another event than its own */
    enum hwc_event other;
};

enum { SIM_MOST_PATH = 1024 };

struct sim_noise {
    double context_switches_per_ms; /* a sample that one falls into is marked as disturbed */
    double interrupts_per_ms;       /* these mark no sample */
    unsigned lines_lost_per_switch; /* in each cache, TLB and cache of page-table entries, at an interrupt too */
    double counter_overhead;        /* counts that starting and reading a counter adds */
    double latency_jitter;          /* standard deviation of one reference's latency, relative */
    unsigned own_lines;             /* of the program's data, touched before each step of an experiment */
    char recording[SIM_MOST_PATH];  /* what is played in place of all that others do; empty = none */
};

/* The most that a machine file may have of each. */
enum { SIM_MOST_CPUS = 1024, SIM_MAX_LEVELS = 12, SIM_MAX_TLBS = 16, SIM_MAX_PAGE_WALK = 4, SIM_MAX_BTBS = 4,
       SIM_MAX_SUPERPAGES = 4, SIM_MOST_OWN_LINES = 64 };

/* What the machine's own documentation claims, where it differs from what it is. */
struct sim_documented {
    unsigned caches;
    struct sim_documented_cache {
        unsigned level;
        enum sim_kind kind;
        uint64_t size_bytes, line_bytes, ways; /* 0 = as it is */
    } cache[SIM_MAX_LEVELS];
};

struct sim_description {
    char name[128];
    char source[512];
    double frequency_mhz;
    uint64_t page_bytes;
    double memory_latency_cycles;
    double memory_bytes_per_cycle; /* of a stream that memory serves; 0 = not given */
    double loads_per_cycle;        /* that wait for none before, from the first level that they ask */
    unsigned cpus;
    unsigned cpus_move; /* turns of the others after which they are moved away, or back; 0 = they stay */
    unsigned levels;
    struct sim_level level[SIM_MAX_LEVELS]; /* ordered by level */
    bool times_each; /* its clock can time one reference */
    uint64_t host_page_bytes; /* a host backs the system's larger pages by such; 0 = it does not break them up */
    double clock_mhz;  /* its clock ticks at; 0 = the core's frequency */
    double clock_step; /* cycles by which its clock advances at once; 0 = it shows every cycle; < 0 = as recorded */
    unsigned tlbs;
    struct sim_tlb tlb[SIM_MAX_TLBS];
    unsigned page_walk_caches; /* 0 = what a walk takes is the last TLB's penalty */
    struct sim_page_walk_cache page_walk[SIM_MAX_PAGE_WALK]; /* in the order in which a walk asks them */
    unsigned btbs;
    struct sim_table btb[SIM_MAX_BTBS]; /* branch target buffers, by level */
    struct sim_decoded_shape decoded;
    struct sim_event event[HWC_EVENT_COUNT];
    bool contiguous;
    bool page_resizing; /* the system grows pages that thrash the TLBs */
    unsigned superpages;
    uint64_t superpage[SIM_MAX_SUPERPAGES]; /* ascending */
    bool prefetches; /* at all */
    bool prefetch[SIM_PREFETCHES]; /* by kind */
    struct sim_documented documented;
    struct sim_noise noise;
};

/* Read and check the file, or what it replaces of its base. HWC_BAD_INPUT with "FILE: where: what" on any fault. A
 * recording is read when the machine is opened. */
int sim_description_read(const char *path, struct sim_description *description, struct hwc_error *error);

#endif
