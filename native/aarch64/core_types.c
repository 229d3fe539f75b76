#include "core_types.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#define VECTOR(type, of, count, square_root)                                                                           \
    {                                                                                                                  \
        .name = type, .element = of, .lanes = count, .floating = (square_root) != NULL, .extension = "neon",           \
        .root = square_root, .header = "arm_neon.h"                                                                    \
    }

/* Flags of the compiler, as not each that knows SVE heeds it as a function's target, nor does each have its assembler
 * know of that. */
#define SCALABLE(type, of, floats, vector_type, suffix, predicate)                                                     \
    {                                                                                                                  \
        .name = type, .element = of, .floating = floats, .extension = "sve", .flag = "-march=armv8-a+sve",             \
        .header = "arm_sve.h", .scalable = &(const struct hwc_scalable) {                                              \
            .vector = vector_type, .fill = "svdup_" suffix, .element = "svlastb({all}, {i})", .all = predicate         \
        }                                                                                                              \
    }

const struct hwc_core_type native_core_types[] = {
    NATIVE_SCALARS(NULL),
    VECTOR("i32x4", "int", 4, NULL),
    VECTOR("f32x4", "float", 4, "vsqrtq_f32"),
    VECTOR("f64x2", "double", 2, "vsqrtq_f64"),
    SCALABLE("i32xN", "int", false, "svint32_t", "s32", "svptrue_b32()"),
    SCALABLE("f32xN", "float", true, "svfloat32_t", "f32", "svptrue_b32()"),
    SCALABLE("f64xN", "double", true, "svfloat64_t", "f64", "svptrue_b64()"),
};
const unsigned native_core_type_count = sizeof native_core_types / sizeof native_core_types[0];

/* rdvl x0, #1: in bytes. By its number, as this file is compiled for CPUs without SVE, too. */
struct hwc_vector_bits native_vector_bits(void)
{
    register uint64_t bytes __asm__("x0");
    int set = prctl(PR_SVE_GET_VL);

    __asm__ volatile(".inst 0x04bf5020" : "=r"(bytes));
    return (struct hwc_vector_bits){.executed = 8 * (double)bytes,
                                    .documented = set >= 0 ? 8 * (double)(set & PR_SVE_VL_LEN_MASK) : 0};
}

static const struct {
    const char *extension;
    unsigned long bit; /* of AT_HWCAP */
} documented[] = {{"fma", HWCAP_FP}, {"neon", HWCAP_ASIMD}, {"sve", HWCAP_SVE}};

/* Fused operations are in the base architecture. */
bool native_documents(const char *extension, bool *known)
{
    for (size_t i = 0; i < sizeof documented / sizeof documented[0]; i++)
        if (strcmp(extension, documented[i].extension) == 0) {
            *known = true;
            return (getauxval(AT_HWCAP) & documented[i].bit) != 0;
        }
    *known = false;
    return false;
}
