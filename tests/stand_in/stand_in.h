/* A stand-in for the kernel's perf_event interface, for tests of programs that count, on machines that cannot.
 *
 * Preloaded into an unmodified program, it answers perf_event_open and what is done with the descriptor, and lends the
 * program other files below /sys and /proc. STAND_IN names a directory: its file `machine` says which PMUs there are,
 * what their events count and how they fail (machine.c); what lies below it as sys/... or proc/... is read in place of
 * the system's own. Walks are counted by callgrind's cache model, when the program runs under callgrind, or by the model
 * that the program itself plays them on (modelled/machine.c); else only page faults and readings are counted. At exit,
 * what was done is added to the file `log`. */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What can be counted. Callgrind's columns come first, named and ordered as in its files. */
enum column {
    IR, DR, DW, I1MR, D1MR, D1MW, ILMR, DLMR, DLMW, CALLGRIND_COLUMNS,
    FAULTS = CALLGRIND_COLUMNS, /* minor page faults of this thread */
    READINGS,                   /* of this event: each reading adds one */
    MICROSECONDS,               /* that went by: what others do all the time */
    NEIGHBOUR,                  /* what others do meanwhile, never the same */
    MODEL,                      /* the program's model counts it, by name */
    COLUMNS
};

enum { MOST_TERMS = 4, MOST_PMUS = 8, MOST_EVENTS = 64, MOST_NAME = 24 };

/* Where loads come from. */
enum place { AT_L1, AT_L2, AT_L3, AT_MEMORY, PLACES };
enum { MOST_PLACES = 24 };

/* Which modes a PMU can leave out. */
enum filters {
    FILTERS_ALL,
    FILTERS_NONE,        /* any exclude bit is EINVAL, as of PMUs without the capability */
    FILTERS_NOT_GUEST,   /* exclude_guest is EINVAL */
    FILTERS_GUEST_ALWAYS /* EOPNOTSUPP unless exclude_guest is set, as Apple's driver has it */
};

struct pmu {
    char name[64];
    uint32_t type;
    char cpus[64]; /* "0-3,8" */
    unsigned counters, taken; /* of these, held by others */
    enum filters filters;
    bool strict; /* codes that the file does not list are EINVAL; otherwise they count nothing */
    bool rdpmc;
    unsigned places; /* > 0: it samples loads */
    enum place place[MOST_PLACES]; /* where they came from, each time that it samples; the last again and again */
    bool uncore; /* counts for all CPUs, on those of its cpumask, and for no thread alone */
    bool multiplexed; /* its events take turns, and each runs half of the time */
    uint64_t asks; /* bits of config1 by which an event asks to be read so; 0 = it need not */
};

struct counted_event {
    unsigned pmu;
    bool generic; /* a generic cache event, not a code of the PMU's own */
    uint64_t config, config1;
    unsigned terms;
    enum column column[MOST_TERMS];
    char name[MOST_TERMS][MOST_NAME]; /* of a model's column */
    double factor[MOST_TERMS];
    double kernel;  /* what each reading counts besides if the kernel's mode is not excluded */
    unsigned dies;  /* a pinned event goes to ERROR after so many readings; 0 = never */
    bool stays;     /* and enabling it does not help */
};

struct stand_in_machine {
    int paranoid;
    unsigned pmus;
    struct pmu pmu[MOST_PMUS];
    unsigned events;
    struct counted_event event[MOST_EVENTS];
};

/* machine.c: the machine that STAND_IN names; faults in its file end the program. */
const struct stand_in_machine *stand_in_machine(void);
bool stand_in_holds_cpu(const char *list, int cpu);

/* files.c: a file of the directory that STAND_IN names. */
bool stand_in_path(const char *below, char *path, size_t size);
FILE *stand_in_open(const char *path, const char *mode); /* by the C library */

/* counts.c: what was counted until the last update. READINGS is the event's own. */
double stand_in_count(enum column column);
double stand_in_count_of_model(const char *name); /* negative: the program plays no model, or it does not count that */
void stand_in_update_counts(void);
void stand_in_pause_counting(void); /* what the stand-in itself does is not counted */
void stand_in_go_on_counting(void);

/* kernel.c: events, as the kernel keeps them. By descriptor: a negative one, or its negated errno. */
struct perf_event_attr;
int stand_in_open_event(const struct perf_event_attr *attributes, int cpu, int leader);
bool stand_in_has_event(int descriptor);
void stand_in_enable(int descriptor, bool group);
void stand_in_disable(int descriptor, bool group);
void stand_in_reset(int descriptor);
size_t stand_in_read_event(int descriptor, uint64_t *words, size_t most); /* words; 0 = end of file */
void stand_in_close_event(int descriptor);
uint64_t stand_in_read_pmc(uint32_t index);
void stand_in_map_ring(int descriptor, size_t bytes); /* for samples, behind the event's page */

/* samples.c: what is in the ring when sampling stops. */
struct perf_event_mmap_page;
void stand_in_put_samples(struct perf_event_mmap_page *page, const struct pmu *pmu);

/* pmc.c: instructions that read counters trap, and are answered. */
void stand_in_catch_rdpmc(void);

/* log.c */
enum deed { OPENED, REFUSED, ENABLED, DISABLED, RESET, READ, READ_BY_PMC, ENDED, DEEDS };
void stand_in_note(enum deed deed);

#endif
