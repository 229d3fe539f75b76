/* A recording as JSON (docs/noise.schema.json): cycles and nanoseconds as integers, a line for each round. */
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "noise_recorder.h"
#include "statistics.h"

static double cycles(const struct recorder *recorder, double ticks)
{
    return ticks * recorder->clock->cycles_per_tick;
}

/* Text from the system, without what JSON would not bear. */
static void write_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, " \"%s\": \"", key);
    for (; *text != '\0'; text++)
        if (*text >= ' ' && *text < 127 && *text != '"' && *text != '\\')
            fputc(*text, file);
    fprintf(file, "\",\n");
}

static void write_head(FILE *file, const struct recorder *recorder)
{
    struct utsname system;
    char date[16] = "";
    time_t now = time(NULL);
    struct tm utc;

    uname(&system);
    system.release[strcspn(system.release, "-")] = '\0'; /* what follows is a distributor's or a user's own */
    if (gmtime_r(&now, &utc) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    fprintf(file, "{\n \"schema\": \"hwchar-noise/1\",\n");
    write_text(file, "cpu_model", recorder->host.cpu_model);
    write_text(file, "hypervisor", recorder->host.hypervisor);
    write_text(file, "kernel", system.release);
    write_text(file, "date", date);
    fprintf(file, " \"seconds\": %.1f,\n \"cycles_per_ns\": %.4f,\n \"clock_step\": %.2f,\n \"gap_ns\": %.0f,\n",
            recorder->seconds, recorder->machine->base.cycles_per_ns, recorder->machine->base.step_cycles,
            recorder->gap_ns);
}

/* The middle of the references' times over all rounds. */
static double usual_reference(const struct recorder *recorder, int footprint)
{
    double middle[ROUNDS];

    for (int r = 0; r < ROUNDS; r++)
        middle[r] = recorder->round[r].look[footprint].group[GROUPS / 2];
    return hwc_median(middle, ROUNDS);
}

static double fastest_pass(const struct recorder *recorder, int footprint)
{
    double least = INFINITY;

    for (int r = 0; r < ROUNDS; r++)
        for (int p = 0; p < PASSES; p++)
            least = fmin(least, recorder->round[r].look[footprint].pass[p]);
    return least;
}

static void write_cycles(FILE *file, const struct recorder *recorder, const double *ticks, int count, double from)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%.0f", i > 0 ? "," : "", cycles(recorder, ticks[i] - from) + 0.0);
}

/* A row for each round: groups and latest references over the usual one, passes over the fastest. */
static void write_footprint(FILE *file, const struct recorder *recorder, int index)
{
    const struct footprint *footprint = &recorder->footprint[index];
    double usual = usual_reference(recorder, index), fastest = fastest_pass(recorder, index);

    fprintf(file, "  {\"bytes\": %llu, \"pass\": %llu, \"cycles\": %.2f, \"lost_from\": %.0f,\n   \"references\": [\n",
            (unsigned long long)footprint->bytes, (unsigned long long)footprint->in_pass,
            cycles(recorder, fastest) / (double)footprint->in_pass, cycles(recorder, recorder->halfway - usual));
    for (int r = 0; r < ROUNDS; r++) {
        fprintf(file, "%s[", r > 0 ? ",\n" : "");
        write_cycles(file, recorder, recorder->round[r].look[index].group, GROUPS, usual);
        fputc(',', file);
        write_cycles(file, recorder, recorder->round[r].look[index].latest, LATEST, usual);
        fputc(']', file);
    }
    fprintf(file, "],\n   \"passes\": [\n");
    for (int r = 0; r < ROUNDS; r++) {
        fprintf(file, "%s[", r > 0 ? ",\n" : "");
        write_cycles(file, recorder, recorder->round[r].look[index].pass, PASSES, fastest);
        fputc(']', file);
    }
    fprintf(file, "]}%s\n", index + 1 < FOOTPRINTS ? "," : "");
}

static void write_round(FILE *file, const struct round *round)
{
    fprintf(file, "  {\"at\":%.0f,\"watched\":%.0f,\"pulses\":[", round->at_ns / 1e3, round->watched_ns / 1e3);
    for (int i = 0; i < PULSES; i++)
        fprintf(file, "%s%.0f", i > 0 ? "," : "", 1e3 * (round->pulse[i] - 1) + 0.0);
    fprintf(file, "],\"lost\":[");
    for (int i = 0; i < LOSERS * WAITS; i++)
        fprintf(file, "%s%u", i > 0 ? "," : "", round->lost[i / WAITS][i % WAITS]);
    fprintf(file, "],\"gaps\":[");
    for (unsigned i = 0; i < round->gaps; i++)
        fprintf(file, "%s%.0f,%.0f,%u,%d", i > 0 ? "," : "", round->gap[i].at_ns / 1e3, round->gap[i].ns,
                round->gap[i].lines, round->gap[i].preempted);
    fprintf(file, "]}");
}

void write_noise(FILE *file, const struct recorder *recorder)
{
    write_head(file, recorder);
    fprintf(file, " \"lines\": %d,\n \"timed\": %d,\n \"probed\": %d,\n \"waited\": [", HOME_LINES, TIMED, PROBED);
    for (int i = 0; i < WAITS; i++)
        fprintf(file, "%s%.0f", i > 0 ? "," : "", recorder->waited_ns[i] / 1e3);
    fprintf(file, "],\n \"footprints\": [\n");
    for (int i = 0; i < FOOTPRINTS; i++)
        write_footprint(file, recorder, i);
    fprintf(file, " ],\n \"rounds\": [\n");
    for (int r = 0; r < ROUNDS; r++) {
        write_round(file, &recorder->round[r]);
        fprintf(file, "%s\n", r + 1 < ROUNDS ? "," : "");
    }
    fprintf(file, " ]\n}\n");
}
