/* The lab, in which probes work: the machine, the settings of the run, each
 * level's witness, what is known so far, and the time that is left. */
#ifndef HWC_LAB_H
#define HWC_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "knowledge.h"
#include "machine.h"
#include "notes.h"
#include "random.h"
#include "settings.h"
#include "witness.h"

/* A running mean, of about the last `readings` readings. */
struct hwc_mean {
    double value, readings;
    double odd; /* consecutive readings far from it */
};

/* A way to count an event that was believed, and then stopped counting. */
struct hwc_given_up {
    enum hwc_event event;
    char backend[16], counter[HWC_NATIVE_NAME];
    char reason[HWC_MESSAGE];
};

enum { HWC_MOST_GIVEN_UP = 16 };

/* kept_arena.h */
enum hwc_found { HWC_FOUND_LINES, HWC_FOUND_SETS, HWC_FOUND_KINDS }; /* the later, the more it takes to find them */

struct hwc_kept_arena {
    struct hwc_arena arena; /* all zero = none */
    uint64_t bytes;         /* asked for */
    enum hwc_pages pages;
    bool lent;
    void *found[HWC_FOUND_KINDS]; /* on it; freed with it */
};

/* A level's search and another one's. */
enum { HWC_KEPT_ARENAS = 2 };

struct hwc_own_walks;

/* Who else worked on this core (quiet_core.h). */
struct hwc_company {
    uint64_t looks, met; /* times that this was looked at, and that somebody was there at the first look */
    uint64_t samples_beside; /* taken while they were at work */
    double waited;       /* seconds, until they were gone or in vain */
    double awaited;      /* of that, for the pause that the sample at hand is taken in */
    double paused_since; /* the first of the last glances in a row that met nobody; in seconds since the lab was opened */
    double seized;       /* when the sample at hand was begun, in a pause */
    double lasts;        /* seconds that the last such sample took */
    unsigned in_vain;    /* waits of samples in a row */
    unsigned unseen;     /* glances in a row that met nobody */
    unsigned passed_over; /* samples since the last one that was glanced beside */
    double rests_until;  /* until then samples wait for nobody, as a wait was in vain; in seconds since the lab was opened */
};

struct hwc_lab {
    struct hwc_machine *machine;
    struct hwc_settings settings;
    struct hwc_random random;
    double started;              /* seconds, monotonic */
    double probe_started;        /* seconds from then to the start of the current probe, or of its repetition */
    double probe_waited;         /* and the company's waits by then */
    double probe_ends;           /* to when its part of the budget is spent; 0 = when the budget is */
    const struct hwc_knowledge *known;
    struct hwc_witness witness[HWC_MAX_CACHE_LEVEL + 2]; /* by data-cache level, from 1 */
    struct hwc_witness structure_witness[HWC_STRUCTURES];
    struct hwc_witness writeback[HWC_MAX_CACHE_LEVEL + 1]; /* by level, from 1: counters of lines written back */
    struct hwc_mean first_again; /* cycles to time a line of the first level, timing included (meter_eviction.c) */
    uint64_t references; /* played */
    uint64_t samples_taken;
    uint64_t samples_disturbed;
    uint64_t tries_dropped; /* tries repeated because others worked on this core (quiet_core.h) */
    uint64_t others_seen;   /* times that somebody else was seen at work on this core, also after the wait */
    struct hwc_company company;
    unsigned waited_in_vain; /* times in a row that nobody went while they were waited for */
    bool stays;             /* what is measured is this CPU's: no other one will do (quiet_core.h) */
    double looked_around;   /* when another CPU was last looked for, in vain; in seconds since the lab was opened */
    struct hwc_kept_arena kept[HWC_KEPT_ARENAS];
    bool stopped[HWC_EVENT_COUNT]; /* the event's counter failed when this probe last asked it (stopped_counters.h), */
    char why_stopped[HWC_MESSAGE]; /* the last one for this reason */
    unsigned ways_given_up;
    struct hwc_given_up given_up[HWC_MOST_GIVEN_UP];
    struct hwc_own_walks *own_walks; /* what onlookers counted; NULL = there are none (own_walks.h) */
    struct hwc_notes notes;
};

/* Open with nothing known and no witness chosen. May return HWC_NO_MEMORY; close in any case. */
int hwc_lab_open(struct hwc_lab *lab, struct hwc_machine *machine, const struct hwc_settings *settings,
                 struct hwc_error *error);
void hwc_lab_close(struct hwc_lab *lab);

/* Seconds since the lab was opened. */
double hwc_lab_elapsed(const struct hwc_lab *lab);

/* On a machine that others disturb, a search might never end. Has the current probe, or the run, had its time? After
 * the first dozen seconds each probe still gets some time of its own, until the run as a whole is over its time. */
bool hwc_lab_is_late(const struct hwc_lab *lab);

/* Are references so slow that walks are thinned where that loses nothing? */
bool hwc_references_are_dear(const struct hwc_machine *machine);

/* What is left of the budget, or of the current probe's part of it; INFINITY without one. */
double hwc_lab_seconds_left(const struct hwc_lab *lab);

/* Does the user allow for minutes? */
bool hwc_lab_may_take_minutes(const struct hwc_lab *lab);

#define HWC_BUDGET_SPENT "the budget is spent" /* begins the reasons that are due to it */

/* Is it spent? Then no further sample is taken (sampler.h). */
bool hwc_lab_overdrawn(const struct hwc_lab *lab);

/* Close an arena; does nothing if it was never opened (all zero). */
void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena);

#endif
