/* Errors: a status code, and a message owned by the caller.
 *
 * A function that can fail returns 0 or one of the negative codes below and
 * takes a `struct hwc_error *` as its last argument. The message is set where
 * the fault is found; callers further up may put context in front of it.
 * Nothing below the command line prints or exits. */
#ifndef HWC_ERROR_H
#define HWC_ERROR_H

#include <stdbool.h>

#include "text.h"

enum hwc_status {
    HWC_OK = 0,
    HWC_BAD_INPUT = -1,    /* bad file or option from the user; exit status 2 */
    HWC_UNAVAILABLE = -2,  /* not available here; exit status 3, the default */
    HWC_NO_MEMORY = -3,    /* less memory than the step needs */
    HWC_INTERRUPTED = -4,  /* the user asked to stop; exit status 130 */
    HWC_SYSTEM = -5,       /* the operating system refused */
    HWC_INCONCLUSIVE = -6, /* measured, but the evidence does not decide */
    HWC_DIFFERENCE = -7,   /* done, and a validation found a difference; exit status 1, without a message */
};

struct hwc_error {
    int status;
    char message[HWC_MESSAGE];
};

void hwc_error_set(struct hwc_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Set the message and return `status`. A macro, so that readers and static
 * analysers see which status is returned. */
#define hwc_fail(error, status, ...) (hwc_error_set((error), (status), __VA_ARGS__), (status))

/* Return the status of a call that failed. A function that must clean up first
 * keeps the status in a variable instead. */
#define TRY(call)                 \
    do {                          \
        int try_status = (call);  \
        if (try_status != HWC_OK) \
            return try_status;    \
    } while (0)

/* Put "CONTEXT: " in front of the message; return the status it carries. */
int hwc_context(struct hwc_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Did only this measurement fail, so that the run can go on? */
static inline bool hwc_came_to_nothing(int status)
{
    return status == HWC_UNAVAILABLE || status == HWC_INCONCLUSIVE || status == HWC_NO_MEMORY;
}

#endif
