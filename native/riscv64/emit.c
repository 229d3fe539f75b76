/* The emitter for riscv64 with compressed instructions. */
#include "emit.h"

#include <string.h>

#define T0 5
#define RA 1
#define JALR 0x67
#define ADDI_TO(n_register) ((uint32_t)(n_register) << 7 | 0x13)

const unsigned char native_trap_byte = 0; /* defined to be illegal */

/* auipc, and an instruction after it that adds the low 12 bits, signed. */
static void put_far(char *at, int64_t distance, uint32_t through, uint32_t opcode)
{
    uint32_t low = (uint32_t)distance & 0xfff;
    uint32_t high = (uint32_t)(distance + 0x800) & UINT32_C(0xfffff000);
    const uint32_t code[] = {high | through << 7 | 0x17, low << 20 | through << 15 | opcode};

    memcpy(at, code, sizeof code);
}

/* c.nop */
void native_put_filler(char *at, size_t bytes)
{
    const uint16_t nop = 0x0001;

    for (; bytes >= sizeof nop; bytes -= sizeof nop, at += sizeof nop)
        memcpy(at, &nop, sizeof nop);
}

/* auipc t0; jalr x0, t0 */
static void put_jump(char *base, uint64_t from, uint64_t to)
{
    put_far(base + from, (int64_t)(to - from), T0, JALR);
}

/* auipc ra; addi ra; ret */
static void put_return(char *base, uint64_t from, uint64_t to)
{
    const uint32_t back = UINT32_C(0x00008067);

    put_far(base + from, (int64_t)(to - from), RA, ADDI_TO(RA));
    memcpy(base + from + 8, &back, sizeof back);
}

/* jal ra to the next instruction, then the code of put_return */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    const uint32_t call = UINT32_C(0x004000ef);

    memcpy(base + from, &call, sizeof call);
    put_return(base, from + 4, to);
}

const struct native_transfer_code native_transfer_code[NATIVE_TRANSFERS] = {
    [NATIVE_JUMP] = {put_jump, 8},
    [NATIVE_RETURN] = {put_return, 12},
    [NATIVE_CALLED_RETURN] = {put_called_return, 16},
};

/* c.addi a0, -1; c.beqz a0 to the last instruction; jump to the first cell; c.jr t6 (the return address); then c.jalr t1;
 * c.ebreak */
uint64_t native_put_end(char *base, uint64_t from, uint64_t first)
{
    const uint16_t count[] = {0x157d, 0xc509}, leave = 0x8f82, call[] = {0x9302, 0x9002};

    memcpy(base + from, count, sizeof count);
    put_far(base + from + 4, (int64_t)(first - (from + 4)), T0, JALR);
    memcpy(base + from + 12, &leave, sizeof leave);
    memcpy(base + from + 14, call, sizeof call);
    return from + 14;
}

void native_enter_code(const char *at, uint64_t passes)
{
    register uint64_t count __asm__("a0") = passes;

    __asm__ volatile("la t6, 1f\n\tjr %[at]\n1:" : "+r"(count) : [at] "r"(at) : "memory", "t0", "t6", "ra");
}

void native_enter_returns(const char *at, uint64_t passes, const char *call)
{
    register uint64_t count __asm__("a0") = passes;
    register uint64_t calls __asm__("t2") = NATIVE_RETURN_STACK;

    __asm__ volatile("la t1, 1f\n\t"
                     "jr %[call]\n"
                     "1:\taddi %[calls], %[calls], -1\n\t"
                     "beqz %[calls], 2f\n\t"
                     "jr %[call]\n"
                     "2:\tla t6, 3f\n\t"
                     "jr %[at]\n"
                     "3:"
                     : "+r"(count), [calls] "+r"(calls)
                     : [at] "r"(at), [call] "r"(call)
                     : "memory", "t0", "t1", "t6", "ra");
}
