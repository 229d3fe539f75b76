/* The first level: X-Ray's search (SIGMETRICS 2005, 4.1.2), then the conflict-free set (conflict.h).
 *
 *     S <- 1, N <- 1
 *     while is_compact(<m0, S, N>): N <- 2N
 *     repeat  S <- 2S, N_old <- N
 *             N <- the least N in [1, N_old] with not is_compact(<m0, S, N>)
 *     until N = N_old
 *     A <- N - 1, C <- S/2 x A                                     (Figure 6)
 *
 * <m0, S, N> are N references S bytes apart; they are compact if all stay cached. */
#include "cache_ballot.h"
#include "hierarchy_scan.h"
#include "left_alone.h"
#include "quiet_core.h"

struct sequences {
    struct hwc_lab *lab;
    const struct hwc_arena *arena;
    uint64_t m0; /* where those of long strides begin */
};

static int is_compact(const struct sequences *of, uint64_t S, size_t N, bool *compact, struct hwc_error *error)
{
    uint64_t m0 = S >= of->lab->machine->own_apart ? of->m0 : 0;

    return hwc_compact(of->lab, 1, of->arena, m0, S, N, compact, error);
}

/* Double N until the sequence is not compact. */
static int double_length(const struct sequences *of, uint64_t S, size_t *N, struct hwc_error *error)
{
    bool compact = true;

    while (compact && 2 * *N * S <= of->arena->bytes) {
        *N *= 2;
        TRY(is_compact(of, S, *N, &compact, error));
    }
    if (compact)
        return hwc_fail(error, HWC_UNAVAILABLE, "no footprint up to %llu bytes leaves the first level",
                        (unsigned long long)of->arena->bytes);
    return HWC_OK;
}

/* Where to ask next, in [low, high). Of sequences longer than a line, half as many fit at twice the stride. */
static size_t next_length(size_t low, size_t high, size_t N_old)
{
    size_t expected = (N_old + 1) / 2;

    if (low == 1 && high == N_old)
        return expected;
    return low == 1 && high == expected ? expected - 1 : low + (high - low) / 2;
}

/* The least N in [1, N_old] that is not compact, by bisection. */
static int least_not_compact(const struct sequences *of, uint64_t S, size_t N_old, size_t *N, struct hwc_error *error)
{
    size_t low = 1, high = N_old;

    while (low < high) {
        size_t middle = next_length(low, high, N_old);
        bool compact;
        TRY(is_compact(of, S, middle, &compact, error));
        if (compact)
            low = middle + 1;
        else
            high = middle;
    }
    *N = low;
    return HWC_OK;
}

/* Bisection assumes that N_old is not compact. If it is compact after all, something disturbed the shorter strides,
 * whose walks are longer: double N again from here. */
static int check_length(const struct sequences *of, uint64_t S, size_t *N, size_t *N_old, struct hwc_error *error)
{
    bool compact;

    TRY(is_compact(of, S, *N, &compact, error));
    if (!compact)
        return HWC_OK;
    *N_old = 0;
    return double_length(of, S, N, error);
}

struct found {
    uint64_t stride; /* S/2, which gave the same N: at longer strides the TLB holds fewer of the pages */
    size_t ways;     /* A */
    uint64_t fits;   /* bytes of a sequence that was compact */
};

/* Figure 6. */
static int find_stride_and_ways(const struct sequences *of, struct found *found, struct hwc_error *error)
{
    uint64_t S = UINT64_C(2) * HWC_CELL_BYTES; /* no line is shorter */
    size_t N = 1, N_old = 0;

    TRY(double_length(of, S, &N, error));
    found->fits = N / 2 * S;
    while (N != N_old) {
        S *= 2;
        N_old = N;
        if (N * S > of->arena->bytes)
            return hwc_fail(error, HWC_UNAVAILABLE, "no stride up to %llu bytes maps to a single set",
                            (unsigned long long)S);
        TRY(least_not_compact(of, S, N_old, &N, error));
        if (N == N_old)
            TRY(check_length(of, S, &N, &N_old, error));
    }
    found->stride = S / 2;
    found->ways = N - 1;
    return HWC_OK;
}

/* Among three times as many lines as fit, some must conflict. */
static size_t choose_candidates(const struct hwc_arena *arena, uint64_t stride, size_t ways)
{
    size_t candidates = 3 * ways + 8;

    return candidates * stride > arena->bytes ? (size_t)(arena->bytes / stride) : candidates;
}

