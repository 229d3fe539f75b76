/* Bodies of loops are not written for riscv64 yet. */
#include "instructions.h"

const char *native_lacks_op(enum hwc_op op)
{
    (void)op;
    return "hwchar writes no such instructions for riscv64 yet";
}

unsigned native_named_registers(bool vector)
{
    (void)vector;
    return 32;
}

char *native_put_op(char *at, enum hwc_op op, size_t index)
{
    (void)op;
    (void)index;
    return at;
}

char *native_put_calls(char *at, size_t depth, size_t functions)
{
    (void)depth;
    (void)functions;
    return at;
}

char *native_put_entry(char *at)
{
    return at;
}

char *native_put_turn(char *at, const char *first)
{
    (void)first;
    return at;
}

void native_enter_body(const char *code, const struct native_turns *turns)
{
    (void)code;
    (void)turns;
}
