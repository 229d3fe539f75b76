/* Data source: which level served loads, as the CPU itself says of some of them.
 *
 * Claim: the shares of each level in the loads of walks over growing footprints, how much each level holds by that, and
 * whether that agrees with the sizes that were found by other means, in the same run.
 *
 * Method: walks in random order over footprints that double. The kernel samples loads by what the CPU has for it
 * (docs/data_source.md); of those that read the footprint, each says where its data came from. A level holds the
 * largest footprint of which it and those above serve nearly all loads, and not twice as much.
 *
 * What can fool it: what a CPU says of a load in flight already ("filling") tells no level; such loads are left out. A
 * level that keeps what the one above put out (exclusive) holds more than its own size together with that. Samples
 * disturb the walk a little: a few of its lines are put out by the kernel's interrupts. */

#include "footprint.h"
#include "read_off.h"
#include "seen_levels.h"
#include "served_bounds.h"
#include "table.h"

enum { MOST_FOOTPRINTS = 24, LEVELS = HWC_MAX_CACHE_LEVEL };

static const struct {
    uint64_t first, last; /* bytes */
    double references;    /* of a walk, about */
    unsigned enough;      /* samples */
    double beyond;        /* memory serves this share: larger footprints tell no more */
    double own;           /* a level is there if it serves this share of some footprint */
} policy = {.first = 4 << 10, .last = UINT64_C(256) << 20, .references = 1e6, .enough = 50, .beyond = 0.9, .own = 0.5};

static const struct {
    enum hwc_server server;
    const char *name;
} shown[] = {{HWC_SERVED_L1, "L1"}, {HWC_SERVED_L2, "L2"}, {HWC_SERVED_L3, "L3"}, {HWC_SERVED_L4, "L4"},
             {HWC_SERVED_ELSEWHERE, "other cores"}, {HWC_SERVED_MEMORY, "memory"}};

enum { SHOWN = sizeof shown / sizeof shown[0] };

struct look {
    struct hwc_lab *lab;
    unsigned footprints;
    double bytes[MOST_FOOTPRINTS];
    double share[MOST_FOOTPRINTS][HWC_SERVERS]; /* of the loads whose server is known */
    const char *by;
};

static double known_loads(const struct hwc_served *served)
{
    double sum = 0;

    for (int i = 0; i < SHOWN; i++)
        sum += (double)served->loads[shown[i].server];
    return sum;
}

static int ask(struct hwc_lab *lab, uint64_t bytes, struct hwc_served *served, struct hwc_error *error)
{
    uint64_t fill = lab->known->level[1].fill_bytes;
    const struct hwc_footprint footprint = hwc_spaced_footprint(lab, bytes, fill > 0 ? fill : hwc_drawn_spacing(lab));
    struct hwc_experiment experiment = {.event = HWC_NO_EVENT, .steps = 1};
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    *served = (struct hwc_served){0};
    TRY(hwc_open_footprint(lab, &footprint, &arena, &walk, error));
    experiment.arena = &arena;
    experiment.step[0] = (struct hwc_step){HWC_RUN, &walk, 1 + (uint32_t)(policy.references / (double)walk.count)};
    status = lab->machine->ops->served(lab->machine, &experiment, served, error);
    hwc_close_footprint(lab, &arena, &walk);
    return status;
}

static int look_at(struct look *look, uint64_t bytes, struct hwc_error *error)
{
    struct hwc_served served;
    double known;

    TRY(ask(look->lab, bytes, &served, error));
    known = known_loads(&served);
    look->by = served.by;
    if (known < policy.enough)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s gave %.0f samples that say which level served a load", served.by,
                        known);
    look->bytes[look->footprints] = (double)bytes;
    for (int i = 0; i < SHOWN; i++)
        look->share[look->footprints][shown[i].server] = (double)served.loads[shown[i].server] / known;
    look->footprints++;
    return HWC_OK;
}

static int look_at_all(struct look *look, struct hwc_error *error)
{
    uint64_t most = look->lab->machine->max_arena_bytes / 8;

    for (uint64_t bytes = policy.first; bytes <= policy.last && bytes <= most; bytes *= 2) {
        if (look->footprints == MOST_FOOTPRINTS || hwc_lab_overdrawn(look->lab))
            break;
        TRY(look_at(look, bytes, error));
        if (look->share[look->footprints - 1][HWC_SERVED_MEMORY] > policy.beyond)
            break;
    }
    return HWC_OK;
}

