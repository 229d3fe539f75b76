/* Machines: what plays an experiment and returns a sample.
 *
 * Two kinds stand behind this interface: the CPU that we run on, and a
 * simulated machine made from a JSON description. Probes and measurements have
 * no other access to either of them. */
#ifndef HWC_MACHINE_H
#define HWC_MACHINE_H

#include <signal.h>
#include <stddef.h>

#include "arena.h"
#include "cpus.h"
#include "error.h"
#include "experiment.h"
#include "nano.h"
#include "served.h"

struct hwc_machine;

/* How a machine counts an event. */
struct hwc_event_source {
    bool available;
    char counter[HWC_NATIVE_NAME]; /* the native counter, such as "skx::MEM_LOAD_RETIRED:L1_MISS" */
    const char *backend; /* whose counter it is, "perf"; NULL = the machine's own */
    char quality[64];   /* "named by the user", "demand", "PAPI preset", ... */
    char reason[HWC_MESSAGE]; /* if not available: why, and what would help */
    size_t cause_at;          /* where in the reason the cause begins: behind the counter that was tried */
};

/* Documented geometry, reported beside the measured one and never an input to
 * a measurement. Zero means not documented. */
struct hwc_documented_cache {
    unsigned level;
    bool data;        /* holds data (data or unified) */
    bool instruction; /* holds instructions */
    uint64_t line_bytes;
    uint64_t size_bytes;
    uint64_t ways;
    unsigned shared_by;        /* CPUs */
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

/* A counter by its own name, as the audit of counters takes it. */
struct hwc_listed {
    enum hwc_event slot;           /* play() counts it when it is asked for this event, once its source is in use */
    struct hwc_event_source source; /* not available: it cannot be counted, and why */
    char definition[HWC_MESSAGE];  /* native events that it is made of; empty = it is one itself */
    char description[HWC_MESSAGE]; /* what its maker says that it counts; empty = nothing */
};

struct hwc_machine_ops {
    /* Get an arena of at least `bytes`. HWC_NO_MEMORY if that is too much; the
     * message names the limit. */
    int (*arena_open)(struct hwc_machine *, uint64_t bytes, enum hwc_pages, struct hwc_arena *, struct hwc_error *);
    void (*arena_close)(struct hwc_machine *, struct hwc_arena *);

    /* Play the experiment once. HWC_INTERRUPTED when the user asked to stop. */
    int (*play)(struct hwc_machine *, const struct hwc_experiment *, struct hwc_sample *, struct hwc_error *);

    /* How can the machine count this event? Sources are ranked from 0, best
     * first; `available` is false after the last. Does not affect play(). */
    void (*event_source)(struct hwc_machine *, enum hwc_event, unsigned rank, struct hwc_event_source *);

    /* Make play() count the event by one of these sources. NULL = there is never
     * more than one, and it is in use. */
    void (*use_source)(struct hwc_machine *, enum hwc_event, const struct hwc_event_source *);

    /* The i-th counter that has a name for its meaning, such as PAPI's presets, i = 0, 1, ...; false after the last. It is
     * tried, and does not stay attached. */
    bool (*listed)(struct hwc_machine *, unsigned i, struct hwc_listed *);

    /* The same for the counter of this name. */
    void (*named)(struct hwc_machine *, const char *name, struct hwc_listed *);

    /* Play the experiment, and say which levels served its loads, of as many as the CPU samples. HWC_UNAVAILABLE says
     * why it samples none. NULL = it never does. */
    int (*served)(struct hwc_machine *, const struct hwc_experiment *, struct hwc_served *, struct hwc_error *);

    /* A line for the profile's notes, i = 0, 1, ...; false when there is none left. */
    bool (*note)(struct hwc_machine *, unsigned i, char *text, size_t size);

    /* The system's number of the i-th other CPU, from 1 on. NULL = there are none. */
    int (*other_cpu)(struct hwc_machine *, unsigned i);

    /* Is the core idle now except for this thread? NULL = it always is. */
    bool (*alone)(struct hwc_machine *);

    /* The same of this very moment, in a microsecond: less sure. NULL = it always is. */
    bool (*glance)(struct hwc_machine *);

    /* Go to another CPU of the same kind, on whose core less is at work. false = it stays where it is. NULL = there is
     * never one. */
    bool (*move)(struct hwc_machine *);

    void (*close)(struct hwc_machine *);
};

struct hwc_machine {
    const struct hwc_machine_ops *ops;
    bool has_clock;            /* readings carry meaningful cycles */
    bool times_each;           /* can time every reference, as experiments with slower_than ask */
    double step_cycles;        /* the clock advances in steps of this many; 0 = it resolves every cycle */
    bool flushes;              /* FLUSH uses an instruction; otherwise it evicts by reading other memory */
    bool counting_disturbs;    /* starting a counter evicts lines, and not always the same number of them */
    bool live;                 /* it runs in real time: what disturbs it now may be over soon */
    double reference_ns;       /* about the most that playing a reference takes; a model or a binary translator takes
                                  about 25 times as long as a CPU */
    bool shares_caches;        /* hwchar's own code and data also go through the measured caches */
    uint64_t own_apart;        /* its own lists lie in the first half of every block of this many bytes; 0 = no lists */
    bool interference;         /* other programs may run on it: times vary, and lines get evicted */
    uint64_t page_bytes;       /* the smallest page an arena can have */
    uint64_t max_arena_bytes;  /* the largest arena that may be asked for */
    uint64_t max_paged_bytes;  /* how much of a sparse arena walks may visit where memory does not hold it all, and swap
                                  takes the rest; 0 = they must not outgrow memory */
    const char *paging_reason; /* why they must not, if the user wants it; else NULL */
    const char *stream_reason; /* why streams cannot be timed here; NULL if they can, with a clock */
    unsigned other_cpus;       /* that can take a step of an experiment */
    const char *alone_reason;  /* why there are no others; NULL if there are some */
    const struct hwc_cpus *cpus; /* what CPUs do at the same time; NULL with a core_reason or an alone_reason */
    unsigned named_int, named_vector; /* registers that programs can name; 0 = not known */
    const char *core_reason;   /* why its core executes nothing that could be timed; NULL if it does */
    const struct hwc_core *core; /* NULL with a core_reason */
    double cycles_per_ns;      /* core frequency, GHz; 0 without a clock */
    double cycles_off;         /* share by which all of a run's cycles may be off: the frequency is measured, too */
    double stamps_per_ns;      /* time stamps' rate, GHz; 0 without a clock */
    bool steady;               /* the core's frequency came to rest before it was measured */
    double decode_cycles;      /* what decoding the index adds to a load; to be subtracted from latencies */
    const char *counter_backend; /* "perf", ..., "simulated", "none" */
    const char *counter_reason;  /* why there are no counters; NULL if there are some */
    struct hwc_documented documented;
    const volatile sig_atomic_t *stop; /* nonzero = the user asked to stop; NULL = nobody ever does */
};

static inline bool hwc_must_stop(const struct hwc_machine *machine)
{
    return machine->stop != NULL && *machine->stop != 0;
}

#endif
