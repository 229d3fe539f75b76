/* The native machine's state, and what its files offer each other. */
#ifndef HWC_NATIVE_MACHINE_H
#define HWC_NATIVE_MACHINE_H

#include "backend.h"
#include "clock.h"
#include "code_table.h"
#include "crew.h"
#include "list.h"
#include "loop_body.h"
#include "machine.h"
#include "memory.h"
#include "native.h"
#include "other_cpu.h"
#include "paging.h"
#include "placement.h"
#include "sibling.h"
#include "workshop.h"

struct native_machine {
    struct hwc_machine base; /* first: the core holds a pointer to it */
    struct native_memory memory;
    struct native_placement placement;
    struct native_clock clock;
    struct ctr_event_map map;
    struct ctr_counters counters;
    struct {
        char native[HWC_NATIVE_NAME];
        const char *backend;
    } chosen[HWC_EVENT_COUNT]; /* the native counter in use for each event */
    char reason[HWC_MESSAGE];   /* why there are no counters */
    const void *prepared_arena; /* the arena that holds these walks' chains; NULL = none */
    uint64_t prepared_serial[HWC_MAX_STEPS];
    struct native_code_table codes;
    struct native_loop_body loop;
    enum native_transfer unpredicted; /* by this core's predictors */
    struct native_lists lists;
    uint64_t draws; /* the state of hwc_draws */
    struct native_sibling sibling, glances;
    struct native_other_cpu other;
    struct native_crew crew;
    struct native_paging paging;
    unsigned long long stolen_at_open; /* on this CPU, */
    unsigned long long stolen;         /* and on those before it */
    unsigned moves;                    /* from one CPU to another */
    bool may_move;
    struct ctr_sampler *sampler;       /* of loads; NULL = not opened */
    struct nano_workshop *workshop; /* code made by the user's compiler */
    unsigned executed;              /* of its handles, those below this one */
    double first_ns;                /* the least that a statement took when it was first executed */
    double napped;                  /* seconds, while others worked on the core */
    struct hwc_arena eviction; /* read to evict lines, where no instruction flushes them */
};

static inline struct native_machine *native_self(struct hwc_machine *machine)
{
    return (struct native_machine *)machine;
}

static inline char *native_base_of(const struct hwc_arena *arena)
{
    return ((const struct native_block *)arena->handle)->base;
}

/* play.c: the machine's operation `play`. */
int native_play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error);

/* counting.c: the operations `event_source`, `use_source`, `listed` and `named`; whether page faults are counted by getrusage; opening the
 * counters; attaching the event's counter, unless it is attached. */
void native_event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                         struct hwc_event_source *source);
void native_use_source(struct hwc_machine *base, enum hwc_event event, const struct hwc_event_source *source);
bool native_listed(struct hwc_machine *base, unsigned i, struct hwc_listed *listed);
void native_named(struct hwc_machine *base, const char *name, struct hwc_listed *listed);
bool native_faults_by_rusage(const struct native_machine *machine);
int native_open_counters(struct native_machine *machine, const struct native_request *request,
                         struct hwc_error *error);
int native_attach_counter(struct native_machine *machine, enum hwc_event event, struct hwc_error *error);

/* serving.c: the operation `served`. */
int native_served(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_served *served,
                  struct hwc_error *error);

/* notes.c: the operation `note`. */
bool native_note(struct hwc_machine *base, unsigned i, char *text, size_t size);

/* core.c: its operations on what a compiler made. */
extern const struct hwc_core native_core;

/* cpus.c: what CPUs do at the same time. */
extern const struct hwc_cpus native_cpus;

/* calibrate.c: calibrate the clock, and what depends on it. */
void native_calibrate(struct native_machine *machine);

/* Between samples: what a cycle is worth by the pulses of late. */
void native_follow_frequency(struct native_machine *machine);

#endif
