#include "operations.h"

#include <string.h>

#define SCALARS (HWC_ON_INTEGERS | HWC_ON_FLOATS)
#define FLOATS (HWC_ON_FLOATS | HWC_ON_FLOAT_VECTORS)
#define INTEGERS (HWC_ON_INTEGERS | HWC_ON_INTEGER_VECTORS)
#define SCALABLE (HWC_ON_SCALABLE_INTEGERS | HWC_ON_SCALABLE_FLOATS)

/* Dividends and roots keep all their digits however often the statement is executed: dividers take less time for few. A
 * conversion goes there and back: both count as one. A comparison leaves 0 or 1, one of vectors a mask. (What changes
 * nothing when it is done again, such as a minimum, compilers do once.)
 *
 * Scalable vectors have functions, by their names in arm_sve.h: native/ has no others. A comparison of them leaves a
 * predicate, for which no other comparison waits. */
const struct hwc_operation hwc_operations[] = {
    {"add", SCALARS | HWC_ON_INTEGER_VECTORS | HWC_ON_FLOAT_VECTORS, "{i} = {i} + {c}", "1", "1", false, NULL},
    {"multiply", SCALARS | HWC_ON_INTEGER_VECTORS | HWC_ON_FLOAT_VECTORS, "{i} = {i} * {c}", "1", "1", false, NULL},
    {"divide", HWC_ON_INTEGERS, "{i} = {c} / {i}", "977", "1000003", false, NULL},
    {"divide", FLOATS, "{i} = {c} / {i}", "1.3", "1.7", false, NULL},
    {"fma", HWC_ON_INTEGERS, "{i} = {i} * {c} + {c}", "1", "1", false, NULL},
    {"fma", FLOATS, "{i} = {i} * {c} + {c}", "1", "0.5", true, NULL},
    {"shift", INTEGERS, "{i} = {i} << {c}", "1", "1", false, NULL},
    {"compare", SCALARS, "{i} = {i} < {c}", "1", "1", false, NULL},
    {"compare", HWC_ON_INTEGER_VECTORS | HWC_ON_FLOAT_VECTORS, "{i} = ({T})({i} < {c})", "1", "2", false, NULL},
    {"convert", HWC_ON_INTEGERS, "{i} = ({T})(float){i}", "1", "1", false, NULL},
    {"square_root", FLOATS, "{i} = {root}({i} + {c})", "2", "1.7", false, "add"},
    {"add", SCALABLE, "{i} = svadd_x({all}, {i}, {c})", "1", "1", false, NULL},
    {"multiply", SCALABLE, "{i} = svmul_x({all}, {i}, {c})", "1", "1", false, NULL},
    {"divide", HWC_ON_SCALABLE_INTEGERS, "{i} = svdivr_x({all}, {i}, {c})", "977", "1000003", false, NULL},
    {"divide", HWC_ON_SCALABLE_FLOATS, "{i} = svdivr_x({all}, {i}, {c})", "1.3", "1.7", false, NULL},
    {"fma", HWC_ON_SCALABLE_INTEGERS, "{i} = svmad_x({all}, {i}, {c}, {c})", "1", "1", false, NULL},
    {"fma", HWC_ON_SCALABLE_FLOATS, "{i} = svmad_x({all}, {i}, {c}, {c})", "1", "0.5", true, NULL},
    {"shift", HWC_ON_SCALABLE_INTEGERS, "{i} = svlsl_x({all}, {i}, svreinterpret_u32({c}))", "1", "1", false, NULL},
    {"square_root", HWC_ON_SCALABLE_FLOATS, "{i} = svsqrt_x({all}, svadd_x({all}, {i}, {c}))", "2", "1.7", false,
     "add"},
    {0},
};

static enum hwc_operand operand_of(const struct hwc_core_type *type)
{
    if (type->scalable != NULL)
        return type->floating ? HWC_ON_SCALABLE_FLOATS : HWC_ON_SCALABLE_INTEGERS;
    if (type->lanes > 0)
        return type->floating ? HWC_ON_FLOAT_VECTORS : HWC_ON_INTEGER_VECTORS;
    return type->floating ? HWC_ON_FLOATS : HWC_ON_INTEGERS;
}

bool hwc_operation_takes(const struct hwc_operation *operation, const struct hwc_core_type *type)
{
    return (operation->operands & operand_of(type)) != 0;
}

const struct hwc_core_type *hwc_core_type_named(const struct hwc_core *core, const char *name)
{
    for (unsigned i = 0; i < *core->type_count; i++)
        if (strcmp(core->types[i].name, name) == 0)
            return &core->types[i];
    return NULL;
}

const struct hwc_operation *hwc_find_operation(const char *name, const struct hwc_core_type *type)
{
    for (const struct hwc_operation *operation = hwc_operations; operation->name != NULL; operation++)
        if (strcmp(operation->name, name) == 0 && hwc_operation_takes(operation, type))
            return operation;
    return NULL;
}

struct hwc_nano_statement hwc_sum_with_former(const struct hwc_core_type *type)
{
    return (struct hwc_nano_statement){
        .text = type->scalable != NULL ? "{i} = svadd_x({all}, {i}, {p})" : "{i} = {i} + {p}",
        .type = type, .first = "1", .other = "1"};
}

struct hwc_nano_statement hwc_statement_of(const struct hwc_operation *operation, const struct hwc_core_type *type)
{
    return (struct hwc_nano_statement){.text = operation->text, .type = type, .first = operation->first,
                                       .other = operation->other, .fused = operation->fused};
}

struct hwc_nano hwc_nano_of(const struct hwc_operation *operation, const struct hwc_core_type *type, unsigned variables,
                            unsigned per_label)
{
    return (struct hwc_nano){
        .statement = {hwc_statement_of(operation, type)},
        .statements = 1,
        .variables = variables,
        .per_label = per_label,
    };
}
