#include "miss_source.h"

unsigned hwc_miss_sources(const struct hwc_lab *lab, struct hwc_miss_source sources[HWC_MISS_SOURCES])
{
    unsigned count = 0;

    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++) {
        struct hwc_miss_source *source = &sources[count++];
        *source = (struct hwc_miss_source){.level = level, .witness = &lab->witness[level]};
        hwc_write(source->of, sizeof source->of, "L%u", level);
    }
    for (unsigned level = 1; level <= 2; level++) {
        struct hwc_miss_source *source = &sources[count++];
        *source = (struct hwc_miss_source){
            .level = level, .of_tlb = true, .witness = &lab->structure_witness[hwc_data_tlb(level)]};
        hwc_write(source->of, sizeof source->of, "DTLB%u", level);
    }
    return count;
}
