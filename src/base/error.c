#include "error.h"

#include <stdio.h>
#include <string.h>

void hwc_error_set(struct hwc_error *error, int status, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
}

int hwc_fail_in(struct hwc_error *error, const char *context_format, ...)
{
    char context[256];
    char rest[sizeof error->message];
    va_list arguments;

    if (error == NULL)
        return HWC_SYSTEM;
    va_start(arguments, context_format);
    vsnprintf(context, sizeof context, context_format, arguments);
    va_end(arguments);
    memcpy(rest, error->message, sizeof rest);
    snprintf(error->message, sizeof error->message, "%s: %.*s", context, (int)(sizeof rest - sizeof context - 4),
             rest);
    return error->status;
}
