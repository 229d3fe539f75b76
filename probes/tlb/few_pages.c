/* Method: as many pages as far apart as all lie in one set (conflict_cost.h) fit as the set has ways: a pass of them takes
 * no longer, but one more makes some miss (Saavedra and Smith, IEEE ToC 1995, with pages for lines). Nearer, twice as
 * many fit, from where they lie in two sets: that is the period. How many sets there are cannot be told by the period
 * where a hash of address bits, or not all of them, choose the set; so pages side by side are asked: three quarters of
 * what a level holds fit, and of twice as many most miss, under any policy.
 *
 * What can fool it: entries that cover several pages (asked before sets are counted). What walks keep of page
 * directories: an entry of those covers far more than one of a TLB. A policy that keeps a stale page for long where
 * the set has just room enough: some of several orders are enough. */
#include "few_pages.h"

#include <math.h>

static const struct {
    /* That must agree: a policy may keep a stale page for long in some orders, and one that goes by chance may spare all
     * for once. */
    unsigned orders_of_fewer, orders_of_more, orders_of_most;
    double one; /* a miss is seen at this share of what it takes; one more page than ways makes one miss at least */
    size_t most_ways;
    uint64_t most_covered; /* pages by one entry; one of a page directory, which walks keep, too, covers hundreds */
    double beyond; /* times as many pages side by side as time rises at, three apart: it does near what a level holds */
    unsigned samples; /* of so many */
    double part, many, most; /* this part of a level's pages surely fits, and of twice as many more than this share miss */
} policy = {.orders_of_fewer = 2, .orders_of_more = 4, .orders_of_most = 2, .one = 0.4, .most_ways = 48, .most_covered = 16,
            .beyond = 3, .samples = 2, .part = 0.75, .many = 0.3, .most = 0.5};

struct search {
    struct hwc_translation *translation;
    double cycles; /* that a miss adds */
    double most_pages; /* side by side */
};

/* Are there fewer misses than so many in a pass, in some orders? If most miss, no other order is likely to tell more. */
static int misses_less(const struct search *search, uint64_t apart, size_t pages, double many, bool *less,
                       struct hwc_error *error)
{
    unsigned fewer = 0, more = 0, enough = policy.orders_of_more;

    while (fewer < policy.orders_of_fewer && more < enough) {
        double cycles = 0;
        TRY(hwc_translation_extra(search->translation, apart, pages, &cycles, error));
        *(cycles < many * search->cycles ? &fewer : &more) += 1;
        if (cycles > policy.most * (double)pages * search->cycles)
            enough = policy.orders_of_most;
    }
    *less = fewer >= policy.orders_of_fewer;
    return HWC_OK;
}

static int fits(const struct search *search, uint64_t apart, size_t pages, bool *fit, struct hwc_error *error)
{
    return misses_less(search, apart, pages, policy.one, fit, error);
}

static int find_ways(const struct search *search, uint64_t apart, size_t *ways, struct hwc_error *error)
{
    size_t low = 0, high = policy.most_ways + 1;
    bool fit = true;

    TRY(fits(search, apart, policy.most_ways, &fit, error));
    if (fit)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu pages far apart do not show how many fit", policy.most_ways);
    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        TRY(fits(search, apart, middle, &fit, error));
        *(fit ? &low : &high) = middle;
    }
    *ways = low;
    return low > 0 ? HWC_OK : hwc_fail(error, HWC_INCONCLUSIVE, "not even one page far away fits");
}

/* The shortest distance at which no more pages fit. At half of it they lie in two sets, and half as many again fit. */
static int find_period(const struct search *search, uint64_t apart, size_t ways, uint64_t *period,
                       struct hwc_error *error)
{
    uint64_t page = search->translation->lab->machine->page_bytes;
    bool fit = false, more;

    for (*period = apart; *period > page; *period /= 2) {
        TRY(fits(search, *period / 2, ways + 1, &fit, error));
        if (fit)
            break;
    }
    if (!fit)
        return HWC_OK;
    TRY(fits(search, *period / 2, ways + ways / 2, &more, error));
    return more ? HWC_OK : hwc_fail(error, HWC_INCONCLUSIVE, "%zu pages %llu bytes apart fit, but not %zu", ways + 1,
                                    (unsigned long long)*period / 2, ways + ways / 2);
}

/* Moved by as much as an entry covers, every other page lies in another set. */
static int find_page(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    uint64_t page = search->translation->lab->machine->page_bytes;
    bool fit = false;
    int status = HWC_OK;

    for (found->page = page; found->page < found->period; found->page *= 2) {
        hwc_translation_move(search->translation, found->page);
        status = fits(search, found->period, found->ways + 1, &fit, error);
        if (status != HWC_OK || fit)
            break;
    }
    hwc_translation_move(search->translation, 0);
    if (status == HWC_OK && found->page > policy.most_covered * page)
        return hwc_fail(error, HWC_UNAVAILABLE, "what few pages miss covers %llu bytes: a table's entry, not a page's",
                        (unsigned long long)found->page);
    return status;
}

/* There are as many sets as pages in a period at most. Many more pages than where time rises do not fit. */
static int count_sets(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    uint64_t sets = found->period / found->page;
    bool fit = sets == 1, more_miss = true;

    search->translation->samples = policy.samples;
    while (!fit && sets >= 2) {
        double pages = policy.part * (double)(sets * found->ways);
        bool can_ask = pages <= search->most_pages;
        if (can_ask)
            TRY(misses_less(search, found->page, (size_t)pages, policy.many * pages, &fit, error));
        if (fit)
            break;
        more_miss = can_ask;
        sets /= 2;
    }
    found->entries = sets * found->ways;
    return fit && more_miss ? HWC_OK
                        : hwc_fail(error, HWC_UNAVAILABLE, "%llu pages side by side do not show how many sets there are",
                                   (unsigned long long)found->entries);
}

int hwc_find_geometry_by_few(struct hwc_translation *translation, const struct hwc_tlb_side *side,
                             struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    unsigned level = translation->level;
    size_t rises_at = level > side->levels ? side->rises_at : side->above[level - 1];
    const struct search search = {.translation = translation, .cycles = side->few.cycles,
                                  .most_pages = fmin(policy.beyond * (double)rises_at,
                                                     (double)hwc_most_pages(translation->lab, side))};

    hwc_translation_by_curve(translation, side);
    TRY(find_ways(&search, side->few.apart, &found->ways, error));
    TRY(find_period(&search, side->few.apart, found->ways, &found->period, error));
    TRY(find_page(&search, found, error));
    return count_sets(&search, found, error);
}
