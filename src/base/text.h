/* Writing into a buffer of fixed size: text that does not fit is cut after a
 * word and ends with "..."; only a first word too long itself is cut inside. */
#ifndef HWC_TEXT_H
#define HWC_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Size of messages and reasons: enough for all texts of hwchar, so that only text from outside can be too long. */
enum { HWC_MESSAGE = 768 };

void hwc_write(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void hwc_write_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
