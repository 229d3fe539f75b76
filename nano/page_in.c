#include "page_in.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Addresses from the begin of a page to that of another. */
struct pages {
    uintptr_t first, end;
};

static uintptr_t begin_of_page(uintptr_t address)
{
    return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* What the loader makes read-only once it has relocated it. */
static struct pages relocated_of(const struct dl_phdr_info *object)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            return (struct pages){begin_of_page(first), begin_of_page(first + object->dlpi_phdr[i].p_memsz)};
    }
    return (struct pages){0};
}

static void touch(uintptr_t first, uintptr_t end, bool write, struct pages read_only)
{
    for (uintptr_t page = begin_of_page(first); page < end; page += (uintptr_t)sysconf(_SC_PAGESIZE)) {
        volatile char *byte = (volatile char *)page;
        char value = *byte;
        if (write && (page < read_only.first || page >= read_only.end))
            *byte = value;
    }
}

static int page_in(struct dl_phdr_info *object, size_t size, void *context)
{
    const struct link_map *sought = context;

    (void)size;
    if (object->dlpi_addr != sought->l_addr)
        return 0;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t first = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_R) != 0)
            touch(first, first + part->p_memsz, (part->p_flags & PF_W) != 0, relocated_of(object));
    }
    return 1;
}

void nano_page_in(void *object)
{
    struct link_map *map = NULL;

    if (dlinfo(object, RTLD_DI_LINKMAP, &map) == 0)
        dl_iterate_phdr(page_in, map);
}
