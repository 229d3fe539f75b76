#include "claim.h"

#include <stddef.h>
#include <string.h>

enum references { NO_REFERENCES = 0, LOADS = 1, STORES = 2, FETCHES = 4 };

static struct hwc_claim claim(enum hwc_claim_of of, unsigned level, unsigned by)
{
    return (struct hwc_claim){.of = of,
                              .level = level,
                              .loads = (by & LOADS) != 0,
                              .stores = (by & STORES) != 0,
                              .fetches = (by & FETCHES) != 0};
}

struct named {
    const char *name;
    enum hwc_claim_of of;
    unsigned level, by;
};

/* Callgrind's last level is the second: it has two. */
static const struct named whole_names[] = {
    {"PAPI_LD_INS", HWC_CLAIMS_REFERENCES, 0, LOADS},
    {"PAPI_SR_INS", HWC_CLAIMS_REFERENCES, 0, STORES},
    {"PAPI_LST_INS", HWC_CLAIMS_REFERENCES, 0, LOADS | STORES},
    {"PAPI_TLB_DM", HWC_CLAIMS_TRANSLATIONS, 0, LOADS},
    {"PAPI_TLB_IM", HWC_CLAIMS_TRANSLATIONS, 0, FETCHES},
    {"PAPI_TLB_TL", HWC_CLAIMS_TRANSLATIONS, 0, LOADS | FETCHES},
    {"L1-dcache-load-misses", HWC_CLAIMS_MISSES, 1, LOADS},
    {"L1-dcache-store-misses", HWC_CLAIMS_MISSES, 1, STORES},
    {"L1-icache-load-misses", HWC_CLAIMS_MISSES, 1, FETCHES},
    {"dTLB-load-misses", HWC_CLAIMS_TRANSLATIONS, 0, LOADS},
    {"iTLB-load-misses", HWC_CLAIMS_TRANSLATIONS, 0, FETCHES},
    {"Dr", HWC_CLAIMS_REFERENCES, 0, LOADS},
    {"Dw", HWC_CLAIMS_REFERENCES, 0, STORES},
    {"D1mr", HWC_CLAIMS_MISSES, 1, LOADS},
    {"D1mw", HWC_CLAIMS_MISSES, 1, STORES},
    {"D1mr+D1mw", HWC_CLAIMS_MISSES, 1, LOADS | STORES},
    {"I1mr", HWC_CLAIMS_MISSES, 1, FETCHES},
    {"DLmr", HWC_CLAIMS_MISSES, 2, LOADS},
    {"DLmw", HWC_CLAIMS_MISSES, 2, STORES},
    {"DLmr+DLmw", HWC_CLAIMS_MISSES, 2, LOADS | STORES},
    {"ILmr", HWC_CLAIMS_MISSES, 2, FETCHES},
    {"l1d_load_miss", HWC_CLAIMS_MISSES, 1, LOADS},
    {"l1d_store_miss", HWC_CLAIMS_MISSES, 1, STORES},
    {"l1d_miss", HWC_CLAIMS_MISSES, 1, LOADS | STORES},
    {"l1i_miss", HWC_CLAIMS_MISSES, 1, FETCHES},
    {"l2_load_miss", HWC_CLAIMS_MISSES, 2, LOADS},
    {"l2_miss", HWC_CLAIMS_MISSES, 2, LOADS | STORES},
    {"l2i_miss", HWC_CLAIMS_MISSES, 2, FETCHES},
    {"l3_load_miss", HWC_CLAIMS_MISSES, 3, LOADS},
    {"l3_miss", HWC_CLAIMS_MISSES, 3, LOADS | STORES},
    {"l4_miss", HWC_CLAIMS_MISSES, 4, LOADS | STORES},
    {"dtlb_miss", HWC_CLAIMS_TRANSLATIONS, 1, LOADS},
    {"dtlb2_miss", HWC_CLAIMS_TRANSLATIONS, 2, LOADS},
    {"itlb_miss", HWC_CLAIMS_TRANSLATIONS, 1, FETCHES},
    {"itlb2_miss", HWC_CLAIMS_TRANSLATIONS, 2, FETCHES},
};

/* What follows PAPI_L1_: A is an access, R a read, W a write, H a hit, M a miss, of data, of instructions, or of both. */
static const struct named papi_of_level[] = {
    {"DCM", HWC_CLAIMS_MISSES, 0, LOADS | STORES}, {"TCM", HWC_CLAIMS_MISSES, 0, LOADS | STORES},
    {"ICM", HWC_CLAIMS_MISSES, 0, FETCHES},        {"LDM", HWC_CLAIMS_MISSES, 0, LOADS},
    {"STM", HWC_CLAIMS_MISSES, 0, STORES},         {"DCH", HWC_CLAIMS_HITS, 0, LOADS},
    {"TCH", HWC_CLAIMS_HITS, 0, LOADS},            {"ICH", HWC_CLAIMS_HITS, 0, FETCHES},
    {"DCA", HWC_CLAIMS_REFERENCES, 0, LOADS | STORES}, {"TCA", HWC_CLAIMS_REFERENCES, 0, LOADS | STORES},
    {"DCR", HWC_CLAIMS_REFERENCES, 0, LOADS},      {"TCR", HWC_CLAIMS_REFERENCES, 0, LOADS},
    {"DCW", HWC_CLAIMS_REFERENCES, 0, STORES},     {"TCW", HWC_CLAIMS_REFERENCES, 0, STORES},
    {"ICA", HWC_CLAIMS_REFERENCES, 0, FETCHES},    {"ICR", HWC_CLAIMS_REFERENCES, 0, FETCHES},
};

static const struct named *find(const char *name, const struct named *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

/* Who comes to a level below the first has missed the one above. */
static struct hwc_claim of_papi_level(unsigned level, const char *what)
{
    const struct named *named = find(what, papi_of_level, sizeof papi_of_level / sizeof papi_of_level[0]);

    if (named == NULL)
        return claim(HWC_CLAIMS_NOTHING, 0, NO_REFERENCES);
    if (named->of == HWC_CLAIMS_REFERENCES && level > 1)
        return claim(HWC_CLAIMS_MISSES, level - 1, named->by);
    return claim(named->of, named->of == HWC_CLAIMS_REFERENCES ? 0 : level, named->by);
}

struct hwc_claim hwc_claim_of_name(const char *name)
{
    static const char simulated[] = "simulated:", papi[] = "PAPI_L";
    const struct named *named;

    if (strncmp(name, simulated, strlen(simulated)) == 0)
        name += strlen(simulated);
    named = find(name, whole_names, sizeof whole_names / sizeof whole_names[0]);
    if (named != NULL)
        return claim(named->of, named->level, named->by);
    if (strcmp(name, "LLC-load-misses") == 0)
        return (struct hwc_claim){.of = HWC_CLAIMS_MISSES, .last = true, .loads = true};
    if (strncmp(name, papi, strlen(papi)) == 0 && name[6] >= '1' && name[6] <= '3' && name[7] == '_')
        return of_papi_level((unsigned)(name[6] - '0'), name + 8);
    return claim(HWC_CLAIMS_NOTHING, 0, NO_REFERENCES);
}
