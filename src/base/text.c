#include "text.h"

#include <stdio.h>
#include <string.h>

static const char more[] = " ...";

/* The cut: after the last word that leaves room for the dots, or inside a first word that is longer than that. */
static size_t last_end(const char *text, size_t most)
{
    size_t end = most;

    while (end > 0 && text[end] != ' ')
        end--;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    return end > 0 ? end : most;
}

void hwc_write_list(char *text, size_t size, const char *format, va_list arguments)
{
    int length = vsnprintf(text, size, format, arguments);

    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= size && size > sizeof more)
        memcpy(text + last_end(text, size - sizeof more), more, sizeof more);
}

void hwc_write(char *text, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(text, size, format, arguments);
    va_end(arguments);
}
