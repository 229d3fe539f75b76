/* What this architecture's compilers know: types of variables, and which extensions of the instruction set the system
 * says that the CPU has. Each architecture's folder has them. */
#ifndef HWC_NATIVE_CORE_TYPES_H
#define HWC_NATIVE_CORE_TYPES_H

#include "nano.h"

extern const struct hwc_core_type native_core_types[];
extern const unsigned native_core_type_count;

bool native_documents(const char *extension, bool *known);
struct hwc_vector_bits native_vector_bits(void);

/* Types that every architecture has; `fused` is what fused operations need, NULL = nothing. */
#define NATIVE_SCALARS(fused) \
    {.name = "i32", .element = "int"}, {.name = "i64", .element = "long long"}, \
        {.name = "f32", .element = "float", .floating = true, .fused_target = fused, .root = "__builtin_sqrtf"}, \
    { \
        .name = "f64", .element = "double", .floating = true, .fused_target = fused, .root = "__builtin_sqrt" \
    }

#endif
