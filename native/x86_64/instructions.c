/* Instructions of bodies for x86-64.
 *
 * rdi: cells; rax, rcx: where the chains are; rdx: scratch; rsi: turns left;
 * r8-r11, xmm0-xmm3: results in turn; rbx: a zero that waits; rbp, xmm6: chains of
 * additions; r12: the scratch area's address of itself; r13: random bits; r14,
 * xmm7: copies; xmm4: an operand; xmm5: the first chain's load; zmm8: indices of
 * gathers into zmm1, under zmm2 or k1. Lanes that are left out keep what the result
 * holds: it is cleared first, so that a gather waits for none before it. */
#include "instructions.h"

#include <string.h>

/* Results go to one of four registers in turn: its number is in the low bits of the byte at `turn`, or shifted as a
 * register operand. Stores to one line go to its words in turn, whose offset is in the last byte. */
enum placing { AS_IT_IS, RESULT_SHIFTED, RESULT_LOW, WORD, SECOND_IF_ODD };

struct instruction {
    unsigned char bytes[NATIVE_MOST_OP_BYTES];
    unsigned char length, turn;
    unsigned char placing;
    unsigned char half; /* SECOND_IF_ODD: where the second begins */
};

enum { FORWARD_FROM_SELF = NATIVE_SCRATCH_FORWARD - NATIVE_SCRATCH_SELF };

