#include "recorded_noise.h"

#include <math.h>
#include <stdlib.h>

#include "statistics.h"

static const struct {
    double event_ns;
    double steady, steady_share;
    double quiet_rounds;
    double far;
    double spread_of_stamps, of_the_clock;
    double gone;
    double frequency_step, cycles_off;
} policy = {
    .event_ns = 1e5, /* lines are lost at least so often */
    /* Passes of a footprint that keeps its lines are alike: so many of them within this much of the fastest. Else their
     * time is mostly that of lines that were lost, which the player loses by itself. */
    .steady = 0.25,
    .steady_share = 0.75,
    .quiet_rounds = 0.05, /* so few are quieter than what a machine file has of latencies: others only add to these */
    .far = 3, /* times the width of the middle half: an outlier */
    /* A clock of coarse steps adds to each reading's variance: two stamps, each off by a uniform part of a step. Within
     * so many steps, what it shows of a single reference is its own. */
    .spread_of_stamps = 1.0 / 6,
    .of_the_clock = 1.5,
    .gone = 0.05, /* if fewer are left after the longer wait, the shorter one tells */
    .frequency_step = 0.015, /* native/clock.c */
    .cycles_off = 0.03,      /* native/calibrate.c */
};

static unsigned last(const struct sim_recorded_noise *noise)
{
    return noise->recording.footprints - 1;
}

/* A reference that takes longer than this over the usual came from memory: its line was lost. */
static double most_of_level(const struct sim_recorded_noise *noise, unsigned footprint)
{
    if (footprint == 0 || footprint == last(noise))
        return INFINITY;
    return noise->recording.footprint[footprint].lost_from;
}

static double variance_of_stamps(const struct sim_recorded_noise *noise)
{
    double step = noise->recording.clock_step_cycles;

    return policy.spread_of_stamps * step * step;
}

static void excess_of_passes(const struct sim_recorded_noise *noise, unsigned footprint, unsigned round,
                             struct sim_excess *excess)
{
    const struct sim_recorded_footprint *recorded = &noise->recording.footprint[footprint];
    double pass[SIM_PASSES], far;
    unsigned usual = SIM_PASSES;

    for (int i = 0; i < SIM_PASSES; i++)
        pass[i] = recorded->look[round].pass[i];
    hwc_sort(pass, SIM_PASSES);
    far = pass[SIM_PASSES / 2] +
          policy.far * (pass[SIM_PASSES * 3 / 4] - pass[SIM_PASSES / 4] + noise->recording.clock_step_cycles);
    while (pass[usual - 1] > far)
        usual--;
    sim_excess_init(excess, pass, usual, recorded->pass_references);
    for (unsigned i = usual; i < SIM_PASSES; i++)
        sim_excess_add_outlier(excess, pass[i], 1.0 / SIM_PASSES);
}

static void excess_of_references(const struct sim_recorded_noise *noise, unsigned footprint, unsigned round,
                                 struct sim_excess *excess)
{
    const int32_t *reference = noise->recording.footprint[footprint].look[round].reference;
    double usual[SIM_GROUPS], most = most_of_level(noise, footprint);
    unsigned count = 0;

    for (int i = 0; i < SIM_GROUPS; i++)
        if (reference[i] <= most)
            usual[count++] = reference[i];
    if (count == 0)
        usual[count++] = 0;
    sim_excess_init(excess, usual, count, 1);
    for (int i = SIM_GROUPS; i < SIM_GROUPS + SIM_LATEST; i++)
        if (reference[i] <= most)
            sim_excess_add_outlier(excess, reference[i], 1 / noise->recording.timed);
}

/* The excess of a round over that of a quiet one, and without what the clock's steps add. */
static void find_excess(const struct sim_recorded_noise *noise, unsigned footprint, unsigned round,
                        struct sim_excess *excess)
{
    (noise->by_passes[footprint] ? excess_of_passes : excess_of_references)(noise, footprint, round, excess);
    excess->variance = fmax(0, excess->variance - variance_of_stamps(noise));
    excess->mean -= noise->quiet[footprint];
    for (unsigned i = 0; i < excess->outliers; i++)
        excess->outlier[i] -= noise->quiet[footprint];
}

/* Of a value of each round, which are put in order: that of a quiet one. */
static double of_quiet_round(const struct sim_recorded_noise *noise, double *each)
{
    hwc_sort(each, noise->recording.rounds);
    return each[(size_t)(policy.quiet_rounds * noise->recording.rounds)];
}

static void find_quiet(struct sim_recorded_noise *noise, unsigned footprint, double *means)
{
    noise->quiet[footprint] = 0;
    for (unsigned r = 0; r < noise->recording.rounds; r++) {
        struct sim_excess excess;
        find_excess(noise, footprint, r, &excess);
        means[r] = excess.mean;
    }
    noise->quiet[footprint] = of_quiet_round(noise, means);
}

