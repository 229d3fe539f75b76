/* The traditional surface of stride by size.
 *
 * Claim: the average time of a reference to an array of so many bytes, one every so many bytes, both powers of two, and
 * what a reader reads off it: line size, sizes and times of the levels, ways of the first.
 *
 * Method: Saavedra and Smith (UCB/CSD-93-767), as FIRA 1.3 has it: ordinary pages, ascending order, every stride up to
 * half of the array, in the steady state. Each load depends on the one before, so that no two overlap.
 *
 * What is wrong with it (X-Ray, SIGMETRICS 2005, 2; FIRA 1.3): every time is a mixture of all levels and of the TLBs;
 * capacities and ways between two powers of two are rounded down; prefetchers follow constant strides. It is here to be
 * held against what the other probes find, which do not rest on it. */
#include <math.h>

#include "footprint.h"
#include "read_off.h"
#include "saavedra.h"
#include "seen_levels.h"
#include "table.h"

static const struct {
    uint64_t first_size;
    uint64_t least_last, most_last, usual_last;
    unsigned beyond;
    double seconds;
    unsigned samples;
} policy = {
    .first_size = UINT64_C(4) << 10,
    .least_last = UINT64_C(1) << 20,
    .most_last = UINT64_C(256) << 20,
    .usual_last = UINT64_C(64) << 20, /* the paper's, where the last level is not known */
    .beyond = 4,                      /* else so many times what that holds */
    .seconds = 15,
    .samples = 3,
};

/* What the last level and those above hold, as other probes found it, or as references drawn at random show it; 0 = it
 * is not known. */
static int held_by_last(struct hwc_lab *lab, double *held, struct hwc_error *error)
{
    const struct hwc_knowledge *known = lab->known;

    if (known->levels == 0)
        TRY(hwc_see_levels_once(lab, error));
    *held = known->levels > 0 ? (double)known->level[known->levels].effective_bytes : 0;
    if (*held == 0 && known->fit.levels > 0)
        *held = known->fit.level[known->fit.levels - 1].capacity;
    return HWC_OK;
}

static int last_size(struct hwc_lab *lab, uint64_t *last, struct hwc_error *error)
{
    uint64_t most = lab->machine->max_arena_bytes / 2, wanted;
    double held;

    TRY(held_by_last(lab, &held, error));
    wanted = held > 0 ? policy.beyond * (uint64_t)held : policy.usual_last;
    if (most > policy.most_last)
        most = policy.most_last;
    if (wanted < policy.least_last)
        wanted = policy.least_last;
    *last = wanted < most ? wanted : most;
    return HWC_OK;
}

static int time_stride(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t bytes, uint64_t stride,
                       double *cycles, struct hwc_error *error)
{
    struct hwc_steady steady = {0};
    struct hwc_walk walk;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_sequence(&walk, 0, stride, (size_t)(bytes / stride), error);
    if (status == HWC_OK)
        status = hwc_measure_laid_out(lab, arena, &walk, HWC_NO_EVENT, policy.samples, &steady, error);
    *cycles = steady.cycles / (double)walk.count - lab->machine->decode_cycles;
    hwc_walk_free(&walk);
    return status;
}

/* All strides of one size. */
static int time_size(struct hwc_lab *lab, uint64_t bytes, struct hwc_surface *surface, struct hwc_error *error)
{
    double *cycles = surface->cycles[surface->sizes];
    struct hwc_arena arena;
    int status = HWC_OK;

    for (unsigned k = 0; k < HWC_SURFACE_STRIDES; k++)
        cycles[k] = NAN;
    TRY(lab->machine->ops->arena_open(lab->machine, bytes, HWC_BASE_PAGES, &arena, error));
    for (unsigned k = 0; k < HWC_SURFACE_STRIDES && status == HWC_OK; k++) {
        uint64_t stride = (uint64_t)HWC_CELL_BYTES << k;
        if (stride > bytes / 2)
            break;
        status = time_stride(lab, &arena, bytes, stride, &cycles[k], error);
        if (k >= surface->strides)
            surface->strides = k + 1;
    }
    lab->machine->ops->arena_close(lab->machine, &arena);
    surface->sizes += status == HWC_OK;
    return status;
}

static int measure(struct hwc_lab *lab, struct hwc_surface *surface, struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    uint64_t last;

    TRY(last_size(lab, &last, error));
    *surface = (struct hwc_surface){.first_size = (double)policy.first_size, .first_stride = HWC_CELL_BYTES};
    for (uint64_t bytes = policy.first_size; bytes / 2 < last && surface->sizes < HWC_SURFACE_SIZES; bytes *= 2) {
        int status;
        if (lab->machine->live && hwc_lab_elapsed(lab) - started > policy.seconds)
            break;
        status = time_size(lab, bytes, surface, error);
        if (hwc_came_to_nothing(status))
            break;
        TRY(status);
    }
    return HWC_OK;
}

static void name_size(char *text, size_t size, double bytes)
{
    if (bytes < 1 << 20)
        hwc_write(text, size, "%.0f KiB", bytes / (1 << 10));
    else
        hwc_write(text, size, "%.0f MiB", bytes / (1 << 20));
}

