#include "tlb_geometry.h"

#include <math.h>

#include "quiet_core.h"
#include "statistics.h"
#include "walk_share.h"

struct search {
    struct hwc_lab *lab;
    struct hwc_translation *translation;
    const struct hwc_tlb_side *side;
    struct hwc_fit fit;
    uint64_t least, first, longest; /* strides */
    double missed; /* of the things in a set, if there is one too many */
};

/* What fits need not settle in every order: a tree with unequal halves may put out, pass after pass, what comes next. A
 * count is the least of several orders anyway; by the clock, many misses in one order are an answer. */
static int fits_in_some_order(const struct search *search, uint64_t stride, size_t count, bool *fits,
                              struct hwc_error *error)
{
    const unsigned orders = hwc_counts(search->translation->witness) ? 1 : 5;

    *fits = false;
    for (unsigned i = 0; i < orders && !*fits; i++)
        TRY(hwc_fits(&search->fit, stride, count, fits, error));
    return HWC_OK;
}

/* Do as many pairs fit as single things? They do as long as the two of a pair, so far apart, share an entry. */
static int pairs_fit(const struct search *search, uint64_t stride, size_t pairs, uint64_t distance, bool *fits,
                     struct hwc_error *error)
{
    int status;

    search->translation->pair_distance = distance;
    status = fits_in_some_order(search, stride, pairs, fits, error);
    search->translation->pair_distance = 0;
    return status;
}

/* In a fully associative level, competing things cannot be moved apart. */
static int find_page_by_pairs(const struct search *search, size_t ways, uint64_t *page, struct hwc_error *error)
{
    for (*page = hwc_smallest_entry(search->lab->machine); *page < search->longest; *page *= 2) {
        bool fits;
        TRY(pairs_fit(search, search->longest, ways, *page, &fits, error));
        if (!fits)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "things %llu bytes apart share an entry",
                    (unsigned long long)search->longest);
}

/* Entries for pages of several sizes may go by the address bits of the largest, so that what lies within one such page
 * competes, but does not share an entry. */
static int settle_page(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    uint64_t page = search->side->large ? search->side->large_bytes : search->lab->machine->page_bytes;

    for (; found->page > page; found->page /= 2) {
        bool fits;
        TRY(pairs_fit(search, found->period, found->ways, found->page / 2, &fits, error));
        if (fits)
            return HWC_OK;
    }
    return HWC_OK;
}

/* Where the system merges adjacent pages into larger ones, things lie a few pages
 * apart at least. If they compete at the shortest of these distances already, the
 * level is taken to be fully associative, and pairs show the page. */
static int find_page(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    uint64_t smallest = hwc_smallest_entry(search->lab->machine);

    if (search->side->pages_grow && found->period == search->least) {
        TRY(find_page_by_pairs(search, found->ways, &found->page, error));
        found->period = found->page;
    } else {
        TRY(hwc_fit_parting(&search->fit, found->period, hwc_too_many(found->ways), smallest, found->period,
                            &found->page, error));
    }
    return settle_page(search, found, error);
}

/* An entry that covers several pages begins at a multiple of them. */
static int find_page_from_start(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    uint64_t base = search->translation->base;
    int status;

    search->translation->base = 0;
    status = find_page(search, found, error);
    search->translation->base = base;
    return status;
}

/* Adjacent pages overflow one set after another, each by one page more than its ways, and pages of such a set miss.
 * When that is seen, there are this many times as many pages as entries. */
static double overflow(const struct search *search)
{
    double unseen = hwc_unseen_share(search->translation->witness);

    return 1 + unseen / (search->missed - unseen);
}

/* Misses that are seen only once they are many do not show the exact page: a fifth of the unseen share is tolerated. */
static double tolerance_of(const struct hwc_translation *translation)
{
    return hwc_unseen_share(translation->witness) / 5;
}

/* How many adjacent pages are too many for certain, and seen to be? */
static size_t beyond(const struct search *search, size_t entries)
{
    double most = (double)entries * (1 + tolerance_of(search->translation)) * overflow(search);

    return 1 + (size_t)ceil(most);
}

