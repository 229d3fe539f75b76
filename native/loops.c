/* The measured loops, made of this architecture's steps. */
#include "kernels.h"
#include "steps.h"

#define UNROLL 16
#define REPEAT4(text) text text text text
#define REPEAT16(text) REPEAT4(text) REPEAT4(text) REPEAT4(text) REPEAT4(text)

uint64_t native_chase(const uint64_t *base, uint64_t index, uint64_t loads)
{
    for (; loads >= UNROLL; loads -= UNROLL)
        CHASE_STEPS(index, base, REPEAT16(CHASE_STEP));
    for (; loads > 0; loads--)
        CHASE_STEPS(index, base, CHASE_STEP);
    return index;
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

/* The offset of each load depends on the value of the load before. */
static inline uint64_t play_once(const char *base, const struct native_order *order, uint64_t value)
{
    const uint32_t *visit = order->visit, *follower = order->follower;
    uint64_t visits = order->visits, followers = order->followers;

    for (uint64_t i = 0; i < visits; i++) {
        ORDER_STEP(value, base, (uint64_t)visit[i]);
        for (uint64_t k = 0; k < followers; k++)
            ORDER_STEP(value, base, (uint64_t)follower[k]);
    }
    return value;
}

void native_play_order(const char *base, const struct native_order *order, uint64_t passes)
{
    uint64_t value = 0;

    for (; passes > 0; passes--)
        value = play_once(base, order, value);
}

static inline uint32_t time_step(uint64_t *value, const char *base, uint64_t offset, uint32_t before, uint32_t ticks,
                                 uint64_t *slow)
{
    uint32_t after;

    ORDER_STEP(*value, base, offset);
    after = ticks_after_loads();
    *slow += after - before > ticks;
    return after;
}

uint64_t native_play_order_timed(const char *base, const struct native_order *order, uint32_t ticks)
{
    uint64_t value = 0, slow = 0;
    uint32_t before = ticks_after_loads();

    for (uint64_t i = 0; i < order->visits; i++) {
        before = time_step(&value, base, order->visit[i], before, ticks, &slow);
        for (uint64_t k = 0; k < order->followers; k++)
            before = time_step(&value, base, order->follower[k], before, ticks, &slow);
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

void native_fill_core(uint64_t count)
{
    uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1;

    for (; count >= 4; count -= 4)
        __asm__ volatile(REPEAT4(ADD_TEN)
                         : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [e] "+r"(e), [f] "+r"(f), [g] "+r"(g),
                           [h] "+r"(h), [i] "+r"(i), [j] "+r"(j));
}

/* These loops are timed, and one that crosses a line of code takes twice as long on some cores: they stay functions of
 * their own, with the alignment that the build asks for this file (CMakeLists.txt). */
#define LOOP __attribute__((noinline))

/* Past its end a loop goes on for a hundred loads until the core finds out. Its index is then 0, by a computation and not
 * by a branch: what lies behind the offsets are often those of lines that must not be touched. */
static inline uint64_t within(uint64_t index, uint64_t count)
{
    __asm__("" : "+r"(count)); /* what the loop's condition says of it is forgotten */
    return index & -(uint64_t)(index < count);
}

/* Drawing does not wait for loads, so that the core draws while it loads, as long as it does that from registers: cells
 * drawn one by one have a loop of their own. */
LOOP static void play_one_by_one(const char *base, const struct hwc_drawn *drawn, uint64_t *state, uint64_t loads)
{
    const struct hwc_drawn from = *drawn;
    struct hwc_draws ahead = {.state = *state};
    uint64_t value = 0;

    for (uint64_t i = 0; i < loads; i++)
        ORDER_STEP(value, base, hwc_drawn_offset(&from, hwc_draw_below(&ahead.state, from.cells)));
    *state = ahead.state;
}

LOOP static void play_visits(const char *base, const struct hwc_drawn *drawn, uint64_t *state, uint64_t loads)
{
    const struct hwc_drawn from = *drawn;
    struct hwc_draws ahead = {.state = *state};
    uint64_t value = 0;

    for (uint64_t i = 0; i < loads; i++)
        ORDER_STEP(value, base, hwc_drawn_offset(&from, hwc_draw_cell(&ahead, &from)));
    *state = ahead.state;
}

void native_play_drawn(const char *base, const struct hwc_drawn *drawn, uint64_t *state, uint64_t loads)
{
    if (drawn->visit == 0)
        play_one_by_one(base, drawn, state, loads);
    else
        play_visits(base, drawn, state, loads);
}

LOOP void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        load_integer(base + offsets[within(i, count)]);
}

/* The list takes room in the caches, too: as much whether it has one entry more or less. */
LOOP void native_load_visits(const char *base, const struct native_order *order)
{
    const volatile uint32_t *list = order->visit;
    const uint64_t line = NATIVE_LEAST_LINE / sizeof *list;

    for (uint64_t i = 0; i < order->visits; i++)
        load_integer(base + order->visit[within(i, order->visits)]);
    for (uint64_t i = order->visits / line * line; i < order->read; i += line)
        (void)list[i];
}

/* NOLINTNEXTLINE(bugprone-macro-parentheses): operands of an asm statement */
#define LOAD_PAIRS(first_, second_, text, ...) \
    __asm__ volatile(text : : [first] "r"(first_), [second] "r"(second_) : "memory", __VA_ARGS__)

LOOP void native_load_pairs(const char *first, const char *second, uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i += NATIVE_PAIRS)
        LOAD_PAIRS(first, second, REPEAT4(PAIR_STEP), PAIR_REGISTERS);
}

LOOP void native_load_float_pairs(const char *first, const char *second, uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i += NATIVE_PAIRS)
        LOAD_PAIRS(first, second, REPEAT4(FLOAT_PAIR_STEP), FLOAT_PAIR_REGISTERS);
}

LOOP void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        load_double(base + offsets[i]);
}

LOOP void native_store(char *base, const uint64_t *offsets, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        store_integer(base + offsets[i], i);
}
