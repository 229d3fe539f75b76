#include "same_core.h"

#include <math.h>
#include <stdlib.h>

#include "share.h"

static const struct {
    unsigned looks;  /* fewer are no evidence */
    double full;     /* chains that take so much longer than one are more than the core begins in a cycle */
    unsigned few;    /* CPUs that are asked pair by pair: 240 questions */
} policy = {.looks = 16, .full = 1.05, .few = 16};

double hwc_core_share(const struct hwc_abreast *beside)
{
    return beside->looks >= policy.looks && beside->rest > 0 ? beside->busy / beside->rest - 1 : NAN;
}

enum hwc_same_core hwc_judge_core(const struct hwc_abreast *beside)
{
    double share = hwc_core_share(beside);
    enum hwc_share judged = isnan(share) ? HWC_SHARE_BETWEEN : hwc_judge_share(share);

    if (judged == HWC_SHARE_MOST)
        return HWC_CORE_SHARED;
    /* A core that is not full has room for another thread. */
    return judged == HWC_SHARE_NONE && beside->rest >= policy.full ? HWC_CORES_APART : HWC_CORE_UNSURE;
}

struct search {
    const struct hwc_core_asker *asker;
    struct hwc_cores *cores;
    bool *apart;  /* by pair: it was seen to be */
    bool *others; /* of a question */
};

static void free_search(struct search *search)
{
    free(search->apart);
    free(search->others);
}

static int begin(struct search *search, unsigned cpus, struct hwc_error *error)
{
    struct hwc_cores *cores = search->cores;

    *cores = (struct hwc_cores){.cpus = cpus,
                                .first = calloc(cpus + 1, sizeof *cores->first),
                                .unsure = calloc(cpus + 1, sizeof *cores->unsure)};
    search->apart = calloc((size_t)cpus * cpus + 1, sizeof *search->apart);
    search->others = calloc(cpus + 1, sizeof *search->others);
    if (cores->first == NULL || cores->unsure == NULL || search->apart == NULL || search->others == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for the CPUs");
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        cores->first[cpu] = cpu;
    return HWC_OK;
}

static int ask(struct search *search, unsigned cpu, const unsigned *list, unsigned count, enum hwc_same_core *answer,
               struct hwc_error *error)
{
    for (unsigned i = 0; i < search->cores->cpus; i++)
        search->others[i] = false;
    for (unsigned i = 0; i < count; i++)
        search->others[list[i]] = true;
    return search->asker->ask(search->asker->context, cpu, search->others, answer, error);
}

static void join(struct hwc_cores *cores, unsigned cpu, unsigned other)
{
    unsigned to = cores->first[cpu], from = cores->first[other];

    if (from < to) {
        from = cores->first[cpu];
        to = cores->first[other];
    }
    for (unsigned i = 0; i < cores->cpus; i++)
        if (cores->first[i] == from)
            cores->first[i] = to;
}

static void take_apart(struct search *search, unsigned cpu, unsigned other)
{
    search->apart[cpu * search->cores->cpus + other] = search->apart[other * search->cores->cpus + cpu] = true;
}

/* A pair, asked from both sides: both must say the same. */
static int ask_pair(struct search *search, unsigned cpu, unsigned other, struct hwc_error *error)
{
    enum hwc_same_core there = HWC_CORE_UNSURE, back = HWC_CORE_UNSURE;

    TRY(ask(search, cpu, &other, 1, &there, error));
    TRY(ask(search, other, &cpu, 1, &back, error));
    if (there == HWC_CORE_SHARED && back == HWC_CORE_SHARED)
        join(search->cores, cpu, other);
    else if (there == HWC_CORES_APART && back == HWC_CORES_APART)
        take_apart(search, cpu, other);
    else
        search->cores->unsure[cpu] = search->cores->unsure[other] = true;
    return HWC_OK;
}

/* Several at once: where they do not slow it, it is apart from all of them. */
static int ask_several(struct search *search, unsigned cpu, const unsigned *list, unsigned count,
                       struct hwc_error *error)
{
    enum hwc_same_core answer = HWC_CORE_UNSURE;

    if (count == 0)
        return HWC_OK;
    if (count == 1)
        return ask_pair(search, cpu, list[0], error);
    if (search->cores->cpus > policy.few)
        TRY(ask(search, cpu, list, count, &answer, error));
    if (answer == HWC_CORES_APART) {
        for (unsigned i = 0; i < count; i++)
            take_apart(search, cpu, list[i]);
        return HWC_OK;
    }
    TRY(ask_several(search, cpu, list, count / 2, error));
    return ask_several(search, cpu, list + count / 2, count - count / 2, error);
}

/* Those after it that are not known to share the core of one before. */
static unsigned list_candidates(const struct hwc_cores *cores, unsigned cpu, unsigned *list)
{
    unsigned count = 0;

    for (unsigned other = cpu + 1; other < cores->cpus; other++)
        if (cores->cpus <= policy.few || cores->first[other] == other)
            list[count++] = other;
    return count;
}

static int ask_all(struct search *search, struct hwc_error *error)
{
    const struct hwc_cores *cores = search->cores;
    unsigned *list = calloc(cores->cpus + 1, sizeof *list), count;
    int status = list != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for the CPUs");

    for (unsigned cpu = 0; status == HWC_OK && cpu < cores->cpus; cpu++)
        if (cores->cpus <= policy.few || cores->first[cpu] == cpu) {
            count = list_candidates(cores, cpu, list);
            status = ask_several(search, cpu, list, count, error);
        }
    free(list);
    return status;
}

/* Where A is with B, and B with C, A must be with C. */
static void doubt_contradictions(const struct search *search)
{
    struct hwc_cores *cores = search->cores;

    for (unsigned cpu = 0; cpu < cores->cpus; cpu++)
        for (unsigned other = 0; other < cores->cpus; other++)
            if (cores->first[cpu] == cores->first[other] && search->apart[cpu * cores->cpus + other])
                cores->unsure[cpu] = cores->unsure[other] = true;
}

int hwc_find_cores(unsigned cpus, const struct hwc_core_asker *asker, struct hwc_cores *cores, struct hwc_error *error)
{
    struct search search = {.asker = asker, .cores = cores};
    int status = begin(&search, cpus, error);

    if (status == HWC_OK)
        status = ask_all(&search, error);
    if (status == HWC_OK)
        doubt_contradictions(&search);
    for (unsigned cpu = 0; status == HWC_OK && cpu < cpus; cpu++)
        cores->cores += cores->first[cpu] == cpu;
    free_search(&search);
    return status;
}

void hwc_cores_free(struct hwc_cores *cores)
{
    free(cores->first);
    free(cores->unsure);
    *cores = (struct hwc_cores){0};
}

unsigned hwc_cpus_of_core(const struct hwc_cores *cores, unsigned cpu)
{
    unsigned count = 0;

    for (unsigned other = 0; other < cores->cpus; other++)
        count += cores->first[other] == cores->first[cpu];
    return count;
}

bool hwc_cores_are_sure(const struct hwc_cores *cores)
{
    for (unsigned cpu = 0; cpu < cores->cpus; cpu++)
        if (cores->unsure[cpu])
            return false;
    return true;
}
