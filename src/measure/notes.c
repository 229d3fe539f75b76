#include "notes.h"

#include <stdarg.h>
#include <string.h>

void hwc_note(struct hwc_notes *notes, const char *format, ...)
{
    char text[sizeof notes->text[0]];
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->text[i], text) == 0)
            return;
    if (notes->count < HWC_MAX_NOTES)
        memcpy(notes->text[notes->count++], text, sizeof text);
}
