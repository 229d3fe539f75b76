#include "one_line_a_page.h"

#include "line_placement.h"
#include "seen_levels.h"
#include "share.h"
#include "statistics.h"

/* The level's lines that a line at the beginning of each page can lie in: of larger pages than the smallest entry, these
 * lines reach few sets; and of lines shorter than the places that they lie at, they reach one set of several. */
static size_t lines_at_beginnings(const struct hwc_lab *lab, const struct hwc_level *level)
{
    uint64_t bytes = level->size_bytes > 0 ? level->size_bytes : level->rough_low;
    uint64_t fill = level->fill_bytes > 0 ? level->fill_bytes : hwc_drawn_spacing(lab);
    uint64_t least = hwc_smallest_entry(lab->machine), place = least / hwc_lines_before_repeat(lab);
    uint64_t lines = bytes / (fill > place ? fill : place);
    uint64_t page = lab->machine->page_bytes;
    uint64_t apart = level->period_bytes > 0 && level->period_bytes < page ? level->period_bytes : page;

    return (size_t)(apart > least ? lines * least / apart : lines);
}

/* What is put out takes so many cycles a line, in the mean: those in sets that get as many others as they have ways. */
static double cycles_lost(const struct hwc_lab *lab, size_t lines, size_t room)
{
    const struct hwc_witness *second = &lab->witness[2];
    unsigned ways = (unsigned)lab->known->level[2].ways;

    if (ways == 0 || room == 0)
        return 0;
    return hwc_poisson_at_least(ways, (double)(lines * ways) / (double)room) * hwc_added_by_miss(second);
}

bool hwc_second_cache_holds(const struct hwc_lab *lab, size_t lines, const struct hwc_witness *tlb)
{
    size_t room = lines_at_beginnings(lab, &lab->known->level[2]);

    return lines <= room / 2 && cycles_lost(lab, lines, room) <= hwc_share_bounds.none / 2 * tlb->miss_cycles;
}
