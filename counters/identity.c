#include "identity.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"
#include "tables.h"

/* "cpu family\t: 6": the key must be the whole of what stands before the colon. */
static bool split(const char *line, const char *key, const char **value)
{
    size_t length = strlen(key);

    if (strncmp(line, key, length) != 0)
        return false;
    line += length;
    line += strspn(line, " \t");
    if (*line != ':')
        return false;
    *value = line + 1 + strspn(line + 1, " \t");
    return true;
}

static void read_field(const char *line, struct ctr_identity *identity)
{
    const struct {
        const char *key;
        unsigned *number;
    } numbers[] = {{"cpu family", &identity->family},
                   {"model", &identity->model},
                   {"stepping", &identity->stepping},
                   {"CPU implementer", &identity->implementer},
                   {"CPU part", &identity->part}};
    const char *value;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (split(line, numbers[i].key, &value))
            *numbers[i].number = (unsigned)strtoul(value, NULL, 0);
    if (split(line, "vendor_id", &value))
        snprintf(identity->vendor, sizeof identity->vendor, "%.*s", (int)strcspn(value, "\n"), value);
    if (split(line, "mvendorid", &value))
        identity->machine_vendor = strtoull(value, NULL, 0);
    if (split(line, "marchid", &value))
        identity->machine = strtoull(value, NULL, 0);
}

static bool says_something(const struct ctr_identity *identity)
{
    return identity->vendor[0] != '\0' || identity->implementer != 0 || identity->machine_vendor != 0;
}

/* The text of a CPU, as far as it has been read, and those that are known. */
struct reading {
    int number; /* -1 = what stands before the first CPU's */
    struct ctr_identity block, first;
    struct ctr_identity *identities;
    int cpus;
};

static void end_block(struct reading *reading)
{
    if (!says_something(&reading->block))
        return;
    if (!says_something(&reading->first))
        reading->first = reading->block;
    if (reading->number >= 0 && reading->number < reading->cpus)
        reading->identities[reading->number] = reading->block;
}

void ctr_read_identities(FILE *cpuinfo, struct ctr_identity *identities, int cpus)
{
    struct reading reading = {.number = -1, .identities = identities, .cpus = cpus};
    char *line = NULL;
    size_t size = 0;

    memset(identities, 0, (size_t)cpus * sizeof *identities);
    while (cpuinfo != NULL && getline(&line, &size, cpuinfo) >= 0) {
        const char *value;
        if (split(line, "processor", &value)) {
            end_block(&reading);
            reading.block = (struct ctr_identity){0};
            reading.number = atoi(value);
            if (reading.number >= cpus && says_something(&reading.first))
                break; /* the kernel lists CPUs in ascending order */
        } else {
            read_field(line, &reading.block);
        }
    }
    end_block(&reading);
    free(line);
    for (int cpu = 0; cpu < cpus; cpu++)
        if (!says_something(&identities[cpu]))
            identities[cpu] = reading.first;
}

struct ctr_identity *ctr_identify_cpus(int cpus)
{
    struct ctr_identity *identities = calloc((size_t)cpus, sizeof *identities);
    FILE *cpuinfo = fopen("/proc/cpuinfo", "r");

    if (identities != NULL)
        ctr_read_identities(cpuinfo, identities, cpus);
    if (cpuinfo != NULL)
        fclose(cpuinfo);
    return identities;
}

/* Family 6 by model, as Intel's mapfile.csv (perfmon) and libpfm4 group them. Where cores are of two kinds, the kernel
 * calls the small ones' PMU cpu_atom. */
static const struct {
    const char *name;
    unsigned models[6];
    const char *small;
} intel[] = {
    {"snb", {0x2a}, NULL},
    {"snb_ep", {0x2d}, NULL},
    {"ivb", {0x3a}, NULL},
    {"ivb_ep", {0x3e}, NULL},
    {"hsw", {0x3c, 0x45, 0x46}, NULL},
    {"hsw_ep", {0x3f}, NULL},
    {"bdw", {0x3d, 0x47}, NULL},
    {"bdw_ep", {0x4f, 0x56}, NULL},
    {"skl", {0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6}, NULL},
    {"skx", {0x55}, NULL},
    {"icl", {0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7}, NULL},
    {"icx", {0x6a}, NULL},
    {"spr", {0x8f}, NULL},
    {"emr", {0xcf}, NULL},
    {"gnr", {0xad, 0xae}, NULL},
    {"adl_grt", {0xbe}, NULL},
    {"adl_glc", {0x97, 0x9a, 0xb7, 0xba, 0xbf}, "adl_grt"},
    {"mtl_rwc", {0xaa, 0xac, 0xb5}, "mtl_cmt"},
    {"lnl_lnc", {0xbd}, "lnl_skt"},
    {"arl_lnc", {0xc5, 0xc6}, "arl_skt"},
    {"srf", {0xaf}, NULL},
    {"grr", {0xb6}, NULL},
    {"cwf", {0xdd}, NULL},
    {"knl", {0x57}, NULL},
    {"knm", {0x85}, NULL},
};

