#include "candidates.h"

#include <string.h>

#include "text.h"

static const char *const plain[] = {"lru", "fifo", "tree-plru", "bit-plru", "nru", "srrip"};
/* Policies measured on last levels that hold victims (nanoBench's measurements, uops.info/cache.html). */
static const char *const common_qlru[] = {"QLRU_H00_M1_R2_U1", "QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R0_U1"};

static void add(struct hwc_candidates *candidates, const char *name, struct hwc_candidate kind)
{
    if (candidates->count == HWC_MOST_CANDIDATES || !hwc_policy_parse(name, &kind.policy))
        return;
    hwc_write(kind.name, sizeof kind.name, "%s", name);
    candidates->item[candidates->count++] = kind;
}

static void add_all(struct hwc_candidates *candidates, const char *const *names, size_t count,
                    struct hwc_candidate kind)
{
    for (size_t i = 0; i < count; i++)
        add(candidates, names[i], kind);
}

static void add_groups(struct hwc_candidates *candidates, unsigned groups, unsigned leaves)
{
    const struct hwc_candidate kind = {.name = ""};
    char name[HWC_CANDIDATE_NAME];

    hwc_write(name, sizeof name, "LRU%uPLRU%u", groups, leaves);
    add(candidates, name, kind); /* ignored unless `leaves` is a power of two */
    hwc_write(name, sizeof name, "(MRU+1)%%%uPLRU%u", groups, leaves);
    add(candidates, name, kind);
}

/* The groupings known to be built: three groups, or groups of four ways. Two groups in order of their last touch are
 * the same as one tree. */
static const unsigned known_groups = 3, known_leaves = 4;

static void add_trees(struct hwc_candidates *candidates, unsigned ways)
{
    unsigned leaves = ways / known_groups;

    if (ways % known_groups == 0 && leaves >= 2)
        add_groups(candidates, known_groups, leaves);
    if (ways % known_leaves == 0 && ways > known_groups * known_leaves)
        add_groups(candidates, ways / known_leaves, known_leaves);
}

static void add_qlru(struct hwc_candidates *candidates)
{
    for (unsigned i = 0; i < 3 * 2 * 4 * 3 * 4 * 2; i++) {
        char name[HWC_CANDIDATE_NAME];
        hwc_write(name, sizeof name, "QLRU_H%u%u_M%u_R%u_U%u%s", i / 2 % 3, i / 6 % 2, i / 12 % 4, i / 48 % 3,
                 i / 144 % 4, i % 2 == 1 ? "_UMO" : "");
        add(candidates, name, (struct hwc_candidate){.needs_empty = true});
    }
}

void hwc_list_candidates(struct hwc_candidates *candidates, unsigned ways, bool may_hold_victims)
{
    const size_t plains = sizeof plain / sizeof plain[0], qlrus = sizeof common_qlru / sizeof common_qlru[0];

    candidates->count = 0;
    add_all(candidates, plain, plains, (struct hwc_candidate){.name = ""});
    add_trees(candidates, ways);
    add_qlru(candidates);
    if (may_hold_victims) {
        add_all(candidates, plain, plains, (struct hwc_candidate){.holds_victims = true, .needs_empty = true});
        add_all(candidates, common_qlru, qlrus, (struct hwc_candidate){.holds_victims = true, .needs_empty = true});
    }
    for (size_t i = 0; i < candidates->count; i++)
        hwc_policy_prepare(&candidates->item[i].policy, ways);
}

int64_t hwc_approve(struct hwc_approvals *approvals, const struct hwc_candidates *candidates, const bool *left)
{
    int64_t first = HWC_BY_CHANCE;

    for (size_t i = candidates->count; i > 0; i--)
        if (left[i - 1]) {
            approvals->of[i - 1]++;
            first = (int64_t)i - 1;
        }
    return first;
}

/* Take the most approved candidate if more ballots left it than the one that they were cast for. */
static void prefer_most_approved(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                                 struct hwc_result *result)
{
    size_t best = 0;

    for (size_t i = 1; i < candidates->count; i++)
        if (approvals->of[i] > approvals->of[best])
            best = i;
    if (result->decided && approvals->of[best] == approvals->of[result->value])
        return;
    if (!hwc_enough_alike(approvals->of[best], result->given + result->spoiled, result->votes))
        return;
    result->decided = true;
    result->value = (int64_t)best;
    result->alike = approvals->of[best];
}

/* A ballot that rules out every policy shows that readings are wrong here, or that the policy is none of these: other
 * ballots may then leave one by luck. By counts hardly any does; by the clock, an eighth of those did under a policy
 * that resembles LRU, but they are seldom many. */
static bool stands(const struct hwc_approvals *approvals, const struct hwc_result *result)
{
    unsigned needed = (approvals->counted ? 1 : 3) * approvals->of_none;

    return approvals->of_none == 0 || (result->alike == result->given && result->alike >= needed);
}

void hwc_decide_by_approval(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                            struct hwc_result *result)
{
    if (!result->decided || result->value != HWC_BY_CHANCE)
        prefer_most_approved(candidates, approvals, result);
    if (!result->decided || stands(approvals, result))
        return;
    result->decided = false;
    hwc_write(result->reason, sizeof result->reason, "%u measurements agree on one policy, and %u with none that is known",
              result->alike, approvals->of_none);
}

/* Append the name whole, or not at all. */
static bool append(char *text, size_t size, const char *between, const char *name)
{
    size_t used = strlen(text);

    if (used + strlen(between) + strlen(name) >= size)
        return false;
    hwc_write(text + used, size - used, "%s%s", used > 0 ? between : "", name);
    return true;
}

/* In an ordinary level, candidates that nothing tells apart are one policy, named after the first. A level that holds
 * victims hides much of its policy: several that differ may be left, and all are named. */
static void name_all(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals, size_t first,
                     char *name, size_t size, char *alternatives)
{
    bool own = false;

    for (size_t i = 0; i < candidates->count; i++) {
        const struct hwc_candidate *candidate = &candidates->item[i];
        if (approvals->of[i] != approvals->of[first] || (own && candidate->holds_victims))
            continue;
        own = own || !candidate->holds_victims;
        if ((name[0] == '\0' || candidate->holds_victims) && append(name, size, "|", candidate->name))
            continue;
        append(alternatives, HWC_POLICY_NAMES, " ", candidate->name);
    }
}

void hwc_name_policy(const struct hwc_candidates *candidates, const struct hwc_approvals *approvals,
                     const struct hwc_result *result, char *name, size_t size, char *alternatives)
{
    name[0] = '\0';
    alternatives[0] = '\0';
    if (result->value == HWC_BY_CHANCE)
        hwc_write(name, size, "random");
    else
        name_all(candidates, approvals, (size_t)result->value, name, size, alternatives);
}
