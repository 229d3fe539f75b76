#include "fira_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fira.h"
#include "read_off.h"
#include "statistics.h"

static const struct {
    double served; /* a prefetcher is named that leaves less than this share of the misses that random order has */
} policy = {.served = 0.9};

/* Series of a curve over the levels. Misses of a level are those of the phase after its own, as in the paper; hits
 * those of its own. */
enum series {
    MISSES_EXPECTED,
    MISSES,
    MISS_ACCURACY,
    HITS_EXPECTED,
    HITS,
    HIT_ACCURACY,
    HITS_OF_CONTROL,
    MEAN,
    DEVIATION,
    MEDIAN,
    BY_CHAIN,
    SERIES
};

static const char *const names[SERIES][2] = {
    [MISSES_EXPECTED] = {"expected misses", ""},
    [MISSES] = {"misses", ""},
    [MISS_ACCURACY] = {"accuracy of misses", "%"},
    [HITS_EXPECTED] = {"expected hits", ""},
    [HITS] = {"hits", ""},
    [HIT_ACCURACY] = {"accuracy of hits", "%"},
    [HITS_OF_CONTROL] = {"hits if none but lines that fit are read", ""},
    [MEAN] = {"latency, mean", "cycles"},
    [DEVIATION] = {"latency, deviation", "cycles"},
    [MEDIAN] = {"latency, median", "cycles"},
    [BY_CHAIN] = {"latency by the latency probe", "cycles"},
};

enum { PLACES = HWC_FIRA_PHASES + 1 };

/* By series and level; what lies beyond the last one counts as a level. NAN = there is no value. */
struct table {
    double value[SERIES][PLACES];
    bool inferred[PLACES]; /* misses and hits are the clock's */
};

struct report {
    struct hwc_lab *lab;
    const struct hwc_fira_plan *plan;
    const struct hwc_profile *profile;
    const struct hwc_fira_result *result;
    struct table table;
};

static struct hwc_fira_phase phase_of(const struct hwc_fira_plan *plan, unsigned phase)
{
    return (struct hwc_fira_phase){(double)plan->bytes[phase], (double)plan->bytes[phase + 1],
                                   (double)plan->line_bytes};
}

static struct hwc_fira_level level_of(const struct report *report, unsigned level)
{
    return (struct hwc_fira_level){.bytes = (double)report->plan->bytes[level],
                                   .ways = (double)report->lab->known->level[level].ways,
                                   .by_chance = !report->result->contiguous[level],
                                   .lines_of_page = (double)report->lab->machine->page_bytes /
                                                    phase_of(report->plan, level - 1).line};
}

/* The latency probe's: of a level, or of memory after the last. 0 = not known, or there is no such level. */
static double latency_by_chain(const struct report *report, unsigned level)
{
    const struct hwc_profile *profile = report->profile;
    const struct hwc_finding *finding = &profile->memory.finding[HWC_MEMORY_LATENCY];

    if (level <= profile->caches)
        finding = &profile->cache[level - 1].finding[HWC_CACHE_LATENCY];
    return finding->known && level <= profile->caches + 1 ? finding->value : 0;
}

static void fill_in_latency(struct report *report, unsigned phase)
{
    struct hwc_tally tally = {0};
    double cycles[HWC_FIRA_RUNS], chain = latency_by_chain(report, phase + 1);
    unsigned runs = report->result->runs;

    for (unsigned i = 0; i < runs; i++)
        hwc_tally_add(&tally, cycles[i] = report->result->cycles[phase][i]);
    if (runs > 1) {
        report->table.value[MEAN][phase + 1] = hwc_in_hundredths(tally.mean);
        report->table.value[DEVIATION][phase + 1] = hwc_in_hundredths(sqrt(tally.squares / (runs - 1)));
        report->table.value[MEDIAN][phase + 1] = hwc_in_hundredths(hwc_median(cycles, runs));
    }
    if (chain > 0)
        report->table.value[BY_CHAIN][phase + 1] = chain;
}

/* What a miss of the level adds; 0 = it is not known. */
static double miss_adds(const struct report *report, unsigned level)
{
    double hit = latency_by_chain(report, level), miss = latency_by_chain(report, level + 1);

    return hit > 0 && miss > hit && report->result->runs > 1 ? miss - hit : 0;
}

