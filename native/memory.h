/* Arenas of real memory. */
#ifndef HWC_NATIVE_MEMORY_H
#define HWC_NATIVE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "error.h"

struct native_memory {
    uint64_t page_bytes;
    uint64_t limit_bytes;     /* the most that may be used */
    char bound[96];           /* what sets the limit */
    bool of_group;            /* the control group does, or what bounds it further */
    uint64_t huge_bytes;      /* size of the transparent huge pages that the kernel gave; 0 = it gave none */
    bool allow_hugetlb;
    uint64_t hugetlb_bytes;   /* size of the pages that came from the hugetlb pools; 0 = none */
    bool guest;               /* under a hypervisor: what is contiguous here need not be so in the host's memory */
    bool virtually_indexed;   /* under valgrind: its caches see virtual addresses, which are contiguous */
};

struct native_block {
    char *base;
    void *mapping;
    size_t mapped_bytes;
    bool sparse;
    bool written; /* every page, at least once: one that never was maps to the kernel's shared page of zeros */
    uint64_t written_serial; /* of the cells that were last written to, if the arena is sparse */
};

void native_memory_init(struct native_memory *memory, bool allow_hugetlb, bool guest);

int native_memory_map(struct native_memory *memory, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error);
void native_memory_unmap(struct hwc_arena *arena);

/* Bytes, of a line such as "MemAvailable:   123 kB". */
bool native_read_field(const char *path, const char *field, uint64_t *bytes);

/* Give the arena's pages back to the kernel: the next touch of each is a page fault. */
int native_memory_release(const struct hwc_arena *arena, struct hwc_error *error);

#endif
