/* Curves in JSON. */
#ifndef HWC_CURVE_JSON_H
#define HWC_CURVE_JSON_H

#include <jansson.h>

#include "curve.h"
#include "error.h"
#include "json_writer.h"

/* The list of curves. */
json_t *hwc_curves_json(struct hwc_json_writer *writer, const struct hwc_curves *curves);

/* Read such a list. HWC_BAD_INPUT names what is wrong, and where. */
int hwc_curves_read(json_t *list, struct hwc_curves *curves, struct hwc_error *error);

#endif
