/* The emitter for x86-64. */
#include "emit.h"

#include <string.h>

#define INT3 0xcc
#define JUMP_BYTES 8

const unsigned char native_trap_byte = INT3;

static void put_displacement(char *at, int64_t distance)
{
    int32_t displacement = (int32_t)distance;

    memcpy(at, &displacement, sizeof displacement);
}

/* clc: one byte each, and no decoder fuses two of them. */
void native_put_filler(char *at, size_t bytes)
{
    memset(at, 0xf8, bytes);
}

/* jmp rel32; the traps after it are never reached. */
static void put_jump(char *base, uint64_t from, uint64_t to)
{
    memset(base + from, INT3, JUMP_BYTES);
    base[from] = (char)0xe9;
    put_displacement(base + from + 1, (int64_t)(to - (from + 5)));
}

/* lea distance(%rip), %rax; push %rax; ret */
static void put_return(char *base, uint64_t from, uint64_t to)
{
    static const char code[] = {0x48, (char)0x8d, 0x05, 0, 0, 0, 0, 0x50, (char)0xc3};

    memcpy(base + from, code, sizeof code);
    put_displacement(base + from + 3, (int64_t)(to - (from + 7)));
}

/* call over an int3; addq distance, (%rsp); ret. A core takes a call of the very
 * next instruction for a way to read the instruction pointer, and predictors do
 * not record it. */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    static const char code[] = {(char)0xe8, 1,    0,    0, 0, (char)INT3, 0x48,      (char)0x81,
                                0x04,       0x24, 0,    0, 0, 0,          (char)0xc3};

    memcpy(base + from, code, sizeof code);
    put_displacement(base + from + 10, (int64_t)(to - (from + 5)));
}

const struct native_transfer_code native_transfer_code[NATIVE_TRANSFERS] = {
    [NATIVE_JUMP] = {put_jump, JUMP_BYTES},
    [NATIVE_RETURN] = {put_return, 9},
    [NATIVE_CALLED_RETURN] = {put_called_return, 15},
};

/* dec edi; jnz rel32; ret; then call *rax; int3 */
uint64_t native_put_end(char *base, uint64_t from, uint64_t first)
{
    static const char code[] = {(char)0xff, (char)0xcf, 0x0f, (char)0x85, 0, 0, 0, 0, (char)0xc3};
    static const char call[] = {(char)0xff, (char)0xd0, (char)INT3};

    memcpy(base + from, code, sizeof code);
    put_displacement(base + from + 4, (int64_t)(first - (from + 8)));
    memcpy(base + from + sizeof code, call, sizeof call);
    return from + sizeof code;
}

void native_enter_code(const char *at, uint64_t passes)
{
    __asm__ volatile("call *%[at]" : "+D"(passes) : [at] "r"(at) : "memory", "cc", "rax");
}

/* Below the stack pointer there may be what the compiler keeps there. */
void native_enter_returns(const char *at, uint64_t passes, const char *call)
{
    uint64_t calls = NATIVE_RETURN_STACK, stack;

    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "mov %%rsp, %[stack]\n\t"
                     "lea 1f(%%rip), %%rax\n\t"
                     "jmp *%[call]\n"
                     "1:\tdec %[calls]\n\t"
                     "jz 2f\n\t"
                     "jmp *%[call]\n"
                     "2:\tmov %[stack], %%rsp\n\t"
                     "lea 3f(%%rip), %%rax\n\t"
                     "push %%rax\n\t"
                     "jmp *%[at]\n"
                     "3:\tlea 128(%%rsp), %%rsp"
                     : "+D"(passes), [calls] "+&r"(calls), [stack] "=&r"(stack)
                     : [at] "r"(at), [call] "r"(call)
                     : "memory", "cc", "rax");
}
