/* What a sampled load says of where its data came from, in the formats of the kernel and of the vendors. Pure. */
#ifndef HWC_COUNTERS_LOAD_SOURCE_H
#define HWC_COUNTERS_LOAD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "served.h"

struct ctr_load {
    uint64_t address; /* of the data, virtual */
    enum hwc_server server;
};

/* PERF_SAMPLE_DATA_SRC: union perf_mem_data_src of linux/perf_event.h. False: it is no load. */
bool ctr_server_of_data_source(uint64_t data_source, enum hwc_server *server);

/* PERF_SAMPLE_RAW of an IBS op: four bytes of capabilities, then IBS_OP_CTL, _RIP, _DATA, _DATA2, _DATA3, DC_LIN_AD,
 * ... (the PPRs' MSRC001_1033 to 103A), without the size before them. False: it is no load, or has no address. */
bool ctr_load_of_ibs(const unsigned char *raw, size_t size, struct ctr_load *load);

/* The next record of Arm's statistical profiling extension that is a load with an address (Arm ARM, D16; what its data
 * source means: the cores' manuals). *at: where it begins, moved behind it. False: there is none left. */
bool ctr_next_load_of_spe(const unsigned char *bytes, size_t size, size_t *at, struct ctr_load *load);

/* A record of the ring buffer, PERF_RECORD_SAMPLE, with the header, of PERF_SAMPLE_ADDR and _DATA_SRC, or of _RAW alone,
 * which is IBS's. False: it is no load. */
bool ctr_load_of_sample(const unsigned char *record, size_t size, bool ibs, struct ctr_load *load);

#endif
