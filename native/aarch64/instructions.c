/* Instructions of bodies for aarch64.
 *
 * x0: turns left; x1: cells; x2, x3: where the chains are; x4: scratch; x5: a zero
 * that waits; x6, v6: chains of additions; x7: the scratch area's address of
 * itself; x9-x12, v0-v3: results in turn; x13: random bits; x14, v7: copies; x15:
 * the return address; v4: an operand; v5: the first chain's load. */
#include "instructions.h"

#include <string.h>

/* Added to the first word, times the turn: the number of a result, as Rd or Rt, and as Rn; the word of a line. */
enum { MOST_WORDS = 3, RD = 1, RN = 1 << 5, OFFSET = 1 << 10, RESULTS = 4, WORDS = 8 };

/* Where a part of the scratch area is, from another place there, for accesses of so many bytes. */
#define AWAY(bytes, size) ((uint32_t)(bytes) / (size) * OFFSET)

struct instruction {
    uint32_t word[MOST_WORDS];
    unsigned char words;
    bool second_if_odd;
    uint32_t for_result, for_word;
};

enum { FORWARD_FROM_SELF = NATIVE_SCRATCH_FORWARD - NATIVE_SCRATCH_SELF };

static const struct instruction instructions[HWC_OPS] = {
    [HWC_OP_CHASE] = {{0xf8627822}, .words = 1}, /* ldr x2, [x1, x2, lsl #3] */
    [HWC_OP_CHASE_SECOND] = {{0xf8637823}, .words = 1}, /* ldr x3, [x1, x3, lsl #3] */
    [HWC_OP_NOTHING] = {{0xd503201f}, .words = 1}, /* nop */
    [HWC_OP_INT] = {{0x8b000029}, .words = 1, .for_result = RD}, /* add x9, x1, x0 */
    [HWC_OP_VECTOR] = {{0x4ea48400}, .words = 1, .for_result = RD | RN}, /* add v0.4s, v0.4s, v4.4s */
    [HWC_OP_LOAD_VECTOR] = {{0x3dc00080}, .words = 1, .for_result = RD}, /* ldr q0, [x4] */
    [HWC_OP_STORE] = {{0xf9000080}, .words = 1, .for_word = OFFSET}, /* str x0, [x4] */
    [HWC_OP_INT_WAITS] = {{0x8b020129}, .words = 1, .for_result = RD | RN}, /* add x9, x9, x2 */
    [HWC_OP_ZERO_WAITS] = {{0xd37ffc45}, .words = 1}, /* lsr x5, x2, #63 */
    [HWC_OP_LOAD_WAITS] = {{0xf8656889}, .words = 1, .for_result = RD}, /* ldr x9, [x4, x5] */
    [HWC_OP_TAKE_VECTOR] = {{0x9e670045}, .words = 1}, /* fmov d5, x2 */
    [HWC_OP_VECTOR_WAITS] = {{0x4ea58400}, .words = 1, .for_result = RD | RN}, /* add v0.4s, v0.4s, v5.4s */
    [HWC_OP_INT_WAITS_SECOND] = {{0x8b030129}, .words = 1, .for_result = RD | RN}, /* add x9, x9, x3 */
    [HWC_OP_ZERO_WAITS_SECOND] = {{0xd37ffc65}, .words = 1}, /* lsr x5, x3, #63 */
    [HWC_OP_TAKE_VECTOR_SECOND] = {{0x9e670065}, .words = 1}, /* fmov d5, x3 */
    [HWC_OP_BY_VECTOR] = {{0x9e670047, 0x9e6600e2}, .words = 2}, /* fmov d7, x2; fmov x2, d7 */
    [HWC_OP_SECOND_BY_VECTOR] = {{0x9e670067, 0x9e6600e3}, .words = 2}, /* fmov d7, x3; fmov x3, d7 */
    [HWC_OP_ADD_CHAIN] = {{0x8b0100c6}, .words = 1}, /* add x6, x6, x1 */
    [HWC_OP_MOVE_CHAIN] = {{0xaa0603ee, 0xaa0e03e6}, .words = 1, .second_if_odd = true}, /* mov x14, x6; mov x6, x14 */
    [HWC_OP_MOVE_VECTOR] = {{0x4ea61cc7, 0x4ea71ce6}, .words = 1, .second_if_odd = true},
        /* mov v7.16b, v6.16b; mov v6.16b, v7.16b */
    [HWC_OP_VECTOR_CHAIN] = {{0x4ea484c6}, .words = 1}, /* add v6.4s, v6.4s, v4.4s */
    [HWC_OP_LOAD_CHAIN] = {{0xf94000e7}, .words = 1}, /* ldr x7, [x7] */
    [HWC_OP_TO_VECTOR] = {{0x9e6700e7}, .words = 1}, /* fmov d7, x7 */
    [HWC_OP_FROM_VECTOR] = {{0x9e6600e7}, .words = 1}, /* fmov x7, d7 */
    [HWC_OP_LOAD_CHAIN_VECTOR] = {{0xfd4000e7}, .words = 1}, /* ldr d7, [x7] */
    [HWC_OP_FORWARD] = {{0xf9000086 + AWAY(NATIVE_SCRATCH_FORWARD, 8),   /* str x6, [x4, #128] */
                         0xf94000e6 + AWAY(FORWARD_FROM_SELF, 8)}, .words = 2}, /* ldr x6, [x7, #64] */
    [HWC_OP_FORWARD_ALIKE] = {{0xf9000086 + AWAY(NATIVE_SCRATCH_FORWARD, 8), /* str x6, [x4, #128] */
                               0xf9400086 + AWAY(NATIVE_SCRATCH_FORWARD, 8)}, .words = 2}, /* ldr x6, [x4, #128] */
    [HWC_OP_FORWARD_VECTOR] = {{0x3d800086 + AWAY(NATIVE_SCRATCH_FORWARD, 16), /* str q6, [x4, #128] */
                                0x3dc000e6 + AWAY(FORWARD_FROM_SELF, 16)}, .words = 2}, /* ldr q6, [x7, #64] */
    [HWC_OP_DRAW] = {{0xca0d35ad, 0xca4d1dad, 0xca0d45ad}, .words = 3},
                    /* eor x13, x13, x13, lsl #13; eor x13, x13, x13, lsr #7; eor x13, x13, x13, lsl #17 */
    [HWC_OP_FLIP] = {{0x3700004d, 0xd503201f}, .words = 2}, /* tbnz w13, #0, .+8; nop */
    [HWC_OP_STAY] = {{0x3700005f, 0xd503201f}, .words = 2}, /* tbnz wzr, #0, .+8; nop */
    [HWC_OP_NOTHING_4] = {{0xd503201f}, .words = 1}, /* nop */
    [HWC_OP_MOVE] = {{0xaa0103e9}, .words = 1, .for_result = RD}, /* mov x9, x1 */
};

