/* Bandwidth of every data-cache level, and of memory.
 *
 * Claim: how many bytes a second one core reads, writes and copies, again and
 * again, where the level serves all of them.
 *
 * Method: McCalpin's STREAM (1995), for each level by its footprint, as lmbench's
 * bw_mem has it (McVoy and Staelin, USENIX 1996): all bytes of a range, in
 * ascending order, by loads and stores that wait for none before. The level holds
 * the range and the one above does not: what goes round in it finds nothing above
 * (LRU; other policies keep little of three times what they hold). A copy's bytes
 * are those read and those written.
 *
 * What can fool it: a level above that keeps some of a range that goes round in it,
 * as policies that resist thrashing do; memory's footprint is four times the last
 * level, and such a last level serves up to a quarter of it. Others that share the
 * level or memory: what they use is missing here. Prefetchers take part, as they
 * do in what a user runs; stores fetch the line that they write to, and write it
 * back later, which is in the time and not in the bytes. */
#include <math.h>
#include <string.h>

#include "footprint.h"
#include "sampler.h"
#include "statistics.h"
#include "table.h"

static const struct {
    uint64_t least_bytes, long_bytes, very_long_bytes, memory_bytes;
    unsigned few;
    double alike, widest;
} policy = {
    .least_bytes = UINT64_C(2) << 20, /* that a reading moves: reading the clock is next to nothing in that time */
    .long_bytes = UINT64_C(8) << 20,  /* of a longer range few readings are enough for a vote, */
    .very_long_bytes = UINT64_C(256) << 20, /* and of one that takes long to map few votes */
    .memory_bytes = UINT64_C(64) << 20,
    .few = 3,
    .alike = 0.05,
    .widest = 4, /* bounds farther apart say nothing */
};

static const enum hwc_field_id of_cache[HWC_STREAMS] = {
    [HWC_STREAM_READ] = HWC_CACHE_BANDWIDTH,
    [HWC_STREAM_WRITE] = HWC_CACHE_WRITE_BANDWIDTH,
    [HWC_STREAM_COPY] = HWC_CACHE_COPY_BANDWIDTH,
};
static const enum hwc_field_id of_memory[HWC_STREAMS] = {
    [HWC_STREAM_READ] = HWC_MEMORY_BANDWIDTH,
    [HWC_STREAM_WRITE] = HWC_MEMORY_WRITE_BANDWIDTH,
    [HWC_STREAM_COPY] = HWC_MEMORY_COPY_BANDWIDTH,
};

/* The range that is streamed over. Each reference is to a line of it. */
struct range {
    uint64_t bytes, line_bytes;
};

/* In millions of bytes a second, of each vote. */
struct readings {
    double rate[HWC_STREAMS][HWC_MAX_VOTES];
    unsigned given;
};

static unsigned few_if(bool is_long, unsigned usual)
{
    return is_long && usual > policy.few ? policy.few : usual;
}

/* The median of several readings, in cycles a pass. */
static int time_passes(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       unsigned samples, double *cycles, struct hwc_error *error)
{
    uint32_t passes = (uint32_t)(policy.least_bytes / walk->stream.bytes) + 1;
    struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_NO_EVENT, .steps = 2, .step = {{HWC_RUN, walk, 1}, {HWC_MEASURE, walk, passes}}};
    double taken[HWC_MAX_VOTES];

    for (unsigned i = 0; i < samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        taken[i] = sample.reading[0].cycles / passes;
        experiment.step[0].passes = 0; /* warm from the reading before */
    }
    *cycles = hwc_median(taken, samples);
    return HWC_OK;
}

static int read_stream(struct hwc_lab *lab, const struct hwc_arena *arena, const struct range *range,
                       enum hwc_stream_kind kind, double *rate, struct hwc_error *error)
{
    const struct hwc_stream stream = {range->bytes, kind};
    unsigned samples = lab->settings.samples < HWC_MAX_VOTES ? lab->settings.samples : HWC_MAX_VOTES;
    struct hwc_walk walk;
    double cycles = 0;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_stream(&walk, &stream, range->line_bytes, error);
    if (status == HWC_OK)
        status = time_passes(lab, arena, &walk, few_if(range->bytes > policy.long_bytes, samples), &cycles, error);
    hwc_walk_free(&walk);
    if (status == HWC_OK && cycles <= 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "the clock shows no time for %.0f KiB", (double)range->bytes / 1024);
    if (status == HWC_OK)
        *rate = (double)range->bytes / cycles * lab->machine->cycles_per_ns * 1e3;
    return status;
}