/* Misses of the level among lines of the phase that take so long, from how far that lies from a hit. */
static double misses_by_time(const struct report *report, unsigned level, unsigned phase, double cycles)
{
    double share = (cycles - latency_by_chain(report, level)) / miss_adds(report, level);

    return (double)hwc_fira_lines(report->plan, phase) * fmin(1, fmax(0, share));
}

/* Misses of the level in the phase. */
static double misses_in(struct report *report, unsigned level, unsigned phase)
{
    if (report->result->counted[level])
        return report->result->misses[level][phase];
    if (miss_adds(report, level) == 0)
        return NAN;
    report->table.inferred[level] = true;
    return misses_by_time(report, level, phase, report->table.value[MEDIAN][phase + 1]);
}

static bool is_beside_control(const struct report *report, unsigned level)
{
    return report->result->control_timed[level] && miss_adds(report, level) > 0;
}

static double control_hits(const struct report *report, unsigned level)
{
    double lines = (double)hwc_fira_lines(report->plan, level - 1), cycles[HWC_FIRA_RUNS];

    if (report->result->counted[level])
        return lines - report->result->control[level];
    if (!is_beside_control(report, level))
        return NAN;
    memcpy(cycles, report->result->control_cycles[level], sizeof cycles);
    return lines - misses_by_time(report, level, level - 1, hwc_median(cycles, report->result->runs));
}

static double percent(double expected, double counted)
{
    return isnan(counted) ? NAN : hwc_in_hundredths(100 * hwc_fira_accuracy(expected, counted));
}

static void fill_in_level(struct report *report, unsigned level)
{
    double(*value)[PLACES] = report->table.value;
    struct hwc_fira_phase own = phase_of(report->plan, level - 1), next = phase_of(report->plan, level);
    double lines = (double)hwc_fira_lines(report->plan, level - 1);
    struct hwc_fira_level model = level_of(report, level);

    value[HITS_EXPECTED][level] = round(lines - hwc_fira_misses(&model, &own));
    value[HITS][level] = round(lines - misses_in(report, level, level - 1));
    value[HIT_ACCURACY][level] = percent(value[HITS_EXPECTED][level], value[HITS][level]);
    value[HITS_OF_CONTROL][level] = round(control_hits(report, level));
    if (level == report->plan->phases)
        return;
    value[MISSES_EXPECTED][level] = round(hwc_fira_misses(&model, &next));
    value[MISSES][level] = round(misses_in(report, level, level));
    value[MISS_ACCURACY][level] = percent(value[MISSES_EXPECTED][level], value[MISSES][level]);
}

static void fill_in(struct report *report)
{
    for (unsigned i = 0; i < SERIES; i++)
        for (unsigned level = 0; level < PLACES; level++)
            report->table.value[i][level] = NAN;
    for (unsigned phase = 0; phase < report->plan->phases; phase++)
        fill_in_latency(report, phase);
    for (unsigned level = 1; level <= report->plan->levels; level++)
        fill_in_level(report, level);
}

/* Of lines that hit if none others are read, so that what measuring puts out is not held against the policy. Counts are
 * held against all lines where sets are filled by chance, as what is expected of them allows for that. */
static double hits_without_policy(const struct report *report, unsigned level)
{
    double lines = (double)hwc_fira_lines(report->plan, level - 1);
    double control = report->table.value[HITS_OF_CONTROL][level];
    bool by_chance = report->result->counted[level] && !report->result->contiguous[level];

    return isnan(control) || by_chance ? lines : control;
}

/* By how much longer the phase takes than the same way back after lines that fit, run by run. Others put lines out in
 * some runs, and a policy in all of them. */
static enum hwc_fira_verdict judge_beside_control(const struct report *report, unsigned level)
{
    struct hwc_fira_phase own = phase_of(report->plan, level - 1);
    struct hwc_fira_level model = level_of(report, level);
    double later[HWC_FIRA_RUNS], each = (double)hwc_fira_lines(report->plan, level - 1) / miss_adds(report, level);
    struct hwc_tally tally = {0};
    unsigned runs = report->result->runs;
    enum hwc_fira_verdict verdict;
    double error;

