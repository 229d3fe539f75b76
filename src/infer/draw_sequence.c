#include "policy_inference.h"

static void draw_at_random(struct hwc_random *random, unsigned lines, struct hwc_sequence *sequence, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sequence->visit[sequence->visits++] = (uint8_t)hwc_random_below(random, lines);
}

/* Some hot lines that recur, and others that stream past them. */
static void draw_passing(struct hwc_random *random, unsigned ways, unsigned lines, struct hwc_sequence *sequence,
                         size_t count)
{
    uint64_t hot = 1 + hwc_random_below(random, ways > 1 ? ways - 1 : 1), next = hot;

    for (size_t i = 0; i < count; i++) {
        bool again = hwc_random_below(random, 2) == 0;
        sequence->visit[sequence->visits++] = (uint8_t)(again ? hwc_random_below(random, hot) : next);
        if (!again && ++next == lines)
            next = hot;
    }
}

/* Every line once, after the fillers if the set begins full. If this part is counted, too, a single visit goes before
 * it, so that counting always begins after the same visit. */
static void begin(const struct hwc_set_instrument *set, struct hwc_sequence *sequence)
{
    uint8_t *to = set->counts_filling ? sequence->visit : sequence->before;
    size_t count = 0;

    for (unsigned i = 0; set->start == HWC_FROM_FULL && i < set->fillers; i++)
        to[count++] = (uint8_t)(set->lines + i);
    for (unsigned i = 0; set->start != HWC_STEADY && i < set->lines; i++)
        to[count++] = (uint8_t)i;
    if (set->counts_filling)
        sequence->before[0] = 0;
    sequence->befores = set->counts_filling ? 1 : count;
    sequence->visits = set->counts_filling ? count : 0;
}

void hwc_draw_sequence(const struct hwc_set_instrument *set, struct hwc_random *random, struct hwc_sequence *sequence)
{
    unsigned lines = set->ways + 1 + (unsigned)hwc_random_below(random, set->lines - set->ways);

    begin(set, sequence);
    if (hwc_random_below(random, 2) == 0)
        draw_at_random(random, lines, sequence, set->visits);
    else
        draw_passing(random, set->ways, lines, sequence, set->visits);
}

void hwc_draw_rounds(const struct hwc_set_instrument *set, struct hwc_sequence *sequence)
{
    size_t round = (size_t)set->ways + 1, whole = set->visits / round * round;
    size_t visits = set->start == HWC_STEADY ? whole : set->visits; /* whole rounds, so that passes join */

    begin(set, sequence);
    for (size_t i = 0; i < visits; i++)
        sequence->visit[sequence->visits++] = (uint8_t)(i % (set->ways + 1));
}
