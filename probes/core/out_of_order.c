/* How many instructions the core has in flight.
 *
 * Claim: the sizes of the reorder buffer, the register files, the queues of loads
 * and stores, and the schedulers.
 *
 * Method: Wong ("Measuring reorder buffer capacity", 2013), as in robsize. Two
 * chains of loads miss every cache. Between a load of one and a load of the other
 * are so many instructions of a kind: the two misses overlap if all of those find
 * room beside the first load, and if not, one comes after the other. A mixture of
 * results and stores fills the reorder buffer only, additions the integer
 * registers, additions of vectors theirs, and so on; instructions that wait for
 * the load fill a scheduler. Some cores keep several instructions in one place of
 * the reorder buffer: two of different kinds that are neighbours, so the mixture is
 * in runs; no-operations, so these are weighed against a growing part of the mixture.
 *
 * What can fool it: another thread of the core, which takes half of some parts
 * while it is at work (room.h says how its pauses are found); if it never pauses,
 * half is all there is, and nothing tells. A part that another one hides, as it is
 * full first: then there is a least number only. Registers that no program sees:
 * their number is an interval. A queue before the vector unit, which holds
 * instructions that have no register yet: the other load's address comes through a
 * vector register behind the results, which it gets after all of them. Loads that
 * have their data may be kept elsewhere than those that wait for it: what is told of
 * the load queue is how many of the former are in flight, if loads into registers of
 * either kind agree on it, as registers may limit one of them.
 *
 * Source: Wong, blog.stuffedcow.net, 2013; Downs, robsize. */
#include "in_flight.h"
#include "table.h"
#include "window.h"

#define KINDS(...) .kinds = sizeof((const enum hwc_op[]){__VA_ARGS__}) / sizeof(enum hwc_op),                         \
                   .first = (const enum hwc_op[]){__VA_ARGS__}, .second = (const enum hwc_op[]){__VA_ARGS__},          \
                   .before = {HWC_OPS, HWC_OPS}
#define WAITING(one, other) .kinds = 1, .first = (const enum hwc_op[]){one}, .second = (const enum hwc_op[]){other}

static const struct hwc_filler fillers[HWC_FILLS];

#define BESIDE(mixed) {"no-operations beside " #mixed " mixed ones", KINDS(HWC_OP_NOTHING),                            \
                       .beside = &fillers[HWC_FILL_MIXED], .beside_count = (mixed)}

/* Of each kind in the mixture about as small a part of what cores have room for as of any other. */
static const struct hwc_filler fillers[HWC_FILLS] = {
    [HWC_FILL_MIXED] = {"mixed instructions",
                        KINDS(HWC_OP_VECTOR, HWC_OP_INT, HWC_OP_VECTOR, HWC_OP_STORE, HWC_OP_INT, HWC_OP_VECTOR,
                              HWC_OP_INT, HWC_OP_VECTOR, HWC_OP_INT, HWC_OP_VECTOR, HWC_OP_STORE, HWC_OP_INT,
                              HWC_OP_VECTOR), .in_runs = true},
    [HWC_FILL_NOTHING] = {"no-operations", KINDS(HWC_OP_NOTHING)},
    [HWC_FILL_BESIDE_FEW] = BESIDE(32),
    [HWC_FILL_BESIDE_SOME] = BESIDE(64),
    [HWC_FILL_BESIDE_MORE] = BESIDE(128),
    [HWC_FILL_BESIDE_MANY] = BESIDE(192),
    [HWC_FILL_INT] = {"integer results", KINDS(HWC_OP_INT)},
    [HWC_FILL_VECTOR] = {"vector results", KINDS(HWC_OP_VECTOR)},
    [HWC_FILL_VECTOR_HELD] = {"vector results before one that the other load waits for", KINDS(HWC_OP_VECTOR),
                              .by_vector = true},
    [HWC_FILL_LOAD] = {"vector loads", KINDS(HWC_OP_LOAD_VECTOR)},
    [HWC_FILL_LOAD_INT] = {"integer loads", KINDS(HWC_OP_LOAD_WAITS)}, /* for nothing: the zero is an old one */
    [HWC_FILL_STORE] = {"stores", KINDS(HWC_OP_STORE)},
    [HWC_FILL_INT_WAITS] = {"waiting additions", WAITING(HWC_OP_INT_WAITS, HWC_OP_INT_WAITS_SECOND),
                            .before = {HWC_OPS, HWC_OPS}},
    [HWC_FILL_VECTOR_WAITS] = {"waiting vector additions", WAITING(HWC_OP_VECTOR_WAITS, HWC_OP_VECTOR_WAITS),
                               .before = {HWC_OP_TAKE_VECTOR, HWC_OP_TAKE_VECTOR_SECOND}},
    [HWC_FILL_VECTOR_BEHIND] = {"waiting vector additions before one that does not",
                                WAITING(HWC_OP_VECTOR_WAITS, HWC_OP_VECTOR_WAITS),
                                .before = {HWC_OP_TAKE_VECTOR, HWC_OP_TAKE_VECTOR_SECOND}, .by_vector = true},
    [HWC_FILL_LOAD_WAITS] = {"waiting loads", WAITING(HWC_OP_LOAD_WAITS, HWC_OP_LOAD_WAITS),
                             .before = {HWC_OP_ZERO_WAITS, HWC_OP_ZERO_WAITS_SECOND}},
};

