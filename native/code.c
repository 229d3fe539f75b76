#include "code.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)

#define FARTHEST (INT64_C(1) << 31)
#define JUMP_BYTES 8
#define RETURN_BYTES 9
#define CALLED_RETURN_BYTES 15

static void put_displacement(char *at, int64_t distance)
{
    int32_t displacement = (int32_t)distance;

    memcpy(at, &displacement, sizeof displacement);
}

/* clc: a byte each, and nothing makes two of them one. */
static void fill(char *at, size_t bytes)
{
    memset(at, 0xf8, bytes);
}

/* jmp rel32; what follows is never reached. */
static void put_jump(char *base, uint64_t from, uint64_t to)
{
    memset(base + from, 0xcc, HWC_CELL_BYTES);
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

/* call over an int3; addq distance, (%rsp); ret. A call of the very next
 * instruction would be known for what it is and not be remembered. */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    static const char code[] = {(char)0xe8, 1, 0, 0, 0, (char)0xcc, 0x48, (char)0x81, 0x04, 0x24, 0, 0, 0, 0, (char)0xc3};

    memcpy(base + from, code, sizeof code);
    put_displacement(base + from + 10, (int64_t)(to - (from + 5)));
}

/* dec edi; jnz rel32; ret */
static void put_end(char *base, uint64_t from, uint64_t first)
{
    static const char code[] = {(char)0xff, (char)0xcf, 0x0f, (char)0x85, 0, 0, 0, 0, (char)0xc3};

    memcpy(base + from, code, sizeof code);
    put_displacement(base + from + 4, (int64_t)(first - (from + 8)));
}

static void enter(const char *at, uint64_t passes)
{
    __asm__ volatile("call *%[at]" : "+D"(passes) : [at] "r"(at) : "memory", "cc", "rax");
}

#elif defined(__aarch64__)

#define FARTHEST (INT64_C(1) << 31)
#define JUMP_BYTES 16
#define RETURN_BYTES 12
#define CALLED_RETURN_BYTES 16
#define FARTHEST_BRANCH (INT64_C(1) << 27)

static void put_instructions(char *at, const uint32_t *instructions, size_t count)
{
    memcpy(at, instructions, count * sizeof *instructions);
}

static uint32_t branch(int64_t distance)
{
    return UINT32_C(0x14000000) | ((uint32_t)(distance / 4) & UINT32_C(0x3ffffff));
}

/* adrp x16 and add x16: an address, from anywhere within 4 GiB. */
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

/* nop */
static void fill(char *at, size_t bytes)
{
    for (; bytes >= 4; bytes -= 4, at += 4)
        put_instructions(at, (const uint32_t[]){UINT32_C(0xd503201f)}, 1);
}

/* b, or where that does not reach, address; br x16; brk, which is never reached. */
static void put_jump(char *base, uint64_t from, uint64_t to)
{
    int64_t distance = (int64_t)(to - from);

    if (distance >= -FARTHEST_BRANCH && distance < FARTHEST_BRANCH) {
        put_instructions(base + from, (const uint32_t[]){branch(distance), UINT32_C(0xd4200000)}, 2);
        return;
    }
    put_address(base, from, to);
    put_instructions(base + from + 8, (const uint32_t[]){UINT32_C(0xd61f0200), UINT32_C(0xd4200000)}, 2);
}

#define RET_X16 UINT32_C(0xd65f0200)

/* address; ret x16 */
static void put_return(char *base, uint64_t from, uint64_t to)
{
    put_address(base, from, to);
    put_instructions(base + from + 8, (const uint32_t[]){RET_X16}, 1);
}

/* bl to the next instruction; address; ret x16 */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    put_instructions(base + from, (const uint32_t[]){UINT32_C(0x94000001)}, 1);
    put_address(base, from + 4, to);
    put_instructions(base + from + 12, (const uint32_t[]){RET_X16}, 1);
}

/* subs w0, w0, #1; b.eq to the last; br x14, which is the first; br x15 */
static void put_end(char *base, uint64_t from, uint64_t first)
{
    (void)first;
    put_instructions(base + from,
                     (const uint32_t[]){UINT32_C(0x71000400), UINT32_C(0x54000040), UINT32_C(0xd61f01c0),
                                        UINT32_C(0xd61f01e0)}, 4);
}

static void enter(const char *at, uint64_t passes)
{
    register uint64_t count __asm__("x0") = passes;
    register const char *first __asm__("x14") = at;

    __asm__ volatile("adr x15, 1f\n\tbr %[at]\n1:"
                     : "+r"(count)
                     : [at] "r"(first)
                     : "memory", "cc", "x15", "x16", "x30");
}

#elif defined(__riscv) && __riscv_xlen == 64

#define FARTHEST (INT64_C(1) << 31)
#define JUMP_BYTES 8
#define RETURN_BYTES 12
#define CALLED_RETURN_BYTES 16

