/* Streams: all bytes of a range, in ascending order, again and again, as fast as the
 * machine moves them. Nothing waits for what was read, so that the core, its
 * prefetchers and its store buffer overlap as many lines as they can. */
#ifndef HWC_STREAM_H
#define HWC_STREAM_H

#include <stdint.h>

/* A copy reads the first half of the range and writes it to the second half. */
enum hwc_stream_kind { HWC_STREAM_READ, HWC_STREAM_WRITE, HWC_STREAM_COPY, HWC_STREAMS };

/* A stream has a multiple of this many bytes. */
enum { HWC_STREAM_GRAIN = 1024 };

struct hwc_stream {
    uint64_t bytes; /* from the start of the arena: of a copy, those read and those written; 0 = no stream */
    enum hwc_stream_kind kind;
};

#endif
