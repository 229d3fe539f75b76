#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strict_json.h"

/* Numbers that are recorded as integers, whatever they are of, and nanoseconds. */
#define MOST 100000000

static int parse_look(const struct hwc_object *footprint, const char *key, json_t *list, unsigned round, size_t count,
                      int32_t *values, struct hwc_error *error)
{
    char name[HWC_WHERE];

    snprintf(name, sizeof name, "%s[%u]", key, round);
    return hwc_read_integers(footprint, name, json_array_get(list, round), count, -MOST, MOST, values, error);
}

static int parse_looks(struct hwc_object *object, unsigned rounds, struct sim_recorded_footprint *footprint,
                       struct hwc_error *error)
{
    json_t *references = hwc_object_take(object, "references"), *passes = hwc_object_take(object, "passes");

    if (!json_is_array(references) || json_array_size(references) != rounds)
        return hwc_object_fault(object, "references", error, "must be a list of %u rounds", rounds);
    if (!json_is_array(passes) || json_array_size(passes) != rounds)
        return hwc_object_fault(object, "passes", error, "must be a list of %u rounds", rounds);
    footprint->look = calloc(rounds, sizeof *footprint->look);
    if (footprint->look == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a recording");
    for (unsigned r = 0; r < rounds; r++) {
        struct sim_recorded_look *look = &footprint->look[r];
        TRY(parse_look(object, "references", references, r, SIM_GROUPS + SIM_LATEST, look->reference, error));
        TRY(parse_look(object, "passes", passes, r, SIM_PASSES, look->pass, error));
    }
    return HWC_OK;
}

static int parse_footprint(json_t *json, unsigned index, struct sim_recording *recording, struct hwc_error *error)
{
    struct sim_recorded_footprint *footprint = &recording->footprint[index];
    struct hwc_object object;
    uint64_t pass;
    int32_t lost_from;
    char where[32];

    snprintf(where, sizeof where, "footprints[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "bytes", 64, INT64_C(1) << 40, -1, &footprint->bytes, error));
    TRY(hwc_take_integer(&object, "pass", 1, MOST, -1, &pass, error));
    TRY(hwc_take_number(&object, "cycles", 0.1, 1e6, -1, &footprint->cycles, error));
    TRY(hwc_take_signed(&object, "lost_from", -MOST, MOST, &lost_from, error));
    TRY(parse_looks(&object, recording->rounds, footprint, error));
    footprint->pass_references = (double)pass;
    footprint->lost_from = lost_from;
    if (index > 0 && footprint->bytes <= recording->footprint[index - 1].bytes)
        return hwc_object_fault(&object, "bytes", error, "footprints must come in order of size");
    return hwc_object_close(&object, error);
}

static int parse_footprints(struct hwc_object *root, struct sim_recording *recording, struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, "footprints");
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count < 3 || count > SIM_MOST_FOOTPRINTS)
        return hwc_object_fault(root, "footprints", error, "must be a list of 3 to %d", SIM_MOST_FOOTPRINTS);
    recording->footprints = (unsigned)count;
    for (unsigned i = 0; i < count; i++)
        TRY(parse_footprint(json_array_get(list, i), i, recording, error));
    return HWC_OK;
}

enum { AT, LENGTH, LINES, PREEMPTED, GAP_NUMBERS };

static int parse_gaps(struct hwc_object *object, double lines, struct sim_recorded_round *round,
                      struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, "gaps");
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count % GAP_NUMBERS != 0 || count / GAP_NUMBERS > SIM_MOST_GAPS)
        return hwc_object_fault(object, "gaps", error, "must be a list of at most %d gaps of %d integers each",
                                SIM_MOST_GAPS, GAP_NUMBERS);
    round->gap = calloc(count / GAP_NUMBERS + 1, sizeof *round->gap);
    if (round->gap == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a recording");
    for (size_t i = 0; i < count / GAP_NUMBERS; i++) {
        struct sim_gap *gap = &round->gap[round->gaps++];
        double number[GAP_NUMBERS];
        for (size_t k = 0; k < GAP_NUMBERS; k++) {
            const json_t *item = json_array_get(list, i * GAP_NUMBERS + k);
            number[k] = json_is_integer(item) ? (double)json_integer_value(item) : -1;
        }
        *gap = (struct sim_gap){1e3 * number[AT], number[LENGTH], number[LINES] / lines, number[PREEMPTED] > 0};
        if (gap->at_ns < (i > 0 ? gap[-1].at_ns : 0) || gap->at_ns > round->watched_ns || gap->ns <= 0 ||
            gap->lost < 0 || gap->lost > 1 || number[PREEMPTED] < 0)
            return hwc_object_fault(object, "gaps", error, "number %zu is none, not in order, or not in the round",
                                    i + 1);
    }
    return HWC_OK;
}

/* Footprints that may lose lines are all but the first and the last. */
static int parse_lost(struct hwc_object *object, const struct sim_recording *recording, size_t losers,
                      struct sim_recorded_round *round, struct hwc_error *error)
{
    int32_t lost[SIM_MOST_FOOTPRINTS * SIM_WAITS];

