/* One step of each measured loop, for x86-64. */
#ifndef HWC_NATIVE_STEPS_H
#define HWC_NATIVE_STEPS_H

#include <stdint.h>

#define CHASE_STEP "movq (%[base],%[index],8), %[index]\n\t"
/* NOLINTNEXTLINE(bugprone-macro-parentheses): operands of an asm statement */
#define CHASE_STEPS(index_, base_, text) __asm__ volatile(text : [index] "+r"(index_) : [base] "r"(base_) : "memory")
#define ORDER_STEP(value, base, offset)                                                                               \
    __asm__ volatile("andq $0, %[last]\n\taddq %[at], %[last]\n\tmovq (%[start],%[last]), %[last]"                    \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory", "cc")
#define ADDRESS_STEP "movq (%[at]), %[at]\n\t"
#define ADD_STEP "addq %[value], %[value]\n\t"
#define ADD_FIVE "addq %[a], %[a]\n\taddq %[b], %[b]\n\taddq %[c], %[c]\n\taddq %[d], %[d]\n\taddq %[e], %[e]\n\t"
#define ADD_TEN                                                                                                       \
    ADD_FIVE "addq %[f], %[f]\n\taddq %[g], %[g]\n\taddq %[h], %[h]\n\taddq %[i], %[i]\n\taddq %[j], %[j]\n\t"

/* Four pairs of loads. Each of the eight has a register of its own: where the upper halves of
 * vectors are in use, SSE loads keep them, and so wait for the load before into the same register. */
#define PAIR_STEP                                                                                                     \
    "movl (%[first]), %%eax\n\tmovl (%[second]), %%ecx\n\t"                                                           \
    "movl (%[first]), %%edx\n\tmovl (%[second]), %%r8d\n\t"                                                           \
    "movl (%[first]), %%r9d\n\tmovl (%[second]), %%r10d\n\t"                                                          \
    "movl (%[first]), %%r11d\n\tmovl (%[second]), %%esi\n\t"
#define PAIR_REGISTERS "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "rsi"
#define FLOAT_PAIR_STEP                                                                                               \
    "movss (%[first]), %%xmm0\n\tmovss (%[second]), %%xmm1\n\t"                                                       \
    "movss (%[first]), %%xmm2\n\tmovss (%[second]), %%xmm3\n\t"                                                       \
    "movss (%[first]), %%xmm4\n\tmovss (%[second]), %%xmm5\n\t"                                                       \
    "movss (%[first]), %%xmm6\n\tmovss (%[second]), %%xmm7\n\t"
#define FLOAT_PAIR_REGISTERS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"

/* The time when all earlier loads are done. Later loads wait for it: reading the
 * time takes as long as an L2 hit, which would otherwise overlap with it. */
static inline uint32_t ticks_after_loads(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return low;
}

static inline void load_integer(const char *at)
{
    uint32_t value;

    __asm__ volatile("movl (%[at]), %[value]" : [value] "=r"(value) : [at] "r"(at) : "memory");
}

static inline void load_double(const char *at)
{
    double value;

    __asm__ volatile("movsd (%[at]), %[value]" : [value] "=x"(value) : [at] "r"(at) : "memory");
}

static inline void store_integer(char *at, uint64_t value)
{
    __asm__ volatile("movq %[value], (%[at])" : : [value] "r"(value), [at] "r"(at) : "memory");
}

#endif
