/* Numbers in JSON: whole ones without a fraction. */
#ifndef HWC_JSON_NUMBER_H
#define HWC_JSON_NUMBER_H

#include <jansson.h>
#include <math.h>

/* NULL if the value is not finite. */
static inline json_t *hwc_json_number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

#endif
