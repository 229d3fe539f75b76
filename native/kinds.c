/* What tells kinds of cores apart, in this order: the PMU that counts the CPU, as the kernel gives each kind its own;
 * Arm's main ID register; the model that /proc/cpuinfo names; the sizes of the CPU's own caches; how much it can do
 * (cpu_capacity), as the same design may be built for more speed. A CPU of a kind that is favoured with some more clock
 * can do a few percent more, and is of that kind. */
#include "kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"
#include "cpu_file.h"
#include "identity.h"

static const double least_difference = 0.1; /* of what CPUs can do */

/* Of each CPU. */
struct traits {
    char pmu[64];
    struct ctr_identity identity;
    char midr[32], first_cache[32], second_cache[32];
    double capacity; /* 0 = the system does not say */
};

static void read_text(int cpu, const char *name, char *text, int size)
{
    text[0] = '\0';
    native_read_cpu_file(cpu, name, text, size);
    text[strcspn(text, "\n")] = '\0';
}

/* `identities`: of all CPUs; NULL = not known. */
static void look_at(int cpu, const struct ctr_identity *identities, struct traits *traits)
{
    struct ctr_core_pmu pmu;

    ctr_find_core_pmu(cpu, &pmu);
    snprintf(traits->pmu, sizeof traits->pmu, "%s", pmu.name);
    traits->identity = identities != NULL ? identities[cpu] : (struct ctr_identity){0};
    read_text(cpu, "regs/identification/midr_el1", traits->midr, sizeof traits->midr);
    read_text(cpu, "cache/index0/size", traits->first_cache, sizeof traits->first_cache);
    read_text(cpu, "cache/index2/size", traits->second_cache, sizeof traits->second_cache);
    traits->capacity = (double)native_cpu_number(cpu, "cpu_capacity");
}

static bool have_one_identity(const struct ctr_identity *a, const struct ctr_identity *b)
{
    return strcmp(a->vendor, b->vendor) == 0 && a->family == b->family && a->model == b->model &&
           a->implementer == b->implementer && a->part == b->part && a->machine_vendor == b->machine_vendor &&
           a->machine == b->machine;
}

static bool can_do_as_much(const struct traits *a, const struct traits *b)
{
    return fabs(a->capacity - b->capacity) <= least_difference * fmax(a->capacity, b->capacity);
}

static bool have_like_traits(const struct traits *a, const struct traits *b)
{
    return strcmp(a->pmu, b->pmu) == 0 && strcmp(a->midr, b->midr) == 0 &&
           have_one_identity(&a->identity, &b->identity) && strcmp(a->first_cache, b->first_cache) == 0 &&
           strcmp(a->second_cache, b->second_cache) == 0 && can_do_as_much(a, b);
}

/* Kinds under construction, with the traits of each one's first CPU. */
struct found {
    const struct ctr_identity *identities;
    unsigned count;
    struct native_kind *kinds;
    struct traits traits[NATIVE_MOST_KINDS];
};

static void take_cpu(int cpu, struct found *found)
{
    struct traits traits;
    unsigned i = 0;

    look_at(cpu, found->identities, &traits);
    while (i < found->count && !have_like_traits(&traits, &found->traits[i]))
        i++;
    if (i == NATIVE_MOST_KINDS)
        return;
    if (i == found->count) {
        found->kinds[found->count] = (struct native_kind){.cpu = cpu};
        found->traits[found->count++] = traits;
    }
    found->kinds[i].cpus++;
}

static bool is_alone_with(const struct found *found, unsigned kind, const char *(*of)(const struct traits *))
{
    for (unsigned i = 0; i < found->count; i++)
        if (i != kind && strcmp(of(&found->traits[i]), of(&found->traits[kind])) == 0)
            return false;
    return true;
}

static const char *pmu_of(const struct traits *traits)
{
    return traits->pmu;
}

static const char *midr_of(const struct traits *traits)
{
    return traits->midr;
}

/* By the first trait that no other kind has. */
static void name_kind(const struct found *found, unsigned kind)
{
    struct native_kind *named = &found->kinds[kind];
    const struct traits *traits = &found->traits[kind];

    if (is_alone_with(found, kind, pmu_of))
        snprintf(named->name, sizeof named->name, "%s", traits->pmu);
    else if (is_alone_with(found, kind, midr_of))
        snprintf(named->name, sizeof named->name, "MIDR %s", traits->midr);
    else if (traits->capacity > 0)
        snprintf(named->name, sizeof named->name, "capacity %.0f", traits->capacity);
    else
        snprintf(named->name, sizeof named->name, "as CPU %d", named->cpu);
}

unsigned native_find_kinds(struct native_kind kinds[NATIVE_MOST_KINDS])
{
    struct ctr_identity *identities = ctr_identify_cpus(CPU_SETSIZE);
    struct found found = {.identities = identities, .kinds = kinds};
    cpu_set_t allowed;

    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            take_cpu(cpu, &found);
    for (unsigned i = 0; i < found.count; i++)
        name_kind(&found, i);
    free(identities);
    return found.count;
}

void native_keep_kind(int cpu, cpu_set_t *cpus)
{
    struct ctr_identity *identities = ctr_identify_cpus(CPU_SETSIZE);
    struct traits wanted, traits;

    look_at(cpu, identities, &wanted);
    for (int other = 0; other < CPU_SETSIZE; other++) {
        if (!CPU_ISSET((size_t)other, cpus))
            continue;
        look_at(other, identities, &traits);
        if (!have_like_traits(&wanted, &traits))
            CPU_CLR((size_t)other, cpus);
    }
    free(identities);
}
