/* Reading a finding from JSON. */
#ifndef HWC_FINDING_READ_H
#define HWC_FINDING_READ_H

#include "fields.h"
#include "profile.h"
#include "strict_json.h"

/* Read the finding of a field from the object's key of that name; leaves it alone if the key is absent. Where it was
 * validated, the validation gets a row; NULL = there is none. */
int hwc_take_finding(struct hwc_object *object, enum hwc_field_id id, struct hwc_record *record,
                     struct hwc_validation *validation, struct hwc_error *error);

/* Read a string of less than `size` bytes; "" if it is absent and not required. */
int hwc_take_text(struct hwc_object *object, const char *key, bool required, char *text, size_t size,
                  struct hwc_error *error);

#endif