static int read_vote(struct hwc_lab *lab, const struct hwc_arena *arena, const struct range *range,
                     struct readings *readings, struct hwc_error *error)
{
    for (unsigned kind = 0; kind < HWC_STREAMS; kind++)
        TRY(read_stream(lab, arena, range, (enum hwc_stream_kind)kind, &readings->rate[kind][readings->given], error));
    readings->given++;
    return HWC_OK;
}

/* So many votes on the same pages. */
static int read_votes(struct hwc_lab *lab, const struct range *range, unsigned votes, struct readings *readings,
                      struct hwc_error *error)
{
    struct hwc_arena arena;
    int status = HWC_OK;

    TRY(lab->machine->ops->arena_open(lab->machine, range->bytes, HWC_LARGE_PAGES, &arena, error));
    for (unsigned i = 0; i < votes && status == HWC_OK; i++)
        status = read_vote(lab, &arena, range, readings, error);
    lab->machine->ops->arena_close(lab->machine, &arena);
    return status;
}

static unsigned count_alike(const double *rates, unsigned count, double usual)
{
    unsigned alike = 0;

    for (unsigned i = 0; i < count; i++)
        alike += fabs(rates[i] / usual - 1) <= policy.alike;
    return alike;
}

/* The value is the median of the votes, of which half must lie near it; else they are its bounds. */
static void report_votes(const struct readings *readings, enum hwc_stream_kind kind, unsigned votes, double seconds,
                         struct hwc_finding *finding)
{
    double sorted[HWC_MAX_VOTES], usual;

    memcpy(sorted, readings->rate[kind], sizeof sorted);
    usual = hwc_median(sorted, readings->given);
    *finding = (struct hwc_finding){.asked = true, .witness = hwc_by_clock.kind, .votes = votes};
    finding->value = round(usual * 10) / 10;
    finding->alike = count_alike(sorted, readings->given, usual);
    finding->seconds = seconds;
    finding->known = finding->alike * 2 >= votes && finding->value > 0;
    if (finding->known)
        return;
    finding->has_interval = sorted[0] > 0 && sorted[readings->given - 1] <= policy.widest * sorted[0];
    finding->low = floor(sorted[0]);
    finding->high = ceil(sorted[readings->given - 1]);
    hwc_finding_unknown(finding, HWC_WHY_UNDECIDED,
                        "the bandwidth is not steady: %u of %u votes within 5 %% of %.1f MB/s", finding->alike, votes,
                        finding->value);
}

