#include "error.h"

#include <stdarg.h>
#include <string.h>

void hwc_error_set(struct hwc_error *error, int status, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    hwc_write_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    error->status = status;
}

int hwc_context(struct hwc_error *error, const char *format, ...)
{
    char context[sizeof error->message], rest[sizeof error->message];
    va_list arguments;

    if (error == NULL)
        return HWC_SYSTEM;
    va_start(arguments, format);
    hwc_write_list(context, sizeof context, format, arguments);
    va_end(arguments);
    memcpy(rest, error->message, sizeof rest);
    hwc_write(error->message, sizeof error->message, "%s: %s", context, rest);
    return error->status;
}
