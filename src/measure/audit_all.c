#include "audit_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "seen_levels.h"

static bool any_of_data(const struct hwc_audited *audited, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (audited[i].counts.outgrown == HWC_OUTGREW_DATA || audited[i].counts.outgrown == HWC_OUTGREW_CODE)
            return true;
    return false;
}

static int see_caches(struct hwc_lab *lab, struct hwc_audit_levels *levels, struct hwc_error *error)
{
    const struct hwc_levels_fit *fit = &lab->known->fit;

    TRY(hwc_see_levels_once(lab, error));
    for (unsigned i = 0; i < fit->levels && i < HWC_MOST_AUDIT_LEVELS; i++)
        levels->caches.end[levels->caches.levels++] = fit->level[i].capacity;
    levels->by_clock = levels->caches.levels > 0;
    return HWC_OK;
}

/* Counters of the same level, by the first place where they rise. */
static bool mean_alike(const struct hwc_audited *a, const struct hwc_audited *b)
{
    return a->counts.rises > 0 && b->counts.rises > 0 && a->counts.outgrown == b->counts.outgrown &&
           a->finding.level[0] == b->finding.level[0] && a->finding.level[0] > 0;
}

static void compare(struct hwc_audited *audited, unsigned count, struct hwc_audited *one)
{
    double least = INFINITY;

    for (unsigned i = 0; i < count; i++)
        if (mean_alike(one, &audited[i]) && audited[i].counts.has[HWC_PATTERN_SEQUENTIAL] &&
            audited[i].finding.prefetched == HWC_PREFETCHED_OUT)
            least = fmin(least, audited[i].counts.of[HWC_PATTERN_SEQUENTIAL]);
    hwc_audit_compare(&one->counts, least, &one->finding);
}

/* Two counters that are named for two levels of a TLB, and rise at the same place, count the same: the upper one's. */
static void tell_tlbs_apart(const struct hwc_audited *audited, unsigned count, struct hwc_audited *one)
{
    if (one->finding.verdict != HWC_AUDIT_AS_NAMED || one->claim.of != HWC_CLAIMS_TRANSLATIONS || one->claim.level < 2)
        return;
    for (unsigned i = 0; i < count; i++)
        if (audited[i].claim.of == HWC_CLAIMS_TRANSLATIONS && audited[i].claim.level == 1 &&
            audited[i].finding.verdict == HWC_AUDIT_AS_NAMED && mean_alike(one, &audited[i]))
            one->finding.verdict = HWC_AUDIT_OTHER_LEVEL;
}

/* The only TLB that counters show may be any: it has no number, but where another counter told the two apart. */
static void leave_single_tlb_untold(const struct hwc_audit_levels *levels, struct hwc_audited *one)
{
    if (levels->tlbs.levels == 1 && hwc_outgrew_pages(one->counts.outgrown) &&
        one->finding.verdict != HWC_AUDIT_OTHER_LEVEL)
        memset(one->finding.level, 0, sizeof one->finding.level);
}

static void find_ends(const struct hwc_audited *audited, unsigned count, enum hwc_outgrown outgrown,
                      struct hwc_audit_ends *ends)
{
    struct hwc_rise_points gathered = {0};

    for (unsigned i = 0; i < count; i++)
        hwc_audit_gather(&audited[i].counts, outgrown, &gathered);
    hwc_audit_ends_of(&gathered, ends);
}

static int judge_all(struct hwc_lab *lab, struct hwc_audited *audited, unsigned count,
                     struct hwc_audit_levels *levels, struct hwc_error *error)
{
    int status = HWC_OK;

    *levels = (struct hwc_audit_levels){0};
    if (lab->machine->has_clock && any_of_data(audited, count))
        status = see_caches(lab, levels, error);
    if (!levels->by_clock)
        find_ends(audited, count, HWC_OUTGREW_DATA, &levels->caches);
    find_ends(audited, count, HWC_OUTGREW_PAGES, &levels->tlbs);
    for (unsigned i = 0; i < count; i++)
        if (audited[i].counted)
            hwc_audit_judge(&audited[i].counts, &audited[i].claim, levels, &audited[i].finding);
    for (unsigned i = 0; i < count; i++) {
        compare(audited, count, &audited[i]);
        tell_tlbs_apart(audited, count, &audited[i]);
    }
    for (unsigned i = 0; i < count; i++)
        leave_single_tlb_untold(levels, &audited[i]);
    return status;
}

/* The i-th counter that was asked for; false after the last. */
static bool list(struct hwc_machine *machine, const char *const *names, unsigned count, unsigned i,
                 struct hwc_listed *listed)
{
    if (count == 0)
        return machine->ops->listed(machine, i, listed);
    if (i < count)
        machine->ops->named(machine, names[i], listed);
    return i < count;
}

static int make_room(struct hwc_audits *audits, struct hwc_error *error)
{
    struct hwc_audited *more = realloc(audits->counter, (audits->count + 1) * sizeof *more);

    if (more == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for an audit");
    audits->counter = more;
    return HWC_OK;
}

int hwc_audit_all(struct hwc_lab *lab, const char *const *names, unsigned count, struct hwc_audits *audits,
                  struct hwc_error *error)
{
    struct hwc_listed listed;
    struct hwc_error later = {0};
    int status = HWC_OK, judged = HWC_OK;

    *audits = (struct hwc_audits){.asked = true};
    for (unsigned i = 0; i < HWC_MOST_AUDITED && list(lab->machine, names, count, i, &listed); i++) {
        status = make_room(audits, error);
        if (status == HWC_OK)
            status = hwc_audit_counter(lab, &listed, &audits->counter[i], error);
        if (status != HWC_OK)
            break;
        audits->count++;
    }
    if (audits->count > 0) /* what was counted until then has a verdict, too */
        judged = judge_all(lab, audits->counter, audits->count, &audits->levels, status == HWC_OK ? error : &later);
    return status != HWC_OK ? status : judged;
}

void hwc_audits_free(struct hwc_audits *audits)
{
    free(audits->counter);
    *audits = (struct hwc_audits){0};
}
