#include "seen_levels.h"

#include <math.h>

#include "drawn_curve.h"
#include "footprint.h"
#include "statistics.h"

enum { LOOKS = 3 };

static const struct {
    double first_share, last_share, blind_last_share;
    uint64_t least_first_bytes, last_bytes, blind_last_bytes;
    uint64_t usual_line, usual_ways;
    unsigned few_ways;
    double near_memory;
    double longest;
} policy = {
    .first_share = 1.0 / 8, /* of the first level, with which footprints begin */
    .last_share = 3,        /* times the last level, with which they end at the earliest */
    .blind_last_share = 5,  /* the same, where it is not known what memory takes */
    .least_first_bytes = 1024,
    /* Where lines can be flushed it is known when memory shows. Elsewhere another level might follow, up to here. */
    .last_bytes = UINT64_C(16) << 20,
    .blind_last_bytes = UINT64_C(128) << 20,
    .usual_line = 64, /* of references, if lines are not known; longer ones hold several, and no set stays empty */
    .usual_ways = 4,  /* of a level below the first whose ways are not known, at least */
    .few_ways = 1,
    .near_memory = 0.85,
    .longest = 3, /* seconds; a look takes half as long where nobody disturbs */
};

/* What was seen, and what it is held against. */
struct look {
    double begun; /* seconds */
    struct hwc_drawn_curve curve;
    struct hwc_levels_fit fit;
    uint64_t line_bytes;
    double flushed_cycles; /* of a line from memory; 0 = not known */
    double first_cycles;   /* of a line that the first level serves */
};

uint64_t hwc_drawn_spacing(const struct hwc_lab *lab)
{
    uint64_t line = lab->known->level[1].line_bytes;

    return line > 0 ? line : policy.usual_line;
}

static double most_bytes(const struct hwc_lab *lab)
{
    return (double)lab->machine->max_arena_bytes / 4;
}

/* Does memory show beyond the last level? */
static bool memory_shows(const struct hwc_drawn_curve *curve, const struct hwc_levels_fit *fit, double flushed_cycles)
{
    bool blind = flushed_cycles <= 0;
    double share = blind ? policy.blind_last_share : policy.last_share;

    return fit->levels > 0 && curve->points > 0 &&
           curve->bytes[curve->points - 1] >= share * fit->level[fit->levels - 1].capacity &&
           (blind || fit->memory.value >= policy.near_memory * flushed_cycles);
}

bool hwc_memory_shows(const struct hwc_lab *lab)
{
    return memory_shows(&lab->known->drawn, &lab->known->fit, lab->known->flushed_cycles);
}

/* What a line of the first level and one from memory take, in a chain. */
static int time_ends(struct hwc_lab *lab, struct look *look, struct hwc_error *error)
{
    const struct hwc_footprint one = {1, HWC_CELL_BYTES, HWC_LARGE_PAGES, hwc_pages_per_group(lab), HWC_LOAD};

    TRY(hwc_time_data(lab, &one, lab->settings.samples, &look->first_cycles, error));
    if (!lab->machine->flushes)
        return HWC_OK;
    return hwc_time_flushed(lab, look->line_bytes, &look->flushed_cycles, error);
}

static void subtract(double added, double least_added, struct hwc_fitted_cycles *cycles)
{
    cycles->value -= added;
    cycles->least -= added;
    cycles->most -= least_added;
}

void hwc_fit_chain(const struct hwc_drawn_curve *curve, double first_cycles, struct hwc_levels_fit *fit)
{
    double added, least_added;

    if (!hwc_fit_levels(curve, fit))
        return;
    added = least_added = fit->level[0].cycles.value - first_cycles;
    if (curve->quickest > 0)
        least_added = fmin(added, curve->quickest - first_cycles);
    for (unsigned i = 0; i < fit->levels; i++)
        subtract(added, least_added, &fit->level[i].cycles);
    subtract(added, least_added, &fit->memory);
}

/* Beside others who take turns with this thread, a look takes many times as long, and another tells little. */
static bool has_had_its_time(const struct hwc_lab *lab, const struct look *look)
{
    return hwc_lab_overdrawn(lab) || (lab->machine->live && hwc_lab_elapsed(lab) - look->begun > policy.longest);
}

