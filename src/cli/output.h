/* Output files: written beside their place and renamed into it, so that
 * nothing is ever left half-written. */
#ifndef HWC_OUTPUT_H
#define HWC_OUTPUT_H

#include <stdio.h>

#include "error.h"

struct hwc_output {
    FILE *stream;
    char path[4096];
    char temporary[4200];
};

/* Open now, so that a place that cannot be written to is known before an hour of measuring. */
int hwc_output_open(struct hwc_output *output, const char *path, struct hwc_error *error);

/* Put it in place. */
int hwc_output_commit(struct hwc_output *output, struct hwc_error *error);

/* Leave no trace. Harmless after a commit. */
void hwc_output_abandon(struct hwc_output *output);

#endif
