/* A private directory for what a compiler reads and writes, which is gone when this process is, however it ends. */
#ifndef NANO_DIRECTORY_H
#define NANO_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

#include "error.h"

enum { NANO_PATH = 256 };

struct nano_directory {
    char path[NANO_PATH]; /* "" = there is none */
    int keeper;           /* a socket to the process that removes it once this is closed; -1 = there is none */
    pid_t keeper_pid;
};

/* Where TMPDIR or XDG_RUNTIME_DIR say, or where else it can be. HWC_UNAVAILABLE if it can be nowhere. */
int nano_directory_open(struct nano_directory *directory, struct hwc_error *error);

/* The path of NAME.ENDING in it. The name has at most 32 bytes. */
void nano_file(const struct nano_directory *directory, const char *name, const char *ending, char path[NANO_PATH]);

/* Tell the keeper which process groups work in it now, to be killed first if this process ends. `begins`: one more is
 * about to be started, whose number is not known yet: the keeper seeks it then by its TMPDIR, which is the directory. */
void nano_directory_in_use(const struct nano_directory *directory, const pid_t *groups, unsigned count, bool begins);

/* Remove it. Does nothing to one that is not open. */
void nano_directory_close(struct nano_directory *directory);

#endif
