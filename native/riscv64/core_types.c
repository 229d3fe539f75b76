#include "core_types.h"

#include <asm/hwcap.h>
#include <string.h>
#include <sys/auxv.h>

const struct hwc_core_type native_core_types[] = {NATIVE_SCALARS(NULL)};
const unsigned native_core_type_count = sizeof native_core_types / sizeof native_core_types[0];

struct hwc_vector_bits native_vector_bits(void)
{
    return (struct hwc_vector_bits){0};
}

/* The extensions for floats have fused operations. */
bool native_documents(const char *extension, bool *known)
{
    *known = strcmp(extension, "fma") == 0;
    return *known && (getauxval(AT_HWCAP) & COMPAT_HWCAP_ISA_D) != 0;
}
