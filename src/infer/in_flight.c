#include "in_flight.h"

#include <math.h>

#include "weighed_places.h"

static const struct {
    double loads;  /* the two loads that miss take a place each */
    double group;  /* places may be given to groups of instructions: up to one group finds none, */
    double share;  /* and no more than this share */
    double passed; /* what passes the other load's address takes a vector register */
    double near;   /* two numbers within this share may be the same limit */
    double hidden; /* registers that no program sees: up to this share of the others */
} policy = {.loads = 2, .passed = 1, .group = 8, .share = 0.12, .near = 0.02, .hidden = 0.15};

/* What instructions of a kind take, beside the reorder buffer. */
static const struct {
    enum hwc_fill fill, also; /* also: that kind's limit is theirs, too; HWC_FILLS = none */
    bool with_loads;          /* the two loads take places of it */
} parts[HWC_PARTS] = {
    [HWC_PART_REORDER_BUFFER] = {HWC_FILL_MIXED, HWC_FILLS, true},
    [HWC_PART_INT_REGISTERS] = {HWC_FILL_INT, HWC_FILLS, true},
    [HWC_PART_VECTOR_REGISTERS] = {HWC_FILL_VECTOR, HWC_FILLS, false},
    [HWC_PART_LOAD_QUEUE] = {HWC_FILL_LOAD, HWC_FILL_VECTOR, true},
    [HWC_PART_STORE_QUEUE] = {HWC_FILL_STORE, HWC_FILLS, false},
    [HWC_PART_INT_SCHEDULER] = {HWC_FILL_INT_WAITS, HWC_FILL_INT, false},
    [HWC_PART_VECTOR_SCHEDULER] = {HWC_FILL_VECTOR_BEHIND, HWC_FILL_VECTOR, false},
    [HWC_PART_LOAD_SCHEDULER] = {HWC_FILL_LOAD_WAITS, HWC_FILL_INT, false},
};

static double slack(double count)
{
    return fmin(policy.group, policy.share * count);
}

static const struct {
    enum hwc_fill fill;
    const char *full;
} mixture[] = {{HWC_FILL_INT, "the integer registers"},
               {HWC_FILL_VECTOR, "the vector registers"},
               {HWC_FILL_STORE, "the store queue"}};

/* What else may have been full where no more of the mixture fit: as many of a kind were in it as fit alone. */
static const char *full_of_mixture(const struct hwc_in_flight *in_flight)
{
    double more = (double)in_flight->fit[HWC_FILL_MIXED] + 1;
    unsigned round = 0;

    for (unsigned i = 0; i < HWC_FILLS; i++)
        round += in_flight->mixed[i];
    for (unsigned i = 0; round > 0 && i < sizeof mixture / sizeof mixture[0]; i++) {
        size_t most = in_flight->fit[mixture[i].fill];
        double of_kind = ceil(more * in_flight->mixed[mixture[i].fill] / round);
        if (most > 0 && of_kind >= (1 - policy.near) * (double)most)
            return mixture[i].full;
    }
    return NULL;
}

/* The reorder buffer without the two loads, by what no-operations take of it beside the mixture. */
static struct hwc_places by_weight(const struct hwc_in_flight *in_flight)
{
    struct hwc_weighed points[HWC_FILL_BESIDE_MANY - HWC_FILL_NOTHING + 1];
    size_t count = 0;

    for (unsigned i = HWC_FILL_NOTHING; i <= HWC_FILL_BESIDE_MANY; i++)
        if (in_flight->fit[i] > 0 && in_flight->fit[i] < in_flight->most && in_flight->beyond[i] > 0)
            points[count++] = (struct hwc_weighed){in_flight->beside[i], in_flight->fit[i]};
    return hwc_weigh_places(points, count);
}

/* So many instructions fill the reorder buffer; 0 = it was not seen full. */
static double full_buffer(const struct hwc_in_flight *in_flight)
{
    const struct hwc_places places = by_weight(in_flight);

    if (places.known)
        return places.low;
    return full_of_mixture(in_flight) == NULL ? (double)in_flight->fit[HWC_FILL_MIXED] : 0;
}

static bool reaches(size_t fit, double most)
{
    return most > 0 && (double)fit >= (1 - policy.near) * most;
}

