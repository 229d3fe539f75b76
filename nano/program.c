#include "program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <unistd.h>

static const char nowhere[] = "/dev/null";

static int add_files(const struct nano_program *program, posix_spawn_file_actions_t *files)
{
    const char *log = program->log != NULL ? program->log : nowhere;
    int failed = program->input >= 0 ? posix_spawn_file_actions_adddup2(files, program->input, STDIN_FILENO)
                                     : posix_spawn_file_actions_addopen(files, STDIN_FILENO, nowhere, O_RDONLY, 0);

    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, nowhere, O_WRONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return failed;
}

static int spawn_with(const struct nano_program *program, posix_spawn_file_actions_t *files, pid_t *pid)
{
    posix_spawnattr_t attributes;
    int failed = posix_spawnattr_init(&attributes);

    if (failed != 0)
        return failed;
    failed = posix_spawnattr_setflags(&attributes, program->flags);
    if (failed == 0)
        failed = posix_spawnp(pid, program->words[0], files, &attributes, program->words, program->environment);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

int nano_spawn(const struct nano_program *program, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int failed = posix_spawn_file_actions_init(&files);

    if (failed != 0)
        return failed;
    failed = add_files(program, &files);
    if (failed == 0)
        failed = spawn_with(program, &files, pid);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}
