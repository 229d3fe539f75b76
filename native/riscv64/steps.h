/* One step of each measured loop, for riscv64. */
#ifndef HWC_NATIVE_STEPS_H
#define HWC_NATIVE_STEPS_H

#include <stdint.h>

#define CHASE_STEP "slli t0, %[index], 3\n\tadd t0, t0, %[base]\n\tld %[index], 0(t0)\n\t"
#define CHASE_STEPS(index_, base_, text)                                                                              \
    __asm__ volatile(text : [index] "+r"(index_) : [base] "r"(base_) : "memory", "t0")
#define ORDER_STEP(value, base, offset)                                                                               \
    __asm__ volatile("and %[last], %[last], x0\n\tadd %[last], %[last], %[at]\n\t"                                    \
                     "add t0, %[start], %[last]\n\tld %[last], 0(t0)"                                                 \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory", "t0")
#define ADDRESS_STEP "ld %[at], 0(%[at])\n\t"
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
    "lw t0, 0(%[first])\n\tlw t1, 0(%[second])\n\t"                                                                   \
    "lw t2, 0(%[first])\n\tlw t3, 0(%[second])\n\t"                                                                   \
    "lw t4, 0(%[first])\n\tlw t5, 0(%[second])\n\t"                                                                   \
    "lw t6, 0(%[first])\n\tlw a7, 0(%[second])\n\t"
#define PAIR_REGISTERS "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a7"
#define FLOAT_PAIR_STEP                                                                                               \
    "flw ft0, 0(%[first])\n\tflw ft1, 0(%[second])\n\t"                                                               \
    "flw ft2, 0(%[first])\n\tflw ft3, 0(%[second])\n\t"                                                               \
    "flw ft4, 0(%[first])\n\tflw ft5, 0(%[second])\n\t"                                                               \
    "flw ft6, 0(%[first])\n\tflw ft7, 0(%[second])\n\t"
#define FLOAT_PAIR_REGISTERS "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7"

/* The time when all earlier loads are done and no later one has begun: the time is read as a device's input is. */
static inline uint32_t ticks_after_loads(void)
{
    uint64_t ticks;

    __asm__ volatile("fence r, i\n\trdtime %0\n\tfence i, r" : "=r"(ticks) : : "memory");
    return (uint32_t)ticks;
}

static inline void load_integer(const char *at)
{
    uint32_t value;

    __asm__ volatile("lw %[value], 0(%[at])" : [value] "=r"(value) : [at] "r"(at) : "memory");
}

static inline void load_double(const char *at)
{
    double value;

    __asm__ volatile("fld %[value], 0(%[at])" : [value] "=f"(value) : [at] "r"(at) : "memory");
}

static inline void store_integer(char *at, uint64_t value)
{
    __asm__ volatile("sd %[value], 0(%[at])" : : [value] "r"(value), [at] "r"(at) : "memory");
}

#endif