/* auipc and the instruction behind it that adds the low 12 bits, signed. */
static void put_far(char *at, int64_t distance, uint32_t through, uint32_t opcode)
{
    uint32_t low = (uint32_t)distance & 0xfff;
    uint32_t high = (uint32_t)(distance + 0x800) & UINT32_C(0xfffff000);
    const uint32_t code[] = {high | through << 7 | 0x17, low << 20 | through << 15 | opcode};

    memcpy(at, code, sizeof code);
}

/* c.nop */
static void fill(char *at, size_t bytes)
{
    const uint16_t nop = 0x0001;

    for (; bytes >= sizeof nop; bytes -= sizeof nop, at += sizeof nop)
        memcpy(at, &nop, sizeof nop);
}

#define T0 5
#define RA 1
#define JALR 0x67
#define ADDI_TO(n_register) ((uint32_t)(n_register) << 7 | 0x13)

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

/* jal ra to the next instruction, and the same */
static void put_called_return(char *base, uint64_t from, uint64_t to)
{
    const uint32_t call = UINT32_C(0x004000ef);

    memcpy(base + from, &call, sizeof call);
    put_return(base, from + 4, to);
}

/* c.addi a0, -1; c.beqz a0 to the last; jump to the first; c.jr t6 */
static void put_end(char *base, uint64_t from, uint64_t first)
{
    const uint16_t count[] = {0x157d, 0xc509}, leave = 0x8f82;

    memcpy(base + from, count, sizeof count);
    put_far(base + from + 4, (int64_t)(first - (from + 4)), T0, JALR);
    memcpy(base + from + 12, &leave, sizeof leave);
}

static void enter(const char *at, uint64_t passes)
{
    register uint64_t count __asm__("a0") = passes;

    __asm__ volatile("la t6, 1f\n\tjr %[at]\n1:" : "+r"(count) : [at] "r"(at) : "memory", "t0", "t6", "ra");
}

#endif

static bool is_cell(const struct hwc_walk *walk, uint64_t offset)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->offsets[i] == offset)
            return true;
    return false;
}

/* What a cell goes on by, or ends by, takes no more. */
#define MOST_HOP_BYTES (UINT64_C(2) * HWC_CELL_BYTES)

/* Bytes of a cell before what takes so many. */
static uint64_t filling(const struct hwc_walk *walk, uint64_t hop_bytes)
{
    return walk->code_bytes > hop_bytes ? walk->code_bytes - hop_bytes : 0;
}

/* The last cell with room behind it for the way out. */
static bool find_end(const struct hwc_walk *walk, uint64_t bytes, size_t *end)
{
    for (*end = walk->count; (*end)-- > 0;) {
        uint64_t behind = walk->offsets[*end] + filling(walk, MOST_HOP_BYTES) + HWC_CELL_BYTES;
        if (behind + HWC_CELL_BYTES <= bytes && !is_cell(walk, behind))
            return true;
    }
    return false;
}

static int protect(char *base, uint64_t bytes, int protection, struct hwc_error *error)
{
    if (mprotect(base, bytes, protection) != 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "memory cannot be made %s: %s; this system may forbid emitted code",
                        protection & PROT_EXEC ? "executable" : "writable", strerror(errno));
    return HWC_OK;
}

/* Nothing that was fetched before is executed again. (Valgrind sees the change of protection.) */
static void synchronize(char *base, const struct hwc_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        char *cell = base + walk->offsets[i];
        __builtin___clear_cache(cell, cell + (ptrdiff_t)(filling(walk, MOST_HOP_BYTES) + MOST_HOP_BYTES));
    }
}

int native_code_lay_out(char *base, uint64_t bytes, const struct hwc_walk *walk, enum native_hops hops,
                        uint64_t *entry, struct hwc_error *error)
{
    static void (*const ways[])(char *, uint64_t, uint64_t) = {put_jump, put_return, put_called_return};
    static const uint64_t taken[] = {JUMP_BYTES, RETURN_BYTES, CALLED_RETURN_BYTES};
    void (*put)(char *, uint64_t, uint64_t) = ways[hops];
    uint64_t before = filling(walk, taken[hops]), before_end = filling(walk, MOST_HOP_BYTES);
    size_t end;
    int status;

    if (bytes > (uint64_t)FARTHEST)
        return hwc_fail(error, HWC_UNAVAILABLE, "jumps do not reach across %llu MiB", (unsigned long long)bytes >> 20);
    if (!find_end(walk, bytes, &end))
        return hwc_fail(error, HWC_UNAVAILABLE, "the cells of a walk of jumps leave no room for its end");
    status = protect(base, bytes, PROT_READ | PROT_WRITE, error);
    if (status != HWC_OK)
        return status;
    for (size_t i = 0; i < walk->count; i++) {
        fill(base + walk->offsets[i], before);
        put(base, walk->offsets[i] + before, walk->offsets[i + 1 < walk->count ? i + 1 : 0]);
    }
    *entry = walk->offsets[end + 1 < walk->count ? end + 1 : 0];
    put_end(base, walk->offsets[end] + before_end, *entry);
    synchronize(base, walk);
    return protect(base, bytes, PROT_READ | PROT_EXEC, error);
}

void native_code_run(const char *base, uint64_t entry, uint32_t passes)
{
    enter(base + entry, passes);
}
