/* One step of each measured loop, for aarch64. */
#ifndef HWC_NATIVE_STEPS_H
#define HWC_NATIVE_STEPS_H

#include <stdint.h>

#define CHASE_STEP "ldr %[index], [%[base], %[index], lsl #3]\n\t"
/* NOLINTNEXTLINE(bugprone-macro-parentheses): operands of an asm statement */
#define CHASE_STEPS(index_, base_, text) __asm__ volatile(text : [index] "+r"(index_) : [base] "r"(base_) : "memory")
#define ORDER_STEP(value, base, offset)                                                                               \
    __asm__ volatile("and %[last], %[last], xzr\n\tadd %[last], %[last], %[at]\n\tldr %[last], [%[start], %[last]]"   \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory")
#define ADDRESS_STEP "ldr %[at], [%[at]]\n\t"
#define ADD_STEP "add %[value], %[value], %[value]\n\t"
#define ADD_FIVE                                                                                                      \
    "add %[a], %[a], %[a]\n\tadd %[b], %[b], %[b]\n\tadd %[c], %[c], %[c]\n\t"                                        \
    "add %[d], %[d], %[d]\n\tadd %[e], %[e], %[e]\n\t"
#define ADD_TEN                                                                                                       \
    ADD_FIVE                                                                                                          \
    "add %[f], %[f], %[f]\n\tadd %[g], %[g], %[g]\n\tadd %[h], %[h], %[h]\n\t"                                        \
    "add %[i], %[i], %[i]\n\tadd %[j], %[j], %[j]\n\t"

/* Four pairs of loads. Each of the eight has a register of its own: no core then
 * has a write to wait for. */
#define PAIR_STEP                                                                                                     \
    "ldr w9, [%[first]]\n\tldr w10, [%[second]]\n\t"                                                                  \
    "ldr w11, [%[first]]\n\tldr w12, [%[second]]\n\t"                                                                 \
    "ldr w13, [%[first]]\n\tldr w14, [%[second]]\n\t"                                                                 \
    "ldr w15, [%[first]]\n\tldr w8, [%[second]]\n\t"
#define PAIR_REGISTERS "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x8"
#define FLOAT_PAIR_STEP                                                                                               \
    "ldr s16, [%[first]]\n\tldr s17, [%[second]]\n\t"                                                                 \
    "ldr s18, [%[first]]\n\tldr s19, [%[second]]\n\t"                                                                 \
    "ldr s20, [%[first]]\n\tldr s21, [%[second]]\n\t"                                                                 \
    "ldr s22, [%[first]]\n\tldr s23, [%[second]]\n\t"
#define FLOAT_PAIR_REGISTERS "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23"

/* The time when all earlier loads are done and no later one has begun. */
static inline uint32_t ticks_after_loads(void)
{
    uint64_t ticks;

    __asm__ volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return (uint32_t)ticks;
}

static inline void load_integer(const char *at)
{
    uint32_t value;

    __asm__ volatile("ldr %w[value], [%[at]]" : [value] "=r"(value) : [at] "r"(at) : "memory");
}

static inline void load_double(const char *at)
{
    double value;

    __asm__ volatile("ldr %d[value], [%[at]]" : [value] "=w"(value) : [at] "r"(at) : "memory");
}

static inline void store_integer(char *at, uint64_t value)
{
    __asm__ volatile("str %[value], [%[at]]" : : [value] "r"(value), [at] "r"(at) : "memory");
}

#endif
