/* Code that the user's compiler made, compiled and timed on this core. */
#include <math.h>
#include <time.h>

#include "core_types.h"
#include "kernels.h"
#include "native_machine.h"

static const struct {
    double least_ns, least_steps;
    uint64_t additions;
    unsigned readings, tries;
    double rest;
    double translated_ns, whole_load;
    double nap, most_napped; /* seconds: of a run, no more */
} policy = {
    /* X-Ray's doubling ends when a reading takes so long. It stays short: the frequency shall not change meanwhile. */
    .least_ns = 20e3,
    .least_steps = 1000, /* of the clock */
    .additions = 1024,
    /* A reading stands between two chains of that length, and counts if these differ by less than `rest`. */
    .readings = 15,
    .tries = 400,
    .rest = 0.01,
    /* A statement takes some nanoseconds when it is executed first, misses of its code included (its pages are there).
     * One that is translated for another processor takes hundreds. */
    .translated_ns = 60,
    .whole_load = 0.06, /* the clock's calibration has it to some percent */
    /* Others often work for longer than all tries take without a pause. */
    .nap = 0.0005,
    .most_napped = 3,
};

__attribute__((noinline)) static double ticks_of_code(nano_function *function, unsigned long n)
{
    uint64_t begin = native_ticks();

    function(n);
    return (double)(native_ticks() - begin);
}

/* Ticks of an addition. A sibling thread slows additions more than loads, of which each takes a whole number of cycles:
 * the less stretched chain counts, as in the clock's pulses. */
static double ticks_of_one(const struct native_clock *clock, uint64_t additions)
{
    double by_additions = native_ticks_of_additions(additions) / (double)additions;
    double addition = clock->additions_ticks / (double)clock->pulse_additions;
    double each = clock->loads_ticks / (double)clock->pulse_loads / addition, whole = round(each);
    uint64_t loads = whole >= 1 ? additions / (uint64_t)whole / 16 * 16 : 0;

    if (loads == 0 || fabs(each / whole - 1) > policy.whole_load)
        return by_additions;
    return fmin(by_additions, native_ticks_of_loads(loads) / ((double)loads * whole));
}

/* Execute it for the first time, unless it has been: handles are given in the order of their first preparation. What is
 * translated is so once. */
static void note_first(struct native_machine *machine, unsigned handle)
{
    nano_function *function = nano_function_of(machine->workshop, handle);

    if (handle < machine->executed)
        return;
    machine->executed = handle + 1;
    if (function != NULL)
        machine->first_ns = fmin(machine->first_ns,
                                 ticks_of_code(function, 1) / machine->clock.ticks_per_ns /
                                     nano_code_of(machine->workshop, handle)->statements);
}

static int prepare(struct hwc_machine *base, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                   struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    int status;

    if (machine->workshop == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for generated code");
    native_unpin(&machine->placement); /* compilers run on all CPUs, and nothing is measured meanwhile */
    status = nano_prepare(machine->workshop, nanos, count, handles, error);
    native_repin(&machine->placement);
    for (unsigned i = 0; status == HWC_OK && i < count; i++)
        note_first(machine, handles[i]);
    return status;
}

static const struct hwc_nano_code *code_of(struct hwc_machine *base, unsigned handle)
{
    return nano_code_of(native_self(base)->workshop, handle);
}

static double least_ticks(const struct native_machine *machine)
{
    return fmax(policy.least_ns * machine->clock.ticks_per_ns, policy.least_steps * machine->clock.step_ticks);
}

/* X-Ray, Figure 2. */
static unsigned long doubled(nano_function *function, double ticks)
{
    unsigned long n = 1;

    while (fmin(ticks_of_code(function, n), ticks_of_code(function, n)) < ticks)
        n *= 2;
    return n;
}

/* Ticks of n rounds in those of an addition. false = the core was at another frequency after it than before. */
static bool read_once(const struct native_clock *clock, nano_function *function, unsigned long n, uint64_t additions,
                      double *ratio)
{
    double before = ticks_of_one(clock, additions), ticks = ticks_of_code(function, n);
    double after = ticks_of_one(clock, additions);

    *ratio = ticks / ((before + after) / 2);
    return fabs(before / after - 1) < policy.rest;
}

/* Others who do not go cost no more than so much of a run. */
static void let_others_pass(struct native_machine *machine)
{
    const struct timespec nap = {.tv_nsec = (long)(policy.nap * 1e9)};

    if (machine->napped >= policy.most_napped)
        return;
    nanosleep(&nap, NULL);
    machine->napped += policy.nap;
}

/* A sibling at work stretches the chains and the code, and not by as much. A try beside one costs a look. */
static bool read_alone(struct native_machine *machine, nano_function *function, unsigned long n, uint64_t additions,
                       double *ratio, unsigned *beside)
{
    struct hwc_machine *base = &machine->base;
    bool rests = false, alone = base->ops->alone(base);

    if (alone) {
        rests = read_once(&machine->clock, function, n, additions, ratio);
        alone = base->ops->alone(base);
    }
    *beside += !alone;
    if (!alone)
        let_others_pass(machine);
    return alone && rests;
}

static int time_function(struct native_machine *machine, nano_function *function, double *cycles,
                         struct hwc_error *error)
{
    double ticks = least_ticks(machine), ratios[64];
    unsigned long n = doubled(function, ticks);
    unsigned readings = 0, beside = 0;
    uint64_t additions = native_additions_lasting(ticks, policy.additions);

    for (unsigned i = 0; i < policy.tries && readings < policy.readings; i++) {
        if (hwc_must_stop(&machine->base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        if (read_alone(machine, function, n, additions, &ratios[readings], &beside))
            readings++;
    }
    if (readings < policy.readings / 3)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%s", 2 * beside > policy.tries ? "another thread works on this core"
                                                       : "the core's frequency did not rest for one reading");
    *cycles = native_usual_time(ratios, readings) / (double)n;
    return HWC_OK;
}

static int time_code(struct hwc_machine *base, unsigned handle, double *cycles, struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    const struct hwc_nano_code *code = nano_code_of(machine->workshop, handle);

    if (!code->runs)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s", code->reason);
    if (machine->first_ns > policy.translated_ns)
        return hwc_fail(error, HWC_UNAVAILABLE, "code is translated before it is executed (%.0f ns for an instruction "
                                                "at first): its times say nothing of a core", machine->first_ns);
    TRY(time_function(machine, nano_function_of(machine->workshop, handle), cycles, error));
    *cycles /= code->statements;
    return HWC_OK;
}

const struct hwc_core native_core = {
    .types = native_core_types,
    .type_count = &native_core_type_count,
    .prepare = prepare,
    .code = code_of,
    .time = time_code,
    .documents = native_documents,
    .vector_bits = native_vector_bits,
};
