#include "uncore_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"

#define READS "shared: reads, others' too"
#define REQUESTS "shared: requests, others' too"
#define REFILLS "shared: refills, others' too"

const struct ctr_uncore_way ctr_uncore_ways[] = {
#define UNCORE(families, kind, event, terms, quality) {families, kind, HWC_##event, terms, quality},
#include "tables/uncore.def"
#undef UNCORE
    {NULL, NULL, HWC_NO_EVENT, NULL, NULL},
};

bool ctr_is_uncore_way_of(const struct ctr_uncore_way *way, const char *family)
{
    size_t length = family != NULL ? strlen(family) : 0;

    if (way->families[0] == '\0')
        return true;
    for (const char *at = way->families; length > 0 && (at = strstr(at, family)) != NULL; at += length)
        if ((at == way->families || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool has_format(const char *pmu, const char *term)
{
    char file[64];
    char *line;

    snprintf(file, sizeof file, "format/%.40s", term);
    line = ctr_device_line(pmu, file);
    free(line);
    return line != NULL;
}

/* AMD's formats since family 19h, and those before: a mask of the four cores' eight threads. */
void ctr_own_terms(const char *pmu, const struct ctr_place *place, char *terms, size_t size)
{
    terms[0] = '\0';
    if (!has_format(pmu, "threadmask") || place->thread > 1)
        return;
    if (has_format(pmu, "coreid") && has_format(pmu, "enallslices"))
        snprintf(terms, size, ",coreid=%u,threadmask=%#x,enallslices=1", place->core, 1u << place->thread);
    else if (has_format(pmu, "slicemask") && place->core < 4)
        snprintf(terms, size, ",slicemask=0xf,threadmask=%#x", 1u << (2 * place->core + place->thread));
}