static bool is_usable(const struct sim_recorded_noise *noise, unsigned footprint, double *lost)
{
    const struct sim_recording *recording = &noise->recording;

    for (unsigned r = 0; r < recording->rounds; r++)
        lost[r] = recording->round[r].lost[footprint][0];
    return hwc_median(lost, recording->rounds) < recording->probed / 2;
}

static bool is_steady(const struct sim_recorded_noise *noise, unsigned footprint)
{
    const struct sim_recorded_footprint *recorded = &noise->recording.footprint[footprint];
    double most = policy.steady * recorded->cycles * recorded->pass_references;
    unsigned steady = 0, rounds = noise->recording.rounds;

    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = 0; i < SIM_PASSES; i++)
            steady += recorded->look[r].pass[i] <= most;
    return steady >= policy.steady_share * SIM_PASSES * rounds;
}

static double survivors(const struct sim_recorded_noise *noise, unsigned footprint, int wait)
{
    return noise->recording.probed - noise->recording.round[noise->round].lost[footprint][wait];
}

/* Lines go one by one, whichever they are: what is left decays. */
static double find_loss(const struct sim_recorded_noise *noise, unsigned footprint)
{
    const double *waited = noise->recording.waited_ns;
    double at_once = survivors(noise, footprint, 0);
    int wait = survivors(noise, footprint, 2) >= policy.gone * at_once ? 2 : 1;

    return fmax(0, log(fmax(at_once, 1) / fmax(survivors(noise, footprint, wait), 1)) / (waited[wait] - waited[0]));
}

static void plan_next(struct sim_recorded_noise *noise)
{
    const struct sim_recorded_round *round = &noise->recording.round[noise->round];

    noise->next_ns = fmin(noise->at_ns + policy.event_ns, round->watched_ns);
    if (noise->gap < round->gaps)
        noise->next_ns = fmin(noise->next_ns, round->gap[noise->gap].at_ns);
    noise->next_ns = fmax(noise->next_ns, noise->at_ns);
}

/* References of the first footprint hit in the fastest of a round's passes: what they take follows the frequency. (Others
 * who put lines out of the first level slow down the rest of them.) */
static double fastest_pass(const struct sim_recorded_noise *noise, unsigned round)
{
    const int32_t *pass = noise->recording.footprint[0].look[round].pass;
    double fastest = pass[0];

    for (int i = 1; i < SIM_PASSES; i++)
        fastest = fmin(fastest, pass[i]);
    return fastest;
}

static double slower_than_quiet(const struct sim_recorded_noise *noise)
{
    const struct sim_recorded_footprint *home = &noise->recording.footprint[0];
    double more = fastest_pass(noise, noise->round) - noise->quiet_fastest;

    return 1 + more / (home->pass_references * home->cycles);
}

static double usual_pulse(const struct sim_recorded_round *round)
{
    double pulse[SIM_PULSES];

    for (int i = 0; i < SIM_PULSES; i++)
        pulse[i] = 1 + round->pulse[i] / 1e3;
    return hwc_median(pulse, SIM_PULSES);
}

static void begin_round(struct sim_recorded_noise *noise, unsigned round, double at_ns)
{
    const struct sim_recorded_round *recorded = &noise->recording.round[round];

    noise->round = round;
    noise->at_ns = at_ns;
    noise->gap = 0;
    while (noise->gap < recorded->gaps && recorded->gap[noise->gap].at_ns < at_ns)
        noise->gap++;
    for (unsigned i = 0; i <= last(noise); i++) {
        find_excess(noise, i, round, &noise->excess[i]);
        noise->lost_per_ns[i] = i > 0 && i < last(noise) ? find_loss(noise, i) : 0;
    }
    noise->slower = slower_than_quiet(noise);
    noise->usual_pulse = usual_pulse(recorded);
    plan_next(noise);
}

/* A point of the whole recording, every moment as likely. */
static void begin_anywhere(struct sim_recorded_noise *noise)
{
    const struct sim_recording *recording = &noise->recording;
    double whole = 0, at;
    unsigned round = 0;

    for (unsigned r = 0; r < recording->rounds; r++)
        whole += recording->round[r].watched_ns;
    at = hwc_random_unit(&noise->random) * whole;
    while (round + 1 < recording->rounds && at >= recording->round[round].watched_ns)
        at -= recording->round[round++].watched_ns;
    begin_round(noise, round, at);
}

int sim_noise_open(struct sim_recorded_noise *noise, const char *path, double cycles_per_ns, double step_cycles,
                   uint64_t seed, struct hwc_error *error)
{
    double *each;

    *noise = (struct sim_recorded_noise){.cycles_per_ns = cycles_per_ns};
    TRY(sim_recording_read(path, &noise->recording, error));
    each = calloc(noise->recording.rounds, sizeof *each);
    if (each == NULL) {
        sim_noise_close(noise);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a recording");
    }
    noise->step_cycles = step_cycles * noise->recording.cycles_per_ns / cycles_per_ns;
    for (unsigned i = 0; i <= last(noise); i++) {
        noise->usable[i] = i == 0 || i == last(noise) || is_usable(noise, i, each);
        noise->by_passes[i] = i == 0 || i == last(noise) || is_steady(noise, i);
        find_quiet(noise, i, each);
    }
    for (unsigned r = 0; r < noise->recording.rounds; r++)
        each[r] = fastest_pass(noise, r);
    noise->quiet_fastest = of_quiet_round(noise, each);
    free(each);
    hwc_random_seed(&noise->random, seed ^ UINT64_C(0x2ec02d));
    begin_anywhere(noise);
    return HWC_OK;
}

