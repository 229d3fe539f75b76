#include "vote.h"

#include "statistics.h"

bool hwc_enough_alike(unsigned alike, unsigned telling, unsigned votes)
{
    return alike * 4 >= telling * 3 && alike * 2 >= votes;
}

bool hwc_is_hopeless(unsigned alike, unsigned votes, unsigned most)
{
    unsigned wanted = (most + 1) / 2, left = most - votes;

    if (alike >= wanted)
        return false;
    if (wanted - alike >= left)
        return wanted - alike > left || alike < votes;
    return hwc_chance_of_at_least(votes - alike, votes, 1 - (double)(wanted - alike) / left) < 0.01;
}

struct hwc_result hwc_count_votes(const struct hwc_ballot *ballots, unsigned votes, unsigned question)
{
    struct hwc_result result = {.votes = votes};

    for (unsigned i = 0; i < votes; i++) {
        unsigned alike = 0;
        if (!ballots[i].cast[question]) {
            result.spoiled += ballots[i].others_showed;
            continue;
        }
        result.given++;
        for (unsigned k = 0; k < votes; k++)
            alike += ballots[k].cast[question] && ballots[k].value[question] == ballots[i].value[question];
        if (alike > result.alike) {
            result.alike = alike;
            result.value = ballots[i].value[question];
        }
    }
    result.decided = votes > 0 && hwc_enough_alike(result.alike, result.given + result.spoiled, votes);
    if (result.decided)
        return result;
    if (result.alike == result.given && result.alike * 2 >= votes) {
        hwc_write(result.reason, sizeof result.reason,
                  "others work on this core: %u of %u votes alike (%lld), and the rest came to nothing", result.alike,
                  votes, (long long)result.value);
    } else if (result.given * 2 < votes) {
        unsigned i = 0;
        while (ballots[i].cast[question])
            i++;
        hwc_write(result.reason, sizeof result.reason, "%s", ballots[i].reason);
    } else {
        hwc_write(result.reason, sizeof result.reason, "the votes disagree: %u of %u alike (%lld)", result.alike, votes,
                 (long long)result.value);
    }
    return result;
}
