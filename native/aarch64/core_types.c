#include "core_types.h"

#include <string.h>
#include <sys/auxv.h>

#define VECTOR(type, of, count, square_root)                                                                           \
    {                                                                                                                  \
        .name = type, .element = of, .lanes = count, .floating = (square_root) != NULL, .extension = "neon",           \
        .root = square_root, .header = "arm_neon.h"                                                                    \
    }

const struct hwc_core_type native_core_types[] = {
    NATIVE_SCALARS(NULL),
    VECTOR("i32x4", "int", 4, NULL),
    VECTOR("f32x4", "float", 4, "vsqrtq_f32"),
    VECTOR("f64x2", "double", 2, "vsqrtq_f64"),
};
const unsigned native_core_type_count = sizeof native_core_types / sizeof native_core_types[0];

/* Fused operations are in the base architecture. */
bool native_documents(const char *extension, bool *known)
{
    unsigned long bits = getauxval(AT_HWCAP);
    bool neon = strcmp(extension, "neon") == 0;

    *known = neon || strcmp(extension, "fma") == 0;
    return *known && (bits & (neon ? HWCAP_ASIMD : HWCAP_FP)) != 0;
}
