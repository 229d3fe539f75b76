#include "round.h"

/* The number of ballots with the i-th's value; 0 if an earlier one has that value, too. */
static unsigned alike_from(const struct hwc_ballot *ballots, unsigned votes, unsigned question, unsigned i)
{
    unsigned alike = 0;

    for (unsigned k = 0; k < votes; k++) {
        if (!ballots[k].cast[question] || ballots[k].value[question] != ballots[i].value[question])
            continue;
        if (k < i)
            return 0;
        alike++;
    }
    return alike;
}

/* Insert a value, the most common first; if there are too many, the rarest is dropped. */
static void rank_value(struct hwc_round *round, int64_t value, unsigned votes)
{
    unsigned place = round->values < HWC_ROUND_VALUES ? round->values++ : HWC_ROUND_VALUES;

    for (; place > 0 && round->value[place - 1].votes < votes; place--)
        if (place < HWC_ROUND_VALUES)
            round->value[place] = round->value[place - 1];
    if (place < HWC_ROUND_VALUES) {
        round->value[place].value = (double)value;
        round->value[place].votes = votes;
    }
}

static struct hwc_round count_round(const struct hwc_ballot *ballots, unsigned votes, unsigned question)
{
    struct hwc_round round = {0};

    for (unsigned i = 0; i < votes; i++) {
        round.disturbed += ballots[i].disturbed;
        round.cast += ballots[i].cast[question];
        round.abstained += !ballots[i].cast[question];
    }
    for (unsigned i = 0; i < votes; i++) {
        unsigned alike = ballots[i].cast[question] ? alike_from(ballots, votes, question, i) : 0;
        if (alike > 0)
            rank_value(&round, ballots[i].value[question], alike);
    }
    return round;
}

unsigned hwc_count_rounds(const struct hwc_ballot *ballots, unsigned votes, unsigned per_round, unsigned question,
                          struct hwc_round rounds[HWC_MOST_ROUNDS])
{
    unsigned count = 0;

    for (unsigned first = 0; first < votes && count < HWC_MOST_ROUNDS; first += per_round) {
        unsigned left = votes - first;
        rounds[count++] = count_round(ballots + first, left < per_round ? left : per_round, question);
    }
    return count;
}
