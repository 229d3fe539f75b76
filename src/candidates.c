#include "candidates.h"

#include <stdio.h>
#include <string.h>

static void add(struct hwc_candidates *candidates, const char *name, bool victims)
{
    struct hwc_candidate *candidate = &candidates->item[candidates->count];

    if (candidates->count == HWC_MOST_CANDIDATES || !hwc_policy_parse(name, &candidate->policy))
        return;
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    candidate->victims = victims;
    candidates->count++;
}

/* Two groups in order of their last touch are a tree. */
#define THREE 3u
#define LEAVES 4u

void hwc_add_plain(struct hwc_candidates *candidates, bool victims)
{
    static const char *const plain[] = {"lru", "fifo", "tree-plru", "bit-plru", "nru", "srrip"};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        add(candidates, plain[i], victims);
}

static void add_trees_of(struct hwc_candidates *candidates, unsigned groups, unsigned leaves)
{
    char name[HWC_CANDIDATE_NAME];

    snprintf(name, sizeof name, "LRU%uPLRU%u", groups, leaves);
    add(candidates, name, false);
    snprintf(name, sizeof name, "(MRU+1)%%%uPLRU%u", groups, leaves);
    add(candidates, name, false);
}

void hwc_add_trees(struct hwc_candidates *candidates, unsigned ways)
{
    unsigned leaves = ways / THREE;

    if (ways % THREE == 0 && leaves >= 2)
        add_trees_of(candidates, THREE, leaves); /* that is, if the leaves make trees */
    if (ways % LEAVES == 0 && ways > THREE * LEAVES)
        add_trees_of(candidates, ways / LEAVES, LEAVES);
}

void hwc_add_qlru(struct hwc_candidates *candidates)
{
    for (unsigned i = 0; i < 3 * 2 * 4 * 3 * 4 * 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "QLRU_H%u%u_M%u_R%u_U%u%s", i / 2 % 3, i / 6 % 2, i / 12 % 4, i / 48 % 3,
                 i / 144 % 4, i % 2 == 1 ? "_UMO" : "");
        add(candidates, name, false);
    }
}

void hwc_add_common_qlru(struct hwc_candidates *candidates, bool victims)
{
    static const char *const common[] = {"QLRU_H00_M1_R2_U1", "QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R0_U1"};

    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        add(candidates, common[i], victims);
}

void hwc_prepare_candidates(struct hwc_candidates *candidates, unsigned ways)
{
    for (size_t i = 0; i < candidates->count; i++)
        hwc_policy_prepare(&candidates->item[i].policy, ways);
}

void hwc_forget_names(struct hwc_candidates *candidates)
{
    candidates->named = -1;
    memset(candidates->approved, 0, sizeof candidates->approved);
}

void hwc_cast_for_left(struct hwc_candidates *candidates, const bool *left, struct hwc_ballot *ballot)
{
    size_t first = 0;

    while (first < candidates->count && !left[first])
        first++;
    ballot->cast[0] = true;
    ballot->value[0] = first < candidates->count ? (int64_t)first : HWC_BY_CHANCE;
    if (candidates->named < 0) {
        candidates->named = ballot->value[0];
        memcpy(candidates->survived, left, sizeof candidates->survived);
    }
    for (size_t i = 0; candidates->named == ballot->value[0] && i < candidates->count; i++)
        candidates->survived[i] = candidates->survived[i] && left[i];
    for (size_t i = 0; i < candidates->count; i++)
        candidates->approved[i] += left[i];
}

void hwc_decide_by_approval(struct hwc_candidates *candidates, struct hwc_result *result)
{
    size_t best = 0;

    for (size_t i = 1; i < candidates->count; i++)
        if (candidates->approved[i] > candidates->approved[best])
            best = i;
    if (result->decided && (result->value == HWC_BY_CHANCE ||
                            candidates->approved[best] == candidates->approved[result->value]))
        return;
    if (!hwc_enough_alike(candidates->approved[best], result->given, result->votes))
        return;
    result->decided = true;
    result->value = candidates->named = (int64_t)best;
    result->alike = candidates->approved[best];
    for (size_t i = 0; i < candidates->count; i++)
        candidates->survived[i] = candidates->approved[i] == candidates->approved[best];
}

/* A whole name, or none. */
static bool append(char *text, size_t size, const char *between, const char *name)
{
    size_t used = strlen(text);

    if (used + strlen(between) + strlen(name) >= size)
        return false;
    snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", name);
    return true;
}

/* No sequence tells those that survived apart. As policies of a level of its
 * own they are one, by its first name; the other names are given beside. Of a
 * level that holds victims much of a policy does not show, and they are many. */
static void name_all(const struct hwc_candidates *candidates, char *alternatives, struct hwc_finding *finding)
{
    bool own = false;

    alternatives[0] = '\0';
    finding->alternatives = alternatives;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct hwc_candidate *candidate = &candidates->item[i];
        if (!candidates->survived[i] || (own && candidate->victims))
            continue;
        own = own || !candidate->victims;
        if ((finding->text[0] == '\0' || candidate->victims) &&
            append(finding->text, sizeof finding->text, "|", candidate->name))
            continue;
        append(alternatives, HWC_POLICY_NAMES, " ", candidate->name);
    }
}

void hwc_name_policy(struct hwc_candidates *candidates, const struct hwc_result *result, char *alternatives,
                     struct hwc_finding *finding)
{
    if (result->value == HWC_BY_CHANCE) {
        snprintf(finding->text, sizeof finding->text, "random");
        return;
    }
    if (result->value != candidates->named) { /* the first ballot was an exception */
        memset(candidates->survived, 0, sizeof candidates->survived);
        candidates->survived[result->value] = true;
    }
    name_all(candidates, alternatives, finding);
}