    for (unsigned i = 0; i < runs; i++) {
        later[i] = report->result->cycles[level - 1][i] - report->result->control_cycles[level][i];
        hwc_tally_add(&tally, later[i]);
    }
    error = each * 2 * sqrt(tally.squares / (runs - 1) / runs);
    verdict = hwc_fira_judge_beside(&model, &own, each * hwc_median(later, runs), error); /* sorts */
    if (verdict == HWC_FIRA_NOT_LRU && report->lab->machine->interference)
        verdict = hwc_fira_judge_beside(&model, &own, each * later[runs / 4], error);
    return verdict;
}

static enum hwc_fira_verdict judge(const struct report *report, unsigned level)
{
    struct hwc_fira_phase own = phase_of(report->plan, level - 1);
    struct hwc_fira_level model = level_of(report, level);
    double hits = report->table.value[HITS][level];

    if (isnan(hits))
        return HWC_FIRA_OPEN;
    if (is_beside_control(report, level))
        return judge_beside_control(report, level);
    return hwc_fira_judge(&model, &own, fmax(0, hits_without_policy(report, level) - hits));
}

/* What the replacement probe's policy would keep, in words; "" where it named none, or the model has none of it. */
static void say_policy(const struct report *report, unsigned level, char *text, size_t size)
{
    const struct hwc_finding *finding = &report->profile->cache[level - 1].finding[HWC_CACHE_REPLACEMENT];
    const struct hwc_level *known = &report->lab->known->level[level];
    struct hwc_fira_phase own = phase_of(report->plan, level - 1);
    struct hwc_policy named;
    double kept = -1;

    text[0] = '\0';
    if (!finding->known) {
        hwc_write(text, size, "; the replacement probe names no policy");
        return;
    }
    if (hwc_policy_parse(finding->text, &named) && known->inclusion != HWC_EXCLUSIVE)
        kept = hwc_fira_kept(&named, (unsigned)known->ways, own.from / own.to, &report->lab->random);
    if (kept < 0)
        hwc_write(text, size, "; the replacement probe says %s", finding->text);
    else
        hwc_write(text, size, "; the replacement probe says %s, which keeps %.1f %%", finding->text, 100 * kept);
}

static void say_verdict(struct report *report, unsigned level)
{
    static const char *const verdicts[] = {
        [HWC_FIRA_OPEN] = "which LRU explains, and others, too",
        [HWC_FIRA_AS_LRU] = "as LRU does, and FIFO and trees do",
        [HWC_FIRA_NOT_LRU] = "so that it is not LRU",
    };
    double fitting = hits_without_policy(report, level), hits = report->table.value[HITS][level];
    char found[256];

    if (isnan(hits)) {
        hwc_note(&report->lab->notes, "fira: L%u: its misses were not counted, and the clock does not tell them",
                 level);
        return;
    }
    say_policy(report, level, found, sizeof found);
    hwc_note(&report->lab->notes, "fira: L%u kept %.1f %% of the lines that LRU keeps%s, %s%s", level,
             100 * fmin(1, hits / fitting), report->table.inferred[level] ? " (by the clock)" : "",
             verdicts[judge(report, level)], found);
}

static void say_latency(struct report *report, unsigned level)
{
    double cycles = report->table.value[MEDIAN][level], chain = report->table.value[BY_CHAIN][level];

    if (judge(report, level) != HWC_FIRA_NOT_LRU || isnan(cycles))
        return;
    if (isnan(chain))
        hwc_note(&report->lab->notes, "fira: L%u's %.1f cycles are a mixture of hits and misses, and no latency", level,
                 cycles);
    else
        hwc_note(&report->lab->notes,
                 "fira: L%u's %.1f cycles are a mixture of hits and misses; its latency is the latency probe's, "
                 "%.1f cycles", level, cycles, chain);
}

static void say_prefetcher(struct hwc_lab *lab, const struct report *in_order, const struct report *at_random,
                           unsigned level)
{
    double fewer = in_order->table.value[MISSES][level], all = at_random->table.value[MISSES][level];

    if (fewer < policy.served * all)
        hwc_note(&lab->notes,
                 "fira: a prefetcher of L%u serves %.0f %% of its misses where lines come one after the other; random "
                 "order leaves %.0f of %.0f", level, 100 * (1 - fewer / all), all,
                 at_random->table.value[MISSES_EXPECTED][level]);
}