/* The first level is that of one thread and its sibling, which may leave half of it. */
static struct hwc_known_level known_first(const struct hwc_lab *lab)
{
    double size = (double)lab->known->level[1].size_bytes;

    return (struct hwc_known_level){size / 2, size};
}

/* What the look begins with. While a sibling is busy, references that the first level serves take as long as others take a
 * little further on, and points alone do not tell where it ends. Where that is known, it is said. */
static void prepare_curve(const struct hwc_lab *lab, struct hwc_drawn_curve *curve)
{
    curve->points = 0;
    curve->quickest = 0;
    curve->least_ways = (unsigned)policy.usual_ways;
    curve->rivals = true;
    curve->knowns = 0;
    if (lab->known->level[1].size_bytes > 0)
        curve->known[curve->knowns++] = known_first(lab);
}

/* Footprints grow until memory shows, or memory or time for more of them is not there. */
static int look_at_levels(struct hwc_lab *lab, struct look *look, struct hwc_error *error)
{
    uint64_t first = (uint64_t)(policy.first_share * (double)lab->known->level[1].size_bytes);
    struct hwc_drawn_range range = {
        .line_bytes = look->line_bytes,
        .first_bytes = first > 0 ? first : policy.least_first_bytes,
        .last_bytes = look->flushed_cycles > 0 ? policy.last_bytes : policy.blind_last_bytes,
    };

    prepare_curve(lab, &look->curve);
    for (bool more = true; more;) {
        size_t before = look->curve.points;
        TRY(hwc_measure_drawn_curve(lab, &range, &look->curve, error));
        hwc_fit_chain(&look->curve, look->first_cycles, &look->fit);
        more = look->curve.points > before && !memory_shows(&look->curve, &look->fit, look->flushed_cycles) &&
               (double)range.last_bytes < most_bytes(lab) && !has_had_its_time(lab, look);
        range.first_bytes = range.last_bytes;
        range.last_bytes *= 4;
    }
    return HWC_OK;
}

static bool agrees_with_first(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    const struct hwc_known_level first = known_first(lab);

    return fit->levels > 0 && fit->level[0].low <= first.high && fit->level[0].high >= first.low;
}

static void widen(struct hwc_fitted_cycles *cycles, const struct hwc_fitted_cycles *again)
{
    cycles->least = fmin(cycles->least, again->least);
    cycles->most = fmax(cycles->most, again->most);
}

/* Take in what another look allows. False if the two contradict each other. */
static bool join(struct hwc_levels_fit *fit, const struct hwc_levels_fit *again)
{
    if (fit->levels != again->levels)
        return false;
    for (unsigned i = 0; i < fit->levels; i++) {
        struct hwc_fitted_level *level = &fit->level[i];
        if (level->low > again->level[i].high || again->level[i].low > level->high)
            return false;
        level->low = fmin(level->low, again->level[i].low);
        level->high = fmax(level->high, again->level[i].high);
        widen(&level->cycles, &again->level[i].cycles);
    }
    widen(&fit->memory, &again->memory);
    fit->told = (unsigned)hwc_lesser(fit->told, again->told);
    return true;
}

/* May what others do have made a level of its own? */
static bool is_doubtful(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    return lab->machine->interference && hwc_fit_is_near(fit, 1);
}

/* Nothing is told of a level that others may have made, nor beyond. */
static void doubt(const struct hwc_lab *lab, struct hwc_levels_fit *fit)
{
    struct hwc_levels_fit sure = *fit;

    while (is_doubtful(lab, &sure))
        sure.levels--;
    fit->told = (unsigned)hwc_lesser(sure.levels, fit->told);
}

/* How many levels have bounds that meet? */
static unsigned levels_alike(const struct hwc_levels_fit *fit, const struct hwc_levels_fit *other)
{
    unsigned level = 0;

    while (level < fit->levels && level < other->levels && fit->level[level].low <= other->level[level].high &&
           other->level[level].low <= fit->level[level].high)
        level++;
    return level;
}

/* So many levels a fit with few ways tells, too. */
static unsigned levels_told_alike(const struct hwc_levels_fit *fit, const struct hwc_levels_fit *fewer)
{
    unsigned alike = levels_alike(fit, fewer);

    if (fewer->levels < fit->levels && alike == fewer->levels) /* the last of them is the one that was two */
        alike--;
    return (unsigned)hwc_lesser(alike, fewer->told);
}

