/* Parsing of machine files: what its source files share. */
#ifndef HWC_SIM_DESCRIPTION_PARTS_H
#define HWC_SIM_DESCRIPTION_PARTS_H

#include "description.h"
#include "strict_json.h"

/* "data", "instruction", "unified", NULL. */
extern const char *const sim_kinds[];

static inline bool sim_is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* Parse "replacement": a policy's name, or two that duel; LRU if it is missing. */
int sim_parse_replacement(struct hwc_object *object, struct sim_cache_shape *shape, struct hwc_error *error);

/* A policy whose ways come in groups needs exactly groups * leaves ways. */
int sim_check_groups(const struct hwc_object *object, const struct hwc_policy *policy, unsigned ways,
                     struct hwc_error *error);

/* Parse "caches". */
int sim_parse_levels(struct hwc_object *root, struct sim_description *description, struct hwc_error *error);

/* Parse "documented": what is claimed of caches, true or not. */
int sim_parse_documented(struct hwc_object *root, struct sim_documented *documented, struct hwc_error *error);

#endif
