#include "quiet_core.h"

#include <math.h>
#include <time.h>

enum { MOST_HALVINGS = 5 };

static const struct {
    double nap, pause, vain;
} seconds_of = {
    .nap = 0.0005, /* the pauses of a busy sibling are milliseconds long: */
    .pause = 0.02, /* who is still busy after this does not pause */
    .vain = 0.5,   /* to look around takes a tenth of this */
};

/* Others' pauses are some milliseconds long, and as far apart, or farther where they do much. Samples beside them cost more
 * than they are worth: of those that pause for a third of the time, two thirds are waited for. */
static const struct {
    double patience, rest;       /* seconds; the latter after a wait in vain, and twice as long after each further one */
    double of_some_length;       /* a pause of so many need not be as long as a sample */
    unsigned most_in_vain;
    double work;            /* so many times as long as was waited for a pause that was over too soon */
    double share;           /* of the run's time so much may go by waiting for pauses, */
    double most, of_budget; /* and so many seconds by any waiting, or so much of a budget */
    double of_probe;        /* and of a probe's time: others need pauses, too */
} pauses = {.patience = 0.03, .rest = 0.03, .of_some_length = 0.002, .most_in_vain = 6, .work = 4, .share = 0.7,
            .most = 10, .of_budget = 0.3, .of_probe = 5};

/* A glance takes as long as a short sample: who was not met at so many in a row is looked for at one sample in some. */
static const struct {
    unsigned unseen, each;
} rarely = {.unseen = 64, .each = 8};

/* On a core of its own a look meets others by an interrupt or a mistake alone. */
static const double share_in_company = 0.05;

void hwc_let_others_pass(const struct hwc_lab *lab, double seconds)
{
    const struct timespec nap = {.tv_nsec = (long)(seconds * 1e9)};

    if (lab->machine->live)
        nanosleep(&nap, NULL);
}

static bool time_is_up(const struct hwc_lab *lab)
{
    return hwc_lab_is_late(lab) || hwc_lab_overdrawn(lab);
}

bool hwc_move_on(struct hwc_lab *lab)
{
    struct hwc_machine *machine = lab->machine;
    bool moved;

    if (machine->ops->move == NULL || lab->stays ||
        (lab->looked_around > 0 && hwc_lab_elapsed(lab) - lab->looked_around < seconds_of.vain))
        return false;
    moved = machine->ops->move(machine);
    lab->looked_around = moved ? 0 : hwc_lab_elapsed(lab);
    return moved;
}

/* Who did not go while we waited long may not go at all: the next wait is half as long, until one is not in vain. */
static void learn_patience(struct hwc_lab *lab, bool alone, double wait_seconds)
{
    if (alone)
        lab->waited_in_vain = 0;
    else if (wait_seconds >= seconds_of.pause && lab->waited_in_vain < MOST_HALVINGS)
        lab->waited_in_vain++;
}

bool hwc_may_wait(const struct hwc_lab *lab)
{
    double budget = lab->settings.budget_seconds;
    double most = budget > 0 ? pauses.of_budget * budget : pauses.most;

    return lab->company.waited < most && lab->company.waited - lab->probe_waited < pauses.of_probe;
}

void hwc_wait_for_others(struct hwc_lab *lab, double seconds)
{
    if (!hwc_may_wait(lab))
        return;
    hwc_let_others_pass(lab, seconds);
    lab->company.waited += lab->machine->live ? seconds : 0;
}

/* Somebody is there: are they gone before `patience` is? */
static bool outlast_others(struct hwc_lab *lab, double patience)
{
    double begun = hwc_lab_elapsed(lab);
    bool alone = false;

    lab->company.met++;
    while (!alone && hwc_lab_elapsed(lab) - begun < patience && !time_is_up(lab) && hwc_may_wait(lab)) {
        if (hwc_lab_elapsed(lab) - begun < seconds_of.pause || !hwc_move_on(lab))
            hwc_let_others_pass(lab, seconds_of.nap);
        alone = lab->machine->ops->alone(lab->machine);
    }
    lab->company.waited += hwc_lab_elapsed(lab) - begun;
    return alone;
}

bool hwc_is_alone(struct hwc_lab *lab, double wait_seconds)
{
    double patience = ldexp(wait_seconds, -(int)lab->waited_in_vain);
    bool alone;

    if (lab->machine->ops->alone == NULL)
        return true;
    lab->company.looks++;
    alone = lab->machine->ops->alone(lab->machine) || outlast_others(lab, patience);
    lab->others_seen += !alone;
    learn_patience(lab, alone, wait_seconds);
    return alone;
}

