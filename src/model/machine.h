/* Machines: what plays an experiment and returns a sample.
 *
 * Two kinds stand behind this interface: the CPU that we run on, and a
 * simulated machine made from a JSON description. The core knows no other way
 * to reach either of them. */
#ifndef HWC_MACHINE_H
#define HWC_MACHINE_H

#include <signal.h>
#include <stddef.h>

#include "arena.h"
#include "error.h"
#include "experiment.h"

struct hwc_machine;

/* How a machine counts an event. */
struct hwc_event_source {
    bool available;
    char counter[128];  /* the native counter, such as "skx::MEM_LOAD_RETIRED:L1_MISS" */
    char quality[48];   /* "named by the user", "demand", "PAPI preset", ... */
    char reason[HWC_MESSAGE]; /* where not available: why, and what would help */
};

/* Documented geometry, to stand beside the measured. Never an input to one.
 * Zero means that nothing is documented. */
struct hwc_documented_cache {
    unsigned level;
    bool data;        /* holds data (data or unified) */
    bool instruction; /* holds instructions */
    uint64_t line_bytes;
    uint64_t size_bytes;
    uint64_t ways;
    double latency_cycles;
};

enum { HWC_MAX_DOCUMENTED = 16 };

struct hwc_documented {
    char source[64]; /* "sysfs", "callgrind's options", "the machine file" */
    unsigned caches;
    struct hwc_documented_cache cache[HWC_MAX_DOCUMENTED];
    uint64_t page_bytes;
    double memory_latency_cycles;
    double frequency_mhz;
};

struct hwc_machine_ops {
    /* Get an arena of at least `bytes`. HWC_NO_MEMORY when that much cannot
     * be had; the message says what bounds it. */
    int (*arena_open)(struct hwc_machine *, uint64_t bytes, enum hwc_pages, struct hwc_arena *, struct hwc_error *);
    void (*arena_close)(struct hwc_machine *, struct hwc_arena *);

    /* Play the experiment once. HWC_INTERRUPTED when the user asked to stop. */
    int (*play)(struct hwc_machine *, const struct hwc_experiment *, struct hwc_sample *, struct hwc_error *);

    /* How can the machine count this event? Ways are ranked, best first, from
     * 0; `available` is false when there are no more. Changes nothing that
     * play() shows. */
    void (*event_source)(struct hwc_machine *, enum hwc_event, unsigned rank, struct hwc_event_source *);

    /* Have play() count the event in this way, one of those above. NULL = there
     * is never more than one, and it is in use. */
    void (*use_source)(struct hwc_machine *, enum hwc_event, const struct hwc_event_source *);

    /* A line for the profile's notes, i = 0, 1, ...; false when there is none left. */
    bool (*note)(struct hwc_machine *, unsigned i, char *text, size_t size);

    /* Does nobody else work on this core just now? NULL = nobody ever does. */
    bool (*alone)(struct hwc_machine *);

    void (*close)(struct hwc_machine *);
};

struct hwc_machine {
    const struct hwc_machine_ops *ops;
    bool has_clock;            /* readings carry cycles that mean something */
    bool times_each;           /* can time every reference, as experiments with slower_than ask */
    double step_cycles;        /* the clock is advanced by so many at once; 0 = it shows every cycle */
    bool flushes;              /* FLUSH empties caches by instruction; else it does nothing */
    bool counting_disturbs;    /* starting a counter evicts lines, and not always the same number of them */
    bool live;                 /* time passes for it as it does for its user: what disturbs it now may be over soon */
    double reference_ns;       /* what playing a reference takes at most, about: a model or a translator of code takes some
                                  ten times as long as a CPU */
    bool shares_caches;        /* our own code and data, too, go through the caches that are measured */
    uint64_t own_apart;        /* its own lists lie in the first half of every so many bytes; 0 = it has none */
    bool interference;         /* others may work on it meanwhile: times vary, and lines are put out by others */
    uint64_t page_bytes;       /* the smallest page an arena can have */
    uint64_t max_arena_bytes;  /* what may be asked for at most */
    double cycles_per_ns;      /* core frequency, GHz; 0 without a clock */
    double decode_cycles;      /* what decoding an encoded index adds to a load; to be subtracted from latencies */
    const char *counter_backend; /* "perf", ..., "simulated", "none" */
    const char *counter_reason;  /* why there are no counters, where there are none; else NULL */
    struct hwc_documented documented;
    const volatile sig_atomic_t *stop; /* not 0: who runs it wants it to; NULL = nobody ever does */
};

static inline bool hwc_must_stop(const struct hwc_machine *machine)
{
    return machine->stop != NULL && *machine->stop != 0;
}

#endif