static bool has_model(const unsigned models[6], unsigned model)
{
    for (int i = 0; i < 6 && models[i] != 0; i++)
        if (models[i] == model)
            return true;
    return false;
}

static const char *identified_intel(const struct ctr_identity *identity, const char *pmu)
{
    const unsigned cascade_lake = 5; /* the stepping from which model 0x55 is Cascade Lake */

    for (size_t i = 0; identity->family == 6 && i < sizeof intel / sizeof intel[0]; i++) {
        if (!has_model(intel[i].models, identity->model))
            continue;
        if (strcmp(intel[i].name, "skx") == 0 && identity->stepping >= cascade_lake)
            return "clx";
        if (strcmp(intel[i].name, "arl_lnc") == 0 && strcmp(pmu, "cpu_lowpower") == 0)
            return "mtl_cmt";
        return intel[i].small != NULL && strcmp(pmu, "cpu_atom") == 0 ? intel[i].small : intel[i].name;
    }
    return NULL;
}

/* As the kernel and libpfm4 group them. The first row that fits counts. */
static const struct {
    const char *vendor;
    unsigned family, least, most; /* models */
    const char *name;
} amd[] = {
    {"AuthenticAMD", 0x17, 0x00, 0x2f, "amd64_fam17h_zen1"}, {"AuthenticAMD", 0x17, 0x30, 0xff, "amd64_fam17h_zen2"},
    {"HygonGenuine", 0x18, 0x00, 0xff, "amd64_fam17h_zen1"}, {"AuthenticAMD", 0x19, 0x00, 0x0f, "amd64_fam19h_zen3"},
    {"AuthenticAMD", 0x19, 0x20, 0x5f, "amd64_fam19h_zen3"}, {"AuthenticAMD", 0x19, 0x10, 0xff, "amd64_fam19h_zen4"},
    {"AuthenticAMD", 0x1a, 0x00, 0x4f, "amd64_fam1ah_zen5"}, {"AuthenticAMD", 0x1a, 0x60, 0x7f, "amd64_fam1ah_zen5"},
};

static const char *identified_amd(const struct ctr_identity *identity)
{
    for (size_t i = 0; i < sizeof amd / sizeof amd[0]; i++)
        if (strcmp(identity->vendor, amd[i].vendor) == 0 && identity->family == amd[i].family &&
            identity->model >= amd[i].least && identity->model <= amd[i].most)
            return amd[i].name;
    return NULL;
}

enum { APPLE = 0x61 };

/* MIDR's implementer and part. Microsoft's Cobalt 100 is a Neoverse N2. */
static const struct {
    unsigned implementer, part;
    const char *name;
} arm[] = {
    {0x41, 0xd0c, "arm_n1"},   {0x41, 0xd49, "arm_n2"},   {0x6d, 0xd49, "arm_n2"},   {0x41, 0xd8e, "arm_n3"},
    {0x41, 0xd40, "arm_v1"},   {0x41, 0xd4f, "arm_v2"},   {0x41, 0xd83, "arm_v3"},   {0x41, 0xd84, "arm_v3"},
    {0x46, 0x001, "arm_a64fx"}, {0x41, 0xd03, "arm_ac53"}, {0x41, 0xd05, "arm_ac55"}, {0x41, 0xd07, "arm_ac57"},
    {0x41, 0xd08, "arm_ac72"}, {0x41, 0xd0b, "arm_ac76"}, {0x48, 0xd01, "arm_kunpeng"},
    {0x42, 0x516, "arm_thunderx2"}, {0x43, 0x0af, "arm_thunderx2"}, {0x50, 0x000, "arm_xgene"},
};

static const char *identified_arm(const struct ctr_identity *identity)
{
    for (size_t i = 0; i < sizeof arm / sizeof arm[0]; i++)
        if (identity->implementer == arm[i].implementer && identity->part == arm[i].part)
            return arm[i].name;
    return "armv8";
}

const char *ctr_identified(const struct ctr_identity *identity, const char *pmu)
{
    const uint64_t sifive = 0x489, series7 = 0x8000000000000007;

    if (strcmp(identity->vendor, "GenuineIntel") == 0)
        return identified_intel(identity, pmu);
    if (identity->vendor[0] != '\0')
        return identified_amd(identity);
    if (identity->implementer == APPLE || strncmp(pmu, "apple_", 6) == 0)
        return "apple";
    if (identity->implementer != 0)
        return identified_arm(identity);
    if (identity->machine_vendor == sifive && identity->machine == series7)
        return "sifive_u74";
    return NULL;
}

const char *ctr_cpu_family(int cpu, const struct ctr_core_pmu *core)
{
    const struct ctr_family *forced = ctr_family_by_name(getenv("LIBPFM_FORCE_PMU"));
    struct ctr_identity *identities;
    int last = cpu < 0 ? 0 : cpu;
    const char *name;

    if (forced != NULL)
        return forced->name;
    identities = ctr_identify_cpus(last + 1);
    name = identities != NULL ? ctr_identified(&identities[last], core->name) : NULL;
    free(identities);
    return name;
}