/* Do the expected number of adjacent pages (`stride` apart) fit, and not a few more? */
static int check_expected(const struct search *search, uint64_t stride, size_t expected, bool *as_expected,
                          struct hwc_error *error)
{
    size_t too_many = beyond(search, expected);
    bool fits, more = true;

    *as_expected = false;
    if (too_many >= search->fit.most)
        return HWC_OK;
    TRY(hwc_fits(&search->fit, stride, expected, &fits, error));
    if (fits)
        TRY(hwc_fits(&search->fit, stride, too_many, &more, error));
    *as_expected = fits && !more;
    return HWC_OK;
}

/* The number of sets is a power of two where it is not the number of pages in a period. */
static double sets_of(double entries, size_t ways)
{
    return exp2(round(log2(entries / (double)ways)));
}

/* The stride of neighbouring pages. */
static uint64_t side_by_side(const struct search *search, const struct hwc_tlb_geometry *found)
{
    return found->page * (search->side->pages_grow ? HWC_PAGES_APART : 1);
}

/* If address bits choose the set, there are as many sets as pages in a period. */
static size_t plain_entries(const struct hwc_tlb_geometry *found)
{
    return found->ways * (size_t)(found->period / found->page);
}

/* If address bits choose the set, a level above may keep some more pages than there are entries.
 * If a hash of them does, the period is longer, and the number of sets is the nearest power of two. */
static int count_sets(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    const struct hwc_translation *translation = search->translation;
    uint64_t stride = side_by_side(search, found);
    double tolerance = tolerance_of(translation), settled;
    size_t ways = found->ways, plain = plain_entries(found), count;
    bool as_expected;

    found->entries = plain;
    TRY(check_expected(search, stride, plain, &as_expected, error));
    if (as_expected)
        return HWC_OK;
    TRY(hwc_fit_count(&search->fit, stride, &count, error));
    settled = (double)count / overflow(search);
    if (settled > (double)plain && settled - (double)plain <= (double)translation->above.entries)
        return HWC_OK;
    if (fabs(settled / (double)plain - 1) > tolerance)
        found->entries = (uint64_t)(sets_of(settled, ways) * (double)ways);
    if (fabs(settled / (double)found->entries - 1) > tolerance)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f pages side by side fit, which is no number of sets of %zu",
                        settled, ways);
    return HWC_OK;
}

static int usual_share(const struct hwc_fit *fit, uint64_t stride, size_t count, double *share,
                       struct hwc_error *error)
{
    double shares[3];
    const size_t looks = sizeof shares / sizeof shares[0];

    for (size_t i = 0; i < looks; i++) {
        struct hwc_estimate estimate;
        enum hwc_side side;
        TRY(fit->ask(fit->context, stride, count, hwc_fit_shares.many, &estimate, &side, error));
        shares[i] = estimate.value;
    }
    *share = hwc_median(shares, looks);
    return HWC_OK;
}

/* Of a set with one page too many, all miss under LRU. Under a tree with unequal halves as few as two do, so that more
 * sets overflow before that is seen. It is asked where the count makes no sense if all miss, and believed of sets that
 * address bits choose: to how many a hash leads, the count alone would say. */
static int count_entries(struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    const size_t too_many = found->ways + 1;
    double share = 0;
    int status;

    search->missed = (double)too_many;
    status = count_sets(search, found, error);
    if (status != HWC_UNAVAILABLE || hwc_counts(search->translation->witness))
        return status;
    TRY(usual_share(&search->fit, found->period, too_many, &share, error));
    search->missed = fmax(1, round(share * (double)too_many));
    TRY(count_sets(search, found, error));
    if (found->entries == plain_entries(found))
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE, "pages side by side do not show to how many sets a hash leads");
}

/* In a fully associative level, hwchar's own pages and those of other programs take entries, and a core may keep the
 * page that it fetches from elsewhere: where others disturb time, a number that may be one off is no finding. */
static const struct {
    size_t multiple;   /* the number of entries of such a level is a multiple of this */
    size_t most_too_many;
    double none, some; /* shares of the references: none misses, or a few do */
} whole_set = {.multiple = 4, .most_too_many = 2, .none = 0.02, .some = 0.05};