/* How many levels are told, if some may have as few ways as is said with these points? All, where they show none. */
static unsigned told_with(const struct look *look, const struct hwc_drawn_curve *curve)
{
    struct hwc_levels_fit fewer;

    return hwc_fit_levels(curve, &fewer) ? levels_told_alike(&look->fit, &fewer) : look->fit.levels;
}

/* Did others disturb anything? Where pages lie makes no bursts, and does not show where the first level holds them. */
static bool was_disturbed(const struct look *look)
{
    const struct hwc_drawn_curve *curve = &look->curve;
    bool any = false;

    for (size_t i = 0; i < curve->points; i++) {
        bool held_first = curve->bytes[i] <= look->fit.level[0].low;
        unsigned alone = curve->without_bursts[i].readings - curve->cycles[i].readings;
        any = any || curve->cycles[i].disturbed > (held_first ? 0 : alone);
    }
    return any;
}

/* A level of few ways, which is full little by little, looks much like two. Where one of a single way may explain the
 * points, too, what comes after the levels above it is not told before its ways are. If these are few, or others are not
 * seen to do anything, it must explain what was slow alone, too. */
static void allow_few_ways(struct look *look)
{
    struct hwc_drawn_curve curve = look->curve;
    struct hwc_levels_fit *fit = &look->fit;
    unsigned alike;

    fit->told_if_many = fit->told_if_few = fit->told;
    if (fit->levels <= 2)
        return;
    curve.least_ways = policy.few_ways;
    alike = told_with(look, &curve);
    fit->may_be_two = alike + 1 < fit->levels ? alike : 0;
    fit->told = (unsigned)hwc_lesser(alike, fit->told);
    fit->told_if_few = fit->told;
    if (!hwc_assume_ways(&curve, policy.few_ways))
        return;
    fit->told_if_few = (unsigned)hwc_lesser(told_with(look, &curve), fit->told);
    if (!was_disturbed(look))
        fit->told = fit->told_if_few;
}

/* A third level of which others leave little may hide the second. */
static void allow_third(struct look *look)
{
    struct hwc_levels_fit wider;

    look->curve.may_hide = true;
    if (look->fit.levels != 2 || look->fit.told != 2)
        return;
    hwc_fit_chain(&look->curve, look->first_cycles, &wider);
    if (wider.levels == 2)
        look->fit.level[1].lowest = fmin(look->fit.level[1].low, wider.level[1].lowest);
}

/* Where the first level is known, a look that shows it counts, unless another must show the same. */
static bool is_believed(const struct hwc_lab *lab, struct look *look, const struct hwc_levels_fit *before)
{
    if (lab->known->level[1].size_bytes == 0)
        return before->levels > 0 && join(&look->fit, before);
    if (!agrees_with_first(lab, &look->fit))
        return false;
    return !is_doubtful(lab, &look->fit) || (before->levels > 0 && join(&look->fit, before));
}

int hwc_see_levels(struct hwc_lab *lab, struct hwc_error *error)
{
    struct look look = {.line_bytes = hwc_drawn_spacing(lab), .begun = hwc_lab_elapsed(lab)};
    bool agree = false;

    TRY(time_ends(lab, &look, error));
    for (int looks = 0; looks < LOOKS && !agree && (looks == 0 || !has_had_its_time(lab, &look)); looks++) {
        struct hwc_levels_fit before = look.fit;
        TRY(look_at_levels(lab, &look, error));
        agree = is_believed(lab, &look, &before);
    }
    if (!agree && agrees_with_first(lab, &look.fit))
        doubt(lab, &look.fit);
    else if (!agree)
        look.fit = (struct hwc_levels_fit){0};
    allow_few_ways(&look);
    allow_third(&look);
    hwc_know_seen(lab, &look.curve, &look.fit);
    hwc_know_flushed_cycles(lab, look.flushed_cycles);
    return HWC_OK;
}

int hwc_see_levels_once(struct hwc_lab *lab, struct hwc_error *error)
{
    int status = lab->known->fit.levels == 0 ? hwc_see_levels(lab, error) : HWC_OK;

    return hwc_came_to_nothing(status) ? HWC_OK : status;
}
