#include "core_types.h"

#include <string.h>
#include <sys/auxv.h>

const struct hwc_core_type native_core_types[] = {NATIVE_SCALARS(NULL)};
const unsigned native_core_type_count = sizeof native_core_types / sizeof native_core_types[0];

/* The kernel's hwcaps have a bit for each letter; the extensions for floats have fused operations. */
bool native_documents(const char *extension, bool *known)
{
    *known = strcmp(extension, "fma") == 0;
    return *known && (getauxval(AT_HWCAP) >> ('d' - 'a') & 1) != 0;
}