/* One page too many, or two, make few references miss where the core keeps the page that it fetches from, or where the
 * policy keeps most of what comes back: a tenth of all, and none with as many less. */
static int put_back(const struct hwc_fit *fit, size_t too_many, struct hwc_tlb_geometry *found,
                    struct hwc_error *error)
{
    double all = 0, without = 0;

    TRY(usual_share(fit, found->period, found->ways - too_many + 1, &all, error));
    if (all < whole_set.some)
        return HWC_OK;
    TRY(usual_share(fit, found->period, found->ways - too_many, &without, error));
    if (without < whole_set.none)
        found->entries = found->ways -= too_many;
    return HWC_OK;
}

static int check_whole_set(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    size_t too_many = (size_t)found->entries % whole_set.multiple;

    if (!search->lab->machine->interference || found->entries != found->ways ||
        found->entries < whole_set.multiple * whole_set.multiple)
        return HWC_OK;
    if (too_many > 0 && too_many <= whole_set.most_too_many)
        TRY(put_back(&search->fit, too_many, found, error));
    if (found->entries % whole_set.multiple == 0)
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE,
                    "%llu pages fit into one set: that may be one more or less than it has entries",
                    (unsigned long long)found->entries);
}

/* On the curve, large pages that are translated by entries for smaller ones may lie whole periods apart: all of them
 * compete for one set, and time steps up at its ways. */
static uint64_t step_of(const struct hwc_tlb_side *side, const struct hwc_tlb_geometry *found)
{
    bool smaller = side->large && found->page < side->large_bytes;

    return smaller && HWC_PAGES_APART * side->large_bytes % found->period == 0 ? found->ways : found->entries;
}

static int check_against_curve(const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb_geometry *found,
                               struct hwc_error *error)
{
    if (side->levels < level || hwc_is_step_of_curve(side, level, step_of(side, found)))
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE, "%llu entries were found, but time rises from %zu pages on",
                    (unsigned long long)found->entries, side->above[level - 1]);
}

/* The longest strides. */
static const struct {
    uint64_t data, code, large;
    uint64_t pages_of_first;      /* of a first level: it has few sets, and a cache that predicts its way by a hash of
                                     address bits (Lipp et al., AsiaCCS 2020) takes lines that lie farther apart for
                                     the same; */
    uint64_t code_pages_of_first; /* branch predictors have room for few targets that lie far away */
    uint64_t large_pages;         /* large pages begin at this many: there is room for few at the longest strides */
} reach = {.data = UINT64_C(256) << 20,
           .code = UINT64_C(8) << 20,
           .large = UINT64_C(1) << 30,
           .pages_of_first = 4096,
           .code_pages_of_first = 256,
           .large_pages = 4};

static void set_strides(struct search *search)
{
    const struct hwc_tlb_side *side = search->side;
    uint64_t page = search->lab->machine->page_bytes, longest = side->code ? reach.code : reach.data;
    uint64_t of_first = page * (side->code ? reach.code_pages_of_first : reach.pages_of_first);

    if (search->translation->level == 1 && of_first < longest)
        longest = of_first;
    search->least = side->pages_grow ? 4 * page : hwc_smallest_entry(search->lab->machine);
    search->first = side->large ? reach.large_pages * side->large_bytes : longest;
    search->longest = side->large ? reach.large : longest;
}

static void set_fit(struct search *search)
{
    struct hwc_translation *translation = search->translation;

    search->fit = (struct hwc_fit){.ask = hwc_translation_ask,
                                   .move = hwc_translation_move,
                                   .context = translation,
                                   .most_bytes = translation->arena.bytes - translation->base - 2 * search->first,
                                   .most = search->side->large ? search->side->most_large : HWC_MOST_PAGES / 2};
}

/* Large pages that lie as far apart as on the curve may miss all levels, and those that lie nearer the first alone, which
 * takes no longer than for ordinary pages. */
