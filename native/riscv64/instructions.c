/* Instructions of bodies for riscv64 with compressed instructions.
 *
 * a0: turns left; a1: cells; a2, a3: where the chains are, as addresses; a4: scratch; a5: its address, which waits for
 * a chain; a6, ft6: chains of additions; a7: the scratch area's address of itself; t0: a bit; t1, ft7: copies; t2:
 * random bits; t3-t6, ft0-ft3: results in turn; s2: the return address; s3: shifted random bits; ft4: an operand; ft5:
 * the first chain's load.
 *
 * Few cores have vector registers. Those for floating-point numbers stand for them: each core with this base has a file
 * of these apart from that of integers. They change signs, as additions of subnormal numbers may take longer. */
#include "instructions.h"

#include <string.h>

/* Added to the first word, times the turn: the number of a result, as rd, and as rs1. */
enum { MOST_WORDS = 6, RD = 1 << 7, RS1 = 1 << 15, RESULTS = 4, WORDS = 8 };

struct instruction {
    uint32_t word[MOST_WORDS];
    unsigned char words;
    bool second_if_odd, compressed;
    bool for_word; /* it stores to the words of a line in turn */
    uint32_t for_result;
};

static const struct instruction instructions[HWC_OPS] = {
    [HWC_OP_CHASE] = {{0x00063603}, .words = 1}, /* ld a2, 0(a2) */
    [HWC_OP_CHASE_SECOND] = {{0x0006b683}, .words = 1}, /* ld a3, 0(a3) */
    [HWC_OP_NOTHING] = {{0x0001}, .words = 1, .compressed = true}, /* c.nop */
    [HWC_OP_INT] = {{0x00a58e33}, .words = 1, .for_result = RD}, /* add t3, a1, a0 */
    [HWC_OP_VECTOR] = {{0x22400053}, .words = 1, .for_result = RD | RS1}, /* fsgnj.d ft0, ft0, ft4 */
    [HWC_OP_LOAD_VECTOR] = {{0x00073007}, .words = 1, .for_result = RD}, /* fld ft0, 0(a4) */
    [HWC_OP_STORE] = {{0x00a73023}, .words = 1, .for_word = true}, /* sd a0, 0(a4) */
    [HWC_OP_INT_WAITS] = {{0x00ce0e33}, .words = 1, .for_result = RD | RS1}, /* add t3, t3, a2 */
    [HWC_OP_ZERO_WAITS] = {{0x03f65793, 0x00e787b3}, .words = 2}, /* srli a5, a2, 63; add a5, a5, a4 */
    [HWC_OP_LOAD_WAITS] = {{0x0007be03}, .words = 1, .for_result = RD}, /* ld t3, 0(a5) */
    [HWC_OP_TAKE_VECTOR] = {{0xf20602d3}, .words = 1}, /* fmv.d.x ft5, a2 */
    [HWC_OP_VECTOR_WAITS] = {{0x22500053}, .words = 1, .for_result = RD | RS1}, /* fsgnj.d ft0, ft0, ft5 */
    [HWC_OP_INT_WAITS_SECOND] = {{0x00de0e33}, .words = 1, .for_result = RD | RS1}, /* add t3, t3, a3 */
    [HWC_OP_ZERO_WAITS_SECOND] = {{0x03f6d793, 0x00e787b3}, .words = 2}, /* srli a5, a3, 63; add a5, a5, a4 */
    [HWC_OP_TAKE_VECTOR_SECOND] = {{0xf20682d3}, .words = 1}, /* fmv.d.x ft5, a3 */
    [HWC_OP_BY_VECTOR] = {{0xf20603d3, 0xe2038653}, .words = 2}, /* fmv.d.x ft7, a2; fmv.x.d a2, ft7 */
    [HWC_OP_SECOND_BY_VECTOR] = {{0xf20683d3, 0xe20386d3}, .words = 2}, /* fmv.d.x ft7, a3; fmv.x.d a3, ft7 */
    [HWC_OP_ADD_CHAIN] = {{0x00b80833}, .words = 1}, /* add a6, a6, a1 */
    [HWC_OP_MOVE_CHAIN] = {{0x00080313, 0x00030813}, .words = 1, .second_if_odd = true}, /* mv t1, a6; mv a6, t1 */
    [HWC_OP_MOVE_VECTOR] = {{0x226303d3, 0x22738353}, .words = 1, .second_if_odd = true},
        /* fmv.d ft7, ft6; fmv.d ft6, ft7 */
    [HWC_OP_VECTOR_CHAIN] = {{0x22430353}, .words = 1}, /* fsgnj.d ft6, ft6, ft4 */
    [HWC_OP_LOAD_CHAIN] = {{0x0008b883}, .words = 1}, /* ld a7, 0(a7) */
    [HWC_OP_TO_VECTOR] = {{0xf20883d3}, .words = 1}, /* fmv.d.x ft7, a7 */
    [HWC_OP_FROM_VECTOR] = {{0xe20388d3}, .words = 1}, /* fmv.x.d a7, ft7 */
    [HWC_OP_LOAD_CHAIN_VECTOR] = {{0x0008b387}, .words = 1}, /* fld ft7, 0(a7) */
    [HWC_OP_FORWARD] = {{0x09073023, 0x0408b803}, .words = 2}, /* sd a6, 128(a4); ld a6, 64(a7) */
    [HWC_OP_FORWARD_ALIKE] = {{0x09073023, 0x08073803}, .words = 2}, /* sd a6, 128(a4); ld a6, 128(a4) */
    [HWC_OP_FORWARD_VECTOR] = {{0x08673027, 0x0408b307}, .words = 2}, /* fsd ft6, 128(a4); fld ft6, 64(a7) */
    [HWC_OP_DRAW] = {{0x00d39993, 0x0133c3b3, 0x0073d993, 0x0133c3b3, 0x01139993, 0x0133c3b3}, .words = 6},
        /* slli s3, t2, 13; xor t2, t2, s3; srli s3, t2, 7; xor t2, t2, s3; slli s3, t2, 17; xor t2, t2, s3 */
    [HWC_OP_FLIP] = {{0x0013f293, 0x00029463, 0x00000013}, .words = 3}, /* andi t0, t2, 1; bnez t0, .+8; nop */
    [HWC_OP_STAY] = {{0x0003f293, 0x00029463, 0x00000013}, .words = 3}, /* andi t0, t2, 0; bnez t0, .+8; nop */
    [HWC_OP_NOTHING_4] = {{0x00000013}, .words = 1}, /* nop */
    [HWC_OP_MOVE] = {{0x00058e13}, .words = 1, .for_result = RD}, /* mv t3, a1 */
};