static const enum hwc_field_id fields[HWC_PARTS] = {
    [HWC_PART_REORDER_BUFFER] = HWC_CORE_REORDER_BUFFER,
    [HWC_PART_INT_REGISTERS] = HWC_CORE_INT_REGISTER_FILE,
    [HWC_PART_VECTOR_REGISTERS] = HWC_CORE_VECTOR_REGISTER_FILE,
    [HWC_PART_LOAD_QUEUE] = HWC_CORE_LOAD_QUEUE,
    [HWC_PART_STORE_QUEUE] = HWC_CORE_STORE_QUEUE,
    [HWC_PART_INT_SCHEDULER] = HWC_CORE_INT_SCHEDULER,
    [HWC_PART_VECTOR_SCHEDULER] = HWC_CORE_VECTOR_SCHEDULER,
    [HWC_PART_LOAD_SCHEDULER] = HWC_CORE_LOAD_SCHEDULER,
};

/* The most that is tried; the time to look for the core as a whole, at least and at most. */
static const struct {
    size_t most;
    double least_seconds, most_seconds;
    double anew_seconds; /* if the core's own window is not settled by then, a mistake may have led it too high */
} policy = {.most = 1200, .least_seconds = 1.5, .most_seconds = 5, .anew_seconds = 2.5};

/* Has it told all that it can? */
static bool is_done(const struct hwc_room *room)
{
    return hwc_room_is_settled(room) || hwc_room_is_exhausted(room);
}

static bool all_done(const struct hwc_window windows[HWC_FILLS])
{
    for (unsigned i = 0; i < HWC_FILLS; i++)
        if (!is_done(&windows[i].room))
            return false;
    return true;
}

/* The mixture's window tells whether the core is whole. Where more of it fits than before, the others were not seen
 * with a whole core. */
static int visit_all(struct hwc_window windows[HWC_FILLS], struct hwc_error *error)
{
    struct hwc_room *core = &windows[HWC_FILL_MIXED].room;
    size_t fitted = core->fit;

    TRY(hwc_window_visit(&windows[HWC_FILL_MIXED], error));
    for (unsigned i = 0; i < HWC_FILLS; i++)
        if (i != HWC_FILL_MIXED && core->fit != fitted)
            hwc_room_doubt(&windows[i].room);
        else if (i != HWC_FILL_MIXED && is_done(core) && !is_done(&windows[i].room))
            TRY(hwc_window_visit(&windows[i], error));
    return HWC_OK;
}

static void begin_anew(struct hwc_window windows[HWC_FILLS])
{
    for (unsigned i = 0; i < HWC_FILLS; i++)
        windows[i].room = (struct hwc_room){.most = policy.most};
}

