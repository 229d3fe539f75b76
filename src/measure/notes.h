/* Notes: what a reader of the profile should know besides its findings. */
#ifndef HWC_NOTES_H
#define HWC_NOTES_H

#include "text.h"

enum { HWC_MAX_NOTES = 48 };

struct hwc_notes {
    unsigned count;
    char text[HWC_MAX_NOTES][HWC_MESSAGE];
};

/* Add a note once; a note that is already there is not repeated. */
void hwc_note(struct hwc_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
