/* Operations on types: what stands in a statement, and the nano-benchmarks that are made of it. */
#ifndef HWC_OPERATIONS_H
#define HWC_OPERATIONS_H

#include "nano.h"

/* What an operation is asked of. */
enum hwc_operand {
    HWC_ON_INTEGERS = 1,
    HWC_ON_FLOATS = 2,
    HWC_ON_INTEGER_VECTORS = 4,
    HWC_ON_FLOAT_VECTORS = 8,
    HWC_ON_SCALABLE_INTEGERS = 16, /* vectors, too */
    HWC_ON_SCALABLE_FLOATS = 32,
};

struct hwc_operation {
    const char *name;
    unsigned operands; /* of enum hwc_operand */
    const char *text, *first, *other; /* as in nano.h */
    bool fused;
    const char *also; /* another operation that is in the statement, too: its latency is taken off; NULL = none */
};

/* Ends with a row without a name. */
extern const struct hwc_operation hwc_operations[];

bool hwc_operation_takes(const struct hwc_operation *operation, const struct hwc_core_type *type);

/* NULL = the core has none of this name. */
const struct hwc_core_type *hwc_core_type_named(const struct hwc_core *core, const char *name);

/* The first row of this name that takes the type; NULL = there is none. */
const struct hwc_operation *hwc_find_operation(const char *name, const struct hwc_core_type *type);

/* A sum with the variable before (X-Ray, 3.5), on a type: what a compiler keeps in registers is asked by it. */
struct hwc_nano_statement hwc_sum_with_former(const struct hwc_core_type *type);

struct hwc_nano_statement hwc_statement_of(const struct hwc_operation *operation, const struct hwc_core_type *type);
struct hwc_nano hwc_nano_of(const struct hwc_operation *operation, const struct hwc_core_type *type, unsigned variables,
                            unsigned per_label);

#endif