void sim_noise_close(struct sim_recorded_noise *noise)
{
    sim_recording_free(&noise->recording);
}

double sim_noise_wait(struct sim_recorded_noise *noise)
{
    return (noise->next_ns - noise->at_ns) * noise->cycles_per_ns;
}

void sim_noise_next(struct sim_recorded_noise *noise, struct sim_noise_event *event)
{
    const struct sim_recorded_round *round = &noise->recording.round[noise->round];

    *event = (struct sim_noise_event){.elapsed_ns = noise->next_ns - noise->at_ns};
    noise->at_ns = noise->next_ns;
    if (noise->gap < round->gaps && round->gap[noise->gap].at_ns <= noise->at_ns) {
        const struct sim_gap *gap = &round->gap[noise->gap++];
        event->gap_ns = gap->ns;
        event->lost = gap->lost;
        event->preempted = gap->preempted;
        event->elapsed_ns += gap->ns;
        noise->at_ns += gap->ns;
    }
    if (noise->at_ns >= round->watched_ns)
        begin_round(noise, (noise->round + 1) % noise->recording.rounds, 0);
    else
        plan_next(noise);
}

double sim_noise_loss(const struct sim_recorded_noise *noise, uint64_t bytes)
{
    unsigned found = 1;

    for (unsigned i = 2; i < last(noise); i++)
        if (noise->usable[i] && noise->recording.footprint[i].bytes <= bytes)
            found = i;
    return noise->lost_per_ns[found];
}

/* The footprint that was served as fast as this, by ratio. */
static unsigned footprint_of(const struct sim_recorded_noise *noise, const struct sim_server *server)
{
    double least = INFINITY;
    unsigned found = 0;

    if (server->memory)
        return last(noise);
    for (unsigned i = 0; i < last(noise); i++) {
        double ratio = fabs(log(server->latency_cycles / noise->recording.footprint[i].cycles));
        if (noise->usable[i] && ratio < least) {
            least = ratio;
            found = i;
        }
    }
    return found;
}

/* What others do takes as long as it took there. */
static double scale(const struct sim_recorded_noise *noise)
{
    return noise->cycles_per_ns / noise->recording.cycles_per_ns;
}

double sim_noise_excess(struct sim_recorded_noise *noise, const struct sim_server *server, double references)
{
    unsigned footprint = footprint_of(noise, server);
    struct sim_excess excess = noise->excess[footprint];

    sim_excess_scale(&excess, server->latency_cycles / noise->recording.footprint[footprint].cycles, scale(noise));
    return sim_excess_draw(&excess, references, &noise->random);
}

/* One of the references that were timed: the latest, or of a group, by their shares. */
static int32_t draw_reference(struct sim_recorded_noise *noise, const int32_t *reference)
{
    uint64_t one = hwc_random_below(&noise->random, (uint64_t)noise->recording.timed);

    if (one < SIM_LATEST)
        return reference[SIM_GROUPS + one];
    return reference[one % SIM_GROUPS];
}

double sim_noise_of_one(struct sim_recorded_noise *noise, const struct sim_server *server)
{
    unsigned footprint = footprint_of(noise, server);
    double more = draw_reference(noise, noise->recording.footprint[footprint].look[noise->round].reference);
    double step = noise->recording.clock_step_cycles;

    if (more > most_of_level(noise, footprint))
        return 0;
    if (noise->step_cycles >= 0 && noise->step_cycles < step && fabs(more) <= policy.of_the_clock * step)
        return 0;
    return more * scale(noise);
}

/* Pulses were recorded at the beginning of a round, and what references take up to a third of a second later, with the
 * frequency as it was then. A reading between two pulses has the frequency that they have: that of the round's references,
 * which take as much longer already, and besides what these two differ by from the round's. */
bool sim_noise_frequency(struct sim_recorded_noise *noise, double *factor)
{
    const int32_t *pulse = noise->recording.round[noise->round].pulse;
    uint64_t first = hwc_random_below(&noise->random, SIM_PULSES);
    double before = (1 + pulse[first] / 1e3) / noise->usual_pulse;
    double after = (1 + pulse[(first + 1) % SIM_PULSES] / 1e3) / noise->usual_pulse;
    double least = fmin(before, after), seen = noise->slower * least;

    *factor = least * (fabs(seen - 1) > policy.frequency_step ? 1 / seen : 1);
    return fmax(before, after) <= least * (1 + policy.frequency_step);
}

double sim_noise_cycles_off(void)
{
    return policy.cycles_off;
}