/* No load adds an index to an address, and those that are needed beside one would take room between two. */
const bool native_chains_of_addresses = true;
const char *const native_about_vectors =
    "what is said of vector registers in flight, copied, loaded or forwarded is of those for floating-point numbers";

const char *native_lacks_op(enum hwc_op op)
{
    switch (op) {
    case HWC_OP_INDICES:
    case HWC_OP_INDICES_WIDE:
    case HWC_OP_GATHER:
    case HWC_OP_GATHER_WIDE:
        return "gathers are not in this architecture's base, and hwchar writes none for riscv64";
    case HWC_OP_NOTHING_5:
    case HWC_OP_NOTHING_6:
    case HWC_OP_NOTHING_8:
    case HWC_OP_INT_LONG:
    case HWC_OP_MOVE_4:
        return "all instructions of this architecture have 2 or 4 bytes";
    default:
        return NULL;
    }
}

/* The first of the integers' is always zero. */
unsigned native_named_registers(bool vector)
{
    return vector ? 32 : 31;
}

static char *put(char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

/* The part of a store's offset in words of 8 bytes, up to 7. */
static uint32_t offset_of(uint32_t word)
{
    return (word & 3) << 10 | word >> 2 << 25;
}

char *native_put_op(char *at, enum hwc_op op, size_t index)
{
    const struct instruction *this = &instructions[op];
    uint32_t more = this->for_result * (uint32_t)(index % RESULTS);

    if (this->compressed) {
        const uint16_t half = (uint16_t)this->word[0];
        memcpy(at, &half, sizeof half);
        return at + sizeof half;
    }
    if (this->for_word)
        more = offset_of(index % WORDS);
    if (this->second_if_odd)
        return put(at, this->word[index % 2]);
    for (unsigned i = 0; i < this->words; i++)
        at = put(at, this->word[i] + (i == 0 ? more : 0));
    return at;
}

/* jal to so many bytes from here; the return address in ra or, for a jump, nowhere */
static uint32_t jump(bool calls, int64_t bytes)
{
    uint32_t to = (uint32_t)bytes;

    return (to >> 20 & 1) << 31 | (to >> 1 & 0x3ff) << 21 | (to >> 11 & 1) << 20 | (to >> 12 & 0xff) << 12 |
           (uint32_t)calls << 7 | 0x6f;
}

static char *put_call(char *at, int64_t distance)
{
    at = put(at, UINT32_C(0xff010113)); /* addi sp, sp, -16 */
    at = put(at, UINT32_C(0x00113023)); /* sd ra, 0(sp) */
    at = put(at, jump(true, distance - 8));
    at = put(at, UINT32_C(0x00013083)); /* ld ra, 0(sp) */
    return put(at, UINT32_C(0x01010113)); /* addi sp, sp, 16 */
}

/* Each function in a line of its own, as branch target buffers hold few branches of a line. `counted`: it calls only if
 * calls are left, whose number is in t6. Distance 0 = it calls none. */
static char *put_function(char *at, bool counted, int64_t distance)
{
    static const uint32_t count = 0xffff8f93, over = 0x000f8c63, back = 0x00008067, nop = 0x00000013;
    char *next = at + NATIVE_CALL_APART;

    if (counted) {
        at = put(at, count); /* addi t6, t6, -1 */
        at = put(at, over);  /* beqz t6, over the call */
        distance -= 2 * (int64_t)sizeof count;
    }
    if (distance != 0)
        at = put_call(at, distance);
    at = put(at, back); /* ret */
    while (at < next)
        at = put(at, nop);
    return next;
}

char *native_put_calls(char *at, size_t depth, size_t functions)
{
    const uint32_t set = 0x00000f93; /* li t6, depth */
    size_t written = functions > 0 ? functions : depth;
    int64_t back = functions > 0 ? NATIVE_CALL_APART * (1 - (int64_t)functions) : 0;

    at = put(at, set | (uint32_t)depth << 20);
    at = put(at, jump(true, 8));
    at = put(at, jump(false, 4 + (int64_t)written * NATIVE_CALL_APART));
    for (size_t left = written; left > 0; left--)
        at = put_function(at, functions > 0, left > 1 ? NATIVE_CALL_APART : back);
    return at;
}

/* mv s2, ra; mv a5, a4; addi a7, a4, 64; ld t2, 192(a4); fmv.d.x ft4, zero */
char *native_put_entry(char *at)
{
    static const uint32_t entry[] = {0x00008913, 0x00070793, 0x04070893, 0x0c073383, 0xf2000253};

    memcpy(at, entry, sizeof entry);
    return at + sizeof entry;
}

/* addi a0, a0, -1; beqz a0, .+8; j; sd t2, 192(a4); jr s2 */
char *native_put_turn(char *at, const char *first)
{
    at = put(at, UINT32_C(0xfff50513));
    at = put(at, UINT32_C(0x00050463));
    at = put(at, jump(false, first - at));
    at = put(at, UINT32_C(0x0c773023));
    return put(at, UINT32_C(0x00090067));
}

void native_occupy_vectors(void)
{
    __asm__ volatile(".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31\n\t"
                     "fmv.d.x f\\number, %[value]\n\t"
                     ".endr"
                     :
                     : [value] "r"(UINT64_C(1))
                     : "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fa0",
                       "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7");
}

void native_enter_body(const char *code, const struct native_turns *turns)
{
    register uint64_t left __asm__("a0") = turns->turns;
    register const uint64_t *cells __asm__("a1") = turns->cells;
    register const uint64_t *first __asm__("a2") = turns->cells + turns->first;
    register const uint64_t *second __asm__("a3") = turns->cells + turns->second;
    register char *scratch __asm__("a4") = turns->scratch;
    register const char *at __asm__("s4") = code;

    __asm__ volatile("jalr %[at]"
                     : "+r"(left), "+r"(first), "+r"(second)
                     : "r"(cells), "r"(scratch), [at] "r"(at)
                     : "memory", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "s2", "s3", "ra", "ft0",
                       "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7");
}
