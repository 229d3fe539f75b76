#include "tables.h"

#include <stddef.h>
#include <string.h>

/* What a counter counts. */
#define DEMAND "demand"
#define RETIRED "retired demand loads"
#define COMPLETED "completed demand loads"
#define RETIRED_CODE "retired instructions that waited"
#define WAITS "reads that waited long"
#define REQUESTS "requests, the L1 prefetcher's too"
#define BEYOND "demand reads sent on"
#define FILLS "all fills, prefetches too"
#define REFILLS "refills, prefetched ones on some cores"
#define WALKS "completed page walks"
#define COMBINED "umasks combined: not in the manuals"
#define RECOMMENDED "code that Arm recommends"
#define LAST_LEVEL "last level, the system's if it has one"
#define VICTIMS "victims"
#define WRITEBACKS "all write-backs"

#define WAY(event, native, raw, quality) {HWC_##event, native, raw, quality, NULL}
#define LISTED(event, raw, quality, listed) {HWC_##event, NULL, raw, quality, listed}

#define FAMILY(name, architecture, document, ...) \
    static const struct ctr_native natives_##name[] = {__VA_ARGS__, {HWC_NO_EVENT, NULL, NULL, NULL, NULL}};
#include "tables/families.def"
#undef FAMILY

const struct ctr_family ctr_families[] = {
#define FAMILY(name, architecture, document, ...) {#name, architecture, document, natives_##name},
#include "tables/families.def"
#undef FAMILY
    {NULL, NULL, NULL, NULL},
};

bool ctr_is_of(const char *family, const char *beginning)
{
    return strncmp(family, beginning, strlen(beginning)) == 0;
}

const struct ctr_family *ctr_family_by_name(const char *name)
{
    for (const struct ctr_family *family = ctr_families; name != NULL && family->name != NULL; family++)
        if (strcmp(family->name, name) == 0)
            return family;
    return NULL;
}