static int look(struct hwc_lab *lab, struct hwc_window windows[HWC_FILLS], struct hwc_error *error)
{
    double begun = hwc_lab_elapsed(lab), spent = 0;
    bool anew = false;

    begin_anew(windows);
    while (spent < policy.most_seconds && (spent < policy.least_seconds || !all_done(windows)) &&
           !hwc_lab_is_late(lab)) {
        TRY(visit_all(windows, error));
        spent = hwc_lab_elapsed(lab) - begun;
        if (!anew && spent > policy.anew_seconds) {
            anew = true;
            if (!hwc_room_is_settled(&windows[HWC_FILL_MIXED].room))
                begin_anew(windows);
        }
    }
    return HWC_OK;
}

/* A load that has its data may wait for its turn to retire elsewhere than one that has not. */
static const char *why_between(enum hwc_part part)
{
    if (part == HWC_PART_LOAD_QUEUE)
        return "so many that have their data are in flight; places may be given to groups of them, and fewer may wait "
               "for data";
    return "places may be given to groups of instructions, and some registers are hidden";
}

static void report(const struct hwc_part_size *size, enum hwc_part part, struct hwc_finding *finding)
{
    if (size->known)
        hwc_finding_between(finding, size->low, size->high, why_between(part));
    else if (size->exhausted)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%.0f or more, as no more were tried", size->low);
    else if (size->fuller != NULL)
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "%.0f or more, as %s filled up first", size->low,
                            size->fuller);
    else
        hwc_finding_because(finding, hwc_inconclusive("another thread of the core took part of it too often"));
}

static unsigned count_in_mixture(enum hwc_op kind)
{
    const struct hwc_filler *mixture = &fillers[HWC_FILL_MIXED];
    unsigned found = 0;

    for (size_t i = 0; i < mixture->kinds; i++)
        found += mixture->first[i] == kind;
    return found;
}

static void report_all(const struct hwc_machine *machine, const struct hwc_window windows[HWC_FILLS],
                       struct hwc_record *core)
{
    struct hwc_in_flight in_flight = {
        .most = policy.most, .named_int = machine->named_int, .named_vector = machine->named_vector};

    for (unsigned i = 0; i < HWC_FILLS; i++) {
        in_flight.fit[i] = windows[i].room.fit;
        in_flight.beyond[i] = windows[i].room.beyond;
        in_flight.beside[i] = fillers[i].beside_count;
        if (i != HWC_FILL_MIXED)
            in_flight.mixed[i] = count_in_mixture(fillers[i].first[0]);
    }
    for (unsigned part = 0; part < HWC_PARTS; part++) {
        const struct hwc_part_size size = hwc_size_of_part(&in_flight, (enum hwc_part)part);
        report(&size, (enum hwc_part)part, &core->finding[fields[part]]);
    }
}

/* What was seen, for those who know the core. */
static void note(struct hwc_lab *lab, const struct hwc_window windows[HWC_FILLS])
{
    for (unsigned i = 0; i < HWC_FILLS; i++)
        hwc_note(&lab->notes, "in flight: %zu %s%s", windows[i].room.fit, windows[i].filler->what,
                 hwc_room_is_settled(&windows[i].room) ? "" : " or more");
}

static int measure(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error)
{
    struct hwc_window windows[HWC_FILLS];

    for (unsigned i = 0; i < HWC_FILLS; i++)
        windows[i] = (struct hwc_window){.time = time, .filler = &fillers[i],
                                         .core = i == HWC_FILL_MIXED ? NULL : &windows[HWC_FILL_MIXED]};
    TRY(look(time->lab, windows, error));
    report_all(time->lab->machine, windows, core);
    note(time->lab, windows);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    return hwc_measure_core(lab, &hwc_probe_out_of_order, HWC_WINDOW_TURNS, measure, profile, error);
}

const struct hwc_probe hwc_probe_out_of_order = {
    .name = "out_of_order",
    .summary = "reorder buffer, register files, queues of loads and stores, schedulers",
    .source = "Wong, 2013; beside Yotov et al., QEST 2005",
    .provides = {HWC_CORE_REORDER_BUFFER, HWC_CORE_INT_REGISTER_FILE, HWC_CORE_VECTOR_REGISTER_FILE,
                 HWC_CORE_LOAD_QUEUE, HWC_CORE_STORE_QUEUE, HWC_CORE_INT_SCHEDULER, HWC_CORE_VECTOR_SCHEDULER,
                 HWC_CORE_LOAD_SCHEDULER},
    .on_request = true,
    .group = "core",
    .run = run,
};