/* Interference only makes lines seem to conflict: what fits may come out too small, never too large. */
static int check_geometry(const struct found *found, const struct hwc_geometry *geometry, struct hwc_error *error)
{
    uint64_t sets = geometry->kept / geometry->ways, bytes = geometry->kept * geometry->period_bytes;

    if ((sets & (sets - 1)) != 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%llu lines fit, in sets of %llu: no power of two",
                        (unsigned long long)geometry->kept, (unsigned long long)geometry->ways);
    if (geometry->kept < found->ways)
        return hwc_fail(error, HWC_UNAVAILABLE, "%llu lines fit one by one, but a sequence of %zu",
                        (unsigned long long)geometry->kept, found->ways);
    if (bytes < found->fits)
        return hwc_fail(error, HWC_INCONCLUSIVE, "conflicts speak for %llu bytes, but %llu in a row fit",
                        (unsigned long long)bytes, (unsigned long long)found->fits);
    return HWC_OK;
}

/* Is a sequence of one line more than a set has ways compact? */
struct one_more {
    const struct sequences *sequences;
    const struct found *found;
    bool compact, stay; /* and do those that fit stay there meanwhile? */
};

static int ask_one_more(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct one_more *asked = context;
    const struct sequences *of = asked->sequences;

    TRY(is_compact(of, asked->found->stride, asked->found->ways + 1, &asked->compact, error));
    return hwc_ask_whether_lines_stay(lab, of->arena, of->m0, asked->found->stride, asked->found->ways, &asked->stay,
                                      error);
}

/* Long pauses are rare beside some, and what is told of the first level, and by it of all others, is worth waiting for. */
enum { TRIES_FOR_PAUSE = 100 };

/* Somebody who works on this core may hold a part of each set. If one line more fits in one of his pauses, he does. If it
 * does not fit either, and those that fit stay where they are while they are left alone, there is no more. */
static int ask_in_a_pause(const struct sequences *sequences, const struct found *found, bool *whole,
                          struct hwc_error *error)
{
    struct one_more one_more = {.sequences = sequences, .found = found};
    bool asked;

    TRY(hwc_ask_in_a_pause(sequences->lab, TRIES_FOR_PAUSE, ask_one_more, &one_more, &asked, error));
    if (asked && one_more.compact)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines fit, and one more while nobody else works on this core",
                        found->ways);
    *whole = asked && one_more.stay;
    return HWC_OK;
}

static int find_geometry(struct hwc_lab *lab, const struct hwc_arena *arena, struct hwc_conflict_plan *plan,
                         struct hwc_geometry *geometry, bool *whole, struct hwc_error *error)
{
    const struct sequences sequences = {lab, arena, hwc_draw_clear_place(lab)};
    struct found found = {0};

    *plan = (struct hwc_conflict_plan){.level = 1, .arena = arena};
    TRY(find_stride_and_ways(&sequences, &found, error));
    plan->stride = found.stride;
    plan->candidates = choose_candidates(arena, found.stride, found.ways);
    TRY(hwc_find_geometry(lab, plan, geometry, error));
    TRY(check_geometry(&found, geometry, error));
    if (!lab->machine->interference || geometry->ways != found.ways)
        return HWC_OK;
    return ask_in_a_pause(&sequences, &found, whole, error);
}

static void know_first(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, const struct hwc_geometry *geometry)
{
    struct hwc_level first = lab->known->level[1];

    first.look = (struct hwc_look){.pages = HWC_BASE_PAGES, .stride = plan->stride, .candidates = plan->candidates};
    first.conflict_misses = geometry->conflict_misses;
    hwc_know_level(lab, 1, &first);
}

/* Far more than any first level holds. */
static uint64_t arena_bytes(const struct hwc_lab *lab)
{
    uint64_t plenty = UINT64_C(8) << 20, most = lab->machine->max_arena_bytes / 2;

    return most < plenty ? most : plenty;
}

int hwc_calibrate_first_once(struct hwc_lab *lab, struct hwc_first_look *look, struct hwc_error *error)
{
    if (lab->machine->has_clock && !look->calibrated)
        TRY(hwc_calibrate_first(lab, error));
    look->calibrated = true;
    return HWC_OK;
}

int hwc_measure_first_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct hwc_conflict_plan plan;
    struct hwc_geometry geometry = {0};
    struct hwc_first_look *look = context;
    struct hwc_arena arena;
    int status;

    TRY(hwc_calibrate_first_once(lab, look, error));
    TRY(lab->machine->ops->arena_open(lab->machine, arena_bytes(lab), HWC_BASE_PAGES, &arena, error));
    status = find_geometry(lab, &arena, &plan, &geometry, &ballot->whole, error);
    lab->machine->ops->arena_close(lab->machine, &arena);
    look->calibrated = status == HWC_OK;
    if (status != HWC_OK)
        return status;
    know_first(lab, &plan, &geometry);
    return hwc_answer_geometry(lab, 1, plan.stride, &geometry, ballot, error);
}
