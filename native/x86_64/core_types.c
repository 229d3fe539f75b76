#include "core_types.h"

#include <string.h>

#define VECTOR(type, of, count, with, needs, fused, square_root)                                                       \
    {                                                                                                                  \
        .name = (type), .element = (of), .lanes = (count), .floating = (square_root) != NULL, .extension = (with),     \
        .target = (needs), .fused_target = (fused), .root = (square_root), .header = "immintrin.h"                     \
    }

const struct hwc_core_type native_core_types[] = {
    NATIVE_SCALARS("fma"),
    VECTOR("i32x4", "int", 4, "sse2", "sse4.1", NULL, NULL),
    VECTOR("f32x4", "float", 4, "sse2", NULL, "fma", "_mm_sqrt_ps"),
    VECTOR("f64x2", "double", 2, "sse2", NULL, "fma", "_mm_sqrt_pd"),
    VECTOR("i32x8", "int", 8, "avx2", "avx2", NULL, NULL),
    VECTOR("f32x8", "float", 8, "avx2", "avx2", "avx2,fma", "_mm256_sqrt_ps"),
    VECTOR("f64x4", "double", 4, "avx2", "avx2", "avx2,fma", "_mm256_sqrt_pd"),
    VECTOR("i32x16", "int", 16, "avx512", "avx512f", NULL, NULL),
    VECTOR("f32x16", "float", 16, "avx512", "avx512f", "avx512f", "_mm512_sqrt_ps"),
    VECTOR("f64x8", "double", 8, "avx512", "avx512f", "avx512f", "_mm512_sqrt_pd"),
};
const unsigned native_core_type_count = sizeof native_core_types / sizeof native_core_types[0];

struct hwc_vector_bits native_vector_bits(void)
{
    return (struct hwc_vector_bits){0};
}

/* By CPUID, and whether the kernel keeps the registers. */
bool native_documents(const char *extension, bool *known)
{
    *known = true;
    __builtin_cpu_init();
    if (strcmp(extension, "fma") == 0)
        return __builtin_cpu_supports("fma") != 0;
    if (strcmp(extension, "sse2") == 0)
        return __builtin_cpu_supports("sse2") != 0;
    if (strcmp(extension, "avx2") == 0)
        return __builtin_cpu_supports("avx2") != 0;
    if (strcmp(extension, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") != 0;
    *known = false;
    return false;
}
