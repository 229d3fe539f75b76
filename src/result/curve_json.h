/* Curves in JSON. */
#ifndef HWC_CURVE_JSON_H
#define HWC_CURVE_JSON_H

#include <jansson.h>

#include "curve.h"
#include "error.h"

/* The list of curves; NULL if there is no memory, or if a value is not finite. */
json_t *hwc_curves_json(const struct hwc_curves *curves);

/* Read such a list. HWC_BAD_INPUT names what is wrong, and where. */
int hwc_curves_read(json_t *list, struct hwc_curves *curves, struct hwc_error *error);

#endif
