/* Arenas: the memory that walks run on. */
#ifndef HWC_ARENA_H
#define HWC_ARENA_H

#include <stdbool.h>
#include <stdint.h>

/* The kind of pages that a probe asks for. */
enum hwc_pages {
    HWC_BASE_PAGES, /* the system's ordinary pages, and nothing larger */
    HWC_LARGE_PAGES, /* the largest available; ordinary ones if there are no larger */
    HWC_SPARSE_PAGES, /* ordinary pages, mapped only where walks touch them: the arena may exceed the memory */
    HWC_CODE_PAGES, /* sparse pages for walks of fetches */
    HWC_LARGE_CODE_PAGES, /* the largest available for walks of fetches */
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
    /* Size of the pages that back the arena as far as the machine can see: what
     * the kernel maps. Under a hypervisor, the host's pages may be smaller. */
    uint64_t page_bytes;
    /* Naturally aligned runs of this many bytes are believed to be contiguous
     * in physical memory; HWC_ALL_CONTIGUOUS when the whole arena is. */
    uint64_t contiguous_bytes;
    void *handle;        /* private to the machine */
};

#endif
