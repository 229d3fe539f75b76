/* The validation of a profile in JSON. */
#ifndef HWC_VALIDATION_JSON_H
#define HWC_VALIDATION_JSON_H

#include "json_writer.h"
#include "profile.h"
#include "strict_json.h"

json_t *hwc_verdict_json(struct hwc_json_writer *writer, const struct hwc_verdict *verdict);
int hwc_verdict_read(struct hwc_object *finding, struct hwc_verdict *verdict, struct hwc_error *error);

/* The key "walks" of the clock's answer: what was counted in its own walks, if anything was. */
json_t *hwc_walks_json(struct hwc_json_writer *writer, const struct hwc_walk_counts *counted);
int hwc_walks_read(struct hwc_object *finding, struct hwc_walk_counts *counted, struct hwc_error *error);

/* The key "validation": what belongs to no single finding. */
json_t *hwc_differences_json(struct hwc_json_writer *writer, const struct hwc_validation *validation);

/* Read that key before any finding, where there is one: then the profile gets a validation. */
int hwc_differences_read(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error);

#endif