void hwc_translation_by_curve(struct hwc_translation *translation, const struct hwc_tlb_side *side)
{
    double ordinary = side->large && translation->level == 1 ? translation->witness->miss_cycles : 0;

    translation->above_cycles = side->hit_cycles + (translation->level > 1 ? side->plateau[0] : 0);
    translation->miss_cycles = hwc_miss_by_curve(side, translation->level);
    if (translation->miss_cycles <= 0) /* not known: any unit does */
        translation->miss_cycles = translation->above_cycles;
    translation->fitting = side->levels > 0 && !side->large ? side->below[0] : 0;
    if (ordinary > 0)
        translation->miss_cycles = fmin(translation->miss_cycles, ordinary);
}

/* Do more things fit than were found to, now that nobody else works on the core? */
struct one_more {
    const struct search *search;
    const struct hwc_tlb_geometry *found;
    bool fits;
};

static int ask_one_more(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct one_more *asked = context;

    (void)lab;
    return hwc_fits(&asked->search->fit, asked->found->period, asked->found->ways + 1, &asked->fits, error);
}

/* A thread on the core's other half may hold a part of the entries for data while it works, and for a while after. If one
 * more does not fit in a pause either, there is no more. */
static int ask_in_a_pause(const struct search *search, struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    struct one_more one_more = {.search = search, .found = found};
    bool asked;

    if (search->side->code || search->lab->machine->ops->alone == NULL)
        return HWC_OK;
    TRY(hwc_ask_in_a_pause(search->lab, HWC_TRIES_FOR_READING, ask_one_more, &one_more, &asked, error));
    if (asked && one_more.fits)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "%llu entries were found, and one more while nobody else works on this core",
                        (unsigned long long)found->entries);
    found->whole = asked;
    return HWC_OK;
}

/* What an event counts of so many pages that fit, and of more. */
static int count_fit_and_more(const struct search *search, uint64_t stride, size_t fit, size_t more,
                              struct hwc_walk_counts *counted, struct hwc_error *error)
{
    struct hwc_translation *translation = search->translation;

    *counted = (struct hwc_walk_counts){.any = true, .fit = (double)fit, .more = (double)more};
    TRY(hwc_translation_count(translation, stride, fit, &counted->fit_missed, error));
    return hwc_translation_count(translation, stride, more, &counted->more_missed, error);
}

static int count_ways_and_entries(const struct search *search, const struct hwc_tlb_geometry *found,
                                  struct hwc_error *error)
{
    const struct hwc_translation *translation = search->translation;
    size_t entries = (size_t)found->entries, too_many = beyond(search, entries);
    struct hwc_walk_counts of_ways, of_entries;

    TRY(count_fit_and_more(search, found->period, found->ways, found->ways + 1, &of_ways, error));
    of_entries = of_ways;
    if (entries != found->ways && too_many < search->fit.most)
        TRY(count_fit_and_more(search, side_by_side(search, found), entries, too_many, &of_entries, error));
    hwc_add_own_walks(search->lab, translation->witness, translation->large, HWC_WALKED_WAYS, (double)found->ways,
                      &of_ways);
    hwc_add_own_walks(search->lab, translation->witness, translation->large, HWC_WALKED_SIZE, (double)entries,
                      &of_entries);
    return HWC_OK;
}

/* Once the clock has decided (own_walks.h). */
static int count_beside(const struct search *search, const struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    int status;

    if (!hwc_has_onlooker(search->translation->witness))
        return HWC_OK;
    status = count_ways_and_entries(search, found, error);
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

int hwc_find_tlb_geometry(struct hwc_translation *translation, const struct hwc_tlb_side *side,
                          struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    struct search search = {.lab = translation->lab, .translation = translation, .side = side};

    set_strides(&search);
    set_fit(&search);
    hwc_translation_by_curve(translation, side);
    TRY(hwc_fit_ways(&search.fit, search.least, search.first, search.longest, &found->ways, &found->period, error));
    TRY(find_page_from_start(&search, found, error));
    TRY(count_entries(&search, found, error));
    if (hwc_counts(translation->witness))
        return HWC_OK;
    TRY(check_whole_set(&search, found, error));
    TRY(ask_in_a_pause(&search, found, error));
    TRY(check_against_curve(side, translation->level, found, error));
    return count_beside(&search, found, error);
}
