/* What backs memory that was requested as large pages, where that is what backs
 * ordinary ones: the host of a virtual machine often has no larger pages than
 * these, whatever the guest's kernel maps.
 *
 * Claim: an entry of the first data TLB covers as much of such memory as of
 * ordinary pages.
 *
 * Method: nearly twice as many parts of that size lie side by side as the level
 * has entries. If an entry covered two of them, all would fit, in any policy, as
 * neighbours lie in different sets. As it covers one, three in seven miss under any
 * policy (Belady, IBM Systems Journal 1966). That takes a large page or two, where a
 * search for the geometry takes some hundred, and half a second to clear them.
 *
 * What can fool it: nothing that makes entries cover more is overlooked, as then
 * fewer miss, and the search for the geometry decides. */
#include "backing.h"

#include "quiet_core.h"
#include "translation.h"
#include "vote.h"

/* Parts for each entry: if an entry covers two, an eighth of the entries stay free. */
static const double parts_per_entry = 1.75;

/* Between none and the three in seven that miss at least. */
#define MISS hwc_fit_shares.many

static int ask(struct hwc_translation *translation, const struct hwc_tlb *ordinary, struct hwc_ballot *ballot,
               struct hwc_error *error)
{
    size_t parts = (size_t)(parts_per_entry * (double)ordinary->entries);
    struct hwc_estimate share;
    enum hwc_side side;

    TRY(hwc_translation_ask(translation, ordinary->page_bytes, parts, MISS, &share, &side, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "entries may cover more");
    ballot->cast[0] = true;
    ballot->value[0] = (int64_t)ordinary->page_bytes;
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, HWC_DTLB1, true, error);

    (void)context;
    hwc_is_alone(lab, HWC_WAIT_FOR_BALLOT);
    if (status == HWC_OK)
        status = ask(&translation, &lab->known->tlb[HWC_DTLB1], ballot, error);
    hwc_translation_close(&translation);
    return status;
}

int hwc_find_small_backing(struct hwc_lab *lab, struct hwc_finding *page, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->structure_witness[HWC_DTLB1];
    struct hwc_result result;

    if (!hwc_can_answer(witness) || (hwc_goes_by_time(witness) && witness->miss_cycles <= 0))
        return HWC_OK;
    return hwc_finding_by_vote(lab, measure, NULL, witness, page, &result, error);
}
