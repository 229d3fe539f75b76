#include "knowledge.h"

#include "held_share.h"
#include "lab.h"

/* The one place where what the lab knows is not const. */
static struct hwc_knowledge *writable(struct hwc_lab *lab)
{
    return (struct hwc_knowledge *)lab->known;
}

void hwc_know_levels(struct hwc_lab *lab, unsigned levels)
{
    writable(lab)->levels = levels < HWC_MAX_CACHE_LEVEL ? levels : HWC_MAX_CACHE_LEVEL;
}

void hwc_know_only(struct hwc_lab *lab, const struct hwc_knowledge *once)
{
    *writable(lab) = *once;
}

/* Of levels that have many ways, none was taken for two (seen_levels.c). */
static void tell_if_many(struct hwc_knowledge *known)
{
    struct hwc_levels_fit *fit = &known->fit;

    for (unsigned level = 2; level < fit->levels && level <= HWC_MAX_CACHE_LEVEL; level++)
        if (known->level[level].ways < HWC_FEW_WAYS)
            return;
    if (fit->told < fit->told_if_many)
        fit->told = fit->told_if_many;
}

void hwc_know_level(struct hwc_lab *lab, unsigned level, const struct hwc_level *facts)
{
    writable(lab)->level[level] = *facts;
    tell_if_many(writable(lab));
}

void hwc_know_code(struct hwc_lab *lab, const struct hwc_level *facts)
{
    writable(lab)->code = *facts;
}

void hwc_know_tlb(struct hwc_lab *lab, enum hwc_structure structure, bool large, const struct hwc_tlb *facts)
{
    *(large ? &writable(lab)->large_tlb[structure] : &writable(lab)->tlb[structure]) = *facts;
}

void hwc_know_seen(struct hwc_lab *lab, const struct hwc_drawn_curve *drawn, const struct hwc_levels_fit *fit)
{
    writable(lab)->drawn = *drawn;
    writable(lab)->fit = *fit;
}

void hwc_know_flushed_cycles(struct hwc_lab *lab, double cycles)
{
    writable(lab)->flushed_cycles = cycles;
}

void hwc_know_pages_grow(struct hwc_lab *lab)
{
    writable(lab)->pages_grow = true;
}

void hwc_know_hashed(struct hwc_lab *lab, bool hashed)
{
    writable(lab)->hashed = hashed;
}

bool hwc_fitted_bounds(const struct hwc_lab *lab, unsigned level, double *low, double *high)
{
    return hwc_bounds_of_level(&lab->known->fit, level, low, high);
}

void hwc_held_bounds(const struct hwc_lab *lab, unsigned level, double *least, double *most)
{
    const struct hwc_level *this = &lab->known->level[level];

    if (this->size_bytes > 0) {
        *least = *most = (double)this->size_bytes;
    } else if (!hwc_fitted_bounds(lab, level, least, most)) {
        *least = (double)this->rough_low;
        *most = (double)this->rough_high;
    }
}

size_t hwc_ways_above(const struct hwc_lab *lab, unsigned level)
{
    size_t ways = 0;

    for (unsigned i = 1; i < level; i++)
        ways += lab->known->level[i].ways;
    return ways;
}

size_t hwc_lines_above(const struct hwc_lab *lab, unsigned level, uint64_t stride)
{
    size_t lines = 0;

    for (unsigned i = 1; i < level; i++) {
        const struct hwc_level *above = &lab->known->level[i];
        uint64_t way = hwc_way_bytes(above);
        lines += (size_t)(above->ways * (way > stride ? way / stride : 1));
    }
    return lines;
}

uint64_t hwc_longest_line(const struct hwc_lab *lab, unsigned levels)
{
    uint64_t longest = 0;

    for (unsigned i = 1; i <= levels; i++) {
        const struct hwc_level *level = &lab->known->level[i];
        uint64_t brings = level->fill_bytes > level->line_bytes ? level->fill_bytes : level->line_bytes;
        longest = brings > longest ? brings : longest;
    }
    return longest;
}

uint64_t hwc_way_bytes(const struct hwc_level *level)
{
    return level->ways > 0 ? level->size_bytes / level->ways : 0;
}

bool hwc_is_one_set(const struct hwc_level *level, uint64_t apart)
{
    uint64_t way = hwc_way_bytes(level);

    return way == 0 || apart % way == 0;
}

uint64_t hwc_period_above(const struct hwc_lab *lab, unsigned level)
{
    uint64_t period = 0;

    for (unsigned i = 1; i < level; i++)
        if (lab->known->level[i].period_bytes > period)
            period = lab->known->level[i].period_bytes;
    return period;
}
