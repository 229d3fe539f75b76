#include "documented.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cpu_file.h"

#ifdef HWC_HAVE_HWLOC
#include <hwloc.h>
#endif

static bool read_attribute(int cpu, unsigned index, const char *name, char *text, int size)
{
    char file[96];

    snprintf(file, sizeof file, "cache/index%u/%s", index, name);
    return native_read_cpu_file(cpu, file, text, size);
}

static uint64_t read_number(int cpu, unsigned index, const char *name)
{
    char text[64];
    unsigned long long number = 0;
    char unit = '\0';

    if (!read_attribute(cpu, index, name, text, sizeof text) || sscanf(text, "%llu%c", &number, &unit) < 1)
        return 0;
    return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

/* CPUs in a list such as "0-3,8-11"; 0 = it is none. */
static unsigned count_listed(const char *list)
{
    unsigned count = 0, first, last;
    int used;

    while (sscanf(list, "%u%n", &first, &used) == 1) {
        list += used;
        last = first;
        if (sscanf(list, "-%u%n", &last, &used) == 1)
            list += used;
        count += last >= first ? last - first + 1 : 0;
        list += *list == ',';
    }
    return count;
}

static unsigned read_shared_by(int cpu, unsigned index)
{
    char list[512];

    return read_attribute(cpu, index, "shared_cpu_list", list, sizeof list) ? count_listed(list) : 0;
}

static void read_sysfs(int cpu, struct hwc_documented *documented)
{
    char type[64];

    for (unsigned index = 0; index < HWC_MAX_DOCUMENTED && read_attribute(cpu, index, "type", type, sizeof type);
         index++)
        documented->cache[documented->caches++] = (struct hwc_documented_cache){
            .level = (unsigned)read_number(cpu, index, "level"),
            .data = strncmp(type, "Instruction", 11) != 0,
            .instruction = strncmp(type, "Data", 4) != 0,
            .line_bytes = read_number(cpu, index, "coherency_line_size"),
            .size_bytes = read_number(cpu, index, "size"),
            .ways = read_number(cpu, index, "ways_of_associativity"),
            .shared_by = read_shared_by(cpu, index),
        };
    if (documented->caches > 0)
        snprintf(documented->source, sizeof documented->source, "sysfs");
}

#ifdef HWC_HAVE_HWLOC
static void read_hwloc(int cpu, struct hwc_documented *documented)
{
    hwloc_topology_t topology;
    hwloc_obj_t object;

    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) == 0)
        for (object = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
             object != NULL && documented->caches < HWC_MAX_DOCUMENTED; object = object->parent) {
            if (!hwloc_obj_type_is_cache(object->type))
                continue;
            documented->cache[documented->caches++] = (struct hwc_documented_cache){
                .level = object->attr->cache.depth,
                .data = !hwloc_obj_type_is_icache(object->type),
                .instruction = !hwloc_obj_type_is_dcache(object->type),
                .line_bytes = object->attr->cache.linesize,
                .size_bytes = object->attr->cache.size,
                .ways = object->attr->cache.associativity > 0 ? (uint64_t)object->attr->cache.associativity : 0,
                .shared_by = object->cpuset != NULL ? (unsigned)hwloc_bitmap_weight(object->cpuset) : 0,
            };
        }
    hwloc_topology_destroy(topology);
    if (documented->caches > 0)
        snprintf(documented->source, sizeof documented->source, "hwloc");
}
#else
static void read_hwloc(int cpu, struct hwc_documented *documented)
{
    (void)cpu;
    (void)documented;
}
#endif

void native_read_documented(int cpu, struct hwc_documented *documented)
{
    read_sysfs(cpu, documented);
    if (documented->caches == 0)
        read_hwloc(cpu, documented);
    documented->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
}
