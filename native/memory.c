#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control_group.h"

#define HUGE_BYTES (UINT64_C(2) << 20)
/* Page numbers of a sparse arena begin at a multiple of many pages, so that a set
 * index hashed from them spreads each run of pages evenly. */
#define SPARSE_ALIGNMENT (UINT64_C(1) << 30)

bool native_read_field(const char *path, const char *field, uint64_t *bytes)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bool got = false;

    while (!got && file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            got = sscanf(line + strlen(field), "%lu", bytes) == 1;
    if (file != NULL)
        fclose(file);
    *bytes *= 1024;
    return got;
}

static void bound_by(struct native_memory *memory, uint64_t bytes, const char *what)
{
    if (bytes >= memory->limit_bytes)
        return;
    memory->limit_bytes = bytes;
    snprintf(memory->bound, sizeof memory->bound, "%s", what);
}

static void bound_by_group(struct native_memory *memory)
{
    struct native_control_group group;
    uint64_t before = memory->limit_bytes;

    if (!native_read_control_group(&group))
        return;
    bound_by(memory, group.limit_bytes > group.used_bytes ? group.limit_bytes - group.used_bytes : 0,
             "the control group's memory limit");
    memory->of_group = memory->limit_bytes < before;
}

static void bound_by_address_space(struct native_memory *memory)
{
    struct rlimit limit;
    uint64_t used = 0;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    native_read_field("/proc/self/status", "VmSize:", &used);
    bound_by(memory, limit.rlim_cur > used ? limit.rlim_cur - used : 0, "the address-space limit (ulimit -v)");
}

/* Ask for a transparent huge page, touch it, and look up what the kernel gave. */
static uint64_t try_transparent(void)
{
    uint64_t got = 0;
    char *mapping = mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *aligned;
    char line[256];
    bool inside = false;
    FILE *file;

    if (mapping == MAP_FAILED)
        return 0;
    aligned = (char *)(((uintptr_t)mapping + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
    madvise(aligned, HUGE_BYTES, MADV_HUGEPAGE);
    *(volatile char *)aligned = 1;
    file = fopen("/proc/self/smaps", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long begin, end, kilobytes;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= (uintptr_t)aligned && (uintptr_t)aligned < end;
        else if (inside && sscanf(line, "AnonHugePages: %lu", &kilobytes) == 1 && kilobytes * 1024 >= HUGE_BYTES)
            got = HUGE_BYTES;
    }
    if (file != NULL)
        fclose(file);
    munmap(mapping, 2 * HUGE_BYTES);
    return got;
}

void native_memory_init(struct native_memory *memory, bool allow_hugetlb, bool guest)
{
    uint64_t available = 0;

    *memory = (struct native_memory){.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
                                     .limit_bytes = UINT64_C(1) << 40,
                                     .allow_hugetlb = allow_hugetlb,
                                     .guest = guest};
    if (native_read_field("/proc/meminfo", "MemAvailable:", &available))
        bound_by(memory, available / 2, "half of the free memory");
    bound_by_group(memory);
    bound_by_address_space(memory);
    if (memory->limit_bytes >= 16 * HUGE_BYTES)
        memory->huge_bytes = try_transparent();
}

/* Map pages that an administrator reserved: of 1 GiB, else of 2 MiB. */
static bool map_hugetlb(struct native_memory *memory, uint64_t bytes, struct native_block *block)
{
    static const unsigned shifts[] = {30, 21};

    for (int i = 0; i < 2; i++) {
        uint64_t page = UINT64_C(1) << shifts[i];
        size_t length = (size_t)((bytes + page - 1) & ~(page - 1));
        void *mapping;
        if (bytes < page / 8)
            continue;
        mapping = mmap(NULL, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (int)(shifts[i] << MAP_HUGE_SHIFT), -1, 0);
        if (mapping == MAP_FAILED)
            continue;
        block->base = block->mapping = mapping;
        block->mapped_bytes = length;
        memory->hugetlb_bytes = page;
        return true;
    }
    return false;
}

static int map_anonymous(uint64_t bytes, uint64_t align, bool huge, struct native_block *block,
                         struct hwc_error *error)
{
    size_t length = (size_t)(bytes + align);
    void *mapping =
        mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (mapping == MAP_FAILED)
        return hwc_fail(error, HWC_NO_MEMORY, "%llu MiB of memory cannot be had: %s",
                        (unsigned long long)(bytes >> 20), strerror(errno));
    block->mapping = mapping;
    block->mapped_bytes = length;
    block->base = (char *)(((uintptr_t)mapping + align - 1) & ~(align - 1));
    madvise(mapping, length, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return HWC_OK;
}

int native_memory_map(struct native_memory *memory, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    bool huge = hwc_is_large(pages) && memory->huge_bytes > 0;
    bool sparse = hwc_is_sparse(pages);
    struct native_block *block;
    int status = HWC_OK;

    bytes = (bytes + memory->page_bytes - 1) & ~(memory->page_bytes - 1);
    if (bytes > memory->limit_bytes && !sparse)
        return hwc_fail(error, HWC_NO_MEMORY, "%llu MiB are needed, %llu MiB may be used, bounded by %s",
                        (unsigned long long)(bytes >> 20), (unsigned long long)(memory->limit_bytes >> 20),
                        memory->bound);
    block = calloc(1, sizeof *block);
    if (block == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    block->sparse = sparse;
    *arena = (struct hwc_arena){.bytes = bytes, .page_bytes = memory->page_bytes, .handle = block};
    if (hwc_is_large(pages) && memory->allow_hugetlb && map_hugetlb(memory, bytes, block)) {
        arena->page_bytes = memory->hugetlb_bytes;
    } else {
        status = map_anonymous(bytes, huge ? HUGE_BYTES : sparse ? SPARSE_ALIGNMENT : memory->page_bytes, huge, block,
                               error);
        arena->page_bytes = huge ? memory->huge_bytes : memory->page_bytes;
    }
    arena->contiguous_bytes = memory->virtually_indexed ? HWC_ALL_CONTIGUOUS
                              : memory->guest           ? memory->page_bytes
                                                        : arena->page_bytes;
    if (status != HWC_OK) {
        free(block);
        arena->handle = NULL;
    }
    return status;
}

void native_memory_unmap(struct hwc_arena *arena)
{
    struct native_block *block = arena->handle;

    munmap(block->mapping, block->mapped_bytes);
    free(block);
    arena->handle = NULL;
}

int native_memory_release(const struct hwc_arena *arena, struct hwc_error *error)
{
    struct native_block *block = arena->handle;

    if (madvise(block->mapping, block->mapped_bytes, MADV_DONTNEED) != 0)
        return hwc_fail(error, HWC_SYSTEM, "pages cannot be given back: %s", strerror(errno));
    block->written = false;
    block->written_serial = 0;
    return HWC_OK;
}
