#include "latency_beyond_set.h"

#include <math.h>

#include "beyond_set.h"
#include "finding.h"
#include "set_of_lines.h"

enum { FEWEST_SETS = 4 };

/* By this share longer, a footprint misses lines: more than sets of one level differ in the mean. */
static const double put_out = 0.05;

bool hwc_is_latency_agreed(const struct hwc_finding *finding, double most)
{
    unsigned needed = finding->value > most ? finding->votes : (finding->votes * 3 + 3) / 4;

    return finding->known && finding->alike >= needed;
}

static void note_slices(struct hwc_lab *lab, const struct hwc_beyond_set *beyond)
{
    if (beyond->most > 0)
        hwc_note(&lab->notes, "level %u: from %.0f to %.0f cycles, by set: some of its slices are nearer than others",
                 beyond->level + 1, beyond->least, beyond->most);
}

/* Where both are told: what others put out of a footprint takes as long as memory. */
static bool is_less_by_far(const struct hwc_beyond_set *beyond, const struct hwc_finding *of_set,
                           const struct hwc_finding *of_footprint)
{
    return (of_set->known ? of_set->value : beyond->fastest) < of_footprint->value * (1 - put_out);
}

/* Sets that differ, one from the other and each in all of its places, differ by when they were timed: others use the
 * level. What it takes lies between them. */
static void report_range(const struct hwc_lab *lab, const struct hwc_beyond_set *beyond, struct hwc_finding *finding)
{
    double off = lab->machine->cycles_off;

    if (beyond->sets < FEWEST_SETS)
        return;
    hwc_finding_between(finding, hwc_in_hundredths((1 - off) * beyond->fastest),
                        hwc_in_hundredths((1 + off) * beyond->slowest), "it differs from moment to moment");
}

/* Lines of sets that votes find: bounds if these have nothing in common, nothing if too few told. */
static int measure_beyond_set(struct hwc_lab *lab, struct hwc_beyond_set *beyond, struct hwc_finding *finding,
                              struct hwc_error *error)
{
    double started = hwc_lab_elapsed(lab);
    struct hwc_common_least least;
    int status = hwc_vote_beyond_set(lab, beyond, &least, error);

    if (status != HWC_OK && !hwc_came_to_nothing(status))
        return status;
    if (status != HWC_OK) {
        report_range(lab, beyond, finding);
        return HWC_OK;
    }
    *finding = (struct hwc_finding){.asked = true, .known = true, .witness = hwc_by_clock.kind, .alike = least.alike};
    finding->votes = least.lesser + least.alike;
    finding->value = hwc_in_hundredths(least.value);
    finding->seconds = hwc_lab_elapsed(lab) - started;
    hwc_finding_nanoseconds(finding, least.value, lab->machine->cycles_per_ns);
    return HWC_OK;
}

/* All votes may have been cast while somebody else worked: then they take longer than loads drawn at random allow,
 * which were timed over longer, and are cast once more. */
static int measure_beyond_set_again(struct hwc_lab *lab, struct hwc_beyond_set *beyond, double most,
                                    struct hwc_finding *finding, struct hwc_error *error)
{
    struct hwc_finding again = {0};

    TRY(measure_beyond_set(lab, beyond, finding, error));
    if (!finding->known || finding->value <= most)
        return HWC_OK;
    TRY(measure_beyond_set(lab, beyond, &again, error));
    if (again.known && again.value < finding->value)
        *finding = again;
    return HWC_OK;
}

int hwc_latency_beyond_set(struct hwc_lab *lab, unsigned level, double most, struct hwc_profile *profile,
                           struct hwc_error *error)
{
    const struct hwc_finding *first = &profile->cache[0].finding[HWC_CACHE_LATENCY];
    const struct hwc_finding *above = &profile->cache[level - 2].finding[HWC_CACHE_LATENCY];
    struct hwc_finding *finding = &profile->cache[level - 1].finding[HWC_CACHE_LATENCY], found = {0};
    struct hwc_beyond_set beyond = {.level = level - 1, .hits = above->value, .first = first->value};
    const struct hwc_level *known = &lab->known->level[level - 1];
    bool is_footprint = hwc_is_latency_agreed(finding, INFINITY) && lab->known->level[level].size_bytes > 0;

    if (!first->known || !above->known || lab->known->level[1].line_bytes == 0 ||
        !hwc_is_set_known(known, 2 * known->ways + 1))
        return HWC_OK;
    TRY(measure_beyond_set_again(lab, &beyond, most, &found, error));
    if (!found.asked || (is_footprint && !is_less_by_far(&beyond, &found, finding)))
        return HWC_OK;
    *finding = found;
    note_slices(lab, &beyond);
    return HWC_OK;
}
