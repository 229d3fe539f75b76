/* Which CPUs share a core, and how many threads run without slowing each other.
 *
 * Claim: so many of the CPUs that this process may use are threads of this one's core; and so many threads run as fast
 * as one does alone, one on each core.
 *
 * Method: X-Ray (QEST 2005, 3.6) runs the throughput benchmark of additions on two CPUs at once: if both slow down,
 * they share a core. Here additions in ten chains, more than the core begins in a cycle, are held against one chain on the
 * same CPU, so that no change of frequency matters; while the other CPU adds likewise, and while it runs, but hardly
 * works. So another process on the other CPU matters neither: what is compared is what our thread there does, and only
 * while it was seen to run. Both CPUs of a pair must say the same. How threads run together is asked of one CPU of each
 * core at once.
 *
 * What can fool it: cores that divide nothing that additions need (those of Bulldozer's modules share the fetching of
 * instructions and the floating-point unit only) are cores of their own here. A virtual machine's CPUs may be moved to
 * other cores by its host: the answer is of the time when it was measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "body_time.h"
#include "cpu_matrix.h"
#include "need_core.h"
#include "same_core.h"
#include "table.h"

enum { TRIES = 3 };

/* As many as 128 CPUs take, and some more. */
static const double most_seconds = 8;

static const char what[] = "how much longer additions take on a CPU (row) while another (column) adds, too: 0 on cores "
                           "of their own, 1 on one that both divide";

struct look {
    struct hwc_lab *lab;
    struct hwc_matrix *matrix;
    double begun;
};

static unsigned count_set(const bool *others, size_t cpus)
{
    unsigned count = 0;

    for (size_t i = 0; i < cpus; i++)
        count += others[i];
    return count;
}

/* Of several at once that do not slow the CPU, each slows it by no more than all do, nor it them. */
static void fill_in(struct hwc_matrix *matrix, unsigned cpu, const bool *others, double share)
{
    bool single = count_set(others, matrix->count) == 1;

    share = hwc_in_hundredths(share) + 0.0;
    for (unsigned i = 0; i < matrix->count; i++) {
        double *cell = hwc_matrix_at(matrix, cpu, i), *back = hwc_matrix_at(matrix, i, cpu);
        if (others[i] && (single || isnan(*cell)))
            *cell = share;
        if (others[i] && !single && isnan(*back))
            *back = share;
    }
}

static int ask(void *context, unsigned cpu, const bool *others, enum hwc_same_core *answer, struct hwc_error *error)
{
    const struct look *look = context;
    struct hwc_machine *machine = look->lab->machine;
    struct hwc_abreast beside;

    *answer = HWC_CORE_UNSURE;
    for (int i = 0; i < TRIES && *answer == HWC_CORE_UNSURE; i++) {
        if (hwc_lab_overdrawn(look->lab))
            return hwc_fail(error, HWC_INCONCLUSIVE, HWC_BUDGET_SPENT);
        if (hwc_lab_elapsed(look->lab) - look->begun > most_seconds)
            return hwc_fail(error, HWC_INCONCLUSIVE, "%.0f s were not enough for all CPUs", most_seconds);
        TRY(machine->cpus->beside(machine, cpu, others, &beside, error));
        *answer = hwc_judge_core(&beside);
    }
    if (*answer == HWC_CORES_APART || count_set(others, look->matrix->count) == 1)
        fill_in(look->matrix, cpu, others, hwc_core_share(&beside));
    return HWC_OK;
}

/* What the system says: the first CPU of each one's core. NULL = it says nothing; the caller's to free. */
static int *documented_cores(struct hwc_machine *machine)
{
    unsigned count = machine->cpus->count(machine);
    int *first = calloc(count, sizeof *first);

    for (unsigned i = 0; first != NULL && i < count; i++) {
        first[i] = machine->cpus->documented_core(machine, i);
        if (first[i] < 0) {
            free(first);
            return NULL;
        }
    }
    return first;
}

static int document(struct hwc_machine *machine, const int *first, struct hwc_matrix *matrix,
                    struct hwc_record *core, struct hwc_error *error)
{
    struct hwc_finding *smt = &core->finding[HWC_CORE_SMT], *parallel = &core->finding[HWC_CORE_PARALLEL_THREADS];
    unsigned own = machine->cpus->own(machine);

    TRY(hwc_matrix_document(matrix, error));
    smt->has_documented = parallel->has_documented = true;
    smt->documented = parallel->documented = 0;
    for (unsigned i = 0; i < matrix->count; i++) {
        bool is_first = true;
        smt->documented += first[i] == first[own];
        for (unsigned k = 0; k < matrix->count; k++) {
            if (i != k)
                matrix->documented[i * matrix->count + k] = first[i] == first[k];
            is_first = is_first && (k >= i || first[i] != first[k]);
        }
        parallel->documented += is_first;
    }
    return HWC_OK;
}

/* "0+64, 1+65" */
static void list_cores(struct hwc_machine *machine, const struct hwc_cores *cores, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned cpu = 0; cpu < cores->cpus; cpu++) {
        bool any = cores->first[cpu] == cpu && hwc_cpus_of_core(cores, cpu) > 1;
        for (unsigned other = cpu; any && other < cores->cpus && used < size; other++)
            if (cores->first[other] == cpu)
                used += (size_t)snprintf(text + used, size - used, "%s%d", other > cpu ? "+" : used > 0 ? ", " : "",
                                         machine->cpus->number(machine, other));
    }
}

