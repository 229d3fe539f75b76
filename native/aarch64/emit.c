/* The emitter for aarch64. */
#include "emit.h"

#include <string.h>

#define NOP UINT32_C(0xd503201f)
#define BRK UINT32_C(0xd4200000)
#define BR_X16 UINT32_C(0xd61f0200)
#define RET_X16 UINT32_C(0xd65f0200)
#define BLR_X13 UINT32_C(0xd63f01a0)
#define BL_NEXT UINT32_C(0x94000001)

/* Reach of b in either direction. */
#define BRANCH_REACH_BYTES (INT64_C(1) << 27)

const unsigned char native_trap_byte = 0; /* udf #0 */

static void put_instructions(char *at, const uint32_t *instructions, size_t count)
{
    memcpy(at, instructions, count * sizeof *instructions);
}

static uint32_t branch(int64_t distance)
{
    return UINT32_C(0x14000000) | ((uint32_t)(distance / 4) & UINT32_C(0x3ffffff));
}

/* adrp x16; add x16: an address within 4 GiB of the code. */
static void put_address(char *base, uint64_t from, uint64_t to)
{
    uint64_t target = (uint64_t)(uintptr_t)base + to;
    uint64_t here = (uint64_t)(uintptr_t)base + from;
    uint32_t pages = (uint32_t)((target >> 12) - (here >> 12));
    const uint32_t code[] = {
        UINT32_C(0x90000010) | (pages & 3) << 29 | (pages >> 2 & UINT32_C(0x7ffff)) << 5,
        UINT32_C(0x91000210) | (uint32_t)(target & 0xfff) << 10,
    };

    put_instructions(base + from, code, 2);
}

void native_put_filler(char *at, size_t bytes)
{
    for (; bytes >= 4; bytes -= 4, at += 4)
        put_instructions(at, (const uint32_t[]){NOP}, 1);
}

/* b, or beyond its reach: address; br x16. The brk after it is never reached. */
static void put_jump(char *base, uint64_t from, uint64_t to)
{
    int64_t distance = (int64_t)(to - from);

    if (distance >= -BRANCH_REACH_BYTES && distance < BRANCH_REACH_BYTES) {
        put_instructions(base + from, (const uint32_t[]){branch(distance), BRK}, 2);
        return;
    }
    put_address(base, from, to);
    put_instructions(base + from + 8, (const uint32_t[]){BR_X16, BRK}, 2);
}

/* address; ret x16 */
static void put_return(char *base, uint64_t from, uint64_t to)
{
    put_address(base, from, to);
    put_instructions(base + from + 8, (const uint32_t[]){RET_X16}, 1);
}

/* bl to the next instruction; address; ret x16 */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    put_instructions(base + from, (const uint32_t[]){BL_NEXT}, 1);
    put_address(base, from + 4, to);
    put_instructions(base + from + 12, (const uint32_t[]){RET_X16}, 1);
}

const struct native_transfer_code native_transfer_code[NATIVE_TRANSFERS] = {
    [NATIVE_JUMP] = {put_jump, 16},
    [NATIVE_RETURN] = {put_return, 12},
    [NATIVE_CALLED_RETURN] = {put_called_return, 16},
};

/* subs w0, w0, #1; b.eq to the last instruction; br x14 (the first cell); br x15 (the return address); then blr x13;
 * brk */
uint64_t native_put_end(char *base, uint64_t from, uint64_t first)
{
    static const uint32_t end[] = {UINT32_C(0x71000400), UINT32_C(0x54000040), UINT32_C(0xd61f01c0),
                                   UINT32_C(0xd61f01e0)};

    (void)first;
    put_instructions(base + from, end, 4);
    put_instructions(base + from + sizeof end, (const uint32_t[]){BLR_X13, BRK}, 2);
    return from + sizeof end;
}

void native_enter_code(const char *at, uint64_t passes)
{
    register uint64_t count __asm__("x0") = passes;
    register const char *first __asm__("x14") = at;

    __asm__ volatile("adr x15, 1f\n\tbr %[at]\n1:"
                     : "+r"(count)
                     : [at] "r"(first)
                     : "memory", "cc", "x15", "x16", "x30");
}

void native_enter_returns(const char *at, uint64_t passes, const char *call)
{
    register uint64_t count __asm__("x0") = passes;
    register const char *first __asm__("x14") = at;
    register uint64_t calls __asm__("x12") = NATIVE_RETURN_STACK;

    __asm__ volatile("adr x13, 1f\n\t"
                     "br %[call]\n"
                     "1:\tsubs %[calls], %[calls], #1\n\t"
                     "b.eq 2f\n\t"
                     "br %[call]\n"
                     "2:\tadr x15, 3f\n\t"
                     "br %[at]\n"
                     "3:"
                     : "+r"(count), [calls] "+r"(calls)
                     : [at] "r"(first), [call] "r"(call)
                     : "memory", "cc", "x13", "x15", "x16", "x30");
}
