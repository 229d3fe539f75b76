/* A private directory for what a compiler reads and writes, which is gone when this process is, however it ends. */
#ifndef NANO_DIRECTORY_H
#define NANO_DIRECTORY_H

#include <sys/types.h>

#include "error.h"

enum { NANO_PATH = 256 };

struct nano_directory {
    char path[NANO_PATH]; /* "" = there is none */
    int keeper;           /* a pipe to the process that removes it once the pipe is closed; -1 = there is none */
    pid_t keeper_pid;
};

/* Where TMPDIR or XDG_RUNTIME_DIR say, or where else it can be. HWC_UNAVAILABLE if it can be nowhere. */
int nano_directory_open(struct nano_directory *directory, struct hwc_error *error);

/* Tell the keeper which process groups work in it now, to be killed first if this process ends. */
void nano_directory_in_use(const struct nano_directory *directory, const pid_t *groups, unsigned count);

/* Remove it. Does nothing to one that is not open. */
void nano_directory_close(struct nano_directory *directory);

#endif
