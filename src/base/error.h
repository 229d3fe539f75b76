/* Errors: a status code, and a message owned by the caller.
 *
 * A function that can fail returns 0 or one of the negative codes below and
 * takes a `struct hwc_error *` as its last argument. The message is set where
 * the fault is found; callers on the way up may put context in front of it.
 * Nothing below the command line prints or exits. */
#ifndef HWC_ERROR_H
#define HWC_ERROR_H

#include <stdbool.h>

#include "text.h"

enum hwc_status {
    HWC_OK = 0,
    HWC_BAD_INPUT = -1,    /* the user's: a file, an option; exit status 2 */
    HWC_UNAVAILABLE = -2,  /* cannot be asked here; exit status 3 */
    HWC_NO_MEMORY = -3,    /* less memory than the step needs */
    HWC_INTERRUPTED = -4,  /* the user asked to stop; exit status 130 */
    HWC_SYSTEM = -5,       /* the operating system refused */
    HWC_INCONCLUSIVE = -6, /* it was asked, and the evidence is not there */
};

struct hwc_error {
    int status;
    char message[HWC_MESSAGE];
};

void hwc_error_set(struct hwc_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Set the message and return `status`: a macro, so that readers and analysers
 * see which status that is. */
#define hwc_fail(error, status, ...) (hwc_error_set((error), (status), __VA_ARGS__), (status))

/* Leave the function with the status of what failed. Where something is to be
 * closed first, the status is kept in a variable instead. */
#define TRY(call)                 \
    do {                          \
        int try_status = (call);  \
        if (try_status != HWC_OK) \
            return try_status;    \
    } while (0)

/* Put "CONTEXT: " in front of the message; return the status it carries. */
int hwc_context(struct hwc_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is it a measurement that came to nothing, rather than an end of the run? */
static inline bool hwc_came_to_nothing(int status)
{
    return status == HWC_UNAVAILABLE || status == HWC_INCONCLUSIVE || status == HWC_NO_MEMORY;
}

#endif
