#include "kernels.h"

#include <time.h>

#define UNROLL 16
#define REPEAT4(text) text text text text
#define REPEAT16(text) REPEAT4(text) REPEAT4(text) REPEAT4(text) REPEAT4(text)

#if defined(__x86_64__)

#define CHASE_STEP "movq (%[base],%[index],8), %[index]\n\t"
/* NOLINTNEXTLINE(bugprone-macro-parentheses): operands of an asm statement */
#define CHASE_STEPS(n_index, n_base, text) __asm__ volatile(text : [index] "+r"(n_index) : [base] "r"(n_base) : "memory")
#define LIST_STEP(value, base, offset)                                                                                \
    __asm__ volatile("andq $0, %[last]\n\taddq %[at], %[last]\n\tmovq (%[start],%[last]), %[last]"                    \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory", "cc")
#define ADDRESS_STEP "movq (%[at]), %[at]\n\t"
#define ADD_STEP "addq %[value], %[value]\n\t"
#define ADD_FIVE "addq %[a], %[a]\n\taddq %[b], %[b]\n\taddq %[c], %[c]\n\taddq %[d], %[d]\n\taddq %[e], %[e]\n\t"

/* The time when all loads before it are done. A later load waits for it: reading
 * the time takes as long as a load from a second level, and would hide it. */
static inline uint32_t ticks_after_loads(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return low;
}

#elif defined(__aarch64__)

#define CHASE_STEP "ldr %[index], [%[base], %[index], lsl #3]\n\t"
#define CHASE_STEPS(n_index, n_base, text) __asm__ volatile(text : [index] "+r"(n_index) : [base] "r"(n_base) : "memory")
#define LIST_STEP(value, base, offset)                                                                                \
    __asm__ volatile("and %[last], %[last], xzr\n\tadd %[last], %[last], %[at]\n\tldr %[last], [%[start], %[last]]"     \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory")
#define ADDRESS_STEP "ldr %[at], [%[at]]\n\t"
#define ADD_STEP "add %[value], %[value], %[value]\n\t"
#define ADD_FIVE                                                                                                      \
    "add %[a], %[a], %[a]\n\tadd %[b], %[b], %[b]\n\tadd %[c], %[c], %[c]\n\t"                                          \
    "add %[d], %[d], %[d]\n\tadd %[e], %[e], %[e]\n\t"

static inline uint32_t ticks_after_loads(void)
{
    uint64_t ticks;

    __asm__ volatile("dsb ld\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return (uint32_t)ticks;
}

#elif defined(__riscv) && __riscv_xlen == 64

#define CHASE_STEP "slli t0, %[index], 3\n\tadd t0, t0, %[base]\n\tld %[index], 0(t0)\n\t"
#define CHASE_STEPS(n_index, n_base, text)                                                                            \
    __asm__ volatile(text : [index] "+r"(n_index) : [base] "r"(n_base) : "memory", "t0")
#define LIST_STEP(value, base, offset)                                                                                \
    __asm__ volatile("and %[last], %[last], x0\n\tadd %[last], %[last], %[at]\n\t"                                    \
                     "add t0, %[start], %[last]\n\tld %[last], 0(t0)"                                                 \
                     : [last] "+r"(value)                                                                             \
                     : [at] "r"(offset), [start] "r"(base)                                                            \
                     : "memory", "t0")
#define ADDRESS_STEP "ld %[at], 0(%[at])\n\t"
#define ADD_STEP "add %[value], %[value], %[value]\n\t"
#define ADD_FIVE                                                                                                      \
    "add %[a], %[a], %[a]\n\tadd %[b], %[b], %[b]\n\tadd %[c], %[c], %[c]\n\t"                                          \
    "add %[d], %[d], %[d]\n\tadd %[e], %[e], %[e]\n\t"

static inline uint32_t ticks_after_loads(void)
{
    uint64_t ticks;

    __asm__ volatile("fence r, r\n\trdtime %0" : "=r"(ticks) : : "memory");
    return (uint32_t)ticks;
}

#else
#error "hwchar measures x86-64, aarch64 and riscv64; a simulated machine needs a host of one of them too"
#endif

uint64_t native_chase(const uint64_t *base, uint64_t index, uint64_t loads)
{
    for (; loads >= UNROLL; loads -= UNROLL)
        CHASE_STEPS(index, base, REPEAT16(CHASE_STEP));
    for (; loads > 0; loads--)
        CHASE_STEPS(index, base, CHASE_STEP);
    return index;
}

void native_chase_strands(const uint64_t *base, const uint64_t first[NATIVE_STRANDS], uint64_t loads)
{
    uint64_t a = first[0], b = first[1], c = first[2], d = first[3];
    uint64_t e = first[4], f = first[5], g = first[6], h = first[7];

    for (; loads > 0; loads--) {
        CHASE_STEPS(a, base, CHASE_STEP);
        CHASE_STEPS(b, base, CHASE_STEP);
        CHASE_STEPS(c, base, CHASE_STEP);
        CHASE_STEPS(d, base, CHASE_STEP);
        CHASE_STEPS(e, base, CHASE_STEP);
        CHASE_STEPS(f, base, CHASE_STEP);
        CHASE_STEPS(g, base, CHASE_STEP);
        CHASE_STEPS(h, base, CHASE_STEP);
    }
}

uint64_t native_chase_timed(const uint64_t *base, uint64_t index, uint64_t loads, uint32_t ticks)
{
    uint64_t slow = 0;
    uint32_t before = ticks_after_loads();

    for (; loads > 0; loads--) {
        uint32_t after;
        CHASE_STEPS(index, base, CHASE_STEP);
        after = ticks_after_loads();
        slow += after - before > ticks;
        before = after;
    }
    return slow;
}

/* The offset of the next load is made to wait for the value of the last. */
void native_list(const char *base, const struct native_order *order)
{
    const uint32_t *offset = order->offset, *behind = order->behind;
    uint64_t value = 0, offsets = order->offsets, behinds = order->behinds;

    for (uint64_t i = 0; i < offsets; i++) {
        LIST_STEP(value, base, (uint64_t)offset[i]);
        for (uint64_t k = 0; k < behinds; k++)
            LIST_STEP(value, base, (uint64_t)behind[k]);
    }
}

static inline uint32_t time_step(uint64_t *value, const char *base, uint64_t offset, uint32_t before, uint32_t ticks,
                                 uint64_t *slow)
{
    uint32_t after;

    LIST_STEP(*value, base, offset);
    after = ticks_after_loads();
    *slow += after - before > ticks;
    return after;
}

uint64_t native_list_timed(const char *base, const struct native_order *order, uint32_t ticks)
{
    uint64_t value = 0, slow = 0;
    uint32_t before = ticks_after_loads();

    for (uint64_t i = 0; i < order->offsets; i++) {
        before = time_step(&value, base, order->offset[i], before, ticks, &slow);
        for (uint64_t k = 0; k < order->behinds; k++)
            before = time_step(&value, base, order->behind[k], before, ticks, &slow);
    }
    return slow;
}

void *native_chase_addresses(void *const *first, uint64_t loads)
{
    void *at = (void *)first;

    for (; loads >= UNROLL; loads -= UNROLL)
        __asm__ volatile(REPEAT16(ADDRESS_STEP) : [at] "+r"(at) : : "memory");
    return at;
}

void native_add_chain(uint64_t count)
{
    uint64_t value = 1;

    for (; count >= UNROLL; count -= UNROLL)
        __asm__ volatile(REPEAT16(ADD_STEP) : [value] "+r"(value));
}

void native_add_side_by_side(uint64_t count)
{
    uint64_t a = 1, b = 1, c = 1, d = 1, e = 1;

    for (; count >= UNROLL; count -= UNROLL)
        __asm__ volatile(REPEAT16(ADD_FIVE) : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e));
}

#if defined(__x86_64__)

void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value;
        __asm__ volatile("movl (%[at]), %[value]" : [value] "=r"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double value;
        __asm__ volatile("movsd (%[at]), %[value]" : [value] "=x"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_store(char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        __asm__ volatile("movq %[value], (%[at])" : : [value] "r"(i), [at] "r"(base + offsets[i]) : "memory");
}

int native_can_flush(void)
{
    return 1; /* clflush is part of x86-64 */
}

void native_flush_line(const void *address)
{
    __asm__ volatile("clflush (%0)" : : "r"(address) : "memory");
}

void native_fence(void)
{
    __asm__ volatile("mfence\n\tlfence" : : : "memory");
}

uint64_t native_ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Linux keeps node << 12 | cpu in TSC_AUX. */
int native_cpu_now(void)
{
    uint32_t low, high, aux;

    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
    return (int)(aux & 0xfff);
}

#elif defined(__aarch64__)

void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value;
        __asm__ volatile("ldr %w[value], [%[at]]" : [value] "=r"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double value;
        __asm__ volatile("ldr %d[value], [%[at]]" : [value] "=w"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_store(char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        __asm__ volatile("str %[value], [%[at]]" : : [value] "r"(i), [at] "r"(base + offsets[i]) : "memory");
}

int native_can_flush(void)
{
    return 1; /* Linux sets SCTLR_EL1.UCI: dc civac is open to user code */
}

void native_flush_line(const void *address)
{
    __asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
}

void native_fence(void)
{
    __asm__ volatile("dsb sy\n\tisb" : : : "memory");
}

/* The generic timer is too coarse for one walk on some cores (25 MHz), but
 * user code has nothing finer; measured steps are long enough for it. */
uint64_t native_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

int native_cpu_now(void)
{
    return -1;
}

#elif defined(__riscv)

void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value;
        __asm__ volatile("lw %[value], 0(%[at])" : [value] "=r"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        double value;
        __asm__ volatile("fld %[value], 0(%[at])" : [value] "=f"(value) : [at] "r"(base + offsets[i]) : "memory");
    }
}

void native_store(char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        __asm__ volatile("sd %[value], 0(%[at])" : : [value] "r"(i), [at] "r"(base + offsets[i]) : "memory");
}

int native_can_flush(void)
{
    return 0; /* cbo.flush is an extension, and user code need not be let use it */
}

void native_flush_line(const void *address)
{
    (void)address;
}

void native_fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

uint64_t native_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("fence\n\trdtime %0\n\tfence" : "=r"(ticks) : : "memory");
    return ticks;
}

int native_cpu_now(void)
{
    return -1;
}

#endif
