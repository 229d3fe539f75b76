/* A recording, played: what a simulated machine meets besides what its
 * description says. Rounds follow each other from a random one on, and begin
 * again after the last.
 *
 * What comes at a time (the thread does not run, lines are lost) is an event;
 * what references take more than usual is asked for when they have been played.
 * What is usual of them is scaled by the latencies of the two machines' levels,
 * as what makes memory slower by a tenth here does so there; single ones that
 * are far off by the frequencies, as what others do takes as long in
 * nanoseconds. */
#ifndef HWC_SIM_RECORDED_NOISE_H
#define HWC_SIM_RECORDED_NOISE_H

#include "excess.h"
#include "recording.h"

struct sim_recorded_noise {
    struct sim_recording recording; /* no rounds: nothing is played */
    struct hwc_random random;
    double cycles_per_ns;      /* of the simulated core */
    double step_cycles;        /* of the simulated clock, in the recorded core's cycles; < 0: as it was recorded */
    bool usable[SIM_MOST_FOOTPRINTS];    /* most of the footprint's lines stayed until it had been brought in */
    bool by_passes[SIM_MOST_FOOTPRINTS]; /* its sums are drawn from passes, else from references */
    double quiet[SIM_MOST_FOOTPRINTS];   /* mean excess of a recorded value in a quiet round: no excess at all */
    double quiet_fastest; /* the first footprint's fastest recorded pass in a quiet round */
    /* the round that is played, and when in it */
    unsigned round;
    size_t gap; /* the next */
    double at_ns, next_ns;
    struct sim_excess excess[SIM_MOST_FOOTPRINTS];
    double lost_per_ns[SIM_MOST_FOOTPRINTS]; /* share of the lines that others put out */
    double slower; /* times that references which surely hit took as long as in a quiet round */
    double usual_pulse; /* of its pulses */
};

/* Play the file from a point that the seed chooses. */
int sim_noise_open(struct sim_recorded_noise *noise, const char *path, double cycles_per_ns, double step_cycles,
                   uint64_t seed, struct hwc_error *error);
void sim_noise_close(struct sim_recorded_noise *noise);

static inline bool sim_noise_plays(const struct sim_recorded_noise *noise)
{
    return noise->recording.rounds > 0;
}

/* Simulated cycles until the next event. */
double sim_noise_wait(struct sim_recorded_noise *noise);

struct sim_noise_event {
    double elapsed_ns; /* since the event before, a gap's length included */
    double gap_ns;     /* 0 = the thread ran on */
    double lost;       /* share of the first level's lines that were lost in the gap */
    bool preempted;
};

/* It has come. */
void sim_noise_next(struct sim_recorded_noise *noise, struct sim_noise_event *event);

/* The share of its lines that a level of so many bytes loses in a nanosecond. Not for the first level. */
double sim_noise_loss(const struct sim_recorded_noise *noise, uint64_t bytes);

/* The level that serves a reference. */
struct sim_server {
    double latency_cycles;
    bool memory;
};

/* Simulated cycles that so many references took more than usual. */
double sim_noise_excess(struct sim_recorded_noise *noise, const struct sim_server *server, double references);

/* The same of a reference that is timed alone. */
double sim_noise_of_one(struct sim_recorded_noise *noise, const struct sim_server *server);

/* What measuring the frequency before and after a reading says, as native/clock.c does it. *factor corrects the
 * reading: passes were recorded by a clock that does not follow the frequency. False if that changed meanwhile. */
bool sim_noise_frequency(struct sim_recorded_noise *noise, double *factor);

/* Share by which all cycles may be off, as the frequency was followed by no less. */
double sim_noise_cycles_off(void);

#endif