static int add_size(struct hwc_curve *curve, const struct hwc_surface *surface, unsigned i, struct hwc_error *error)
{
    struct hwc_series *series;
    char name[32];

    name_size(name, sizeof name, hwc_surface_size(surface, i));
    TRY(hwc_series_add(curve, name, "cycles", &series, error));
    series->witness = hwc_by_clock.kind;
    for (unsigned k = 0; k < surface->strides; k++)
        if (!isnan(surface->cycles[i][k]))
            TRY(hwc_point_add(series, hwc_surface_stride(surface, k), hwc_in_hundredths(surface->cycles[i][k]),
                              error));
    return HWC_OK;
}

static int add_value(struct hwc_curve *curve, const char *name, const char *unit, double value,
                     struct hwc_error *error)
{
    struct hwc_read_off off = hwc_read_off_of(name, unit, "");

    if (value > 0)
        hwc_read_off_know(&off, value);
    else
        hwc_read_off_leave_open(&off, "the surface does not show it: prefetchers follow strides that are shorter");
    return hwc_read_off_add(curve, &off, error);
}

/* Sizes and strides double: what is read off lies between two of them. */
static int add_bounds(struct hwc_curve *curve, const char *name, const char *unit, double low, double high,
                      struct hwc_error *error)
{
    struct hwc_read_off off = hwc_read_off_of(name, unit, "");

    hwc_read_off_bound(&off, low, high, "sizes and strides are powers of two: it lies between two of them");
    return hwc_read_off_add(curve, &off, error);
}

static int add_level(struct hwc_curve *curve, const struct hwc_surface_reading *reading, unsigned i,
                     struct hwc_error *error)
{
    char name[32];

    hwc_write(name, sizeof name, "L%u size", i + 1);
    TRY(add_bounds(curve, name, "bytes", reading->bytes[i], reading->beyond[i], error));
    hwc_write(name, sizeof name, "L%u time", i + 1);
    return add_value(curve, name, "cycles", hwc_in_hundredths(reading->cycles[i]), error);
}

static int add_readings(struct hwc_curve *curve, const struct hwc_surface_reading *reading, struct hwc_error *error)
{
    char name[32];

    TRY(add_value(curve, "line size", "bytes", reading->line_bytes, error));
    if (reading->ways > 0)
        TRY(add_bounds(curve, "L1 associativity", "ways", reading->ways, 2 * reading->ways - 1, error));
    for (unsigned i = 0; i < reading->levels; i++)
        TRY(add_level(curve, reading, i, error));
    if (reading->levels == 0)
        return HWC_OK;
    hwc_write(name, sizeof name, "time beyond L%u", reading->levels);
    return add_value(curve, name, "cycles", hwc_in_hundredths(reading->cycles[reading->levels]), error);
}

/* "32768 bytes", or that it is not known. */
static void put_finding(char *text, size_t size, const struct hwc_finding *finding, const char *unit)
{
    if (finding->known)
        hwc_write(text, size, "%.8g %s", finding->value, unit);
    else
        hwc_write(text, size, "no %s", unit);
}

static void note_level(struct hwc_lab *lab, const struct hwc_profile *profile,
                       const struct hwc_surface_reading *reading, unsigned i)
{
    const struct hwc_finding *finding = i < profile->caches ? profile->cache[i].finding : NULL;
    char bytes[48], cycles[48];

    if (finding == NULL || !finding[HWC_CACHE_SIZE].asked)
        return;
    put_finding(bytes, sizeof bytes, &finding[HWC_CACHE_SIZE], "bytes");
    put_finding(cycles, sizeof cycles, &finding[HWC_CACHE_LATENCY], "cycles");
    hwc_note(&lab->notes,
             "saavedra: L%u: the surface says from %.0f to %.0f bytes, %.1f cycles; the other probes say %s, %s", i + 1,
             reading->bytes[i], reading->beyond[i], reading->cycles[i], bytes, cycles);
}

static int report(struct hwc_lab *lab, struct hwc_profile *profile, const struct hwc_surface *surface,
                  struct hwc_error *error)
{
    struct hwc_surface_reading reading;
    struct hwc_curve *curve;

    TRY(hwc_curve_add(&profile->curves, "saavedra", "ascending", "stride", "bytes", &curve, error));
    for (unsigned i = 0; i < surface->sizes; i++)
        TRY(add_size(curve, surface, i, error));
    hwc_surface_read(surface, &reading);
    for (unsigned i = 0; i < reading.levels; i++)
        note_level(lab, profile, &reading, i);
    return add_readings(curve, &reading, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_surface surface;

    if (!lab->machine->has_clock) {
        hwc_note(&lab->notes, "saavedra: nothing was timed: this machine has no clock of its own");
        return HWC_OK;
    }
    TRY(measure(lab, &surface, error));
    return report(lab, profile, &surface, error);
}

const struct hwc_probe hwc_probe_saavedra = {
    .name = "saavedra",
    .summary = "the traditional surface: average time of a reference by stride and array size",
    .source = "Saavedra and Smith, 1993, UCB/CSD-93-767",
    .on_request = true,
    .run = run,
};