static const struct instruction instructions[HWC_OPS] = {
    [HWC_OP_CHASE] = {{0x48, 0x8b, 0x04, 0xc7}, .length = 4}, /* mov (%rdi,%rax,8), %rax */
    [HWC_OP_CHASE_SECOND] = {{0x48, 0x8b, 0x0c, 0xcf}, .length = 4}, /* mov (%rdi,%rcx,8), %rcx */
    [HWC_OP_NOTHING] = {{0x90}, .length = 1}, /* nop */
    [HWC_OP_INT] = {{0x4c, 0x8d, 0x04, 0x37}, .length = 4, .turn = 2, .placing = RESULT_SHIFTED},
        /* lea (%rdi,%rsi), %r8 */
    [HWC_OP_VECTOR] = {{0x66, 0x0f, 0xfe, 0xc4}, .length = 4, .turn = 3, .placing = RESULT_SHIFTED},
        /* paddd %xmm4, %xmm0 */
    [HWC_OP_LOAD_VECTOR] = {{0x0f, 0x10, 0x42, 0}, .length = 4, .turn = 2, .placing = RESULT_SHIFTED},
        /* {disp8} movups (%rdx), %xmm0 */
    [HWC_OP_STORE] = {{0x48, 0x89, 0x72, 0}, .length = 4, .placing = WORD}, /* {disp8} mov %rsi, (%rdx) */
    [HWC_OP_INT_WAITS] = {{0x49, 0x01, 0xc0}, .length = 3, .turn = 2, .placing = RESULT_LOW}, /* add %rax, %r8 */
    [HWC_OP_ZERO_WAITS] = {{0x48, 0x89, 0xc3, 0x48, 0xc1, 0xeb, 0x3f}, .length = 7}, /* mov %rax, %rbx; shr $63, %rbx */
    [HWC_OP_LOAD_WAITS] = {{0x4c, 0x8b, 0x04, 0x1a}, .length = 4, .turn = 2, .placing = RESULT_SHIFTED},
        /* mov (%rdx,%rbx), %r8 */
    [HWC_OP_TAKE_VECTOR] = {{0x66, 0x48, 0x0f, 0x6e, 0xe8}, .length = 5}, /* movq %rax, %xmm5 */
    [HWC_OP_VECTOR_WAITS] = {{0x66, 0x0f, 0xfe, 0xc5}, .length = 4, .turn = 3, .placing = RESULT_SHIFTED},
        /* paddd %xmm5, %xmm0 */
    [HWC_OP_INT_WAITS_SECOND] = {{0x49, 0x01, 0xc8}, .length = 3, .turn = 2, .placing = RESULT_LOW}, /* add %rcx, %r8 */
    [HWC_OP_ZERO_WAITS_SECOND] = {{0x48, 0x89, 0xcb, 0x48, 0xc1, 0xeb, 0x3f}, .length = 7},
        /* mov %rcx, %rbx; shr $63, %rbx */
    [HWC_OP_TAKE_VECTOR_SECOND] = {{0x66, 0x48, 0x0f, 0x6e, 0xe9}, .length = 5}, /* movq %rcx, %xmm5 */
    [HWC_OP_BY_VECTOR] = {{0x66, 0x48, 0x0f, 0x6e, 0xf8,                     /* movq %rax, %xmm7 */
                           0x66, 0x48, 0x0f, 0x7e, 0xf8}, .length = 10}, /* movq %xmm7, %rax */
    [HWC_OP_SECOND_BY_VECTOR] = {{0x66, 0x48, 0x0f, 0x6e, 0xf9,                     /* movq %rcx, %xmm7 */
                                  0x66, 0x48, 0x0f, 0x7e, 0xf9}, .length = 10}, /* movq %xmm7, %rcx */
    [HWC_OP_ADD_CHAIN] = {{0x48, 0x01, 0xfd}, .length = 3}, /* add %rdi, %rbp */
    [HWC_OP_MOVE_CHAIN] = {{0x49, 0x89, 0xee, 0x4c, 0x89, 0xf5}, .length = 6, .placing = SECOND_IF_ODD, .half = 3},
                          /* mov %rbp, %r14; mov %r14, %rbp */
    [HWC_OP_MOVE_VECTOR] = {{0x0f, 0x28, 0xfe, 0x0f, 0x28, 0xf7}, .length = 6, .placing = SECOND_IF_ODD, .half = 3},
                           /* movaps %xmm6, %xmm7; movaps %xmm7, %xmm6 */
    [HWC_OP_VECTOR_CHAIN] = {{0x66, 0x0f, 0xfe, 0xf4}, .length = 4}, /* paddd %xmm4, %xmm6 */
    [HWC_OP_LOAD_CHAIN] = {{0x4d, 0x8b, 0x24, 0x24}, .length = 4}, /* mov (%r12), %r12 */
    [HWC_OP_TO_VECTOR] = {{0x66, 0x49, 0x0f, 0x6e, 0xfc}, .length = 5}, /* movq %r12, %xmm7 */
    [HWC_OP_FROM_VECTOR] = {{0x66, 0x49, 0x0f, 0x7e, 0xfc}, .length = 5}, /* movq %xmm7, %r12 */
    [HWC_OP_LOAD_CHAIN_VECTOR] = {{0xf3, 0x41, 0x0f, 0x7e, 0x3c, 0x24}, .length = 6}, /* movq (%r12), %xmm7 */
    [HWC_OP_FORWARD] = {{0x48, 0x89, 0xaa, NATIVE_SCRATCH_FORWARD, 0, 0, 0,         /* mov %rbp, 128(%rdx) */
                         0x49, 0x8b, 0x6c, 0x24, FORWARD_FROM_SELF}, .length = 12}, /* mov 64(%r12), %rbp */
    [HWC_OP_FORWARD_ALIKE] = {{0x48, 0x89, 0xaa, NATIVE_SCRATCH_FORWARD, 0, 0, 0,   /* mov %rbp, 128(%rdx) */
                               0x48, 0x8b, 0xaa, NATIVE_SCRATCH_FORWARD, 0, 0, 0}, .length = 14},
                              /* mov 128(%rdx), %rbp */
    [HWC_OP_FORWARD_VECTOR] = {{0x0f, 0x29, 0xb2, NATIVE_SCRATCH_FORWARD, 0, 0, 0,  /* movaps %xmm6, 128(%rdx) */
                                0x41, 0x0f, 0x28, 0x74, 0x24, FORWARD_FROM_SELF}, .length = 13},
                               /* movaps 64(%r12), %xmm6 */
    [HWC_OP_DRAW] = {{0x4d, 0x89, 0xee, 0x49, 0xc1, 0xe6, 13, 0x4d, 0x31, 0xf5,
                      /* mov %r13, %r14; shl $13, %r14; xor %r14, %r13 */
                      0x4d, 0x89, 0xee, 0x49, 0xc1, 0xee, 7, 0x4d, 0x31, 0xf5,
                      /* mov %r13, %r14; shr $7, %r14; xor %r14, %r13 */
                      0x4d, 0x89, 0xee, 0x49, 0xc1, 0xe6, 17, 0x4d, 0x31, 0xf5}, .length = 30},
                     /* mov %r13, %r14; shl $17, %r14; xor %r14, %r13 */
    [HWC_OP_FLIP] = {{0x41, 0xf7, 0xc5, 1, 0, 0, 0, 0x75, 1, 0x90}, .length = 10}, /* test $1, %r13d; jnz .+3; nop */
    [HWC_OP_STAY] = {{0x41, 0xf7, 0xc5, 0, 0, 0, 0, 0x75, 1, 0x90}, .length = 10}, /* test $0, %r13d; jnz .+3; nop */
    [HWC_OP_INDICES] = {{0xc5, 0x7e, 0x6f, 0x82, 0, 1, 0, 0}, .length = 8}, /* vmovdqu 256(%rdx), %ymm8 */
    [HWC_OP_GATHER] = {{0xc5, 0xf1, 0xef, 0xc9,                                     /* vpxor %xmm1, %xmm1, %xmm1 */
                        0xc5, 0xed, 0x76, 0xd2,                                     /* vpcmpeqd %ymm2, %ymm2, %ymm2 */
                        0xc4, 0xa2, 0x6d, 0x90, 0x0c, 0x82}, .length = 14},
        /* vpgatherdd %ymm2, (%rdx,%ymm8,4), %ymm1 */
    [HWC_OP_INDICES_WIDE] = {{0x62, 0x71, 0x7e, 0x48, 0x6f, 0x42, 4}, .length = 7}, /* vmovdqu32 256(%rdx), %zmm8 */
    [HWC_OP_GATHER_WIDE] = {{0xc5, 0xf1, 0xef, 0xc9,                                /* vpxor %xmm1, %xmm1, %xmm1 */
                             0xc5, 0xf4, 0x46, 0xc9,                                /* kxnorw %k1, %k1, %k1 */
                             0x62, 0xb2, 0x7d, 0x49, 0x90, 0x0c, 0x82}, .length = 15},
        /* vpgatherdd (%rdx,%zmm8,4), %zmm1{%k1} */
    [HWC_OP_NOTHING_4] = {{0x0f, 0x1f, 0x40, 0}, .length = 4}, /* {disp8} nopl 0(%rax) */
    [HWC_OP_NOTHING_5] = {{0x0f, 0x1f, 0x44, 0, 0}, .length = 5}, /* {disp8} nopl 0(%rax,%rax) */
    [HWC_OP_NOTHING_6] = {{0x66, 0x0f, 0x1f, 0x44, 0, 0}, .length = 6}, /* {disp8} nopw 0(%rax,%rax) */
    [HWC_OP_NOTHING_8] = {{0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, .length = 8}, /* {disp32} nopl 0(%rax,%rax) */
    [HWC_OP_INT_LONG] = {{0x4c, 0x8d, 0x87, 0, 0, 0, 0}, .length = 7, .turn = 2, .placing = RESULT_SHIFTED},
        /* {disp32} lea 0(%rdi), %r8 */
    [HWC_OP_MOVE] = {{0x49, 0x89, 0xf8}, .length = 3, .turn = 2, .placing = RESULT_LOW}, /* mov %rdi, %r8 */
    [HWC_OP_MOVE_4] = {{0x66, 0x49, 0x89, 0xf8}, .length = 4, .turn = 3, .placing = RESULT_LOW},
        /* data16 mov %rdi, %r8 */
};

enum { RESULTS = 4, WORDS = 8, WORD_BYTES = 8, REGISTER_SHIFT = 3 };
enum { CALL = 0xe8, JUMP = 0xe9, RETURN = 0xc3, LONG_BYTES = 5, NOP = 0x90 };

static bool has_gathers(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_wide_gathers(void)
{
    return has_gathers() && __builtin_cpu_supports("avx512f");
}

const bool native_chains_of_addresses = false;
const char *const native_about_vectors = NULL;

const char *native_lacks_op(enum hwc_op op)
{
    if ((op == HWC_OP_GATHER || op == HWC_OP_INDICES) && !has_gathers())
        return "this CPU has no AVX2, and so no gathers";
    if ((op == HWC_OP_GATHER_WIDE || op == HWC_OP_INDICES_WIDE) && !has_wide_gathers())
        return "this CPU has no AVX-512";
    return NULL;
}

unsigned native_named_registers(bool vector)
{
    return vector && __builtin_cpu_supports("avx512f") ? 32 : 16;
}

static char *put(char *at, const unsigned char *bytes, size_t count)
{
    memcpy(at, bytes, count);
    return at + count;
}

char *native_put_op(char *at, enum hwc_op op, size_t index)
{
    const struct instruction *this = &instructions[op];
    size_t result = index % RESULTS, word = index % WORDS * WORD_BYTES;
    bool odd = index % 2 == 1;

    if (this->placing == SECOND_IF_ODD)
        return odd ? put(at, this->bytes + this->half, (size_t)this->length - this->half)
                   : put(at, this->bytes, this->half);
    put(at, this->bytes, this->length);
    if (this->placing == RESULT_SHIFTED)
        at[this->turn] = (char)(at[this->turn] | (int)(result << REGISTER_SHIFT));
    if (this->placing == RESULT_LOW)
        at[this->turn] = (char)(at[this->turn] | (int)result);
    if (this->placing == WORD)
        at[this->length - 1] = (char)word;
    return at + this->length;
}

static char *put_long(char *at, int opcode, int64_t distance)
{
    int32_t displacement = (int32_t)distance;

    *at = (char)opcode;
    memcpy(at + 1, &displacement, sizeof displacement);
    return at + LONG_BYTES;
}

/* Each function in a line of its own, as branch target buffers hold few branches of a line. */
static char *put_function(char *at, bool calls)
{
    char *next = at + NATIVE_CALL_APART;

    memset(at, NOP, NATIVE_CALL_APART);
    if (calls)
        at = put_long(at, CALL, NATIVE_CALL_APART - LONG_BYTES);
    *at = (char)RETURN;
    return next;
}

/* One that calls the one at a distance if calls are left: their number is in r9. */
static char *put_counted_function(char *at, int64_t distance)
{
    static const unsigned char count[] = {0x41, 0xff, 0xc9, 0x74, LONG_BYTES}; /* dec %r9d; jz over the call */
    char *next = at + NATIVE_CALL_APART;

    memset(at, NOP, NATIVE_CALL_APART);
    at = put(at, count, sizeof count);
    at = put_long(at, CALL, distance - (int64_t)sizeof count - LONG_BYTES);
    *at = (char)RETURN;
    return next;
}

char *native_put_calls(char *at, size_t depth, size_t functions)
{
    static const unsigned char set[] = {0x41, 0xb9}; /* mov $depth, %r9d */
    const uint32_t calls = (uint32_t)depth;
    size_t written = functions > 0 ? functions : depth;

    at = put(at, set, sizeof set);
    memcpy(at, &calls, sizeof calls);
    at = put_long(at + sizeof calls, CALL, LONG_BYTES);
    at = put_long(at, JUMP, (int64_t)written * NATIVE_CALL_APART);
    for (size_t left = written; left > 0; left--)
        at = functions == 0 ? put_function(at, left > 1)
                            : put_counted_function(at, NATIVE_CALL_APART * (left > 1 ? 1 : 1 - (int64_t)functions));
    return at;
}

char *native_put_entry(char *at)
{
    static const unsigned char index[] = {0xc5, 0x79, 0x6e, 0x82, 4, 1, 0, 0}; /* vmovd 260(%rdx), %xmm8: one index */
    static const unsigned char code[] = {
        0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, /* push %rbx, %rbp, %r12, %r13, %r14 */
        0x31, 0xdb,                                     /* xor %ebx, %ebx */
        0x4c, 0x8d, 0x62, NATIVE_SCRATCH_SELF,          /* lea 64(%rdx), %r12 */
        0x4c, 0x8b, 0xaa, NATIVE_SCRATCH_DRAW, 0, 0, 0, /* mov 192(%rdx), %r13 */
    };

    if (has_gathers())
        at = put(at, index, sizeof index);
    return put(at, code, sizeof code);
}

char *native_put_turn(char *at, const char *first)
{
    static const unsigned char upper[] = {0xc5, 0xf8, 0x77}; /* vzeroupper */
    static const unsigned char code[] = {
        0x4c, 0x89, 0xaa, NATIVE_SCRATCH_DRAW, 0, 0, 0, /* mov %r13, 192(%rdx) */
        0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3,
    };
    const unsigned char turn[] = {0xff, 0xce, 0x0f, 0x85}; /* dec %esi; jnz */
    int32_t back = (int32_t)(first - (at + sizeof turn + sizeof back));

    at = put(at, turn, sizeof turn);
    memcpy(at, &back, sizeof back);
    at += sizeof back;
    if (has_gathers())
        at = put(at, upper, sizeof upper);
    return put(at, code, sizeof code);
}

#ifdef __AVX512F__ /* else the compiler uses none of these */
#define UPPER_VECTORS , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
                      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define UPPER_VECTORS
#endif

void native_occupy_vectors(void)
{
    __asm__ volatile(".irp number, 9, 10, 11, 12, 13, 14, 15\n\t"
                     "movq %[value], %%xmm\\number\n\t"
                     ".endr\n\t"
                     "test %[upper], %[upper]\n\t"
                     "jz 1f\n\t"
                     ".irp number, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
                     "vmovq %[value], %%xmm\\number\n\t"
                     ".endr\n\t"
                     "1:"
                     :
                     : [value] "r"(UINT64_C(1)), [upper] "r"((unsigned)has_wide_gathers())
                     : "cc", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" UPPER_VECTORS);
}

/* The first eight get the number of turns. */
void native_enter_body(const char *code, const struct native_turns *turns)
{
    uint64_t first = turns->first, second = turns->second, left = turns->turns;

    __asm__ volatile("movd %%esi, %%xmm0\n\tmovd %%esi, %%xmm1\n\tmovd %%esi, %%xmm2\n\tmovd %%esi, %%xmm3\n\t"
                     "movd %%esi, %%xmm4\n\tmovd %%esi, %%xmm5\n\tmovd %%esi, %%xmm6\n\tmovd %%esi, %%xmm7\n\t"
                     "lea -128(%%rsp), %%rsp\n\t" /* the red zone */
                     "call *%[code]\n\t"
                     "lea 128(%%rsp), %%rsp"
                     : "+a"(first), "+c"(second), "+S"(left)
                     : "D"(turns->cells), "d"(turns->scratch), [code] "r"(code)
                     : "memory", "cc", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
                       "xmm7", "xmm8");
}
