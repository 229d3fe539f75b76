#include "output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int hwc_output_open(struct hwc_output *output, const char *path, struct hwc_error *error)
{
    struct stat existing;
    mode_t mask = umask(0);
    int descriptor;

    umask(mask);
    *output = (struct hwc_output){0};
    if (strlen(path) >= sizeof output->path)
        return hwc_fail(error, HWC_BAD_INPUT, "%.60s...: the name is too long", path);
    snprintf(output->path, sizeof output->path, "%s", path);
    if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode)) {
        /* A device or a pipe is written to directly; a directory cannot be. */
        output->stream = S_ISDIR(existing.st_mode) ? NULL : fopen(path, "w");
        if (output->stream == NULL)
            return hwc_fail(error, HWC_BAD_INPUT, "%s: cannot be written: %s", path,
                            S_ISDIR(existing.st_mode) ? "it is a directory" : strerror(errno));
        return HWC_OK;
    }
    snprintf(output->temporary, sizeof output->temporary, "%s.XXXXXX", path);
    descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        output->temporary[0] = '\0';
        return hwc_fail(error, HWC_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
    }
    fchmod(descriptor, 0666 & ~mask);
    output->stream = fdopen(descriptor, "w");
    if (output->stream == NULL) {
        close(descriptor);
        hwc_output_abandon(output);
        return hwc_fail(error, HWC_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    }
    return HWC_OK;
}

int hwc_output_commit(struct hwc_output *output, struct hwc_error *error)
{
    bool written = fflush(output->stream) == 0 && ferror(output->stream) == 0;
    int fault = errno;

    if (fclose(output->stream) != 0 && written) {
        written = false;
        fault = errno;
    }
    output->stream = NULL;
    if (written && output->temporary[0] != '\0' && rename(output->temporary, output->path) != 0) {
        written = false;
        fault = errno;
    }
    if (!written) {
        hwc_output_abandon(output);
        return hwc_fail(error, HWC_BAD_INPUT, "%s: cannot be written: %s", output->path, strerror(fault));
    }
    output->temporary[0] = '\0';
    return HWC_OK;
}

void hwc_output_abandon(struct hwc_output *output)
{
    if (output->stream != NULL)
        fclose(output->stream);
    output->stream = NULL;
    if (output->temporary[0] != '\0')
        unlink(output->temporary);
    output->temporary[0] = '\0';
}
