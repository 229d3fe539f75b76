/* Writing into a buffer of fixed size: what does not fit ends at a word, with
 * "...", and never in the middle of one. */
#ifndef HWC_TEXT_H
#define HWC_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Messages and reasons: long enough for all that hwchar says, so that only what comes from outside can be too long. */
enum { HWC_MESSAGE = 768 };

void hwc_write(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void hwc_write_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