/* What limits loads into registers of either kind alike is no limit of the registers. */
static bool loads_agree(const struct hwc_in_flight *in_flight)
{
    size_t one = in_flight->fit[HWC_FILL_LOAD], other = in_flight->fit[HWC_FILL_LOAD_INT];

    return reaches(one, (double)other) && reaches(other, (double)one);
}

/* So many vector results have registers if one behind them has one, as these are given in order; those that a queue
 * holds before they get any are not among them. Without that number, they are. */
static enum hwc_fill fill_of(const struct hwc_in_flight *in_flight, enum hwc_part part)
{
    bool held = in_flight->fit[HWC_FILL_VECTOR_HELD] > 0 && in_flight->beyond[HWC_FILL_VECTOR_HELD] > 0;

    return part == HWC_PART_VECTOR_REGISTERS && held ? HWC_FILL_VECTOR_HELD : parts[part].fill;
}

/* What takes places of the part beside the instructions that fill it. */
static double taken_beside(enum hwc_fill fill, enum hwc_part part)
{
    if (fill == HWC_FILL_VECTOR_HELD)
        return policy.passed;
    return parts[part].with_loads ? policy.loads : 0;
}

/* What else was full: the reorder buffer holds all instructions. */
static const char *full_first(const struct hwc_in_flight *in_flight, enum hwc_part part)
{
    enum hwc_fill fill = fill_of(in_flight, part), also = parts[part].also;

    if (fill == HWC_FILL_MIXED)
        return full_of_mixture(in_flight);
    if (reaches(in_flight->fit[fill], full_buffer(in_flight)))
        return "the reorder buffer";
    if (also < HWC_FILLS && reaches(in_flight->fit[fill], (double)in_flight->fit[also]))
        return also == HWC_FILL_INT ? "the integer registers" : "the vector registers";
    if (fill == HWC_FILL_LOAD && !loads_agree(in_flight))
        return "the registers of some loads";
    return NULL;
}

/* What no-operations tell stands alone where another part may have limited the mixture, or has: it is much less. */
static void by_both(const struct hwc_in_flight *in_flight, struct hwc_part_size *size)
{
    const struct hwc_places places = by_weight(in_flight);
    double shared = fmin(1, places.each); /* no-operations take a place at most: do those of the mixture share some? */
    double low = shared * places.low + policy.loads, high = shared * places.high + policy.loads;

    if (!places.known)
        return;
    high += slack(high);
    if (!size->known || low > size->high)
        size->low = low, size->high = high;
    size->low = fmin(size->low, low);
    size->high = fmax(size->high, high);
    size->known = true;
}

/* Vector instructions may wait in a queue before they get registers: as many as can wait at all, but for those that let
 * one behind them pass, which are in the scheduler. */
static double queued(const struct hwc_in_flight *in_flight)
{
    double wait = (double)in_flight->fit[HWC_FILL_VECTOR_WAITS];

    return fmin(wait, fmax(0, wait - (double)in_flight->fit[HWC_FILL_VECTOR_BEHIND]) + slack(wait));
}

static void add_registers(struct hwc_part_size *size, double named)
{
    size->low += named;
    size->high = fmax(size->high + named, floor(size->low * (1 + policy.hidden)));
}

struct hwc_part_size hwc_size_of_part(const struct hwc_in_flight *in_flight, enum hwc_part part)
{
    enum hwc_fill fill = fill_of(in_flight, part);
    double fit = (double)in_flight->fit[fill] + taken_beside(fill, part);
    struct hwc_part_size size = {.low = fit, .high = fit + slack(fit)};

    if (in_flight->fit[fill] == 0)
        return size;
    if (in_flight->beyond[fill] > 0)
        size.high = fmax(size.high, fit + (double)(in_flight->beyond[fill] - in_flight->fit[fill]) - 1 + slack(fit));
    size.exhausted = in_flight->fit[fill] == in_flight->most;
    size.fuller = size.exhausted ? NULL : full_first(in_flight, part);
    size.known = !size.exhausted && size.fuller == NULL && in_flight->beyond[fill] > 0;
    if (part == HWC_PART_REORDER_BUFFER)
        by_both(in_flight, &size);
    if (part == HWC_PART_INT_REGISTERS)
        add_registers(&size, in_flight->named_int);
    if (part == HWC_PART_VECTOR_REGISTERS) {
        add_registers(&size, in_flight->named_vector);
        size.low -= fill == HWC_FILL_VECTOR ? queued(in_flight) : 0;
    }
    size.low = floor(size.low);
    size.high = ceil(size.high);
    return size;
}
