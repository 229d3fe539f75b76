/* Output files: written under a temporary name beside their path and renamed,
 * so that no file is left half-written. Devices and pipes are written directly. */
#ifndef HWC_OUTPUT_H
#define HWC_OUTPUT_H

#include <stdio.h>

#include "error.h"

struct hwc_output {
    FILE *stream;
    char path[4096];
    char temporary[4200];
};

/* Open before measuring, so that a path that cannot be written to is not found out an hour later. */
int hwc_output_open(struct hwc_output *output, const char *path, struct hwc_error *error);

/* Close the file and rename it into place. */
int hwc_output_commit(struct hwc_output *output, struct hwc_error *error);

/* Close the file and remove it. Harmless after a commit. */
void hwc_output_abandon(struct hwc_output *output);

#endif