#define NOP UINT32_C(0xd503201f)

const bool native_chains_of_addresses = false;
const char *const native_about_vectors = NULL;

const char *native_lacks_op(enum hwc_op op)
{
    switch (op) {
    case HWC_OP_INDICES:
    case HWC_OP_INDICES_WIDE:
    case HWC_OP_GATHER:
    case HWC_OP_GATHER_WIDE:
        return "this architecture's vectors of fixed length have no gathers";
    case HWC_OP_NOTHING_5:
    case HWC_OP_NOTHING_6:
    case HWC_OP_NOTHING_8:
    case HWC_OP_INT_LONG:
    case HWC_OP_MOVE_4:
        return "all instructions of this architecture have 4 bytes";
    default:
        return NULL;
    }
}

unsigned native_named_registers(bool vector)
{
    return vector ? 32 : 31;
}

static char *put(char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

char *native_put_op(char *at, enum hwc_op op, size_t index)
{
    const struct instruction *this = &instructions[op];
    uint32_t more = this->for_result * (uint32_t)(index % RESULTS) + this->for_word * (uint32_t)(index % WORDS);

    if (this->second_if_odd)
        return put(at, this->word[index % 2]);
    for (unsigned i = 0; i < this->words; i++)
        at = put(at, this->word[i] + (i == 0 ? more : 0));
    return at;
}

static uint32_t branch(uint32_t opcode, int64_t bytes)
{
    return opcode | ((uint32_t)(bytes / 4) & UINT32_C(0x3ffffff));
}

static char *put_call(char *at, int64_t distance)
{
    static const uint32_t save = 0xa9bf7bfd, restore = 0xa8c17bfd;

    at = put(at, save); /* stp x29, x30, [sp, #-16]! */
    at = put(at, branch(UINT32_C(0x94000000), distance - 4));
    return put(at, restore); /* ldp x29, x30, [sp], #16 */
}

/* Each function in a line of its own, as branch target buffers hold few branches of a line. `counted`: it calls only if
 * calls are left, whose number is in x9. Distance 0 = it calls none. */
static char *put_function(char *at, bool counted, int64_t distance)
{
    static const uint32_t count = 0x71000529, over = 0x54000080, back = 0xd65f03c0;
    char *next = at + NATIVE_CALL_APART;

    if (counted) {
        at = put(at, count); /* subs w9, w9, #1 */
        at = put(at, over);  /* b.eq over the call */
        distance -= 2 * (int64_t)sizeof count;
    }
    if (distance != 0)
        at = put_call(at, distance);
    at = put(at, back); /* ret */
    while (at < next)
        at = put(at, NOP);
    return next;
}

char *native_put_calls(char *at, size_t depth, size_t functions)
{
    const uint32_t set = 0x52800009; /* mov w9, #depth */
    size_t written = functions > 0 ? functions : depth;
    int64_t back = functions > 0 ? NATIVE_CALL_APART * (1 - (int64_t)functions) : 0;

    at = put(at, set | (uint32_t)(depth & UINT32_C(0xffff)) << 5);
    at = put(at, branch(UINT32_C(0x94000000), 8));
    at = put(at, branch(UINT32_C(0x14000000), 4 + (int64_t)written * NATIVE_CALL_APART));
    for (size_t left = written; left > 0; left--)
        at = put_function(at, functions > 0, left > 1 ? NATIVE_CALL_APART : back);
    return at;
}

/* mov x15, x30; mov x5, #0; add x7, x4, #64; ldr x13, [x4, #192] */
char *native_put_entry(char *at)
{
    at = put(at, UINT32_C(0xaa1e03ef));
    at = put(at, UINT32_C(0xd2800005));
    at = put(at, UINT32_C(0x91000087) + AWAY(NATIVE_SCRATCH_SELF, 1));
    return put(at, UINT32_C(0xf940008d) + AWAY(NATIVE_SCRATCH_DRAW, 8));
}

/* subs w0, w0, #1; b.ne; str x13, [x4, #192]; ret x15 */
char *native_put_turn(char *at, const char *first)
{
    at = put(at, UINT32_C(0x71000400));
    at = put(at, UINT32_C(0x54000001) | ((uint32_t)((first - at) / 4) & UINT32_C(0x7ffff)) << 5);
    at = put(at, UINT32_C(0xf900008d) + AWAY(NATIVE_SCRATCH_DRAW, 8));
    return put(at, UINT32_C(0xd65f01e0));
}

void native_occupy_vectors(void)
{
    __asm__ volatile(".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, "
                     "24, 25, 26, 27, 28, 29, 30, 31\n\t"
                     "fmov d\\number, %[value]\n\t"
                     ".endr"
                     :
                     : [value] "r"(UINT64_C(1))
                     : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
                       "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

void native_enter_body(const char *code, const struct native_turns *turns)
{
    register uint64_t left __asm__("x0") = turns->turns;
    register const uint64_t *cells __asm__("x1") = turns->cells;
    register uint64_t first __asm__("x2") = turns->first;
    register uint64_t second __asm__("x3") = turns->second;
    register char *scratch __asm__("x4") = turns->scratch;
    register const char *at __asm__("x16") = code;

    __asm__ volatile("blr %[at]"
                     : "+r"(left), "+r"(first), "+r"(second)
                     : "r"(cells), "r"(scratch), [at] "r"(at)
                     : "memory", "cc", "x5", "x6", "x7", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x30", "v0",
                       "v1", "v2", "v3", "v4", "v5", "v6", "v7");
}
