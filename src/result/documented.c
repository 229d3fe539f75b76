#include "profile.h"

/* The documented figure; 0 = there is none. */
static double figure(const struct hwc_documented *documented, const struct hwc_documented_cache *cache,
                     enum hwc_documented_figure which)
{
    switch (which) {
    case HWC_DOCUMENTED_LINE_SIZE:
        return (double)cache->line_bytes;
    case HWC_DOCUMENTED_SIZE:
        return (double)cache->size_bytes;
    case HWC_DOCUMENTED_WAYS:
        return (double)cache->ways;
    case HWC_DOCUMENTED_LATENCY:
        return cache->latency_cycles;
    case HWC_DOCUMENTED_SHARED_BY:
        return cache->shared_by;
    case HWC_DOCUMENTED_PAGE_SIZE:
        return (double)documented->page_bytes;
    case HWC_DOCUMENTED_MEMORY_LATENCY:
        return documented->memory_latency_cycles;
    case HWC_DOCUMENTED_NOTHING:
        break;
    }
    return 0;
}

static void document(struct hwc_record *record, enum hwc_group group, const struct hwc_documented *documented,
                     const struct hwc_documented_cache *cache)
{
    HWC_EACH_FIELD(field, group) {
        double value = figure(documented, cache, hwc_fields[field].documented);
        record->finding[field].has_documented = value > 0;
        record->finding[field].documented = value;
    }
}

/* The documented size says something of the effective size where less than that can be used; a level that keeps more with
 * those above it is as it should be. */
static void document_effective(struct hwc_finding *effective)
{
    double most = effective->known ? effective->value : effective->high;

    effective->has_documented = effective->has_documented && hwc_finding_is_told(effective) &&
                                most < effective->documented;
}

static const struct hwc_documented_cache no_cache;

static const struct hwc_documented_cache *find_cache(const struct hwc_documented *documented, unsigned level, bool code)
{
    const struct hwc_documented_cache *found = &no_cache;

    for (unsigned i = 0; i < documented->caches; i++) {
        const struct hwc_documented_cache *cache = &documented->cache[i];
        if (cache->level == level && (code ? cache->instruction && !cache->data : cache->data))
            found = cache;
    }
    return found;
}

void hwc_profile_document(struct hwc_profile *profile, const struct hwc_documented *documented)
{
    for (unsigned i = 0; i < profile->caches; i++) {
        document(&profile->cache[i], HWC_OF_CACHE, documented, find_cache(documented, i + 1, false));
        document_effective(&profile->cache[i].finding[HWC_CACHE_EFFECTIVE_SIZE]);
    }
    for (unsigned i = 0; i < profile->code_caches; i++)
        document(&profile->code_cache[i], HWC_OF_CODE_CACHE, documented, find_cache(documented, i + 1, true));
    document(&profile->memory, HWC_OF_MEMORY, documented, &no_cache);
}