static int measure(struct hwc_lab *lab, const struct range *range, struct hwc_record *record,
                   const enum hwc_field_id fields[HWC_STREAMS], struct hwc_error *error)
{
    unsigned votes = few_if(range->bytes > policy.very_long_bytes, lab->settings.votes);
    double started = hwc_lab_elapsed(lab);
    struct readings readings = {.given = 0};

    /* Where pages lie matters to a range that a level just holds, and mapping a long one takes longer than reading it. */
    while (readings.given < votes) {
        int status = read_votes(lab, range, range->bytes > policy.long_bytes ? votes : 1, &readings, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        if (status != HWC_OK)
            break;
    }
    for (unsigned kind = 0; kind < HWC_STREAMS; kind++) {
        struct hwc_finding *finding = &record->finding[fields[kind]];
        if (readings.given == votes)
            report_votes(&readings, (enum hwc_stream_kind)kind, votes,
                         (hwc_lab_elapsed(lab) - started) / HWC_STREAMS, finding);
        else
            hwc_finding_failed(finding, error);
    }
    return HWC_OK;
}

/* Round the bytes to whole lines and grains, of both halves of a copy. Lines of a stream are as long as what a miss of any
 * level brings, so that one level serves all of each. */
static struct range range_of(const struct hwc_lab *lab, uint64_t bytes)
{
    uint64_t line = hwc_footprint_of(lab, bytes).line_bytes, whole = HWC_STREAM_GRAIN;
    uint64_t longest = hwc_longest_line(lab, lab->known->levels);

    if (line < longest)
        line = longest;
    if (whole < 2 * line)
        whole = 2 * line;
    return (struct range){bytes / whole * whole, line};
}

/* No more than this stays in a level and those above. */
static uint64_t most_held(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->known->level[level];

    if (this->effective_bytes > 0)
        return this->effective_bytes;
    if (this->size_bytes > 0 && level > 1)
        return this->size_bytes + most_held(lab, level - 1);
    return this->rough_high / 3 * 2;
}

/* 0 = that is not known. */
static double surely_held(const struct hwc_lab *lab, unsigned level)
{
    double least, most;

    hwc_held_bounds(lab, level, &least, &most);
    return least;
}

/* Of a level whose size is not known, as little as will do, since others may take much of it. */
static uint64_t footprint_in_bounds(const struct hwc_lab *lab, unsigned level, uint64_t above)
{
    return (double)(3 * above) <= surely_held(lab, level) ? 3 * above : 0;
}

/* A footprint that this level holds wherever its pages lie, and of which the one above keeps next to nothing: three
 * times what that holds, and better four times. 0 = there is none. */
static uint64_t footprint_in(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->known->level[level];
    uint64_t above = level > 1 ? most_held(lab, level - 1) : 0, largest = this->size_bytes / 2;
    uint64_t bytes = this->size_bytes / (this->ways > 0 && this->ways <= 2 ? 8 : 4);

    if (level == 1)
        return largest;
    if (this->size_bytes == 0)
        return footprint_in_bounds(lab, level, above);
    while (bytes < 4 * above && bytes <= largest / 2)
        bytes *= 2;
    return above > 0 && bytes >= 3 * above ? bytes : 0;
}

/* Why no level can be asked? */
static struct hwc_reason why_none(const struct hwc_lab *lab)
{
    if (!lab->machine->has_clock)
        return hwc_unavailable("this machine has no clock of its own: time passes in the simulator's host");
    if (lab->machine->stream_reason != NULL)
        return hwc_unavailable(lab->machine->stream_reason);
    if (lab->machine->cycles_per_ns <= 0)
        return hwc_unavailable("the core's frequency is not known, and so not how long a cycle is");
    if (lab->known->levels == 0 || lab->known->level[1].line_bytes == 0)
        return hwc_depends("the first level's line size is not known");
    return HWC_NO_REASON;
}

static void report_because(struct hwc_record *record, const enum hwc_field_id fields[HWC_STREAMS],
                           struct hwc_reason reason)
{
    for (unsigned kind = 0; kind < HWC_STREAMS; kind++)
        hwc_finding_because(&record->finding[fields[kind]], reason);
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_record *record, struct hwc_error *error)
{
    struct hwc_reason reason = why_none(lab);
    struct range range = {0};

    if (reason.text == NULL && surely_held(lab, level) <= 0)
        reason = hwc_depends("what the level holds is not known");
    if (reason.text == NULL)
        range = range_of(lab, footprint_in(lab, level));
    if (reason.text == NULL && range.bytes == 0)
        reason = hwc_inconclusive("no footprint is served by this level alone");
    if (reason.text == NULL)
        return measure(lab, &range, record, of_cache, error);
    report_because(record, of_cache, reason);
    return HWC_OK;
}

static int run_memory(struct hwc_lab *lab, struct hwc_record *record, struct hwc_error *error)
{
    const struct hwc_level *last = &lab->known->level[lab->known->levels];
    uint64_t capacity = last->rough_high > last->size_bytes ? last->rough_high : last->size_bytes;
    uint64_t bytes = 4 * capacity > policy.memory_bytes ? 4 * capacity : policy.memory_bytes;
    struct hwc_reason reason = why_none(lab);
    struct range range;

    if (reason.text == NULL && capacity == 0)
        reason = hwc_depends("the last level's size is not known");
    if (reason.text == NULL && bytes > lab->machine->max_arena_bytes)
        reason = hwc_unavailable("too little memory to get past the caches");
    if (reason.text != NULL) {
        report_because(record, of_memory, reason);
        return HWC_OK;
    }
    range = range_of(lab, bytes);
    return measure(lab, &range, record, of_memory, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned level = 1; level <= profile->caches; level++)
        TRY(run_level(lab, level, &profile->cache[level - 1], error));
    return run_memory(lab, &profile->memory, error);
}

const struct hwc_probe hwc_probe_bandwidth = {
    .name = "bandwidth",
    .summary = "bytes a second that one core reads, writes and copies: of every data-cache level, and of memory",
    .source = "McVoy and Staelin, USENIX 1996, 5.1; McCalpin, IEEE TCCA Newsletter, December 1995",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_BANDWIDTH, HWC_CACHE_WRITE_BANDWIDTH, HWC_CACHE_COPY_BANDWIDTH, HWC_MEMORY_BANDWIDTH,
                 HWC_MEMORY_WRITE_BANDWIDTH, HWC_MEMORY_COPY_BANDWIDTH},
    .run = run,
};