static int add_verdict(struct hwc_curve *curve, const struct report *report, unsigned level, struct hwc_error *error)
{
    enum hwc_fira_verdict verdict = judge(report, level);
    struct hwc_read_off off;
    char name[48];

    hwc_write(name, sizeof name, "L%u keeps what LRU keeps", level);
    off = hwc_read_off_of(name, HWC_YES_OR_NO, names[HIT_ACCURACY][0]);
    if (verdict != HWC_FIRA_OPEN) {
        hwc_read_off_know(&off, verdict == HWC_FIRA_AS_LRU);
        hwc_read_off_show_at(&off, level);
    } else if (isnan(report->table.value[HITS][level])) {
        hwc_read_off_leave_open(&off, "its misses are not known");
    } else {
        hwc_read_off_leave_open(&off, is_beside_control(report, level)
                                          ? "its runs differ by more than a policy would change"
                                          : "lines spread by chance explain what was counted, too");
    }
    return hwc_read_off_add(curve, &off, error);
}

static const char *counter_of(const struct hwc_witness *witness)
{
    return hwc_counts_events(witness) ? witness->counter : "loads slower than hits";
}

/* "L1 skx::MEM_LOAD_RETIRED:L1_MISS, L2 ...": what counted at each level. */
static void list_counters(const struct report *report, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned level = 1; level <= report->plan->levels && used < size; level++)
        if (report->result->counted[level])
            used += (size_t)snprintf(text + used, size - used, "%sL%u %s", used > 0 ? ", " : "", level,
                                     counter_of(&report->lab->witness[level]));
}

/* Who says so, and how. Expected figures have no witness. */
static void say_how(const struct report *report, enum series i, struct hwc_series *series)
{
    unsigned counted = 1;

    if (i >= MEAN)
        series->witness = hwc_by_clock.kind;
    if (i != MISSES && i != HITS && i != HITS_OF_CONTROL)
        return;
    while (counted < report->plan->levels && !report->result->counted[counted])
        counted++;
    series->witness = report->result->counted[counted] ? report->lab->witness[counted].kind : hwc_by_clock.kind;
    if (report->result->counted[counted])
        list_counters(report, series->how, sizeof series->how);
    else
        hwc_write(series->how, sizeof series->how, "inferred from the time of a reference");
}

static int add_series(struct hwc_curve *curve, const struct report *report, enum series i, struct hwc_error *error)
{
    struct hwc_series *series = NULL;

    for (unsigned level = 1; level < PLACES; level++) {
        double value = report->table.value[i][level];
        if (isnan(value))
            continue;
        if (series == NULL) {
            TRY(hwc_series_add(curve, names[i][0], names[i][1], &series, error));
            say_how(report, i, series);
        }
        TRY(hwc_point_add(series, level, value, error));
    }
    return HWC_OK;
}

static int add_curve(const struct report *report, enum hwc_fira_order order, struct hwc_curves *curves,
                     struct hwc_error *error)
{
    const char *type = order == HWC_FIRA_ONE_LINE ? "back by one line" : "random order";
    struct hwc_curve *curve;

    TRY(hwc_curve_add(curves, "fira", type, "level, then beyond", "", &curve, error));
    for (unsigned i = 0; i < SERIES; i++)
        TRY(add_series(curve, report, (enum series)i, error));
    for (unsigned level = 1; level <= report->plan->levels && order == HWC_FIRA_RANDOM; level++)
        TRY(add_verdict(curve, report, level, error));
    return HWC_OK;
}

int hwc_fira_report(struct hwc_lab *lab, const struct hwc_fira_plan *plan,
                    const struct hwc_fira_result result[HWC_FIRA_ORDERS], struct hwc_profile *profile,
                    struct hwc_error *error)
{
    struct report report[HWC_FIRA_ORDERS];

    for (unsigned order = 0; order < HWC_FIRA_ORDERS; order++) {
        report[order] = (struct report){.lab = lab, .plan = plan, .profile = profile, .result = &result[order]};
        fill_in(&report[order]);
        TRY(add_curve(&report[order], (enum hwc_fira_order)order, &profile->curves, error));
    }
    for (unsigned level = 1; level <= plan->levels; level++) {
        say_verdict(&report[HWC_FIRA_RANDOM], level);
        say_latency(&report[HWC_FIRA_RANDOM], level);
        if (level < plan->phases)
            say_prefetcher(lab, &report[HWC_FIRA_ONE_LINE], &report[HWC_FIRA_RANDOM], level);
    }
    return HWC_OK;
}
