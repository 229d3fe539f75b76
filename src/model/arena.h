/* Arenas: the memory that walks run on. */
#ifndef HWC_ARENA_H
#define HWC_ARENA_H

#include <stdbool.h>
#include <stdint.h>

/* What a probe asks for. */
enum hwc_pages {
    HWC_BASE_PAGES, /* the system's ordinary pages, and nothing larger */
    HWC_LARGE_PAGES, /* the largest that can be had; ordinary ones if none can */
    HWC_SPARSE_PAGES, /* ordinary pages, had only where walks touch them: the arena may be larger than the memory */
    HWC_CODE_PAGES, /* the same, for walks of fetches */
    HWC_LARGE_CODE_PAGES, /* the largest that can be had for these */
};

static inline bool hwc_is_sparse(enum hwc_pages pages)
{
    return pages == HWC_SPARSE_PAGES || pages == HWC_CODE_PAGES;
}

static inline bool hwc_is_large(enum hwc_pages pages)
{
    return pages == HWC_LARGE_PAGES || pages == HWC_LARGE_CODE_PAGES;
}

#define HWC_ALL_CONTIGUOUS UINT64_MAX

struct hwc_arena {
    uint64_t bytes;
    /* The pages that back the arena as far as the machine can see: what the
     * kernel maps. Under a hypervisor the host's may be smaller. */
    uint64_t page_bytes;
    /* Naturally aligned runs of this many bytes are believed to be contiguous
     * in physical memory; HWC_ALL_CONTIGUOUS when the whole arena is. */
    uint64_t contiguous_bytes;
    void *handle;        /* the machine's own */
};

#endif
