#include "processor.h"

#include <cpuid.h>
#include <stddef.h>

/* CPUID leaf 1 (Intel SDM 2A, AMD APM 3): CPUs of Intel's family 6 are told apart by model, AMD's by family. */
const char *ctr_raw_family(void)
{
    unsigned a, b, c, d, family, model;

    if (!__get_cpuid(0, &a, &b, &c, &d))
        return NULL;
    if (b == signature_INTEL_ebx && __get_cpuid(1, &a, &b, &c, &d)) {
        model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
        if ((a >> 8 & 0xf) != 6)
            return NULL;
        return model == 0xcf ? "emr" : model == 0xad || model == 0xae ? "gnr" : NULL;
    }
    if (b == signature_AMD_ebx && __get_cpuid(1, &a, &b, &c, &d)) {
        family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
        return family == 0x1a ? "amd64_fam1ah_zen5" : NULL;
    }
    return NULL;
}

bool ctr_can_read_pmc(void)
{
    return true;
}

uint64_t ctr_read_pmc(uint32_t index)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}
