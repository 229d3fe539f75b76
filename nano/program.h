/* Starting another program. What it prints to its standard output is dropped. */
#ifndef NANO_PROGRAM_H
#define NANO_PROGRAM_H

#include <sys/types.h>

struct nano_program {
    char **words, **environment; /* each ends with NULL */
    short flags;                 /* of posix_spawnattr_setflags */
    int input;                   /* its standard input; -1 = nothing */
    const char *log;             /* the file for its messages; NULL = they are dropped */
};

/* 0, or an error of errno.h. */
int nano_spawn(const struct nano_program *program, pid_t *pid);

#endif