    TRY(hwc_take_integers(object, "lost", losers * SIM_WAITS, 0, (int32_t)recording->probed, lost, error));
    for (size_t i = 0; i < losers * SIM_WAITS; i++)
        round->lost[1 + i / SIM_WAITS][i % SIM_WAITS] = lost[i];
    return HWC_OK;
}

static int parse_round(json_t *json, unsigned index, double lines, size_t losers, struct sim_recording *recording,
                       struct hwc_error *error)
{
    struct sim_recorded_round *round = &recording->round[index];
    struct hwc_object object;
    uint64_t at, watched;
    char where[32];

    snprintf(where, sizeof where, "rounds[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "at", 0, INT64_C(1) << 40, -1, &at, error)); /* rounds are played without a pause */
    TRY(hwc_take_integer(&object, "watched", 1, MOST, -1, &watched, error));
    round->watched_ns = 1e3 * (double)watched;
    TRY(hwc_take_integers(&object, "pulses", SIM_PULSES, -900, MOST, round->pulse, error));
    TRY(parse_lost(&object, recording, losers, round, error));
    TRY(parse_gaps(&object, lines, round, error));
    return hwc_object_close(&object, error);
}

/* Both lists are needed to read either: there are as many rounds as looks, and as many losers as footprints. */
static int parse_rounds(struct hwc_object *root, double lines, struct sim_recording *recording,
                        struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, "rounds");
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count < 1 || count > SIM_MOST_ROUNDS)
        return hwc_object_fault(root, "rounds", error, "must be a list of 1 to %d", SIM_MOST_ROUNDS);
    recording->round = calloc(count, sizeof *recording->round);
    if (recording->round == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a recording");
    recording->rounds = (unsigned)count;
    TRY(parse_footprints(root, recording, error));
    for (unsigned r = 0; r < count; r++)
        TRY(parse_round(json_array_get(list, r), r, lines, recording->footprints - 2, recording, error));
    return HWC_OK;
}

/* For readers of the file: nothing plays them. */
static int parse_origin(struct hwc_object *root, char *origin, size_t size, struct hwc_error *error)
{
    const char *model, *hypervisor, *kernel, *date;
    double seconds, gap_ns;

    TRY(hwc_take_string(root, "cpu_model", true, &model, error));
    TRY(hwc_take_string(root, "hypervisor", true, &hypervisor, error));
    TRY(hwc_take_string(root, "kernel", true, &kernel, error));
    TRY(hwc_take_string(root, "date", true, &date, error));
    hwc_write(origin, size, "%s%s%s, %s", model, hypervisor[0] != '\0' ? " under " : "", hypervisor, date);
    TRY(hwc_take_number(root, "seconds", 0, 1e6, -1, &seconds, error));
    return hwc_take_number(root, "gap_ns", 1, 1e9, -1, &gap_ns, error);
}

static int parse_root(json_t *json, struct sim_recording *recording, struct hwc_error *error)
{
    struct hwc_object root;
    const char *schema;
    int32_t waited[SIM_WAITS];
    uint64_t lines, timed, probed;

    TRY(hwc_object_open(&root, json, "", error));
    TRY(hwc_take_string(&root, "schema", true, &schema, error));
    if (strcmp(schema, "hwchar-noise/1") != 0)
        return hwc_object_fault(&root, "schema", error, "is \"%.40s\", must be \"hwchar-noise/1\"", schema);
    TRY(parse_origin(&root, recording->origin, sizeof recording->origin, error));
    TRY(hwc_take_number(&root, "cycles_per_ns", 0.001, 1e3, -1, &recording->cycles_per_ns, error));
    TRY(hwc_take_number(&root, "clock_step", 0, 1e4, -1, &recording->clock_step_cycles, error));
    TRY(hwc_take_integer(&root, "lines", 1, MOST, -1, &lines, error));
    TRY(hwc_take_integer(&root, "timed", SIM_GROUPS + SIM_LATEST, MOST, -1, &timed, error));
    TRY(hwc_take_integer(&root, "probed", 1, MOST, -1, &probed, error));
    TRY(hwc_take_integers(&root, "waited", SIM_WAITS, 0, MOST, waited, error));
    recording->timed = (double)timed;
    recording->probed = (double)probed;
    for (int i = 0; i < SIM_WAITS; i++) {
        recording->waited_ns[i] = 1e3 * waited[i];
        if (i > 0 && waited[i] <= waited[i - 1])
            return hwc_object_fault(&root, "waited", error, "must ascend");
    }
    TRY(parse_rounds(&root, (double)lines, recording, error));
    return hwc_object_close(&root, error);
}

int sim_recording_read(const char *path, struct sim_recording *recording, struct hwc_error *error)
{
    json_t *json = NULL;
    int status = hwc_json_load(path, &json, error);

    *recording = (struct sim_recording){0};
    if (status == HWC_OK)
        status = parse_root(json, recording, error);
    json_decref(json);
    if (status != HWC_OK)
        sim_recording_free(recording);
    return status;
}

void sim_recording_free(struct sim_recording *recording)
{
    for (unsigned i = 0; i < SIM_MOST_FOOTPRINTS; i++)
        free(recording->footprint[i].look);
    for (unsigned r = 0; r < recording->rounds; r++)
        free(recording->round[r].gap);
    free(recording->round);
    *recording = (struct sim_recording){0};
}