static bool is_pause(struct hwc_lab *lab)
{
    bool pause = lab->machine->ops->glance == NULL || lab->machine->ops->glance(lab->machine);

    if (pause && lab->company.unseen == 0)
        lab->company.paused_since = hwc_lab_elapsed(lab);
    lab->company.unseen = pause ? lab->company.unseen + 1 : 0;
    return pause;
}

/* Most pauses are short, and most of the time that others rest is in long ones: of one that has lasted as long as a sample
 * takes it is likely that it lasts through another. */
static bool is_pause_of_some_length(struct hwc_lab *lab)
{
    double long_enough = fmin(lab->company.lasts, pauses.of_some_length);

    return is_pause(lab) && hwc_lab_elapsed(lab) - lab->company.paused_since >= long_enough;
}

/* Where pauses are shorter than samples, waiting for them is in vain, too. */
bool hwc_pause_goes_on(struct hwc_lab *lab)
{
    bool goes_on = lab->company.passed_over > 0 || is_pause(lab);

    lab->company.lasts = hwc_lab_elapsed(lab) - lab->company.seized;
    if (!goes_on)
        lab->company.rests_until = hwc_lab_elapsed(lab) + pauses.work * lab->company.awaited;
    return goes_on;
}

/* No naps: a pause may be over when one ends. */
static bool wait_for_pause(struct hwc_lab *lab)
{
    double begun = hwc_lab_elapsed(lab), now = begun;
    bool pause = false;

    while (!pause && now - begun < pauses.patience && !hwc_must_stop(lab->machine)) {
        pause = is_pause_of_some_length(lab);
        now = hwc_lab_elapsed(lab);
    }
    lab->company.waited += now - begun;
    lab->company.awaited = now - begun;
    if (pause) {
        lab->company.in_vain = 0;
    } else {
        lab->company.rests_until = now + ldexp(pauses.rest, (int)lab->company.in_vain);
        lab->company.in_vain += lab->company.in_vain < pauses.most_in_vain;
    }
    return pause;
}

static bool seize_pause(struct hwc_lab *lab)
{
    double now;

    if (lab->company.unseen >= rarely.unseen && lab->company.passed_over + 1 < rarely.each) {
        lab->company.passed_over++;
        return true;
    }
    lab->company.passed_over = 0;
    lab->company.awaited = 0;
    if (is_pause_of_some_length(lab))
        return true;
    now = hwc_lab_elapsed(lab);
    if (now > lab->company.rests_until && lab->company.waited < pauses.share * now && hwc_may_wait(lab))
        return wait_for_pause(lab);
    return lab->company.unseen > 0;
}

bool hwc_seize_pause(struct hwc_lab *lab)
{
    bool pause = seize_pause(lab);

    lab->company.seized = hwc_lab_elapsed(lab);
    return pause;
}

bool hwc_is_company(uint64_t met, uint64_t looks)
{
    return (double)met > share_in_company * (double)looks;
}

bool hwc_in_company(const struct hwc_lab *lab)
{
    return hwc_is_company(lab->company.met, lab->company.looks);
}

static bool stays_alone(struct hwc_lab *lab, double seconds)
{
    bool alone = true;

    for (unsigned naps = (unsigned)(seconds / seconds_of.nap); naps > 0 && alone; naps--) {
        hwc_let_others_pass(lab, seconds_of.nap);
        alone = hwc_is_alone(lab, 0);
    }
    return alone;
}

int hwc_on_quiet_core(struct hwc_lab *lab, const struct hwc_quiet_core *quiet, hwc_act act, void *context,
                      struct hwc_error *error)
{
    for (unsigned tries = 1;; tries++) {
        bool alone = hwc_is_alone(lab, quiet->wait_seconds) && stays_alone(lab, quiet->pause_seconds);
        int status = alone || !quiet->needed ? act(lab, context, error) : HWC_UNAVAILABLE;

        alone = alone && hwc_is_alone(lab, 0);
        if (alone || (status != HWC_OK && status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE))
            return status;
        if (tries < quiet->tries && !time_is_up(lab)) {
            lab->tries_dropped++;
            continue;
        }
        if (!quiet->needed)
            return status;
        return hwc_fail(error, HWC_UNAVAILABLE,
                        hwc_lab_overdrawn(lab) ? HWC_BUDGET_SPENT
                                               : "another thread works on this core, and may have a part of it");
    }
}

int hwc_ask_in_a_pause(struct hwc_lab *lab, unsigned tries, hwc_act ask, void *context, bool *asked,
                       struct hwc_error *error)
{
    const struct hwc_quiet_core pause = {
        .wait_seconds = 0.005, .pause_seconds = 0.005, .tries = tries, .needed = true};
    int status = hwc_on_quiet_core(lab, &pause, ask, context, error);

    *asked = status == HWC_OK;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}