static void note_cores(struct hwc_lab *lab, const struct hwc_cores *cores, const struct hwc_record *core)
{
    const struct hwc_finding *parallel = &core->finding[HWC_CORE_PARALLEL_THREADS];
    char text[HWC_MESSAGE / 2];

    list_cores(lab->machine, cores, text, sizeof text);
    if (text[0] != '\0')
        hwc_note(&lab->notes, "CPUs that share a core: %s", text);
    if (parallel->has_documented && (unsigned)parallel->documented != cores->cores)
        hwc_note(&lab->notes, "the system says that these %u CPUs have %.0f cores; by how they slow each other they "
                 "have %u%s", cores->cpus, parallel->documented, cores->cores,
                 parallel->documented > cores->cores ? ": a virtual machine may not say which of its CPUs are threads"
                                                     : "");
}

/* One CPU of each core at once: is each as fast as alone? Of two cores that is known. */
static int ask_crowd(struct look *look, const struct hwc_cores *cores, struct hwc_finding *finding,
                     struct hwc_error *error)
{
    bool *others = calloc(cores->cpus + 1, sizeof *others);
    enum hwc_same_core answer = HWC_CORES_APART;
    int status = others != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for the CPUs");
    unsigned cpu = 0;

    for (; status == HWC_OK && answer == HWC_CORES_APART && cores->cores > 2 && cpu < cores->cpus; cpu++) {
        if (cores->first[cpu] != cpu)
            continue;
        for (unsigned other = 0; other < cores->cpus; other++)
            others[other] = cores->first[other] == other && other != cpu;
        status = ask(look, cpu, others, &answer, error);
    }
    free(others);
    TRY(status);
    if (answer == HWC_CORES_APART)
        hwc_finding_by_clock(finding, cores->cores);
    else
        hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE, "there are %u cores, but CPU %d %s while all of them are at work",
                            cores->cores, look->lab->machine->cpus->number(look->lab->machine, cpu - 1),
                            answer == HWC_CORE_SHARED ? "is slowed" : "could not be looked at often enough");
    return HWC_OK;
}

static int report(struct look *look, const struct hwc_cores *cores, struct hwc_record *core, struct hwc_error *error)
{
    struct hwc_finding *smt = &core->finding[HWC_CORE_SMT], *parallel = &core->finding[HWC_CORE_PARALLEL_THREADS];
    struct hwc_machine *machine = look->lab->machine;
    unsigned own = machine->cpus->own(machine);

    if (cores->unsure[own])
        hwc_finding_because(smt, hwc_inconclusive("some CPU slows this one neither as one of its core does, nor not at "
                                                  "all, or did not run beside it"));
    else
        hwc_finding_by_clock(smt, hwc_cpus_of_core(cores, own));
    if (hwc_cores_are_sure(cores))
        return hwc_findings_settle(ask_crowd(look, cores, parallel, error), &parallel, 1, error);
    hwc_finding_because(parallel, hwc_inconclusive("of some CPUs it is not known whether they share a core"));
    return HWC_OK;
}

static int find_cores(struct look *look, struct hwc_record *core, struct hwc_error *error)
{
    const struct hwc_core_asker asker = {.ask = ask, .context = look};
    struct hwc_machine *machine = look->lab->machine;
    struct hwc_cores cores = {0};
    int *documented = documented_cores(machine);
    int status = hwc_find_cores((unsigned)look->matrix->count, &asker, &cores, error);

    if (status == HWC_OK)
        status = report(look, &cores, core, error);
    if (status == HWC_OK && documented != NULL)
        status = document(machine, documented, look->matrix, core, error);
    if (status == HWC_OK && hwc_cores_are_sure(&cores))
        note_cores(look->lab, &cores, core);
    hwc_cores_free(&cores);
    free(documented);
    return status;
}

static int look_at_all(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct look look = {.lab = lab, .begun = hwc_lab_elapsed(lab)};
    int status;

    TRY(hwc_need_cpus(lab->machine, error));
    TRY(hwc_need_own_code(lab, error));
    TRY(hwc_cpu_matrix_add(lab->machine, profile, "same_core", what, &look.matrix, error));
    status = find_cores(&look, &profile->core, error);
    lab->machine->cpus->leave(lab->machine);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_record *core = &profile->core;
    struct hwc_finding *const found[] = {&core->finding[HWC_CORE_SMT], &core->finding[HWC_CORE_PARALLEL_THREADS]};

    return hwc_findings_settle(look_at_all(lab, profile, error), found, 2, error);
}

const struct hwc_probe hwc_probe_smt = {
    .name = "smt",
    .summary = "which CPUs share a core, and how many threads run without slowdown",
    .source = "X-Ray: Yotov, Pingali and Stodghill, QEST 2005, 3.6",
    .provides = {HWC_CORE_SMT, HWC_CORE_PARALLEL_THREADS},
    .on_request = true,
    .group = "core",
    .run = run,
};