static int add_shares(const struct look *look, struct hwc_curve *curve, struct hwc_error *error)
{
    for (int i = 0; i < SHOWN; i++) {
        struct hwc_series *series;
        double most = 0;
        for (unsigned at = 0; at < look->footprints; at++)
            most = look->share[at][shown[i].server] > most ? look->share[at][shown[i].server] : most;
        if (most == 0)
            continue;
        TRY(hwc_series_add(curve, shown[i].name, "", &series, error));
        hwc_write(series->how, sizeof series->how, "share of loads, by %s", look->by);
        for (unsigned at = 0; at < look->footprints; at++)
            TRY(hwc_point_add(series, look->bytes[at], look->share[at][shown[i].server], error));
    }
    return HWC_OK;
}

/* A level serves what it and those above hold. */
static bool bound(const struct look *look, unsigned level, double *low, double *high)
{
    struct hwc_served_point points[MOST_FOOTPRINTS];
    bool there = false;

    for (unsigned at = 0; at < look->footprints; at++) {
        points[at] = (struct hwc_served_point){.bytes = look->bytes[at]};
        for (unsigned above = 0; above < level; above++)
            points[at].share += look->share[at][HWC_SERVED_L1 + above];
        there = there || look->share[at][HWC_SERVED_L1 + level - 1] > policy.own;
    }
    hwc_bound_by_served(points, look->footprints, low, high);
    return there && *low > 0 && *high > 0;
}

/* Held against what was found: a footprint that is served lies within the level, one that is not lies beyond. */
static void compare(const struct look *look, unsigned level, double low, double high)
{
    const struct hwc_level *known = &look->lab->known->level[level];
    double size = (double)(known->effective_bytes > 0 ? known->effective_bytes : known->size_bytes);

    if (size > 0 && !known->at_least && (size < low || size > high))
        hwc_note(&look->lab->notes, "L%u: found to hold %.0f KiB, but by the source of loads (%s) it serves footprints "
                 "of %.0f KiB, and not those of %.0f KiB", level, size / 1024, look->by, low / 1024, high / 1024);
}

static int read_sizes(const struct look *look, struct hwc_curve *curve, struct hwc_error *error)
{
    for (unsigned level = 1; level <= LEVELS; level++) {
        struct hwc_read_off says;
        char name[48];
        double low, high;
        if (!bound(look, level, &low, &high))
            continue;
        hwc_write(name, sizeof name, "L%u holds", level);
        says = hwc_read_off_of(name, "bytes", shown[level - 1].name);
        hwc_read_off_bound(&says, low, high, "it serves nearly all loads of the smaller footprint, not of the larger");
        TRY(hwc_read_off_add(curve, &says, error));
        compare(look, level, low, high);
    }
    return HWC_OK;
}

/* It is no error that loads cannot be sampled here, and the reason helps. */
static int leave_open(struct hwc_curve *curve, const char *reason, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_read_off_of("what levels hold", "bytes", "");

    hwc_read_off_leave_open(&says, reason);
    return hwc_read_off_add(curve, &says, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct look look = {.lab = lab};
    struct hwc_curve *curve;
    int status;

    TRY(hwc_curve_add(&profile->curves, "data_source", "random", "footprint", "bytes", &curve, error));
    if (lab->machine->ops->served == NULL)
        return leave_open(curve, "a simulated machine's loads are not sampled", error);
    status = look_at_all(&look, error);
    if (status != HWC_OK && !hwc_came_to_nothing(status))
        return status;
    if (look.footprints == 0)
        return leave_open(curve, status != HWC_OK ? error->message : HWC_BUDGET_SPENT, error);
    if (status != HWC_OK)
        hwc_note(&lab->notes, "data_source: no footprint of more than %.0f KiB: %s",
                 look.bytes[look.footprints - 1] / 1024, error->message);
    TRY(add_shares(&look, curve, error));
    return read_sizes(&look, curve, error);
}

const struct hwc_probe hwc_probe_data_source = {
    .name = "data_source",
    .summary = "which level serves loads of growing footprints, by samples that the CPU takes",
    .source = "AMD 55898, 2021 (IBS); Intel SDM 3B (load latency); Arm DDI 0487 (SPE)",
    .on_request = true,
    .run = run,
};
