#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/* Waits until the socket is closed, which the kernel does for a process that is killed, too. What was about to be started
 * then has the directory as its TMPDIR once it is a program of its own. */
static const char keeper[] =
    "now=; while read -r line; do now=$line; done; exec 2>/dev/null; "
    "for group in $now; do if [ $group != begins ]; then kill -9 -$group; else for round in 1 2 3; do "
    "for of in $(grep -lszxF \"TMPDIR=$1\" /proc/[0-9]*/environ); do of=${of#/proc/}; kill -9 ${of%/environ}; done; "
    "sleep 0.3; done; fi; done; rm -rf -- \"$1\"";

static int spawn_keeper(struct nano_directory *directory, int end)
{
    char *words[] = {"/bin/sh", "-c", (char *)(uintptr_t)keeper, "sh", directory->path, NULL};
    const struct nano_program program = {
        .words = words, .environment = environ, .input = end, .flags = POSIX_SPAWN_SETSID}; /* Ctrl-C is not for it */

    return nano_spawn(&program, &directory->keeper_pid);
}

/* Without a keeper, the directory is still removed by this process, unless it is killed. To write to a pipe whose other
 * end is gone would be a signal, so it is a socket. */
static void start_keeper(struct nano_directory *directory)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return;
    directory->keeper = ends[1];
    if (spawn_keeper(directory, ends[0]) != 0) {
        close(ends[1]);
        directory->keeper = -1;
    }
    close(ends[0]);
}

int nano_directory_open(struct nano_directory *directory, struct hwc_error *error)
{
    const char *const parents[] = {getenv("TMPDIR"), getenv("XDG_RUNTIME_DIR"), "/tmp", "/var/tmp", "/dev/shm", "."};

    *directory = (struct nano_directory){.keeper = -1};
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
        if (parents[i] == NULL || parents[i][0] == '\0' || strlen(parents[i]) > NANO_PATH / 2)
            continue;
        hwc_write(directory->path, sizeof directory->path, "%s/hwchar-XXXXXX", parents[i]);
        if (mkdtemp(directory->path) == NULL) /* only this user may enter it */
            continue;
        start_keeper(directory);
        return HWC_OK;
    }
    directory->path[0] = '\0';
    return hwc_fail(error, HWC_UNAVAILABLE, "there is no directory to compile in: neither /tmp nor another one can be "
                                            "written to; TMPDIR may name one");
}

void nano_file(const struct nano_directory *directory, const char *name, const char *ending, char path[NANO_PATH])
{
    hwc_write(path, NANO_PATH, "%s/%s.%s", directory->path, name, ending);
}

void nano_directory_in_use(const struct nano_directory *directory, const pid_t *groups, unsigned count, bool begins)
{
    char line[512];
    size_t used = 0;

    for (unsigned i = 0; i < count && used + 16 < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%d ", (int)groups[i]);
    used += (size_t)snprintf(line + used, sizeof line - used, "%s\n", begins ? "begins" : "");
    if (directory->keeper >= 0 && send(directory->keeper, line, used, MSG_NOSIGNAL) < 0)
        return; /* there is no keeper any more: nothing can be done about that */
}

/* The compiler may have left files of its own. */
static void remove_files(const char *path)
{
    DIR *list = opendir(path);
    const struct dirent *entry;

    if (list == NULL)
        return;
    while ((entry = readdir(list)) != NULL)
        unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
}

void nano_directory_close(struct nano_directory *directory)
{
    if (directory->path[0] == '\0')
        return;
    remove_files(directory->path);
    rmdir(directory->path);
    directory->path[0] = '\0';
    if (directory->keeper < 0)
        return;
    close(directory->keeper);
    while (waitpid(directory->keeper_pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}
